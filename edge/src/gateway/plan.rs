//! What a permitted request does, and the request to the server.

use super::give_back::GiveBack;
use super::lease::Lease;
use super::read::Read;
use super::token::Keys;
use super::write::Write;
use serde::Serialize;

/// One thing that the request would do; passed to `authorize`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Operation {
    /// `lease`, `return`, `create`, `read`, `list`, `change`, `delete` or `topology`.
    pub(crate) action: &'static str,
    /// The collection, if the operation is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) collection: Option<String>,
    /// The ids of the documents.
    pub(crate) ids: Vec<String>,
    /// The prefix of the ids that a listing returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prefix: Option<String>,
}

impl Operation {
    /// An operation on documents of a collection.
    pub(super) fn on(action: &'static str, collection: &str, id: Option<&str>) -> Self {
        Self {
            action,
            collection: Some(collection.into()),
            ids: id.into_iter().map(Into::into).collect(),
            prefix: None,
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
}

/// The kinds of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// The list of nodes, which contains only the gateway.
    Topology {
        /// The URL under which the caller reached the gateway.
        base: String,
    },
    /// A lease of a range.
    Lease(Lease),
    /// Returns of ranges.
    GiveBack(GiveBack),
    /// Documents to write.
    Write(Write),
    /// Documents to read.
    Read(Read),
    /// Several reads at once.
    Several(Vec<Read>),
}

/// The caller, and the server's address.
#[derive(Clone)]
pub(crate) struct Caller {
    /// The keys of tokens.
    pub(crate) keys: Keys,
    /// The server's address, without a trailing slash.
    pub(crate) upstream: String,
    /// What `authorize` returned for the caller.
    pub(crate) identity: Option<String>,
    /// A random number for this request. Leases carry it instead of the caller's own: callers may all send the same
    /// one or none, and a proxy before RavenDB must not merge the leases of two callers.
    pub(crate) nonce: u32,
}

/// The request to the server, written anew from what the gateway understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    /// The verb.
    pub(crate) method: &'static str,
    /// Path and query.
    pub(crate) path: String,
    /// `If-Match`, without quotes.
    pub(crate) if_match: Option<String>,
    /// A JSON text.
    pub(crate) body: Option<String>,
}

impl Forward {
    pub(super) fn get(path: String) -> Self {
        Self { method: "GET", path, if_match: None, body: None }
    }

    pub(super) fn post(path: String, body: String) -> Self {
        Self { method: "POST", path, if_match: None, body: Some(body) }
    }
}
