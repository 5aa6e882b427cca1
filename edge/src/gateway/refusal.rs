//! Why something is refused: a stable name, a status, and RavenDB's form of an error.

use super::answer::Answer;
use crate::reply;

/// The reasons; [`Kind::name`] is what stands in `Type`, the same in every version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A page of an origin that is not on the list.
    Origin,
    /// A route, verb or parameter that the gateway does not pass.
    Route,
    /// No strict JSON, a name or parameter that is there twice, an encoding that is none.
    Malformed,
    /// The collection may not be used like this, or is none of the gateway's.
    Collection,
    /// An id, metadata or a command that does not pass.
    Document,
    /// A return without proof that the range was leased by this caller.
    Return,
    /// More than the configured limits.
    Limit,
    /// `authorize` said no.
    Authorization,
    /// Too many requests of this client.
    Rate,
    /// RavenDB cannot be reached.
    Unreachable,
    /// RavenDB's answer cannot be passed on.
    Answer,
    /// The configuration makes no sense; what exactly stands in the Worker's log.
    Configuration,
}

impl Kind {
    const ALL: [Self; 12] = [
        Self::Origin,
        Self::Route,
        Self::Malformed,
        Self::Collection,
        Self::Document,
        Self::Return,
        Self::Limit,
        Self::Authorization,
        Self::Rate,
        Self::Unreachable,
        Self::Answer,
        Self::Configuration,
    ];

    /// What stands in `Type`.
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
            Self::Rate => "RavenEdge.Gateway.RateLimited",
            Self::Unreachable => "RavenEdge.Gateway.UpstreamUnreachable",
            Self::Answer => "RavenEdge.Gateway.UpstreamAnswerRefused",
            Self::Configuration => "RavenEdge.Gateway.Misconfigured",
        }
    }

    const fn status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::Origin | Self::Route | Self::Collection | Self::Document | Self::Return | Self::Authorization => 403,
            Self::Limit => 413,
            Self::Rate => 429,
            Self::Configuration => 500,
            Self::Unreachable | Self::Answer => 502,
        }
    }

    /// The reason with the last part of such a name, as the shell says it: `RateLimited`.
    pub(crate) fn named(short: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().rsplit('.').next() == Some(short))
    }
}

/// A refusal; the message is for people and says nothing that only the server knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The reason.
    pub(crate) kind: Kind,
    /// A sentence.
    pub(crate) message: String,
}

/// A refusal.
pub(crate) fn refused(kind: Kind, message: impl Into<String>) -> Refusal {
    Refusal { kind, message: message.into() }
}

impl Refusal {
    /// The answer; `target` is path and query as the caller sent them.
    pub(crate) fn answer(&self, target: &str) -> Answer {
        Answer::json(self.kind.status(), reply::error(target, self.kind.name(), &self.message, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_ravendbs_form() {
        let answer = refused(Kind::Route, "no \"way\"").answer("/databases/x/admin");
        assert_eq!(answer.status, 403);
        assert_eq!(
            String::from_utf8(answer.body).unwrap(),
            r#"{"Url":"/databases/x/admin","Type":"RavenEdge.Gateway.RouteRefused","Message":"no \"way\"","Error":"no \"way\""}"#
        );
    }

    #[test]
    fn the_shell_finds_reasons_by_their_names() {
        assert_eq!(Kind::named("RateLimited"), Some(Kind::Rate));
        assert_eq!(Kind::named("NotAuthorized"), Some(Kind::Authorization));
        assert_eq!(Kind::named("Gateway"), None);
    }
}
