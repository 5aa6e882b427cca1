//! What the error of a save says of it: carried out, refused, lost, or never sent.

use crate::error::{Code, Error};
use crate::protocol::save;

/// The type of a refusal that says that all is saved, but was not replicated or indexed in time.
const TOO_LATE: &str = "Raven.Client.Exceptions.RavenTimeoutException";

/// What the types begin with by which the gateway says that it did not understand RavenDB's response, or got none.
const UPSTREAM: &str = "RavenEdge.Gateway.Upstream";

/// RavenDB takes too long, and may go on.
const TIMEOUT: u16 = 408;

/// What the façade is to report of a save that failed with this error, one of [`save`].
///
/// What RavenDB itself refuses, or the gateway, was not done; what took RavenDB too long may be done yet. Both give their refusals
/// a type. A response without one is of somebody in between (a proxy, a captive portal), who may have put it in the place of
/// RavenDB's, whatever the status.
pub fn failure(error: &Error) -> u32 {
    if error.unsent {
        return save::UNSENT;
    }
    // A body that was cut off is none of RavenDB's.
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
    fn what_ravendb_and_the_gateway_refuse_was_not_done() {
        for status in [400, 403, 404, 412, 429, 500, 503] {
            assert_eq!(typed(status, "System.InvalidOperationException"), save::REFUSED, "{status}");
            assert_eq!(typed(status, "RavenEdge.Gateway.RateLimited"), save::REFUSED, "{status}");
        }
        assert_eq!(typed(409, "Raven.Client.Exceptions.ConcurrencyException"), save::CONFLICT);
        assert_eq!(failure(&describe(403, b"")), save::REFUSED, "only RavenDB refuses an origin like this");
    }

    #[test]
    fn a_refusal_without_a_type_is_of_somebody_who_does_not_know() {
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
    fn what_the_gateway_did_not_understand_may_have_been_done() {
        for kind in ["UpstreamUnreachable", "UpstreamAnswerRefused"] {
            assert_eq!(typed(502, &format!("RavenEdge.Gateway.{kind}")), save::LOST, "{kind}");
        }
    }

    #[test]
    fn what_takes_ravendb_too_long_may_be_done_yet_or_is_done() {
        assert_eq!(typed(408, "System.TimeoutException"), save::LOST);
        assert_eq!(typed(408, TOO_LATE), save::WAITED);
        assert_eq!(typed(500, TOO_LATE), save::WAITED);
    }

    #[test]
    fn without_a_response_only_the_platform_knows_that_nothing_was_sent() {
        for code in [Code::Timeout, Code::Unreachable, Code::BadAnswer] {
            let mut error = Error::new(code, "m");
            assert_eq!(failure(&error), save::LOST, "{code:?}");
            error.unsent = true;
            assert_eq!(failure(&error), save::UNSENT, "{code:?}");
        }
    }

    #[test]
    fn what_is_refused_on_this_side_was_not_sent() {
        for code in [Code::InvalidArgument, Code::InvalidOperation, Code::InvalidTag, Code::InvalidId, Code::Exhausted]
        {
            assert_eq!(failure(&Error::new(code, "m")), save::UNSENT, "{code:?}");
        }
    }
}
