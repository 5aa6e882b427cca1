//! What a session saves: which commands, on which condition, and what became of them when no response came.
//!
//! Entities, ids, change vectors and texts stay with JavaScript (`pkg/src/documents`, `pkg/src/wire`): a text that crosses the border costs ten times one
//! that stays, and WebAssembly's memory never shrinks. This module decides with numbers alone, so that a model checker runs it
//! as it is shipped (`tests/session-law`, `docs/session-law.md`).
//!
//! # The protocol
//!
//! ```text
//! begin() ──► Read ──► on(Seen | Unread) ──► Plan            documents of unknown outcome are looked for first
//!        └──► Plan ──► plan(documents) ──► the façade sends ──► on(Applied | Waited | Refused | Unsent | Lost)
//!                        └─ nothing to send: done               ├──► Done, Saved, NotSaved, Conflict, Unknown
//!                                                               └──► Read ──► on(Seen | Unread) ──► Done, Plan, …
//! ```
//!
//! # The law
//!
//! 1. What the app was told is saved is on the server, or was overwritten: by a later write, or by an earlier request of which
//!    the app was told that its outcome is unknown.
//! 2. What the app was told is not saved never arrives later. Everything else is an unknown outcome. *Finding* the document
//!    settles it, its absence never does, and a delete of such a document is sent.
//! 3. A request that holds a patch, or asks the server for an id, is not repeated, unless RavenDB refused it or nothing
//!    was sent.
//! 4. After any error the documented advice ends with exactly one copy of every guarded change: a new document under an id of
//!    this client, a write on condition of a change vector.
//! 5. A refused save leaves every document, deferred command and id as it was.
//!
//! # Why these rules
//!
//! - Only a new document under an id of ours can be *proven* to be saved: nobody else can have written it, so what is found there
//!   and says what was sent is ours. Of anything else, equal content proves nothing, because another writer may have
//!   written the same.
//! - A document remembers *every* version that may still arrive. Each of them expects that there is no document, so at most
//!   one does, and which one it was is seen when it is found.
//! - A deletion of such a document does not settle it until it is carried out: while it is unknown, it is sent again.
//! - A conflict about a new document of ours is looked into before it is believed: an earlier request may have arrived
//!   meanwhile, or somebody in between has sent this one twice.
//! - In a sharded database a conflict undoes the commands of one shard. The outcome of the others is unknown.

mod failure;
mod outcome;
mod plan;
mod slots;
mod variants;

pub use failure::failure;
pub use outcome::{Event, Finding, Next, Outcome, Seen};
pub use plan::{Advice, Command, Mode, Plan, Refusal};
pub use slots::{Action, Document, Expectation, Facts};
#[cfg(feature = "variants")]
pub use variants::Variant;

use outcome::{Phase, Suspect};
use slots::Unknowns;
#[cfg(not(feature = "variants"))]
use variants::Variant;

/// The saves of one session.
///
/// ```
/// use raven_edge::session::{Document, Event, Facts, Finding, Mode, Next, Saves, Seen, Action};
///
/// let mut saves = Saves::default();
/// let new = Document { slot: 0, action: Action::Put, facts: Facts::CHECKED.with(Facts::OURS) };
/// assert_eq!(saves.begin(), Next::Plan);
/// saves.plan(Mode::default(), &[new]).unwrap();
/// // No response comes. What is found under the id says whether the document was saved.
/// assert_eq!(saves.on(Event::Lost).next, Next::Read);
/// let outcome = saves.on(Event::Seen(&[Seen { slot: 0, finding: Finding::Version(1) }]));
/// assert_eq!((outcome.next, outcome.confirmed), (Next::Done, vec![(0, 1)]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Saves {
    /// How many batches were sent: the version of what the last one wrote.
    version: u32,
    unknown: Unknowns,
    /// What the app was advised to do last, until a save succeeds.
    advice: Advice,
    phase: Phase,
    /// Of [`Phase::ReadingAfterConflict`].
    suspect: Suspect,
    /// The batch that is under way.
    plan: Plan,
    #[cfg(feature = "variants")]
    variant: Option<Variant>,
}

impl Saves {
    /// The version of what the last batch wrote.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Whether there are documents with an unknown outcome, or a save is under way: whether `forget` has to be told what the
    /// session is done with.
    pub fn is_idle(&self) -> bool {
        self.unknown.is_empty() && self.phase == Phase::Idle
    }
}
