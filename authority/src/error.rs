//! Errors: RavenDB's status codes and error bodies.

use crate::json::{JsonError, Object, Value, write_string};
use crate::prelude::*;
use crate::storage::StorageError;

/// An error: status, exception type and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The HTTP status.
    pub status: u16,
    /// The exception's full name; clients choose their exception class by it.
    pub kind: &'static str,
    /// For people; names the parameter or id.
    pub message: String,
    /// Set for conflicts only.
    pub conflict: Option<Box<Conflict>>,
}

/// The additional members of a `ConcurrencyException`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflict {
    /// The document's id; `None` for the deletion of a document that never existed.
    pub id: Option<String>,
    /// The change vector that the client expected.
    pub expected: Option<String>,
    /// The change vector that the document has.
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

    /// A grant beyond the 64-bit range. RavenDB wraps around and issues the same numbers again.
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

    /// The document's change vector is not the expected one.
    pub(crate) fn concurrency(message: impl Into<String>, conflict: Conflict) -> Self {
        Self {
            conflict: Some(Box::new(conflict)),
            ..Self::new(409, "Raven.Client.Exceptions.ConcurrencyException", message)
        }
    }

    /// RavenDB accepted the command in its log, but applying it failed.
    pub(crate) fn rachis_apply(message: impl Into<String>) -> Self {
        Self::new(500, "Raven.Server.Rachis.RachisApplyException", message)
    }

    /// A wait timed out; the writes are committed.
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

    /// The error of RavenDB for a database that does not exist.
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

    /// A feature of RavenDB that this authority lacks. It never responds with something plausible instead.
    pub(crate) fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(501, "System.NotImplementedException", message)
    }

    pub(crate) fn storage(error: &StorageError) -> Self {
        Self::new(500, "System.IO.IOException", error.0.clone())
    }

    /// The body: `Url`, `Type`, `Message` and `Error`; for conflicts also the document and the two change vectors.
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
            // Another node would respond the same, so clients must not retry there.
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

/// Why a request failed: because of the client or of the storage.
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

/// A JSON string with its quotes, for bodies that are composed as text.
#[must_use]
pub fn json_string(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}
