//! What a permitted request does, and the request to the server.

use super::attachments::Download;
use super::collections::shortened;
use super::config::Config;
use super::give_back::GiveBack;
use super::lease::Lease;
use super::multi_get::Several;
use super::named::{Scan, Stream, Sync};
use super::read::Read;
use super::refusal::Refusal;
use super::response::{Response, UpstreamResponse};
use super::rows::Claims;
use super::token::Keys;
use super::write::Write;
use crate::prelude::*;
use raven_edge_authority::json::{Value, write_string};

/// One thing that the request would do; passed to `authorize`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    /// `lease`, `return`, `create`, `read`, `list`, `change`, `delete`, `attach`, `readAttachments`, `patch`, `query`, `watch` or
    /// `topology`.
    pub(crate) action: &'static str,
    /// The collection, if the operation is about one.
    pub(crate) collection: Option<String>,
    /// The ids of the documents.
    pub(crate) ids: Vec<String>,
    /// The prefix of the ids that a listing returns.
    pub(crate) prefix: Option<String>,
    /// The name and the parameters of a named query or patch; these are JSON.
    pub(crate) named: Option<(String, String)>,
    /// The name of an attachment.
    pub(crate) attachment: Option<String>,
}

impl Operation {
    /// An operation on documents of a collection.
    pub(super) fn on(action: &'static str, collection: &str, id: Option<&str>) -> Self {
        Self {
            action,
            collection: Some(collection.into()),
            ids: id.into_iter().map(Into::into).collect(),
            prefix: None,
            named: None,
            attachment: None,
        }
    }

    fn name(&self) -> &str {
        self.named.as_ref().map_or("", |(name, _)| name.as_str())
    }

    /// Listening to changes: of nothing yet, or of a collection.
    #[cfg(feature = "live")]
    pub(super) fn watch(collection: Option<&str>) -> Self {
        Self { collection: collection.map(Into::into), ..Self::on("watch", "", None) }
    }

    /// Appends the operation as JSON.
    fn write(&self, out: &mut String) {
        out.push_str("{\"action\":");
        write_string(out, self.action);
        for (name, value) in
            [("collection", &self.collection), ("prefix", &self.prefix), ("attachment", &self.attachment)]
        {
            if let Some(value) = value {
                out.push_str(&format!(",\"{name}\":"));
                write_string(out, value);
            }
        }
        if let Some((name, parameters)) = &self.named {
            out.push_str(",\"name\":");
            write_string(out, name);
            out.push_str(",\"parameters\":");
            out.push_str(parameters);
        }
        out.push_str(",\"ids\":[");
        for id in &self.ids {
            if !out.ends_with('[') {
                out.push(',');
            }
            write_string(out, id);
        }
        out.push_str("]}");
    }
}

/// The operations as a JSON array.
pub(super) fn operations_text(operations: &[Operation]) -> String {
    let mut text = String::from("[");
    for operation in operations {
        if !text.ends_with('[') {
            text.push(',');
        }
        operation.write(&mut text);
    }
    text.push(']');
    text
}

/// What these operations would do, for a message: the first three of them.
pub(super) fn described(operations: &[Operation]) -> String {
    let one = |operation: &Operation| {
        let ids: Vec<String> = operation.ids.iter().take(3).map(|id| shortened(id)).collect();
        let more = operation.ids.len().saturating_sub(ids.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let collection = operation.collection.as_deref().unwrap_or_default();
        match (operation.action, &operation.prefix) {
            ("lease", _) => format!("lease ids of \"{collection}\""),
            ("return", _) => format!("return ids of \"{collection}\""),
            ("watch", None) if collection.is_empty() => "listen to changes".to_owned(),
            ("topology", _) => "ask for the topology".to_owned(),
            ("query", _) => format!("run the query \"{}\"", operation.name()),
            ("patch", _) => format!("run the patch \"{}\" on {}", operation.name(), ids.join(", ")),
            ("attach" | "readAttachments", _) => {
                let (verb, name) = (
                    if operation.action == "attach" { "change" } else { "read" },
                    shortened(operation.attachment.as_deref().unwrap_or_default()),
                );
                format!("{verb} the attachment {name} of {} of \"{collection}\"", ids.join(", "))
            }
            (action, Some(prefix)) => format!("{action} {} of \"{collection}\"", shortened(prefix)),
            (action, None) => format!("{action} {}{more} of \"{collection}\"", ids.join(", ")),
        }
    };
    let texts: Vec<String> = operations.iter().take(3).map(one).collect();
    // Reads of what belongs to no collection, such as receipts, are no operations.
    if texts.is_empty() { "do this".to_owned() } else { texts.join(", ") }
}

/// What an exchange knows of the request that it serves.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    /// The gateway's configuration.
    pub(crate) config: &'a Config,
    /// Who asks.
    pub(crate) caller: &'a Caller,
    /// Path and query of the request, for messages.
    pub(crate) target: &'a str,
    /// The database's incarnation according to its last response.
    pub(crate) latest_incarnation: Option<&'a str>,
}

