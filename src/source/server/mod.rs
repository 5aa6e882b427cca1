//! RavenDB 4 and later: `hilo/next` and the fenced return.
//!
//! A lease is one `POST multi_get` of `[GET hilo/next, GET docs?id=Raven/Hilo/<tag>]`: the second part reads the fence without a
//! further request. If `multi_get` is not available (an old proxy, a restrictive gateway), the lease falls back to `GET hilo/next`,
//! whose ranges have no fence and are never returned.

mod lease;
pub(super) mod response;
pub mod wire;

pub use lease::LeaseExchange;

use alloc::boxed::Box;
use alloc::string::String;

use super::{Ask, Capabilities, Return, Source};
use crate::http::{NodeId, Repeat, Request, Response, push_encoded};
use crate::ids::key;
use crate::json;
use crate::protocol::{metadata, path};

/// RavenDB's own lease routes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Server {
    /// `/databases/<database>`, encoded.
    base: String,
    separator: char,
    /// The prefix of the counter documents' ids.
    counters: &'static str,
    /// The only node to read them from, for the source `document`: the copies of other nodes may lag behind.
    home: Option<NodeId>,
}

impl Server {
    /// The source for `database`, whose ids join their parts with `separator`.
    pub fn new(database: &str, separator: char) -> Server {
        let mut base = String::from(path::DATABASES);
        push_encoded(&mut base, database);
        Server { base, separator, counters: wire::HILO_PREFIX, home: None }
    }
}

impl Server {
    /// This source for counter documents with another prefix, which only one node writes.
    pub(super) fn with_counters(self, counters: &'static str, home: NodeId) -> Server {
        Server { counters, home: Some(home), ..self }
    }

    /// The path of a route of the database.
    pub(super) fn route(&self, route: &str) -> String {
        let mut path = self.base.clone();
        path.push_str(route);
        path
    }

    /// The request that reads the counter documents of these tags, to get fences.
    pub fn read(&self, tags: impl Iterator<Item = String>) -> Box<Request> {
        let mut path = self.route("/docs");
        for (position, tag) in tags.enumerate() {
            path.push_str(if position > 0 { "&id=" } else { "?id=" });
            push_encoded(&mut path, self.counters);
            push_encoded(&mut path, &tag);
        }
        let mut request = Request::get(path);
        request.node = self.home;
        request
    }

    /// `Max` and fence of a tag's counter document in the response, and the node that responded. Identified by id, not by position: a
    /// sharded database leaves out documents that do not exist.
    pub fn fence(&self, response: &Response, tag: &str) -> Option<(u64, String, NodeId)> {
        let counter = [self.counters, tag].concat();
        let results = json::get(&response.body, "Results")?;
        let find = |is_it: fn(&str, &str) -> bool| {
            json::elements(results).find(|document| {
                let id = json::get(document, metadata::MEMBER).and_then(|of| json::get(of, metadata::ID));
                id.and_then(json::string).is_some_and(|id| is_it(&id, &counter))
            })
        };
        let document = find(|id, counter| id == counter).or_else(|| find(key::may_be_same))?;
        let (max, fence) = response::counter(document)?;
        Some((max, fence, response.node))
    }
}

impl Source for Server {
    type LeaseExchange = LeaseExchange;

    fn capabilities(&self) -> Capabilities {
        Capabilities { returnable: true, fenced: true, scoped: true }
    }

    fn lease(&self, ask: Ask) -> LeaseExchange {
        LeaseExchange::new(&self.base, self.separator, ask)
    }

    fn give_back(&self, returns: &[Return], node: NodeId) -> Box<Request> {
        let body = wire::return_body(self.counters, returns).into_bytes();
        Request::post(self.route("/bulk_docs"), body, Repeat::SameNode).to(node)
    }

    fn applied(&self, response: &Response, position: usize) -> bool {
        let results = json::get(&response.body, "Results").unwrap_or_default();
        let result = json::elements(results).nth(position).unwrap_or_default();
        json::get(result, "PatchStatus") == Some(b"\"Patched\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sharded database returns counters in any order and leaves out missing ones.
    #[test]
    fn a_fence_is_found_by_the_id_of_its_counter() {
        let document = |id: &str, max: &str| {
            [
                r#"{"Max":"#,
                max,
                r#","@metadata":{"@id":"Raven/Hilo/"#,
                id,
                r#"","@change-vector":"A:"#,
                max,
                r#"-x","@last-modified":"t"}}"#,
            ]
            .concat()
        };
        let body = [r#"{"Results":["#, &document("Lines", "64"), ",null,", &document("orders", "32"), "]}"].concat();
        let response = Response { status: 200, body: body.into_bytes(), node: NodeId(1), incarnation: None };
        let server = Server::new("d", '/');
        let fence = |tag| server.fence(&response, tag).map(|(max, fence, _)| (max, fence));
        assert_eq!(fence("orders"), Some((32, "A:32-x t".into())));
        assert_eq!(fence("lines"), Some((64, "A:64-x t".into())), "ids have no case");
        assert_eq!(fence("users"), None);
    }
}
