//! The authority's nodes, whether they are reachable, and what they granted.

use crate::plan::Past;
use fastrand::Rng;
use raven_edge::json;
use raven_edge::source::server::wire::HILO_PREFIX;
use raven_edge_authority::cluster::Cluster;
use raven_edge_authority::{Node, Request, Response, Storage, Timestamp};

/// The name of the database.
pub(crate) const DATABASE: &str = "Shop";
/// The tags of the nodes.
pub(crate) const NODES: [&str; 2] = ["A", "B"];
/// 2026-01-01, in microseconds.
const START: u64 = 1_767_225_600_000_000;

/// The granted ranges of a prefix and node tag.
struct Granted {
    prefix: String,
    tag: String,
    ranges: Vec<(u64, u64)>,
}

pub(crate) struct Server {
    cluster: Cluster,
    pub(crate) up: Vec<bool>,
    /// Whether nodes replicate.
    pub(crate) joined: bool,
    /// All grants.
    granted: Vec<Granted>,
    backup: Option<Cluster>,
}

impl Server {
    pub(crate) fn new(nodes: usize, rng: &mut Rng) -> Self {
        let node = |tag: &&str| Node { tag: (*tag).into(), url: format!("http://{tag}") };
        let mut cluster = Cluster::new(NODES.iter().take(nodes).map(node).collect(), false);
        cluster.create(DATABASE, &mut || bytes(rng)).expect("memory does not fail");
        Self { cluster, up: vec![true; nodes], joined: true, granted: Vec::new(), backup: None }
    }

    /// Handles a request that a node received.
    pub(crate) fn handle(&mut self, node: usize, request: &Request, now: u64) -> Response {
        let now = Timestamp::from_unix_nanos(u128::from(START + now) * 1_000);
        let written = written(&request.body).map(|(tag, high)| (self.max(node, &tag) + 1, high, tag));
        let response = self.cluster.handle(node, request, now, &mut || [0; 16]);
        let refused = response.body.contains("\"NotModified\"");
        if let Some((low, high, tag)) = written.filter(|_| response.status == 201 && !refused) {
            self.grant(format!("{tag}/"), String::new(), low, high);
        }
        if response.body.contains("\"ServerTag\"") {
            self.note(response.body.as_bytes());
        }
        response
    }

    /// Records a grant in a response to `multi_get` or `hilo/next`.
    fn note(&mut self, body: &[u8]) {
        let first = json::get(body, "Results").and_then(|results| json::elements(results).next());
        let grant = first.and_then(|first| json::get(first, "Result")).unwrap_or(body);
        let number = |name| json::get(grant, name).and_then(json::integer);
        let text = |name| json::get(grant, name).and_then(json::string);
        if let (Some(low), Some(high), Some(prefix), Some(tag)) =
            (number("Low"), number("High"), text("Prefix"), text("ServerTag"))
        {
            self.grant(prefix, tag, low, high);
        }
    }

    pub(crate) fn grant(&mut self, prefix: String, tag: String, low: u64, high: u64) {
        match self.granted.iter_mut().find(|granted| granted.prefix == prefix && granted.tag == tag) {
            Some(granted) => granted.ranges.push((low, high)),
            None => self.granted.push(Granted { prefix, tag, ranges: vec![(low, high)] }),
        }
    }

    /// Whether a number was ever granted with this prefix and node tag.
    pub(crate) fn has_granted(&self, prefix: &str, tag: &str, number: u64) -> bool {
        let granted = self.granted.iter().find(|granted| granted.prefix == prefix && granted.tag == tag);
        granted.is_some_and(|granted| granted.ranges.iter().rev().any(|&(low, high)| (low..=high).contains(&number)))
    }

    /// `Max` of a counter on a node; 0 if the counter does not exist.
    pub(crate) fn max(&mut self, node: usize, tag: &str) -> u64 {
        let Some(authority) = self.cluster.authority_mut(node, DATABASE) else { return 0 };
        let record = authority.storage().get(&format!("raven/hilo/{tag}")).ok().flatten();
        let body = record.and_then(|record| record.content).map(|content| content.body).unwrap_or_default();
        json::get(body.as_bytes(), "Max").and_then(json::integer).unwrap_or(0)
    }

    pub(crate) fn replicate(&mut self, from: usize, to: usize) {
        if self.joined {
            self.cluster.replicate(from, to).expect("memory does not fail");
        }
    }

    pub(crate) fn back_up(&mut self) {
        self.backup = Some(self.cluster.clone());
    }

    /// Rolls the server back as this seed requires; returns false if it does not.
    pub(crate) fn go_back(&mut self, past: Past, rng: &mut Rng) -> bool {
        match past {
            Past::Honest => false,
            Past::Restored => match self.backup.clone() {
                Some(backup) => {
                    self.cluster = backup;
                    true
                }
                None => false,
            },
            Past::Recreated => {
                self.cluster.delete(DATABASE);
                self.cluster.create(DATABASE, &mut || bytes(rng)).expect("memory does not fail")
            }
        }
    }
}

/// Tag and new `Max` of a counter write of the source `document`.
pub(crate) fn written(body: &[u8]) -> Option<(String, u64)> {
    let command = json::elements(json::get(body, "Commands")?).next()?;
    let id = json::get(command, "Id").and_then(json::string)?;
    let number = |object, name| json::get(object, name).and_then(json::integer);
    let max = match json::get(command, "Document") {
        Some(document) => number(document, "Max")?,
        None => {
            let values = json::get(json::get(command, "Patch")?, "Values")?;
            // A return lowers it.
            number(values, "last").filter(|last| number(values, "high").is_none_or(|high| high < *last))?
        }
    };
    Some((id.strip_prefix(HILO_PREFIX)?.to_owned(), max))
}

fn bytes(rng: &mut Rng) -> [u8; 16] {
    rng.u128(..).to_be_bytes()
}
