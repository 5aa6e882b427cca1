//! Pending messages between sessions and server.

use crate::server::Content;

/// The effect of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Put,
    Delete,
    Read,
    Patch,
    /// Adds an attachment, which the text of the document does not show.
    Attach,
}

/// The condition of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum When {
    Any,
    Absent,
    Vector(u8),
}

/// A command that the app has deferred: a patch, an attachment, or a deletion by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Deferred {
    pub(crate) kind: Kind,
    pub(crate) id: u8,
    /// The change that it makes.
    pub(crate) mark: u16,
}

/// A command as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    /// The slot in its session; `None` for deferred commands, except for attachments of new documents.
    pub(crate) slot: Option<usize>,
    /// `None` if the server generates the id.
    pub(crate) id: Option<u8>,
    pub(crate) when: When,
    pub(crate) content: Content,
}

/// The server's results of executed commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Results {
    /// Slot, id, change vector.
    pub(crate) puts: Vec<(usize, u8, u8)>,
    /// Id, change vector, new content of the document.
    pub(crate) patches: Vec<(u8, u8, Content)>,
}

/// The server's response.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Response {
    Applied(Results),
    /// Executed, but the wait for replication or indexing timed out.
    Waited,
    /// A change vector did not match; the slot of the document, if the session tracks it.
    Conflict(Option<usize>),
    /// Refused for another reason; nothing was executed.
    Refused,
}

/// A request, and its response once the server has executed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Outgoing {
    pub(crate) session: usize,
    pub(crate) version: u8,
    pub(crate) commands: Vec<Command>,
    /// Whether its session waits for the response.
    pub(crate) awaited: bool,
    pub(crate) response: Option<Response>,
}
