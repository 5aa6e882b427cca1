//! Decides what the queue of changes on a device sends, in which order, and what became of it.
//!
//! Texts, ids and change vectors stay in JavaScript (`pkg/src/offline`). This module works with numbers only, so a model checker
//! runs the shipped code (`tests/offline-law`, `docs/offline-law.md`).
//!
//! # Words
//!
//! - A **change** is what one call of `queueChanges` recorded. It is saved as a whole or not at all. Its **parts** are its documents.
//! - The **chain** of a document is all changes with a part about it, in the order in which they were queued.
//! - The **receipt** is a document of this device and user: the number and the random id of the last batch that was saved. Its write
//!   is the first command of every batch, and expects the change vector that it had before.
//! - A **batch** has a number, a random id, a node and members (changes). Sealing a batch makes all four durable.
//! - A **fence** is a batch of the receipt alone. It is saved after a refusal, before anything of the refused batch is sent again.
//! - The **flight** is the sealed batch whose outcome is not settled, with its fence if it was refused. There is at most one.
//! - A part is **stale** if it must be made anew from the document that the server has.
//!
//! # The protocol
//!
//! The state is durable. The shell begins a strict transaction, restores the queue from what the transaction reads, calls
//! [`Queue::on`], writes what the effects name, and acts on the other effects after the transaction is complete. So each decision is
//! made on what the device has stored, in whichever tab, and a crash loses nothing but the effects, which the next
//! [`Event::Drain`] repeats.
//!
//! ```text
//! Drain ──► Send ──► Outcome:  Applied ──► Saved …                      the next Drain seals the next batch
//!   │                ├─ Again: Wait ──► Drain ──► Send                  the same text, to the same node
//!   │                ├─ ReceiptConflict: ReadReceipt ──► Receipt ──► Saved …, Send, or a new receipt
//!   │                └─ Conflict, Refused, TooLarge ──► Drain ──► Send  the fence; then members are sent apart, stale or parked
//!   └──► Fetch ──► Remake ──► Drain                                     stale parts
//! ```
//!
//! # The law
//!
//! 1. A queued change is at any time on the device, on the server, or reported to the app.
//! 2. A change is carried out at most once.
//! 3. The changes of a document are carried out in order.
//! 4. No change is sent as another user.
//! 5. What another writer wrote is never overwritten unless the app has seen it.
//!
//! # Why these rules
//!
//! - All writes of a receipt expect its previous change vector, and their numbers increase. So a receipt that names this batch proves
//!   that it is saved. A smaller number proves that it is not, and a greater one that another device writes this receipt (a cloned
//!   profile).
//! - A refusal proves nothing about a copy that is still in flight. After the fence, each copy ends in a conflict about the receipt.
//!   If the fence itself conflicts, the receipt may name the refused batch: then it is saved.
//! - Another node may not have the receipt's last write yet and would carry out the batch again. So a batch stays with its node.
//! - If the receipt cannot tell whether a batch is saved, changes whose parts all expect a state are queued again: they cannot be
//!   carried out twice. Others have an unknown outcome, which is reported.
//! - A sharded database carries out a batch in parts, so its receipt proves nothing. This is found out before the receipt is read for
//!   the first time, and nothing is sent.
//! - A document's change vector is passed on to the next change only if the server now has exactly what that change began with.
//!   Passing it on after a patch or a merge would overwrite what others have written.
//! - A refused change is not carried out any more. If the app gives it up, the next change that was made from its text begins where it
//!   began: the user has seen that text, and corrected it.

mod app;
mod change;
mod classify_failure;
mod encoding;
mod events;
mod flight;
pub mod kept;
mod next_batch;
mod next_change_expects;
mod receipt;
mod record;
pub mod sets;
mod settle;
#[cfg(test)]
mod tests;
mod variants;

pub use change::{Action, Change, Expects, How, Part, Remade, State};
pub use classify_failure::failure;
pub use events::{Effect, Event, Outcome, Regression, Reply};
pub use flight::{Batch, Flight, Refusal};
pub use receipt::{Found, Receipt, Stamp};
pub use record::{Damage, Restored};
#[cfg(feature = "variants")]
pub use variants::Variant;

#[cfg(not(feature = "variants"))]
use variants::Variant;

use alloc::vec::Vec;

use crate::protocol::pause;

