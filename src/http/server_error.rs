//! RavenDB's error bodies, `{"Url","Type","Message","Error"}`, turned into the one error type.

use alloc::borrow::Cow;
use alloc::string::String;

use super::Request;
use crate::error::{Code, Conflict, Error};
use crate::json;

/// The error of an answer with this status and body, for the request that failed.
pub fn server_error(request: &Request, status: u16, body: &[u8]) -> Error {
    describe(status, body).at(request)
}

/// The error that a status and a body tell of; sub-answers of `multi_get` have no request of their own.
pub fn describe(status: u16, body: &[u8]) -> Error {
    let field = |name| json::get(body, name).and_then(json::string);
    let server_type = field("Type");
    if status == 403 && server_type.is_none() {
        let mut error = Error::new(
            Code::ForeignOrigin,
            "RavenDB refuses requests from pages of another origin (403) and has no CORS on its data routes: \
                 reach it through the page's own origin, by a proxy or a gateway",
        );
        error.status = status;
        return error;
    }
    let conflict = (status == 409).then(|| Conflict {
        id: field("Id").unwrap_or_default(),
        expected: field("ExpectedChangeVector"),
        actual: field("ActualChangeVector"),
    });
    let message = match field("Message") {
        Some(text) if !text.is_empty() => Cow::Owned(text),
        _ => Cow::Owned(bare(status)),
    };
    let code = if conflict.is_some() { Code::Concurrency } else { Code::Server };
    let mut error = Error::new(code, message);
    error.status = status;
    error.server_type = server_type;
    error.conflict = conflict;
    error
}

fn bare(status: u16) -> String {
    let mut text = String::from("the server answered with status ");
    json::push_integer(&mut text, u64::from(status));
    text.push_str(match status {
        404 => ": nothing is there; check the address and the database name",
        414 => ": the request line is too long",
        431 => ": the headers are too large",
        _ => " and no message",
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_403_names_the_cause() {
        assert_eq!(describe(403, b"").code, Code::ForeignOrigin);
        assert_eq!(describe(403, br#"{"Type":"InvalidAuth","Message":"no"}"#).code, Code::Server);
    }

    #[test]
    fn a_conflict_keeps_its_vectors() {
        let body = br#"{"Type":"Raven.Client.Exceptions.ConcurrencyException","Message":"m","Id":"users/1-A","ExpectedChangeVector":"","ActualChangeVector":"A:35-x"}"#;
        let error = describe(409, body);
        assert_eq!(error.code, Code::Concurrency);
        assert_eq!(error.server_type.as_deref(), Some("Raven.Client.Exceptions.ConcurrencyException"));
        let conflict = error.conflict.clone().unwrap();
        assert_eq!(
            (conflict.id.as_str(), conflict.expected.as_deref(), conflict.actual.as_deref()),
            ("users/1-A", Some(""), Some("A:35-x"))
        );
    }

    #[test]
    fn a_body_that_is_no_json_still_gives_an_error() {
        let error = describe(502, b"<html>Bad gateway</html>");
        assert_eq!((error.code, error.status), (Code::Server, 502));
        assert!(error.is_outage());
    }
}
