//! Refusals: each has a stable name, a status, and RavenDB's error format.

use super::response::Response;
use crate::prelude::*;
use crate::reply;

/// The reasons. [`Kind::name`] is the `Type` of the error and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// The page's origin is not allowed.
    Origin,
    /// The gateway does not support the route, method or parameter.
    Route,
    /// The request is not strict JSON, repeats a name or parameter, or has an invalid encoding.
    Malformed,
    /// The collection is not configured, or does not allow this.
    Collection,
    /// An id, metadata or command is not accepted.
    Document,
    /// A return does not prove that the caller leased the range.
    Return,
    /// A configured limit is exceeded.
    Limit,
    /// `authorize` refused the request.
    Authorization,
    /// `authorize` knows no caller: signing in may help.
    SignIn,
    /// The client sends too many requests.
    Rate,
    /// RavenDB cannot be reached.
    Unreachable,
    /// RavenDB's response cannot be forwarded.
    Response,
    /// The configuration is invalid; the Worker's log says how.
    Configuration,
}

impl Kind {
    const ALL: [Self; 13] = [
        Self::Origin,
        Self::Route,
        Self::Malformed,
        Self::Collection,
        Self::Document,
        Self::Return,
        Self::Limit,
        Self::Authorization,
        Self::SignIn,
        Self::Rate,
        Self::Unreachable,
        Self::Response,
        Self::Configuration,
    ];

    /// The `Type` of the error.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Origin => "RavenEdge.Gateway.OriginRefused",
            Self::Route => "RavenEdge.Gateway.RouteRefused",
            Self::Malformed => "RavenEdge.Gateway.RequestMalformed",
            Self::Collection => "RavenEdge.Gateway.CollectionRefused",
            Self::Document => "RavenEdge.Gateway.DocumentRefused",
            Self::Return => "RavenEdge.Gateway.ReturnRefused",
            Self::Limit => "RavenEdge.Gateway.LimitExceeded",
            Self::Authorization => "RavenEdge.Gateway.NotAuthorized",
            Self::SignIn => "RavenEdge.Gateway.Unauthorized",
            Self::Rate => "RavenEdge.Gateway.RateLimited",
            Self::Unreachable => "RavenEdge.Gateway.UpstreamUnreachable",
            Self::Response => "RavenEdge.Gateway.UpstreamAnswerRefused",
            Self::Configuration => "RavenEdge.Gateway.Misconfigured",
        }
    }

    const fn status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::SignIn => 401,
            Self::Origin | Self::Route | Self::Collection | Self::Document | Self::Return | Self::Authorization => 403,
            Self::Limit => 413,
            Self::Rate => 429,
            Self::Configuration => 500,
            Self::Unreachable | Self::Response => 502,
        }
    }

    /// The reason whose name ends with this, as the shell passes it: `RateLimited`.
    pub(crate) fn named(short: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().rsplit('.').next() == Some(short))
    }
}

/// A refusal. The message must not reveal anything that only the server knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The reason.
    pub(crate) kind: Kind,
    /// A sentence for people.
    pub(crate) message: String,
}

/// Creates a refusal.
pub(crate) fn refused(kind: Kind, message: impl Into<String>) -> Refusal {
    Refusal { kind, message: message.into() }
}

impl Refusal {
    /// The response; `target` is path and query as the caller sent them.
    pub(crate) fn response(&self, target: &str) -> Response {
        Response::json(self.kind.status(), reply::error(target, self.kind.name(), &self.message, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_ravendbs_error_format() {
        let response = refused(Kind::Route, "no \"way\"").response("/databases/x/admin");
        assert_eq!(response.status, 403);
        assert_eq!(
            String::from_utf8(response.body).unwrap(),
            r#"{"Url":"/databases/x/admin","Type":"RavenEdge.Gateway.RouteRefused","Message":"no \"way\"","Error":"no \"way\""}"#
        );
    }

    #[test]
    fn reasons_are_found_by_the_last_part_of_their_name() {
        assert_eq!(Kind::named("RateLimited"), Some(Kind::Rate));
        assert_eq!(Kind::named("NotAuthorized"), Some(Kind::Authorization));
        assert_eq!(Kind::named("Gateway"), None);
    }
}
