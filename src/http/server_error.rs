//! RavenDB's error bodies, `{"Url","Type","Message","Error"}`, turned into the one error type.

use super::Request;
use crate::error::{Code, Error};

/// The error of a response with this status and body, for the request that failed.
pub fn server_error(request: &Request, status: u16, body: &[u8]) -> Error {
    describe(status, body).at(request)
}

/// The error that a status and a body tell of; sub-responses of `multi_get` have no request of their own.
pub fn describe(status: u16, body: &[u8]) -> Error {
    let code = if status == 409 { Code::Concurrency } else { Code::Server };
    let mut error = Error::new(code, "the server refused the request");
    error.status = status;
    error.body = body.to_vec();
    if status == 403 && body.is_empty() {
        error.code = Code::ForeignOrigin;
        error.message =
            "RavenDB refuses pages of another origin (403): reach it through the page's own, by a gateway or a proxy that takes the Origin header away"
                .into();
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_403_names_the_cause() {
        assert_eq!(describe(403, b"").code, Code::ForeignOrigin);
        for other in [r#"{"Type":"InvalidAuth","Message":"no"}"#, "<html>a firewall"] {
            assert_eq!(describe(403, other.as_bytes()).code, Code::Server, "{other}");
        }
    }

    #[test]
    fn a_conflict_keeps_what_the_server_said() {
        let body = br#"{"Type":"Raven.Client.Exceptions.ConcurrencyException","Message":"m","Id":"users/1-A"}"#;
        let error = describe(409, body);
        assert_eq!(error.code, Code::Concurrency);
        assert_eq!(error.server_type().as_deref(), Some("Raven.Client.Exceptions.ConcurrencyException"));
        assert_eq!(error.body, body);
    }

    #[test]
    fn a_body_that_is_no_json_still_gives_an_error() {
        let error = describe(502, b"<html>Bad gateway</html>");
        assert_eq!((error.code, error.status, error.server_type()), (Code::Server, 502, None));
        assert!(error.is_outage());
    }
}