/// The queue of one user on a device, for one database.
///
/// ```
/// use raven_edge::offline::{Action, Outcome, Effect, Event, Expects, Part, Queue};
///
/// let mut queue = Queue::new(1);
/// let new = Part { document: 1, action: Action::Put, expects: Expects::Absent, continues: false };
/// assert!(queue.on(Event::Add { bytes: 80, parts: &[new] }).accepted);
/// let drain = Event::Drain { user: 1, node: 0, id: 7, changes: 100, bytes: 1_000_000 };
/// assert_eq!(queue.on(drain).effects, [Effect::ReadReceipt { number: 0, node: 0 }]);
/// queue.on(Event::Receipt { number: 0, node: 0, found: None, incarnation: 1 });
/// // The response to the batch is lost: the same batch is sent again.
/// let send = Effect::Send { number: 1, id: 7, node: 0, fence: false };
/// assert!(queue.on(drain).effects.contains(&send));
/// queue.on(Event::Outcome { number: 1, outcome: Outcome::Again, incarnation: 0 });
/// assert_eq!(queue.on(Event::Drain { user: 1, node: 0, id: 8, changes: 100, bytes: 1_000_000 }).effects, [send]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Queue {
    /// The user to whom the changes belong.
    user: u32,
    /// The incarnation of the database; 0 until it is known.
    incarnation: u32,
    /// Another incarnation, which the app has not accepted yet; else 0.
    other: u32,
    /// Why nothing is sent: bits of [`pause`].
    paused: u8,
    receipt: Receipt,
    /// What the receipt contains, as far as this device knows.
    saved: Stamp,
    /// The node that saved it.
    node: u32,
    /// The greatest number used for a batch or fence.
    number: u32,
    /// The greatest number used for a change.
    added: u32,
    flight: Option<Flight>,
    /// In order of their numbers.
    changes: Vec<Change>,
    /// Consecutive failures. Not durable.
    attempts: u32,
    #[cfg(feature = "variants")]
    variant: Option<Variant>,
}

impl Queue {
    /// A queue without changes.
    pub fn new(user: u32) -> Queue {
        Queue {
            user,
            incarnation: 0,
            other: 0,
            paused: 0,
            receipt: Receipt::Unread,
            saved: Stamp::default(),
            node: 0,
            number: 0,
            added: 0,
            flight: None,
            changes: Vec::new(),
            attempts: 0,
            #[cfg(feature = "variants")]
            variant: None,
        }
    }

    /// Processes an event.
    pub fn on(&mut self, event: Event<'_>) -> Reply {
        let mut effects = Vec::new();
        let out = &mut effects;
        let accepted = match event {
            Event::Add { bytes, parts } => self.add(bytes, parts, out),
            Event::Drain { user, node, id, changes, bytes } => self.drain(user, node, id, (changes, bytes), out),
            Event::Outcome { number, outcome, incarnation } => self.batch_outcome(number, outcome, incarnation, out),
            Event::Receipt { number, node, found, incarnation } => self.read(number, node, found, incarnation, out),
            Event::Incarnation(incarnation) => self.compare(incarnation, out),
            Event::Remake { change, version, parts } => self.remake(change, version, parts, out),
            Event::Retry(change) => self.retry(change, out),
            Event::Discard(change) => self.discard(change, out),
            Event::Pause => {
                self.pause(pause::APP, out);
                true
            }
            Event::Resume => {
                self.resume();
                true
            }
            Event::NodeGone { number } => self.node_gone(number, out),
            Event::Clear => self.clear(out),
            Event::SignedIn => self.signed_in(),
            Event::NotSignedIn => {
                self.pause(pause::AUTH, out);
                true
            }
            Event::Sharded => self.sharded(out),
        };
        if !accepted {
            effects.clear();
        }
        Reply { accepted, effects }
    }

    /// The user to whom the changes belong.
    pub fn user(&self) -> u32 {
        self.user
    }

    /// The incarnation of the database; 0 until it is known.
    pub fn incarnation(&self) -> u32 {
        self.incarnation
    }

    /// What this device knows about its receipt, and what the next batch expects.
    pub fn receipt(&self) -> Receipt {
        self.receipt
    }

    /// Why nothing is sent: bits of [`pause`].
    pub fn paused(&self) -> u8 {
        self.paused
    }

    /// The batch whose outcome is not settled.
    pub fn flight(&self) -> Option<&Flight> {
        self.flight.as_ref()
    }

    /// The ids of batches that a receipt is compared with. The shell keeps their texts; texts of other ids can be removed.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        let flight = self.flight.iter();
        let sent = flight.flat_map(|flight| [Some(flight.batch), flight.fence]).flatten().map(|batch| batch.id);
        sent.chain(Some(self.saved.id).filter(|id| *id > 0))
    }

    /// All changes, in order.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// A change.
    pub fn change(&self, number: u32) -> Option<&Change> {
        let at = self.changes.binary_search_by_key(&number, |change| change.number).ok()?;
        self.changes.get(at)
    }

    /// The last change with a part about this document.
    pub fn pending(&self, document: u32) -> Option<&Change> {
        self.changes.iter().rev().find(|change| change.part(document).is_some())
    }

    fn change_mut(&mut self, number: u32) -> Option<&mut Change> {
        let at = self.changes.binary_search_by_key(&number, |change| change.number).ok()?;
        self.changes.get_mut(at)
    }
}
