//! Converts RavenDB's error responses, `{"Url","Type","Message","Error"}`, into [`Error`].

use super::Request;
use crate::error::{Code, Error};

/// The error of a response with this status and body to a request.
pub fn server_error(request: &Request, status: u16, body: &[u8]) -> Error {
    describe(status, body).at(request)
}

/// The error of a response with this status and body. For responses inside of a `multi_get`, which have no request of their own.
pub fn describe(status: u16, body: &[u8]) -> Error {
    let code = if status == 409 { Code::Concurrency } else { Code::Server };
    let mut error = Error::new(code, "the server refused the request");
    error.status = status;
    error.body = body.to_vec();
    if status == 403 && body.is_empty() {
        error.code = Code::ForeignOrigin;
        error.message =
            "RavenDB refuses requests from other origins (403): use the page's own origin, through a gateway or a proxy that removes the Origin header"
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
    fn the_error_of_a_conflict_keeps_the_servers_body() {
        let body = br#"{"Type":"Raven.Client.Exceptions.ConcurrencyException","Message":"m","Id":"users/1-A"}"#;
        let error = describe(409, body);
        assert_eq!(error.code, Code::Concurrency);
        assert_eq!(error.server_type().as_deref(), Some("Raven.Client.Exceptions.ConcurrencyException"));
        assert_eq!(error.body, body);
    }

    #[test]
    fn a_body_that_is_not_json_still_makes_an_error() {
        let error = describe(502, b"<html>Bad gateway</html>");
        assert_eq!((error.code, error.status, error.server_type()), (Code::Server, 502, None));
        assert!(error.is_outage());
    }
}
