//! Classifies the error of a save: carried out, refused, lost, or never sent.

use crate::error::{Code, Error};
use crate::protocol::save;

/// The type of the error that RavenDB returns when the batch is saved, but was not replicated or indexed in time.
const TOO_LATE: &str = "Raven.Client.Exceptions.RavenTimeoutException";

/// Prefix of the gateway's error types for a response of RavenDB that it could not read, or did not get.
const UPSTREAM: &str = "RavenEdge.Gateway.Upstream";

/// 408 Request Timeout: RavenDB took too long, and may still carry out the request.
const TIMEOUT: u16 = 408;

/// Which of [`save`] the façade reports for a save that failed with this error.
///
/// A request that RavenDB or the gateway refuses was not carried out; a request that took RavenDB too long may still be. Their
/// errors have a `Type`. A response without a `Type` comes from something in between (a proxy, a captive portal) and may have
/// replaced RavenDB's response, whatever its status: the outcome is unknown.
pub fn failure(error: &Error) -> u32 {
    if error.unsent {
        return save::UNSENT;
    }
    // A truncated body proves nothing.
    let is_whole = error.body.trim_ascii_end().ends_with(b"}");
    let kind = error.server_type().filter(|kind| is_whole && !kind.is_empty());
    if kind.as_deref() == Some(TOO_LATE) {
        return save::WAITED;
    }
    let is_known = error.code == Code::ForeignOrigin || kind.is_some_and(|kind| !kind.starts_with(UPSTREAM));
    let has_left = error.is_outage() || error.status > 0;
    if error.code == Code::BadAnswer || error.status == TIMEOUT || has_left && !is_known {
        save::LOST
    } else if error.code == Code::Concurrency {
        save::CONFLICT
    } else if error.status > 0 {
        save::REFUSED
    } else {
        save::UNSENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::describe;
    use alloc::format;

    fn typed(status: u16, kind: &str) -> u32 {
        failure(&describe(status, format!(r#"{{"Type":"{kind}","Message":"m"}}"#).as_bytes()))
    }

    #[test]
    fn a_request_that_ravendb_or_the_gateway_refuses_was_not_carried_out() {
        for status in [400, 403, 404, 412, 429, 500, 503] {
            assert_eq!(typed(status, "System.InvalidOperationException"), save::REFUSED, "{status}");
            assert_eq!(typed(status, "RavenEdge.Gateway.RateLimited"), save::REFUSED, "{status}");
        }
        assert_eq!(typed(409, "Raven.Client.Exceptions.ConcurrencyException"), save::CONFLICT);
        assert_eq!(failure(&describe(403, b"")), save::REFUSED, "an empty 403 is RavenDB's refusal of an origin");
    }

    #[test]
    fn after_an_error_without_a_type_the_outcome_is_unknown() {
        let cut_off = r#"{"Type":"System.InvalidOperationException","Mess"#;
        let message = r#"{"Message":"ECONNREFUSED"}"#;
        let bodies = ["", "<html>sign in", message, cut_off, r#"{"Type":""}"#, r#"{"Type":7}"#, "[]"];
        for body in bodies {
            for status in [200, 302, 400, 404, 409, 429, 500, 502, 504] {
                assert_eq!(failure(&describe(status, body.as_bytes())), save::LOST, "{status} {body}");
            }
        }
    }

    #[test]
    fn after_a_response_that_the_gateway_could_not_read_the_outcome_is_unknown() {
        for kind in ["UpstreamUnreachable", "UpstreamAnswerRefused"] {
            assert_eq!(typed(502, &format!("RavenEdge.Gateway.{kind}")), save::LOST, "{kind}");
        }
    }

    #[test]
    fn after_a_timeout_of_ravendb_the_outcome_is_unknown_unless_only_the_wait_timed_out() {
        assert_eq!(typed(408, "System.TimeoutException"), save::LOST);
        assert_eq!(typed(408, TOO_LATE), save::WAITED);
        assert_eq!(typed(500, TOO_LATE), save::WAITED);
    }

    #[test]
    fn without_a_response_the_outcome_is_unknown_unless_the_platform_reports_that_nothing_was_sent() {
        for code in [Code::Timeout, Code::Unreachable, Code::BadAnswer] {
            let mut error = Error::new(code, "m");
            assert_eq!(failure(&error), save::LOST, "{code:?}");
            error.unsent = true;
            assert_eq!(failure(&error), save::UNSENT, "{code:?}");
        }
    }

    #[test]
    fn a_request_that_the_client_itself_refuses_was_not_sent() {
        for code in [Code::InvalidArgument, Code::InvalidOperation, Code::InvalidTag, Code::InvalidId, Code::Exhausted]
        {
            assert_eq!(failure(&Error::new(code, "m")), save::UNSENT, "{code:?}");
        }
    }
}
