//! The one error type: a stable code, what happened, and where.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use crate::http::Request;
use crate::json;

/// What the core finds wrong, stable across versions; `Code::name` is the text that JavaScript sees as `error.code`.
/// The façade adds what only it can find (`Disposed`, `NoCollection`, `Dead`, …): see `pkg/index.d.ts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// An argument cannot be meant: an empty database name, a negative count.
    InvalidArgument,
    /// What cannot be done at this place, or in this state.
    InvalidOperation,
    /// A tag that RavenDB cannot lease safely: see [`crate::ids::tag`].
    InvalidTag,
    /// What cannot be the id of a document: see [`crate::ids::check`].
    InvalidId,
    /// No response within the time limit.
    Timeout,
    /// No node of the server could be reached.
    Unreachable,
    /// RavenDB refused the page's origin (an empty 403): it has to be reached through the page's own origin.
    ForeignOrigin,
    /// The server answered with an error of its own; its exception type is [`Error::server_type`].
    Server,
    /// Optimistic concurrency: the document is not in the expected state.
    Concurrency,
    /// The response is not what the protocol promises; nothing of it was used.
    BadAnswer,
    /// The numbers are used up: above 2^53 − 1 a JavaScript number would repeat ids.
    Exhausted,
}

impl Code {
    /// The stable name of the code.
    pub fn name(self) -> &'static str {
        match self {
            Code::InvalidArgument => "InvalidArgument",
            Code::InvalidOperation => "InvalidOperation",
            Code::InvalidTag => "InvalidTag",
            Code::InvalidId => "InvalidId",
            Code::Timeout => "Timeout",
            Code::Unreachable => "Unreachable",
            Code::ForeignOrigin => "ForeignOrigin",
            Code::Server => "Server",
            Code::Concurrency => "Concurrency",
            Code::BadAnswer => "BadAnswer",
            Code::Exhausted => "Exhausted",
        }
    }
}

/// An error of this crate: a box, because results are moved around a lot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Detail>);

/// What an error tells; an [`Error`] can be read and written like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// What kind of error, stable.
    pub code: Code,
    /// HTTP status of the response; 0 when there was none.
    pub status: u16,
    /// What happened and what the caller can do, in a sentence.
    pub message: Cow<'static, str>,
    /// Method and path of the request that failed, such as `POST /databases/Shop/bulk_docs`; empty when none was sent.
    pub request: String,
    /// What the server said, `{"Type","Message",…}` and in a conflict `Id` and the change vectors; the façade takes it
    /// apart, because the engine does that for nothing. Empty when the error is not the server's.
    pub body: Vec<u8>,
    /// Whether it is known that nothing was sent: the platform refused before, or found nobody to connect to.
    pub unsent: bool,
}

impl Deref for Error {
    type Target = Detail;

    fn deref(&self) -> &Detail {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Detail {
        &mut self.0
    }
}

impl Error {
    /// An error with a code and a message.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Error {
        Error(Box::new(Detail {
            code,
            status: 0,
            message: message.into(),
            request: String::new(),
            body: Vec::new(),
            unsent: false,
        }))
    }

    /// The error, with the request that failed.
    pub fn at(mut self, request: &Request) -> Error {
        self.request = request.summary();
        self
    }

    /// RavenDB's exception type in full, such as `Raven.Client.Exceptions.ConcurrencyException`.
    pub fn server_type(&self) -> Option<String> {
        json::get(&self.body, "Type").and_then(json::string)
    }

    /// Whether the same request may succeed later: an outage, not a refusal.
    pub fn is_outage(&self) -> bool {
        match self.code {
            Code::Timeout | Code::Unreachable => true,
            Code::Server => crate::http::is_outage_status(self.status),
            _ => false,
        }
    }
}
