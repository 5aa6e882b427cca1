//! What the shell reports to the queue, and what the queue asks for.

use alloc::vec::Vec;

use super::change::{Part, Remade};
use super::receipt::Found;
#[cfg(doc)]
use super::{Change, Queue};
#[cfg(doc)]
use crate::protocol::pause;

/// What the shell reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The app queues a change.
    Add {
        /// The size of its text in bytes.
        bytes: u32,
        /// Its documents, each once.
        parts: &'a [Part],
    },
    /// Send what can be sent.
    Drain {
        /// The user of the store that drains.
        user: u32,
        /// The node that a new batch is sent to.
        node: u32,
        /// The number of a new random id, unused so far, for a batch that is sealed now.
        id: u32,
        /// Most members of a batch.
        changes: u32,
        /// Most bytes of a batch with several members.
        bytes: u32,
    },
    /// The outcome of a batch or fence that was sent.
    Outcome {
        /// Its number.
        number: u32,
        /// The outcome.
        outcome: Outcome,
        /// The incarnation in the response; 0 without one.
        incarnation: u32,
    },
    /// The receipt was read.
    Receipt {
        /// The number passed with [`Effect::ReadReceipt`].
        number: u32,
        /// The node that was read.
        node: u32,
        /// What was found; `None` if it does not exist.
        found: Option<Found>,
        /// The incarnation in the response; 0 without one.
        incarnation: u32,
    },
    /// A response to any other request named this incarnation.
    Incarnation(u32),
    /// Stale parts were made anew, or the app has resolved a conflict.
    Remake {
        /// The change.
        change: u32,
        /// Its version when its texts were read. If it has another one now, the event is ignored.
        version: u32,
        /// The parts that were made anew.
        parts: &'a [Remade],
    },
    /// The app sends a parked change again, or one with an unknown outcome.
    Retry(u32),
    /// The app gives up a change.
    Discard(u32),
    /// The app pauses the queue.
    Pause,
    /// The app resumes the queue, after whatever has paused it.
    Resume,
    /// The node of the flight no longer exists.
    NodeGone {
        /// The number of the batch or fence.
        number: u32,
    },
    /// The app gives up all changes. Those in flight may still be carried out.
    Clear,
    /// A read was refused because the user is not signed in (401).
    NotSignedIn,
    /// The user may be signed in again, as in a new page, whose credentials are not those of before. What else has paused the queue
    /// stays.
    SignedIn,
    /// The database is sharded: it does not carry out a batch as a whole. The shell finds this out before it reports the first receipt.
    Sharded,
}

/// The outcome of a batch or fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The server has carried it out, and each result matches its command.
    Applied,
    /// Conflict about the receipt.
    ReceiptConflict,
    /// Conflict about a document; 0 if the server named no document, or one that the queue does not have.
    Conflict(u32),
    /// RavenDB or the gateway refuses it for good.
    Refused,
    /// It is too large (413).
    TooLarge,
    /// The caller is not signed in (401), or as another user.
    Unauthorized,
    /// No response, or one that leaves the outcome open or will change: it is sent again later.
    Again,
}

/// What the shell does: the first group in the transaction, the second after it is complete, the third are reports to the app, which
/// are also made after it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Write the record of this change ([`Change::record`]); for [`Event::Add`] together with its texts.
    Store(u32),
    /// Remove this change and its texts.
    Remove(u32),
    /// The change vector of the response for `document` in `from` is what `document` in `to` expects from now on.
    Pass {
        /// The change that was saved.
        from: u32,
        /// The next change of the document.
        to: u32,
        /// The document.
        document: u32,
    },
    /// `document` in `to` was made from what `document` is before `from`, and expects its change vector, unless `from` expects none.
    Inherit {
        /// The refused change that is given up.
        from: u32,
        /// The next change of the document.
        to: u32,
        /// The document.
        document: u32,
    },
    /// In the texts of this change, `document` now has the id of `to`.
    Rename {
        /// The change.
        change: u32,
        /// The document.
        document: u32,
        /// The document with the new id.
        to: u32,
    },
    /// Keep the receipt's change vector from this response.
    KeepVector,
    /// Keep the server's error with this change.
    KeepError(u32),
    /// Replace the id of the receipt by a new random one.
    NewReceipt,

    /// Send the flight's batch, or its fence.
    Send {
        /// Its number: the receipt's `Last`.
        number: u32,
        /// Its random id: the receipt's `Batch`.
        id: u32,
        /// The node to send it to.
        node: u32,
        /// Whether it contains only the receipt; else the members of [`Queue::flight`], in order.
        fence: bool,
    },
    /// Read the receipt from this node.
    ReadReceipt {
        /// The number to report.
        number: u32,
        /// The node.
        node: u32,
    },
    /// Read the documents of the stale parts of a change, make them anew, and report [`Event::Remake`].
    Fetch {
        /// The change.
        change: u32,
        /// The node that has what this device saved last. Another one may be older.
        node: u32,
    },
    /// Drain again after a pause that grows with the number of consecutive failures.
    Wait(u32),
    /// Nothing can be sent now.
    Idle,

    /// A change was queued under this number.
    Added(u32),
    /// A change is saved.
    Saved {
        /// The change.
        change: u32,
        /// Whether its results are in the response. If not, its change vectors and the results of its patches are unknown.
        results: bool,
    },
    /// A change waits for the app: another writer has changed its documents.
    Conflict(u32),
    /// The server refuses a change.
    Parked(u32),
    /// Whether a change is saved cannot be determined.
    Unsure(u32),
    /// A change is removed, and was not saved by this device.
    Discarded(u32),
    /// The server has gone back, or another device writes the receipt of this one.
    Regression(Regression),
    /// Nothing is sent until the app resumes: bits of [`pause`].
    Paused(u8),
}

/// Why the outcome of changes, or what the receipt says, is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Regression {
    /// Another device writes this receipt: a cloned profile.
    Cloned,
    /// The receipt does not exist any more, or is older than what this device had saved.
    ReceiptLost,
    /// The database has another incarnation: it was deleted and recreated, or restored.
    Incarnation,
}

/// The result of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Whether the event matched the state. If not, nothing has changed, and the shell writes nothing.
    pub accepted: bool,
    /// What to do, in order.
    pub effects: Vec<Effect>,
}
