//! Response bodies in RavenDB's format, for responses that are made here instead of by RavenDB.

use crate::prelude::*;
use raven_edge_authority::json::write_string;

/// An error with `Url`, `Type`, `Message` and `Error`; `Error` never contains a stack trace here. `more`: further
/// members, each with a comma before it.
pub(crate) fn error(target: &str, kind: &str, message: &str, more: &str) -> String {
    let mut body = String::from("{\"Url\":");
    write_string(&mut body, target);
    for (name, text) in [("Type", kind), ("Message", message), ("Error", message)] {
        body.push_str(",\"");
        body.push_str(name);
        body.push_str("\":");
        write_string(&mut body, text);
    }
    body.push_str(more);
    body.push('}');
    body
}

/// The result of a PATCH, without the document's new change vector and time: for a counter they are the state that the next return must
/// name, which the caller must not learn.
pub(crate) fn patched(id: &str, status: &str) -> String {
    let mut text = String::from("{\"Id\":");
    write_string(&mut text, id);
    text.push_str(",\"ChangeVector\":null,\"LastModified\":\"0001-01-01T00:00:00.0000000\",\"Type\":\"PATCH\"");
    text + &format!(",\"PatchStatus\":\"{status}\",\"Debug\":null}}")
}

/// The response body of a batch.
pub(crate) fn batch(results: &[String]) -> String {
    format!("{{\"Results\":[{}]}}", results.join(","))
}

/// The response body of a `multi_get` that contained one batch and nothing else.
pub(crate) fn wrapped(batch: &str) -> String {
    format!("{{\"Results\":[{{\"Result\":{batch},\"StatusCode\":201,\"Headers\":{{}}}}]}}")
}
