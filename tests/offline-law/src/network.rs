//! Pending requests between devices and server.

use crate::server::{DOCUMENTS, Signed, Stored};
use crate::world::Marks;
use raven_edge::offline::Action;

/// What a command requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum When {
    Any,
    Absent,
    Vector(u8),
}

/// A command of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Command {
    pub(crate) document: u8,
    pub(crate) action: Action,
    pub(crate) when: When,
    pub(crate) text: Marks,
    /// The change. This and the following members are only for the laws.
    pub(crate) mark: Marks,
    pub(crate) owner: u8,
    /// What the app has seen of the document.
    pub(crate) seen: Marks,
    /// Whether the app has decided what to write.
    pub(crate) decided: bool,
    /// Whether the app knows the document and has not been told that it was deleted.
    pub(crate) revives: bool,
}

/// A batch or a fence, as sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Batch {
    pub(crate) device: u8,
    /// The user that it names, and the user who was signed in when it was sent.
    pub(crate) user: u8,
    pub(crate) cookie: u8,
    pub(crate) node: u8,
    pub(crate) number: u32,
    pub(crate) id: u32,
    pub(crate) receipt: u8,
    /// The receipt's change vector; `None` if it must not exist.
    pub(crate) expects: Option<u8>,
    pub(crate) commands: Vec<Command>,
}

/// What a device asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Request {
    Batch(Batch),
    Receipt { number: u32, node: u8 },
    Fetch { change: u32, version: u32, node: u8 },
}

/// The server's response to a batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Response {
    /// The change vectors of the receipt and of the documents.
    Applied {
        receipt: u8,
        results: Vec<(u8, u8)>,
    },
    ReceiptConflict,
    Conflict(u8),
    Refused,
    Unauthorized,
    /// The receipt that was read.
    Receipt(Option<Signed>),
    /// The documents of one node.
    Documents([Option<Stored>; DOCUMENTS]),
}

/// A request, and its response once the server has executed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Message {
    /// The tab that waits for the response: its device and number. `None`: nobody does, but it may still arrive.
    pub(crate) by: Option<(u8, u8)>,
    /// The queue that it belongs to.
    pub(crate) owner: u8,
    pub(crate) request: Request,
    pub(crate) response: Option<Response>,
    /// The incarnation that has responded.
    pub(crate) incarnation: u8,
}
