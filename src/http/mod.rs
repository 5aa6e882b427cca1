//! Requests and answers, and the executor that decides where a request goes and whether it is repeated.
//!
//! Nothing here does I/O: the adapter sends what [`Executor::attempt`] says and reports what came back.

mod conversation;
mod executor;
mod path;
mod server_error;

pub use conversation::{Conversation, Input, Next};
pub use executor::{Attempt, Call, Executor, NodeId, Verdict};
pub use path::push_encoded;
pub use server_error::{describe, server_error};

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// GET
    Get,
    /// POST
    Post,
    /// PUT
    Put,
    /// DELETE
    Delete,
    /// HEAD
    Head,
    /// PATCH
    Patch,
    /// RESET: RavenDB's own, to build an index anew.
    Reset,
}

impl Method {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
            Method::Head => "HEAD",
            Method::Patch => "PATCH",
            Method::Reset => "RESET",
        }
    }

    /// The method of this name; GET for any other.
    pub fn named(name: &str) -> Method {
        use Method::{Delete, Head, Patch, Post, Put, Reset};
        let all = [Post, Put, Delete, Head, Patch, Reset];
        all.into_iter().find(|method| method.name() == name).unwrap_or(Method::Get)
    }
}

/// Whether a request may be sent again when its response was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repeat {
    /// Leases (a lost response is a gap): on any node, again and again until the time limit, because callers wait for ids.
    Anywhere,
    /// Reads: on each node once, then the caller is told. Where a connection broke, each node is asked a second time: one that
    /// was kept alive may be closed just as it is used again.
    EachNode,
    /// Fenced writes: the same bytes to the same node, where a second delivery changes nothing.
    SameNode,
    /// Everything else: a lost response is reported, never guessed.
    Never,
}

/// What to send.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// HTTP method.
    pub method: Method,
    /// Path and query below the node's address, percent-encoded.
    pub path: String,
    /// Body; JSON in UTF-8.
    pub body: Option<Vec<u8>>,
    /// Expected change vector, sent as `If-Match`; `Some("")`: must not exist.
    pub if_match: Option<String>,
    /// Whether it may be repeated.
    pub repeat: Repeat,
    /// The only node that may get it.
    pub node: Option<NodeId>,
}

impl Request {
    /// A read of `path`.
    pub fn get(path: String) -> Box<Request> {
        Request::new(Method::Get, path, None, Repeat::Anywhere)
    }

    /// A box, because requests are moved around a lot.
    fn new(method: Method, path: String, body: Option<Vec<u8>>, repeat: Repeat) -> Box<Request> {
        Box::new(Request { method, path, body, if_match: None, repeat, node: None })
    }

    /// The same request, under another rule of repetition.
    pub fn repeated(mut self: Box<Self>, repeat: Repeat) -> Box<Request> {
        self.repeat = repeat;
        self
    }

    /// The same request, for this node alone.
    pub fn to(mut self: Box<Self>, node: NodeId) -> Box<Request> {
        self.node = Some(node);
        self
    }

    /// A POST of JSON text.
    pub fn post(path: String, body: Vec<u8>, repeat: Repeat) -> Box<Request> {
        Request::new(Method::Post, path, Some(body), repeat)
    }

    /// Whether another node may get it after this one failed, whatever became of it there.
    pub(crate) fn is_for_any_node(&self) -> bool {
        matches!(self.repeat, Repeat::Anywhere | Repeat::EachNode) && self.node.is_none()
    }

    /// Method and path as errors show them, without the query.
    pub fn summary(&self) -> String {
        let mut text = String::from(self.method.name());
        text.push(' ');
        let end = self.path.bytes().position(|byte| byte == b'?').unwrap_or(self.path.len());
        text.push_str(self.path.get(..end).unwrap_or_default());
        text
    }
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Body bytes.
    pub body: Vec<u8>,
    /// The node that answered.
    pub node: NodeId,
    /// Header `Database-Cluster-Tx-Id`: the database's incarnation, new after delete and recreate.
    pub incarnation: Option<String>,
}

/// The database is no longer on this node, which has done nothing; others have it.
pub const GONE: u16 = 410;

/// Statuses that speak of an outage or overload in front of the data, not of the request.
pub fn is_outage_status(status: u16) -> bool {
    matches!(status, GONE | 429 | 502..=504 | 520..=527 | 530)
}
