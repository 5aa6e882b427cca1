//! The only error type: an enum of the package's codes, each with the same details.

use std::fmt;

use raven_edge::error::{Code, Error as CoreError};
use raven_edge::protocol::save;
use raven_edge::session::{self, Advice};
use serde_json::Value;

/// What is known about the changes of a save that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// RavenDB has saved the changes; the error is about something that follows.
    Saved,
    /// Nothing was sent.
    NotSaved,
    /// The response was lost: the changes may be saved, or may still be.
    Unknown,
}

/// What to do after [`Error::OutcomeUnknown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhatToDo {
    /// Call `save` again: it reads new documents first, and writes the rest once more.
    SaveAgain,
    /// Call [`Session::refresh`](crate::Session::refresh) for the documents that are checked by a change vector, repeat the changes that
    /// are missing, then save.
    Refresh,
    /// Look for the changes first: patches would run twice, and documents whose ids the server makes would be stored twice.
    CheckFirst,
}

/// The details of an error.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Detail {
    /// What happened, in one sentence.
    pub message: String,
    /// The status of the response; 0 without one.
    pub status: u16,
    /// RavenDB's exception type, such as `Raven.Client.Exceptions.ConcurrencyException`.
    pub server_type: Option<String>,
    /// Method and path of the request that failed; empty if none was sent.
    pub request: String,
    /// What is known about the changes of a save.
    pub outcome: Option<Outcome>,
    /// What to do about an unknown outcome.
    pub advice: Option<WhatToDo>,
    /// The document that the error is about.
    pub id: Option<String>,
    /// The change vector that the save expected.
    pub expected_change_vector: Option<String>,
    /// The change vector that the document has.
    pub actual_change_vector: Option<String>,
    source: Option<Box<Error>>,
    /// Which of [`save`] the failure of a save is.
    failure: u32,
    is_sharded: bool,
    is_outage: bool,
}

