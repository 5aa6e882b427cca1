//! The nodes of a database with their addresses.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::http::{self, Call, NodeId, Request, push_encoded};
use crate::protocol::path;

/// One attempt to send a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The node it goes to.
    pub node: NodeId,
    /// The full URL.
    pub url: String,
    /// Time limit in milliseconds.
    pub limit: u64,
}

/// Removes trailing slashes from an address.
fn bare(mut url: &str) -> &str {
    while let Some(shorter) = url.strip_suffix("/") {
        url = shorter;
    }
    url
}

/// The addresses of a database's nodes, for an [`http::Executor`], which knows their numbers.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    database: String,
    /// The addresses of all nodes known so far. Entries are never changed or removed, so that a [`NodeId`] keeps its meaning.
    urls: Vec<String>,
    pub(super) topology_etag: u64,
}

impl Addresses {
    pub(super) fn new(database: &str) -> Addresses {
        Addresses { database: String::from(database), urls: Vec::new(), topology_etag: 0 }
    }

    /// The number of an address. Trailing slashes are ignored.
    pub(super) fn number(&mut self, url: &str) -> NodeId {
        let url = bare(url);
        let at = self.urls.iter().position(|known| known == url).unwrap_or_else(|| {
            self.urls.push(String::from(url));
            self.urls.len() - 1
        });
        NodeId(at as u32)
    }

    /// An attempt with the URL of its request.
    pub(super) fn attempt(&self, attempt: http::Attempt, request: &Request) -> Attempt {
        let http::Attempt { node, limit } = attempt;
        let mut url = self.urls.get(node.0 as usize).cloned().unwrap_or_default();
        url.push_str(&request.path);
        Attempt { node, url, limit }
    }

    /// The path of a route of this database: `/databases/Shop/docs`. A route that begins with `/` is a route of the server and stays
    /// unchanged.
    pub(super) fn route(&self, route: &str) -> String {
        if route.starts_with('/') {
            return String::from(route);
        }
        let mut path = String::from(path::DATABASES);
        push_encoded(&mut path, &self.database);
        path.push('/');
        path.push_str(route);
        path
    }

    /// The request that reads the topology.
    pub(super) fn topology_request(&self) -> Box<Request> {
        let mut path = [path::TOPOLOGY, "?name="].concat();
        push_encoded(&mut path, &self.database);
        Request::get(path)
    }
}

/// The nodes of a database with their addresses, and the one in use.
#[derive(Clone, Debug)]
pub struct Executor {
    pub(super) addresses: Addresses,
    pub(super) nodes: http::Executor,
}

impl Executor {
    /// An executor for `database`, with a time limit in milliseconds. [`Executor::add`] adds its addresses.
    pub fn new(database: &str, timeout: u64) -> Executor {
        Executor { addresses: Addresses::new(database), nodes: http::Executor::new(timeout) }
    }

    /// Adds an address after the known ones. Trailing slashes are ignored.
    pub fn add(&mut self, url: &str) {
        self.nodes.add(self.addresses.number(url));
    }

    /// As [`http::Executor::call`].
    pub fn call(&self, now: u64, limit: u64) -> Call {
        self.nodes.call(now, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_of_the_server_does_not_get_the_databases_path() {
        let addresses = Addresses::new("My Shop");
        assert_eq!(addresses.route("docs"), "/databases/My%20Shop/docs");
        assert_eq!(addresses.route("/admin/databases"), "/admin/databases");
    }

    #[test]
    fn an_address_keeps_its_number_whatever_slashes_follow_it() {
        let mut addresses = Addresses::new("d");
        assert_eq!(
            ["http://a/", "http://b", "http://a", "http://b//"].map(|url| addresses.number(url).0),
            [0, 1, 0, 1]
        );
    }
}
