//! The only error type: a stable code, a message, and the request that failed.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use crate::http::Request;
use crate::json;

/// The kind of an error, stable across versions. [`Code::name`] is the text that JavaScript sees as `error.code`. The façade adds
/// codes of its own (`Disposed`, `NoCollection`, `Dead`, …): see `pkg/src/common/error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// An argument is invalid, such as an empty database name or a negative count.
    InvalidArgument,
    /// The operation is not possible here, or not in this state.
    InvalidOperation,
    /// RavenDB cannot lease this tag safely: see [`crate::ids::tag`].
    InvalidTag,
    /// The text cannot be the id of a document: see [`crate::ids::check`].
    InvalidId,
    /// No response arrived within the time limit.
    Timeout,
    /// No node of the server could be reached.
    Unreachable,
    /// RavenDB refused the page's origin (an empty 403): the page must reach it through its own origin.
    ForeignOrigin,
    /// The server responded with an error; its exception type is [`Error::server_type`].
    Server,
    /// A conflict: the document is not in the expected state.
    Concurrency,
    /// The response does not follow the protocol; nothing of it was used.
    BadAnswer,
    /// The numbers of a tag are used up: above 2^53 − 1, JavaScript numbers would repeat ids.
    Exhausted,
}

impl Code {
    /// The stable name.
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

/// An error of this crate. Boxed, because results are moved often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Detail>);

/// The contents of an error; [`Error`] dereferences to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The kind of error.
    pub code: Code,
    /// HTTP status of the response; 0 without a response.
    pub status: u16,
    /// What happened, and what the caller can do, in one sentence.
    pub message: Cow<'static, str>,
    /// Method and path of the request that failed, such as `POST /databases/Shop/bulk_docs`; empty if none was sent.
    pub request: String,
    /// The body of the server's response: `{"Type","Message",…}`, for a conflict also `Id` and the change vectors. The façade parses
    /// it, because the engine's `JSON.parse` adds no code. Empty if the error is not from the server.
    pub body: Vec<u8>,
    /// Whether it is known that nothing was sent: the platform refused the request, or could not connect.
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

    /// Adds the request that failed.
    pub fn at(mut self, request: &Request) -> Error {
        self.request = request.summary();
        self
    }

    /// RavenDB's full exception type, such as `Raven.Client.Exceptions.ConcurrencyException`.
    pub fn server_type(&self) -> Option<String> {
        json::get(&self.body, "Type").and_then(json::string)
    }

    /// Whether the same request may succeed later: the error is an outage and not a refusal.
    pub fn is_outage(&self) -> bool {
        match self.code {
            Code::Timeout | Code::Unreachable => true,
            Code::Server => crate::http::is_outage_status(self.status),
            _ => false,
        }
    }
}
