//! `GET /topology?name=`: which nodes hold the database.

use alloc::string::String;
use alloc::vec::Vec;

use crate::json;

/// The nodes of a database, in the server's order, members first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Version of the topology; requests send it so that the server can say when a newer one exists.
    pub etag: u64,
    /// The nodes.
    pub nodes: Vec<TopologyNode>,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyNode {
    /// Address without a trailing slash.
    pub url: String,
    /// Cluster tag, such as `A`.
    pub tag: String,
}

impl Topology {
    /// Reads the answer; `None` when it is not a topology.
    pub fn parse(body: &[u8]) -> Option<Topology> {
        let mut nodes = Vec::new();
        let mut later = Vec::new();
        for node in json::elements(json::get(body, "Nodes")?) {
            let text = |name| json::get(node, name).and_then(json::string);
            let Some(url) = text("Url").filter(|url| !url.is_empty()) else { continue };
            let entry = TopologyNode {
                url: String::from(super::executor::bare(&url)),
                tag: text("ClusterTag").unwrap_or_default(),
            };
            let member = text("ServerRole").is_none_or(|role| role == "Member");
            if member { nodes.push(entry) } else { later.push(entry) }
        }
        nodes.append(&mut later);
        Some(Topology { etag: json::integer(json::get(body, "Etag")?)?, nodes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_first() {
        let body = br#"{"Nodes":[{"Url":"http://c","ClusterTag":"C","ServerRole":"Rehab"},{"Url":"http://a/","ClusterTag":"A","ServerRole":"Member"}],"Etag":7}"#;
        let topology = Topology::parse(body).unwrap();
        let urls: Vec<_> = topology.nodes.iter().map(|n| (n.url.as_str(), n.tag.as_str())).collect();
        assert_eq!((topology.etag, urls), (7, alloc::vec![("http://a", "A"), ("http://c", "C")]));
    }

    #[test]
    fn anything_else_is_none() {
        for body in [&b""[..], b"{}", br#"{"Nodes":[]}"#, br#"{"Nodes":[],"Etag":-2}"#, b"[1]"] {
            assert_eq!(Topology::parse(body), None);
        }
    }
}
