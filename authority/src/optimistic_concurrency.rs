//! Optimistic concurrency: a write is refused if the document's change vector is not the expected one.

use crate::document::Record;
use crate::error::{Conflict, Error};
use crate::prelude::*;

/// Checks the change vector that a PUT expects; `live`: the document, if it exists; an empty text: it must not exist.
pub(crate) fn check_put(id: &str, live: Option<&Record>, expected: Option<&str>) -> Result<(), Error> {
    let (Some(expected), actual) = (expected, live.map(|record| record.change_vector.as_str())) else { return Ok(()) };
    let message = match actual {
        Some(actual) if actual == expected => return Ok(()),
        None if expected.is_empty() => return Ok(()),
        Some(actual) if expected.is_empty() => {
            format!("Document {id} has change vector {actual}, but Put was called with expecting new document.")
        }
        Some(actual) => {
            format!("Document {id} has change vector {actual}, but Put was called with change vector {expected}.")
        }
        None => format!("Document {id} does not exist, but Put was called with change vector: {expected}."),
    };
    let conflict = Conflict { id: Some(id.into()), expected: Some(expected.into()), actual: actual.map(Into::into) };
    Err(Error::concurrency(message + ABORTED, conflict))
}

/// Checks the change vector that a DELETE expects; `old`: the document or its tombstone.
pub(crate) fn check_delete(id: &str, old: Option<&Record>, expected: Option<&str>) -> Result<(), Error> {
    let actual = old.and_then(|record| record.content.as_ref().map(|_| record.change_vector.as_str()));
    match expected {
        Some(expected) if actual != Some(expected) => Err(delete_conflict(id, old.is_some(), expected, actual)),
        _ => Ok(()),
    }
}

fn delete_conflict(id: &str, existed: bool, expected: &str, actual: Option<&str>) -> Error {
    let message = match actual {
        Some(actual) => {
            format!("Document {id} has change vector {actual}, but Delete was called with change vector '{expected}'.")
        }
        None => format!("Document {id} does not exist, but delete was called with change vector '{expected}'."),
    };
    let conflict = if existed {
        Conflict { id: Some(id.into()), expected: Some(expected.into()), actual: actual.map(Into::into) }
    } else {
        Conflict::default()
    };
    Error::concurrency(message + ABORTED, conflict)
}

const ABORTED: &str = " Optimistic concurrency violation, transaction will be aborted.";
