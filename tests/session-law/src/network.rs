//! What is on its way between sessions and server.

use crate::server::Content;

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Put,
    Delete,
    Read,
    Patch,
}

/// On which condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum When {
    Any,
    Absent,
    Vector(u8),
}

/// A command as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    /// Of its session; none for deferred commands.
    pub(crate) slot: Option<usize>,
    /// None where the server makes the id.
    pub(crate) id: Option<u8>,
    pub(crate) when: When,
    pub(crate) content: Content,
}

/// What the server says of the commands that it has carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Results {
    /// Slot, id, change vector.
    pub(crate) puts: Vec<(usize, u8, u8)>,
    /// Id, change vector, what the document says now.
    pub(crate) patches: Vec<(u8, u8, Content)>,
}

/// What the server answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Response {
    Applied(Results),
    /// All is done, but took too long to be copied or indexed.
    Waited,
    /// A change vector did not fit; of which document, if it is one of the session's.
    Conflict(Option<usize>),
    /// Something else was wrong; nothing is done.
    Refused,
}

/// A request, and its response once the server has carried it out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Outgoing {
    pub(crate) session: usize,
    pub(crate) version: u8,
    pub(crate) commands: Vec<Command>,
    /// Whether its session waits for the response.
    pub(crate) awaited: bool,
    pub(crate) response: Option<Response>,
}
