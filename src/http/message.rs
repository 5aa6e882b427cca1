//! Requests and responses.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{NodeId, Repeat, Rule};

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
    /// RESET: RavenDB's own method, which rebuilds an index.
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

/// A request to send.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// HTTP method.
    pub method: Method,
    /// Path and query below the node's address, percent-encoded.
    pub path: String,
    /// Body: JSON in UTF-8.
    pub body: Option<Vec<u8>>,
    /// Expected change vector, sent as `If-Match`; `Some("")`: the document must not exist.
    pub if_match: Option<String>,
    /// Whether it may be retried.
    pub repeat: Repeat,
    /// The only node that may receive it; `None`: any.
    pub node: Option<NodeId>,
}

impl Request {
    /// A read of `path`.
    pub fn get(path: String) -> Box<Request> {
        Request::new(Method::Get, path, None, Repeat::Anywhere)
    }

    /// Boxed, because requests are moved often.
    fn new(method: Method, path: String, body: Option<Vec<u8>>, repeat: Repeat) -> Box<Request> {
        Box::new(Request { method, path, body, if_match: None, repeat, node: None })
    }

    /// Sets the retry rule.
    pub fn repeated(mut self: Box<Self>, repeat: Repeat) -> Box<Request> {
        self.repeat = repeat;
        self
    }

    /// Restricts the request to one node.
    pub fn to(mut self: Box<Self>, node: NodeId) -> Box<Request> {
        self.node = Some(node);
        self
    }

    /// A POST of JSON text.
    pub fn post(path: String, body: Vec<u8>, repeat: Repeat) -> Box<Request> {
        Request::new(Method::Post, path, Some(body), repeat)
    }

    /// How it may be sent.
    pub fn rule(&self) -> Rule {
        Rule { repeat: self.repeat, node: self.node }
    }

    /// Method and path without the query, for error messages.
    pub fn summary(&self) -> String {
        let mut text = String::from(self.method.name());
        text.push(' ');
        let end = self.path.bytes().position(|byte| byte == b'?').unwrap_or(self.path.len());
        text.push_str(self.path.get(..end).unwrap_or_default());
        text
    }
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Body bytes.
    pub body: Vec<u8>,
    /// The node that responded.
    pub node: NodeId,
    /// Header `Database-Cluster-Tx-Id`: the database's incarnation, which changes when the database is deleted and created again.
    pub incarnation: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_found_by_its_name() {
        let all = ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "RESET"];
        assert_eq!(all.map(|name| Method::named(name).name()), all);
    }
}
