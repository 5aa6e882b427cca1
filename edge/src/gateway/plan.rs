//! What a permitted request is about, and what the server is asked.

use super::give_back::GiveBack;
use super::lease::Lease;
use super::read::Read;
use super::token::Keys;
use super::write::Write;
use serde::Serialize;

/// What `authorize` is told: one entry for each thing that would be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Operation {
    /// `lease`, `return`, `create`, `read`, `list`, `change`, `delete` or `topology`.
    pub(crate) action: &'static str,
    /// The collection, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) collection: Option<String>,
    /// The documents, by their ids.
    pub(crate) ids: Vec<String>,
    /// What the ids of a listing begin with.
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
    /// What it does.
    pub(crate) operations: Vec<Operation>,
    /// How.
    pub(super) call: Call,
}

/// The kinds of requests that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// The nodes: this one.
    Topology {
        /// Where the caller reached the gateway.
        base: String,
    },
    /// A range.
    Lease(Lease),
    /// The ends of ranges.
    GiveBack(GiveBack),
    /// Documents to write.
    Write(Write),
    /// Documents to read.
    Read(Read),
    /// Several reads at once.
    Several(Vec<Read>),
}

/// Who calls, and where it goes.
#[derive(Clone)]
pub(crate) struct Caller {
    /// For tokens.
    pub(crate) keys: Keys,
    /// The address of the server, without a slash at its end.
    pub(crate) upstream: String,
    /// What `authorize` said of the caller.
    pub(crate) identity: Option<String>,
    /// Random, for this request alone. A lease has this one: what stands before RavenDB must not take two callers' leases for
    /// one, and callers may all say the same, or nothing.
    pub(crate) nonce: u32,
}

/// What the server is asked: made anew, from nothing but what was understood.
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
