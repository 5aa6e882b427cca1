//! What a request is refused with: RavenDB's status codes and error bodies (protocol.md §2).

use crate::json::{JsonError, Object, Value, write_string};
use crate::storage::StorageError;

/// A refusal: status, exception type, message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The HTTP status.
    pub status: u16,
    /// The exception's full name, by which clients dispatch.
    pub kind: &'static str,
    /// For people; names the parameter or id.
    pub message: String,
    /// Only in conflicts.
    pub conflict: Option<Box<Conflict>>,
}

/// The three further members of a `ConcurrencyException`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflict {
    /// The document, unless it never existed and was to be deleted.
    pub id: Option<String>,
    /// The change vector that the client named.
    pub expected: Option<String>,
    /// The one that the document has.
    pub actual: Option<String>,
}

impl Error {
    fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, message: message.into(), conflict: None }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(500, "System.ArgumentException", message)
    }

    pub(crate) fn not_supported(message: impl Into<String>) -> Self {
        Self::new(500, "System.NotSupportedException", message)
    }

    pub(crate) fn invalid_operation(message: impl Into<String>) -> Self {
        Self::new(500, "System.InvalidOperationException", message)
    }

    pub(crate) fn invalid_data(message: impl Into<String>) -> Self {
        Self::new(500, "System.IO.InvalidDataException", message)
    }

    pub(crate) fn null_reference(what: &str) -> Self {
        Self::new(
            500,
            "System.NullReferenceException",
            format!("Object reference not set to an instance of an object: {what}"),
        )
    }

    pub(crate) fn end_of_stream() -> Self {
        Self::new(500, "System.IO.EndOfStreamException", "Stream ended without reaching end of json content")
    }

    pub(crate) fn invalid_start(token: &str) -> Self {
        Self::new(
            500,
            "Sparrow.Exceptions.InvalidStartOfObjectException",
            format!("Expected start of object, but got {token}"),
        )
    }

    pub(crate) fn invalid_cast(value: &Value) -> Self {
        Self::new(
            500,
            "System.InvalidCastException",
            format!(
                "Unable to cast object of type '{}' to type 'Sparrow.Json.BlittableJsonReaderObject'.",
                type_name(value)
            ),
        )
    }

    pub(crate) fn format(value: &Value, wanted: &str) -> Self {
        let mut shown = String::new();
        match value {
            Value::String(text) => shown.clone_from(text),
            other => crate::json::write(&mut shown, other),
        }
        Self::new(
            500,
            "System.FormatException",
            format!("Could not convert {} ('{shown}') to {wanted}", type_name(value)),
        )
    }

    /// A grant that would leave the 64-bit range. RavenDB wraps around and issues the same numbers again.
    pub(crate) fn overflow(message: impl Into<String>) -> Self {
        Self::new(500, "System.OverflowException", message)
    }

    pub(crate) fn invalid_command_type(name: &str) -> Self {
        Self::new(500, "Raven.Server.Exceptions.InvalidCommandTypeException", format!("Invalid command type: {name}"))
    }

    pub(crate) fn collection_mismatch(id: &str, from: &str, to: &str) -> Self {
        Self::new(
            500,
            "Raven.Client.Exceptions.Documents.DocumentCollectionMismatchException",
            format!(
                "Changing '{id}' from '{from}' to '{to}' via update is not supported. Delete it and recreate the document '{id}'."
            ),
        )
    }

    /// A change vector that is not the expected one.
    pub(crate) fn concurrency(message: impl Into<String>, conflict: Conflict) -> Self {
        Self {
            conflict: Some(Box::new(conflict)),
            ..Self::new(409, "Raven.Client.Exceptions.ConcurrencyException", message)
        }
    }

    /// A command that RavenDB's log took and its state machine did not.
    pub(crate) fn rachis_apply(message: impl Into<String>) -> Self {
        Self::new(500, "Raven.Server.Rachis.RachisApplyException", message)
    }

    /// What was asked for did not come about in time; what was written is committed.
    pub(crate) fn timeout(message: impl Into<String>) -> Self {
        Self::new(408, "Raven.Client.Exceptions.RavenTimeoutException", message)
    }

    pub(crate) fn route_not_found(method: &str, url: &str) -> Self {
        Self::new(
            400,
            "Raven.Client.Exceptions.Routing.RouteNotFoundException",
            format!("There is no handler for path: {method} {url}"),
        )
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "Raven.Client.Exceptions.BadRequestException", message)
    }

    /// RavenDB's answer about a database that is not there.
    #[must_use]
    pub fn database_does_not_exist(name: &str) -> Self {
        Self::new(
            500,
            "Raven.Client.Exceptions.Database.DatabaseDoesNotExistException",
            format!("Database '{name}' does not exist."),
        )
    }

    pub(crate) fn uri_format(message: impl Into<String>) -> Self {
        Self::new(500, "System.UriFormatException", message)
    }

    /// What RavenDB has and this authority has not: never answered with something plausible.
    pub(crate) fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(501, "System.NotImplementedException", message)
    }

    pub(crate) fn storage(error: &StorageError) -> Self {
        Self::new(500, "System.IO.IOException", error.0.clone())
    }

    /// The body: `Url`, `Type`, `Message`, `Error`, in conflicts also what clashed.
    #[must_use]
    pub fn body(&self, url: &str) -> String {
        let text = |s: &str| Value::String(s.into());
        let mut members = vec![
            ("Url".into(), text(url)),
            ("Type".into(), text(self.kind)),
            ("Message".into(), text(&self.message)),
            ("Error".into(), text(&format!("{}: {}", self.kind, self.message))),
        ];
        if let Some(Conflict { id, expected, actual }) = self.conflict.as_deref() {
            let or_null = |s: &Option<String>| s.as_deref().map_or(Value::Null, text);
            members.push(("Id".into(), or_null(id)));
            members.push(("ExpectedChangeVector".into(), or_null(expected)));
            members.push(("ActualChangeVector".into(), or_null(actual)));
        }
        if self.status == 408 {
            // Another node would not know better: clients must not try there.
            members.push(("FailImmediately".into(), Value::Bool(true)));
        }
        let mut out = String::new();
        crate::json::write(&mut out, &Value::Object(Object::new(members)));
        out
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "System.Boolean",
        Value::Number(text) if text.bytes().all(|b| b.is_ascii_digit() || b == b'-') => "System.Int64",
        Value::Number(_) => "Sparrow.Json.LazyNumberValue",
        Value::String(_) => "Sparrow.Json.LazyStringValue",
        Value::Array(_) => "Sparrow.Json.BlittableJsonReaderArray",
        Value::Object(_) => "Sparrow.Json.BlittableJsonReaderObject",
    }
}

impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        match error {
            JsonError::Truncated => Self::end_of_stream(),
            JsonError::Invalid(message) => Self::invalid_data(message),
            JsonError::Escape(c) => Self::invalid_operation(format!("Invalid escape char '{}'", c.escape_default())),
            JsonError::NotAnObject(token) => Self::invalid_start(token),
            JsonError::Lenient(what) => {
                Self::not_implemented(format!("This authority reads strict JSON only, without {what}."))
            }
        }
    }
}

/// Why handling a request stopped: the client's fault or the storage's.
#[derive(Debug)]
pub(crate) enum Failure {
    Refused(Box<Error>),
    Storage(StorageError),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(Box::new(error))
    }
}

impl From<JsonError> for Failure {
    fn from(error: JsonError) -> Self {
        Error::from(error).into()
    }
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

/// A string with its quotes, for bodies that are put together by hand.
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}
