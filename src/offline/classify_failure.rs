//! Classifies the error of a batch.

use crate::error::{Code, Error};
use crate::protocol::outcome;

/// Types of refusals that will pass: the database is loading or disabled, or the cluster has no leader.
const PASSING: &[&str] = &[
    "Raven.Client.Exceptions.Database.DatabaseLoadTimeoutException",
    "Raven.Client.Exceptions.Database.DatabaseLoadFailureException",
    "Raven.Client.Exceptions.Database.DatabaseDisabledException",
    "Raven.Client.Exceptions.Database.DatabaseIdleException",
    "Raven.Client.Exceptions.Database.DatabaseNotRelevantException",
    "Raven.Client.Exceptions.Database.DatabaseConcurrentLoadTimeoutException",
    "Raven.Client.Exceptions.Cluster.NoLeaderException",
    "Raven.Client.Exceptions.Cluster.NodeIsPassiveException",
    "Raven.Client.Exceptions.RavenTimeoutException",
    "System.TimeoutException",
    "System.OperationCanceledException",
    "System.Threading.Tasks.TaskCanceledException",
    "System.OutOfMemoryException",
    "Voron.Exceptions.DiskFullException",
    "RavenEdge.Gateway.RateLimited",
];

/// Prefix of the gateway's error types for a response of RavenDB that it could not read, or did not get.
const UPSTREAM: &str = "RavenEdge.Gateway.Upstream";

/// Which of [`outcome`] the shell reports for a batch that failed with this error. For [`outcome::CONFLICT`] the shell compares the `Id`
/// in the error with the receipt and with the documents of the batch.
///
/// RavenDB's refusals have a `Type`. Without one, something in between has responded, and the same batch is sent again.
pub fn failure(error: &Error) -> u32 {
    match error.status {
        401 => return outcome::UNAUTHORIZED,
        413 => return outcome::TOO_LARGE,
        408 | 429 => return outcome::AGAIN,
        _ => {}
    }
    // A truncated body proves nothing.
    let is_whole = error.body.trim_ascii_end().ends_with(b"}");
    let Some(kind) = error.server_type().filter(|kind| is_whole && !kind.is_empty()) else { return outcome::AGAIN };
    let kind: &str = &kind;
    if error.status == 0 || error.code == Code::BadAnswer || kind.starts_with(UPSTREAM) || PASSING.contains(&kind) {
        outcome::AGAIN
    } else if error.code == Code::Concurrency {
        outcome::CONFLICT
    } else {
        outcome::REFUSED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::describe;
    use alloc::format;

    fn of(status: u16, body: &str) -> u32 {
        failure(&describe(status, body.as_bytes()))
    }

    fn typed(status: u16, kind: &str) -> u32 {
        of(status, &format!(r#"{{"Type":"{kind}","Message":"m"}}"#))
    }

    #[test]
    fn typed_errors_of_ravendb_and_the_gateway_are_refusals() {
        for status in [400, 403, 412, 500, 503] {
            assert_eq!(typed(status, "System.InvalidOperationException"), outcome::REFUSED, "{status}");
        }
        assert_eq!(typed(403, "RavenEdge.Gateway.Forbidden"), outcome::REFUSED);
        assert_eq!(typed(409, "Raven.Client.Exceptions.ConcurrencyException"), outcome::CONFLICT);
    }

    #[test]
    fn errors_that_pass_and_errors_without_a_type_are_tried_again() {
        for kind in PASSING {
            assert_eq!(typed(500, kind), outcome::AGAIN, "{kind}");
        }
        assert_eq!(typed(502, "RavenEdge.Gateway.UpstreamUnreachable"), outcome::AGAIN);
        assert_eq!(typed(429, "RavenEdge.Gateway.RateLimited"), outcome::AGAIN);
        assert_eq!(typed(408, "Anything"), outcome::AGAIN);
        for body in ["", "<html>sign in", r#"{"Message":"m"}"#, r#"{"Type":"System.InvalidOperationException","Mess"#] {
            for status in [200, 302, 400, 403, 404, 409, 500, 502, 504] {
                assert_eq!(of(status, body), outcome::AGAIN, "{status} {body}");
            }
        }
        for code in [Code::Timeout, Code::Unreachable, Code::BadAnswer] {
            assert_eq!(failure(&Error::new(code, "m")), outcome::AGAIN, "{code:?}");
        }
    }

    #[test]
    fn a_caller_who_is_not_the_user_of_the_queue_must_sign_in() {
        assert_eq!(of(401, ""), outcome::UNAUTHORIZED);
        assert_eq!(typed(401, "RavenEdge.Gateway.Unauthorized"), outcome::UNAUTHORIZED);
        assert_eq!(of(413, "<html>too large"), outcome::TOO_LARGE);
    }
}
