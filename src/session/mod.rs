//! Decides what a session saves: which commands it sends, which state each command expects on the server, and what is known about
//! the outcome when no response arrives.
//!
//! Entities, ids, change vectors and texts stay in JavaScript (`pkg/src/documents`, `pkg/src/wire`): a string that crosses the
//! border costs ten times one that stays, and the memory of WebAssembly never shrinks. This module works with numbers only, so a
//! model checker can run the shipped code (`tests/session-law`, `docs/session-law.md`).
//!
//! # The protocol
//!
//! ```text
//! begin() ──► Read ──► on(Seen | Unread) ──► Plan            documents with an unknown outcome are read first
//!        └──► Plan ──► plan(documents), seal(deferred) ──► the façade sends ──► on(Applied | Waited | Refused | Unsent | Lost)
//!                        └─ nothing to send: done                               ├──► Done, Saved, NotSaved, Conflict, Unknown
//!                                                                               └──► Read ──► on(Seen | Unread) ──► Done, Plan, …
//! ```
//!
//! `seal` is the point of no return. Nothing that the app calls afterwards changes what the batch contains and what its loss means:
//! documents that the session forgets meanwhile are forgotten when the batch is settled.
//!
//! # The law
//!
//! 1. What was reported to the app as saved is on the server, or was overwritten: by a later write, or by an earlier request whose
//!    outcome was reported as unknown.
//! 2. What was reported as not saved never arrives later. Everything else is an unknown outcome. *Finding* the document on the
//!    server resolves an unknown outcome; its absence never does. A delete of a document with an unknown outcome is sent.
//! 3. A request that contains a patch, or asks the server for an id, is not repeated, unless RavenDB refused it or nothing
//!    was sent.
//! 4. After any error, following the documented advice ends with exactly one copy of every guarded change. Guarded are new
//!    documents under an id of this client, and writes that expect a change vector.
//! 5. A refused save leaves every document, deferred command and id as it was.
//!
//! # Why these rules
//!
//! - Only a new document under an id that this client leased can be *proven* to be saved: no other client writes that id, so a
//!   document found there with the content that was sent is ours. For any other document, equal content proves nothing, because
//!   another writer may have written the same.
//! - The core remembers *every* version of a new document that may still arrive. Each version expects that no document exists, so
//!   at most one can be written. The content that is found shows which one.
//! - A lost save succeeds only if its own version of each document is found. An earlier version says that the batch was refused, or
//!   will be: it expects that the document does not exist.
//! - Deleting such a document does not resolve its outcome until the delete is carried out. Until then the delete is sent again.
//! - A conflict about a new document of ours is checked by reading the document: an earlier request may have arrived in the
//!   meantime, or a proxy may have sent this request twice.
//! - In a sharded database, a conflict rolls back the commands of one shard. The outcome on the other shards is unknown.

#[cfg(feature = "texts")]
mod classify_failure;
mod outcome;
mod plan;
mod slots;
mod variants;

#[cfg(feature = "texts")]
pub use classify_failure::failure;
pub use outcome::{Event, Finding, Next, Outcome, Seen};
pub use plan::{Advice, Command, Deferred, Refusal};
pub use slots::{Action, Document, Expectation, Facts};
#[cfg(feature = "variants")]
pub use variants::Variant;

use alloc::vec::Vec;

use outcome::{Phase, Suspect};
use plan::Plan;
use slots::Unknowns;
#[cfg(not(feature = "variants"))]
use variants::Variant;

/// The saves of one session.
///
/// ```
/// use raven_edge::session::{Document, Event, Facts, Finding, Next, Saves, Seen, Action};
///
/// let mut saves = Saves::default();
/// let new = Document { slot: 0, action: Action::Put, facts: Facts::CHECKED.with(Facts::OURS) };
/// assert_eq!(saves.begin(), Next::Plan);
/// saves.plan(false, &[new]).unwrap();
/// assert_eq!(saves.seal(&[]), Ok(true));
/// // No response arrives. The document that is found under the id shows whether it was saved.
/// assert_eq!(saves.on(Event::Lost).next, Next::Read);
/// let outcome = saves.on(Event::Seen(&[Seen { slot: 0, finding: Finding::Version(1) }]));
/// assert_eq!((outcome.next, outcome.confirmed), (Next::Done, vec![(0, 1)]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Saves {
    /// Number of batches sent so far: the version of what the last batch wrote.
    version: u32,
    unknown: Unknowns,
    /// The last advice given to the app. Reset when a save succeeds.
    advice: Advice,
    phase: Phase,
    /// Used in [`Phase::ReadingAfterConflict`].
    suspect: Suspect,
    /// The batch in progress; before it is sealed, what was planned last.
    plan: Plan,
    /// Documents that the session has forgotten since the batch was sealed.
    forgotten: Vec<u32>,
    #[cfg(feature = "variants")]
    variant: Option<Variant>,
}

impl Saves {
    /// The version of what the last batch wrote.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Whether no save is in progress and no document has an unknown outcome. Then `forget` need not be called.
    pub fn is_idle(&self) -> bool {
        self.unknown.is_empty() && self.phase == Phase::Idle
    }
}