#[cfg(test)]
impl<'a> Turn<'a> {
    /// A request to `/x`, before the server has told its incarnation.
    pub(crate) fn of(config: &'a Config, caller: &'a Caller) -> Self {
        Self { config, caller, target: "/x", latest_incarnation: None }
    }
}

/// One request of a caller that the server answers, in one step or in several. Everything that it keeps between two steps is in its
/// value.
pub(crate) trait Exchange: Sized {
    /// The request to the server, or the response if none is needed; refuses what the caller may not do.
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal>;

    /// What follows from the server's response.
    fn response(self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self>;
}

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Send a request to the server.
    Forward(Forward),
    /// Respond without the server.
    Response(Response),
}

/// What follows from the server's response: the response to the caller, or another request to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FollowUp<Next, Shown = Response> {
    /// What the caller gets.
    Response(Shown),
    /// The next request to the server.
    Next(Next),
}

impl<Next, Shown> FollowUp<Next, Shown> {
    /// The same with another value that asks next.
    pub(super) fn map<To>(self, to: impl FnOnce(Next) -> To) -> FollowUp<To, Shown> {
        match self {
            Self::Response(shown) => FollowUp::Response(shown),
            Self::Next(next) => FollowUp::Next(to(next)),
        }
    }
}

/// A permitted request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// What the request does; each operation is authorized.
    pub(crate) operations: Vec<Operation>,
    /// The request itself.
    pub(super) call: Call,
    /// The member `User` of the body, if there is one: on whose device the response is kept.
    pub(super) user: Option<Value>,
}

impl Plan {
    pub(super) fn new(operations: Vec<Operation>, call: Call) -> Self {
        Self { operations, call, user: None }
    }
}

/// The kinds of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// The list of nodes, which contains only the gateway.
    Topology {
        /// The URL under which the caller reached the gateway.
        base: String,
    },
    /// A connection for changes.
    #[cfg(feature = "live")]
    Live,
    /// A lease of a range.
    Lease(Lease),
    /// Returns of ranges.
    GiveBack(GiveBack),
    /// Documents to write.
    Write(Write),
    /// Documents to read.
    Read(Read),
    /// Several reads at once.
    Several(Several),
    /// An attachment to read.
    Download(Download),
    /// A page of a named query.
    Named(Box<Scan>),
    /// All results of a named query.
    Stream(Box<Stream>),
    /// A comparison of all results of a named query with what the caller has.
    Sync(Box<Sync>),
}

/// The caller, with the keys and the server's address that this request needs.
#[derive(Clone)]
pub(crate) struct Caller {
    /// The keys of tokens.
    pub(crate) keys: Keys,
    /// The server's address, without a trailing slash.
    pub(crate) upstream: String,
    /// What `authorize` returned for the caller.
    pub(crate) identity: Option<String>,
    /// The claims that `authorize` returned for the caller.
    pub(crate) claims: Claims,
    /// A random number for this request. Leases carry it instead of the caller's own: callers may all send the same
    /// one or none, and a proxy before RavenDB must not merge the leases of two callers.
    pub(crate) nonce: u32,
}

/// The request to the server, written anew from what the gateway understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    /// The HTTP method.
    pub(crate) method: &'static str,
    /// Path and query.
    pub(crate) path: String,
    /// `If-Match`, without quotes.
    pub(crate) if_match: Option<String>,
    /// The bytes of an attachment that are asked for.
    pub(crate) range: Option<String>,
    /// Whether the contents of attachments follow the body, in parts of their own.
    pub(crate) with_contents: bool,
    /// A JSON text.
    pub(crate) body: Option<String>,
}

impl Forward {
    pub(super) fn get(path: String) -> Self {
        Self { method: "GET", path, if_match: None, range: None, with_contents: false, body: None }
    }

    pub(super) fn post(path: String, body: String) -> Self {
        Self { method: "POST", body: Some(body), ..Self::get(path) }
    }
}