macro_rules! errors {
    ($($(#[$about:meta])* $name:ident,)*) => {
        /// An error. Each variant has the name of its code in the npm package.
        ///
        /// ```
        /// use raven_edge_client::{DocumentStore, Error};
        /// match DocumentStore::new("http://localhost:8080", "") {
        ///     Err(Error::InvalidArgument(detail)) => assert!(detail.message.contains("database")),
        ///     _ => unreachable!(),
        /// }
        /// ```
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum Error {
            $($(#[$about])* $name(Box<Detail>),)*
        }

        impl Error {
            /// The name of the code, as in the npm package.
            pub fn code(&self) -> &'static str {
                match self { $(Error::$name(_) => stringify!($name),)* }
            }

            /// The details.
            pub fn detail(&self) -> &Detail {
                match self { $(Error::$name(detail) => detail,)* }
            }

            fn detail_mut(&mut self) -> &mut Detail {
                match self { $(Error::$name(detail) => detail,)* }
            }
        }
    };
}

errors! {
    /// An argument or option is invalid; nothing was sent.
    InvalidArgument,
    /// The store or session is in the wrong state for the call.
    InvalidOperation,
    /// RavenDB cannot safely lease numbers for a counter of this name.
    InvalidTag,
    /// The text cannot be the id of a document; nothing was sent.
    InvalidId,
    /// The session has another object under this id.
    NonUniqueObject,
    /// The JSON of a document does not fit the type, or the other way round; the message names document and path.
    InvalidDocument,
    /// The store was disposed.
    Disposed,
    /// No response, or no id, within the time limit.
    Timeout,
    /// No node of the server could be reached.
    Unreachable,
    /// The response to a save was lost: see [`Detail::advice`].
    OutcomeUnknown,
    /// RavenDB refuses pages of another origin (an empty 403).
    ForeignOrigin,
    /// Nobody is signed in (the gateway's 401).
    Unauthorized,
    /// The server refused, and nothing was done: see [`Detail::server_type`].
    Server,
    /// A document is not in the expected version.
    Concurrency,
    /// A response is invalid; nothing of it was used.
    BadAnswer,
    /// The counter is beyond 2^53 − 1.
    Exhausted,
    /// An operation on the server was ended.
    Canceled,
}

impl Error {
    /// What happened, in one sentence.
    pub fn message(&self) -> &str {
        &self.detail().message
    }

    /// What is known about the changes of a save.
    pub fn outcome(&self) -> Option<Outcome> {
        self.detail().outcome
    }

    /// Whether the same request may succeed later.
    pub fn is_outage(&self) -> bool {
        self.detail().is_outage
    }

    pub(crate) fn argument(message: impl Into<String>) -> Error {
        Error::InvalidArgument(new(message))
    }

    pub(crate) fn operation(message: impl Into<String>) -> Error {
        Error::InvalidOperation(new(message))
    }

    pub(crate) fn disposed() -> Error {
        Error::Disposed(new("the store was disposed; nothing more is issued or sent"))
    }

    pub(crate) fn late(message: String, source: Option<Error>) -> Error {
        let mut detail = new(message);
        detail.is_outage = true;
        detail.source = source.map(Box::new);
        Error::Timeout(detail)
    }

    /// A response does not have this part.
    pub(crate) fn answer(request: &str, what: &str) -> Error {
        let mut detail = new(format!("the response is invalid: {what}; nothing of it was used"));
        detail.request = request.to_owned();
        detail.failure = save::LOST;
        Error::BadAnswer(detail)
    }

    pub(crate) fn non_unique(id: &str) -> Error {
        let mut detail = new(format!("the session has another object under the id {id}"));
        detail.id = Some(id.to_owned());
        Error::NonUniqueObject(detail)
    }

    /// A document does not fit a type. `path`: the member, empty for the document itself.
    pub(crate) fn document(id: &str, path: &str, reason: impl fmt::Display) -> Error {
        let path = if path.is_empty() || path == "." { String::new() } else { format!(", member {path}") };
        let mut detail = new(format!("the document {id}{path}: {reason}"));
        detail.id = Some(id.to_owned());
        Error::InvalidDocument(detail)
    }

    pub(crate) fn canceled(message: String) -> Error {
        Error::Canceled(new(message))
    }

    /// The same error for another caller.
    pub(crate) fn again(&self) -> Error {
        let of = self.detail();
        let detail = Box::new(Detail {
            message: of.message.clone(),
            status: of.status,
            server_type: of.server_type.clone(),
            request: of.request.clone(),
            is_outage: of.is_outage,
            failure: of.failure,
            ..Detail::default()
        });
        match self {
            Error::InvalidTag(_) => Error::InvalidTag(detail),
            Error::Disposed(_) => Error::Disposed(detail),
            Error::Timeout(_) => Error::Timeout(detail),
            Error::Unreachable(_) => Error::Unreachable(detail),
            Error::ForeignOrigin(_) => Error::ForeignOrigin(detail),
            Error::Unauthorized(_) => Error::Unauthorized(detail),
            Error::Server(_) => Error::Server(detail),
            Error::Concurrency(_) => Error::Concurrency(detail),
            Error::BadAnswer(_) => Error::BadAnswer(detail),
            Error::Exhausted(_) => Error::Exhausted(detail),
            _ => Error::InvalidOperation(detail),
        }
    }

    /// The outcome of a save is unknown because of this error.
    pub(crate) fn unknown(self, advice: Advice) -> Error {
        let (advice, text) = match advice {
            Advice::SaveAgain => (WhatToDo::SaveAgain, "saving again is safe"),
            Advice::Refresh => (
                WhatToDo::Refresh,
                "before you save again, call refresh() for each document that is checked by a change vector",
            ),
            Advice::CheckFirst => (
                WhatToDo::CheckFirst,
                "before you save again, look for the changes: patches would run twice, and documents whose ids the server makes would be stored twice",
            ),
        };
        let of = self.detail();
        let mut detail = new(format!(
            "the response to a save was lost ({}): its outcome is unknown; refresh() shows what is stored; {text}",
            of.message
        ));
        detail.status = of.status;
        detail.request.clone_from(&of.request);
        detail.outcome = Some(Outcome::Unknown);
        detail.advice = Some(advice);
        detail.source = Some(Box::new(self));
        Error::OutcomeUnknown(detail)
    }

    /// The error of a request before a save: nothing of the save was sent.
    pub(crate) fn unsent(mut self) -> Error {
        self.detail_mut().failure = save::UNSENT;
        self
    }

    pub(crate) fn with_outcome(mut self, outcome: Outcome) -> Error {
        self.detail_mut().outcome = Some(outcome);
        self
    }

    /// Which of [`save`] it means for a save.
    pub(crate) fn failure(&self) -> u32 {
        self.detail().failure
    }

    pub(crate) fn is_sharded(&self) -> bool {
        self.detail().is_sharded
    }
}

fn new(message: impl Into<String>) -> Box<Detail> {
    Box::new(Detail { message: message.into(), failure: save::UNSENT, ..Detail::default() })
}

/// An error of the core, with what the server says about it.
impl From<CoreError> for Error {
    fn from(of: CoreError) -> Error {
        let body: Value = serde_json::from_slice(&of.body).unwrap_or_default();
        let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_servers = matches!(of.code, Code::Server | Code::Concurrency);
        let message = text("Message").filter(|message| is_servers && !message.is_empty());
        let detail = Box::new(Detail {
            message: message.unwrap_or_else(|| of.message.clone().into_owned()),
            status: of.status,
            server_type: text("Type"),
            request: of.request.clone(),
            id: text("Id"),
            expected_change_vector: text("ExpectedChangeVector"),
            actual_change_vector: text("ActualChangeVector"),
            failure: session::failure(&of),
            // Other shards may have saved although this one refused. Only the stack trace shows that the database is sharded.
            is_sharded: text("Error").is_some_and(|trace| trace.contains(".Sharding.")),
            is_outage: of.is_outage(),
            ..Detail::default()
        });
        match of.code {
            Code::InvalidArgument => Error::InvalidArgument(detail),
            Code::InvalidOperation => Error::InvalidOperation(detail),
            Code::InvalidTag => Error::InvalidTag(detail),
            Code::InvalidId => Error::InvalidId(detail),
            Code::Timeout => Error::Timeout(detail),
            Code::Unreachable => Error::Unreachable(detail),
            Code::ForeignOrigin => Error::ForeignOrigin(detail),
            Code::Server if of.status == 401 && detail.server_type.is_some() => Error::Unauthorized(detail),
            Code::Server => Error::Server(detail),
            Code::Concurrency => Error::Concurrency(detail),
            Code::BadAnswer => Error::BadAnswer(detail),
            Code::Exhausted => Error::Exhausted(detail),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Detail { message, request, status, .. } = self.detail();
        write!(out, "{}: {message}", self.code())?;
        match (request.as_str(), status) {
            ("", _) => Ok(()),
            (request, 0) => write!(out, " ({request})"),
            (request, status) => write!(out, " ({request}: {status})"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.detail().source.as_deref().map(|source| source as _)
    }
}

/// A result with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

pub(crate) fn detail(message: impl Into<String>) -> Box<Detail> {
    new(message)
}
