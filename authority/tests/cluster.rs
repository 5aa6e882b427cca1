//! Two nodes with the same database, connected and disconnected.

use raven_edge::source::server::wire::MOVE_SCRIPT;
use raven_edge_authority::authority::Node;
use raven_edge_authority::cluster::Cluster;
use raven_edge_authority::{Request, Response, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const A: usize = 0;
const B: usize = 1;

fn counting_random() -> impl FnMut() -> [u8; 16] {
    let mut next = 0;
    move || {
        next += 1;
        [next; 16]
    }
}

struct Nodes {
    cluster: Cluster,
    millis: u64,
}

impl Nodes {
    fn new() -> Self {
        let node = |tag: &str| Node { tag: tag.into(), url: format!("http://{tag}") };
        let mut cluster = Cluster::new(vec![node("A"), node("B")], true);
        assert_eq!(cluster.create("t", &mut counting_random()), Ok(true));
        assert_eq!(cluster.create("T", &mut counting_random()), Ok(false));
        Self { cluster, millis: 1_795_224_636_754 }
    }

    fn send(&mut self, node: usize, request: &Request) -> Response {
        self.millis += 1;
        self.cluster.handle(node, request, Timestamp::from_unix_millis(self.millis), &mut counting_random())
    }

    fn get(&mut self, node: usize, rest: &str) -> Value {
        let response = self.send(node, &Request::get(format!("/databases/t/{rest}")));
        serde_json::from_str(&response.body).unwrap_or(Value::Null)
    }

    fn put(&mut self, node: usize, id: &str, body: &str) {
        assert_eq!(self.send(node, &Request::new("PUT", format!("/databases/t/docs?id={id}")).body(body)).status, 201);
    }

    fn document(&mut self, node: usize, id: &str) -> Value {
        self.get(node, &format!("docs?id={id}"))["Results"][0].clone()
    }

    fn replicate(&mut self) {
        self.cluster.replicate_all().expect("memory does not fail");
    }
}

fn vector(document: &Value) -> String {
    document["@metadata"]["@change-vector"].as_str().expect("a vector").into()
}

#[test]
fn ranges_carry_the_tag_of_the_node_that_granted_them() {
    let mut nodes = Nodes::new();
    let mut ids = BTreeSet::new();
    for round in 0..20 {
        // Mostly without replication in between, as in a failover during a burst.
        for node in [A, B, B, A] {
            let grant = nodes.get(node, "hilo/next?tag=orders");
            assert_eq!(grant["ServerTag"], if node == A { "A" } else { "B" });
            for number in grant["Low"].as_i64().expect("a number")..=grant["High"].as_i64().expect("a number") {
                let id = format!("orders/{number}-{}", grant["ServerTag"].as_str().expect("a tag"));
                assert!(ids.insert(id.clone()), "{id} twice");
            }
        }
        if round % 3 == 0 {
            nodes.replicate();
        }
    }
}

#[test]
fn the_highest_max_wins_and_both_nodes_agree() {
    let mut nodes = Nodes::new();
    nodes.get(A, "hilo/next?tag=orders");
    nodes.get(B, "hilo/next?tag=orders");
    nodes.get(B, "hilo/next?tag=orders");
    nodes.replicate();
    let (a, b) = (nodes.document(A, "Raven/Hilo/orders"), nodes.document(B, "Raven/Hilo/orders"));
    assert_eq!(a, b);
    assert_eq!(a["Max"], 64);
    assert!(vector(&a).starts_with("A:1-") && vector(&a).contains(", B:2-"), "{a}");
    let settled = nodes.cluster.clone();
    nodes.replicate();
    assert_eq!(nodes.document(A, "Raven/Hilo/orders"), a, "nothing is replicated back and forth");
    assert_eq!(settled, nodes.cluster);
    assert_eq!(nodes.get(A, "hilo/next?tag=orders")["Low"], 65);
}

#[test]
fn the_highest_max_wins_in_any_notation() {
    for max in ["64", "64.0", "6.4e1", "\"64\""] {
        let mut nodes = Nodes::new();
        let counter = |max: &str| format!(r#"{{"Max":{max},"@metadata":{{"@collection":"@hilo"}}}}"#);
        nodes.put(A, "Raven/Hilo/orders", &counter(max));
        nodes.put(B, "Raven/Hilo/orders", &counter("5"));
        nodes.replicate();
        assert_eq!(nodes.get(A, "hilo/next?tag=orders")["Low"], 65, "{max}");
    }
}

#[test]
fn a_fence_from_before_a_conflict_is_invalid() {
    let mut nodes = Nodes::new();
    nodes.get(A, "hilo/next?tag=orders");
    let counter = nodes.document(A, "Raven/Hilo/orders");
    let fence = format!("{} {}", vector(&counter), counter["@metadata"]["@last-modified"].as_str().expect("a time"));
    nodes.get(B, "hilo/next?tag=orders");
    nodes.replicate();
    let patch = json!({ "Script": MOVE_SCRIPT, "Values": { "fence": fence, "high": 32, "last": 0 } });
    let commands = json!({ "Commands": [{ "Type": "PATCH", "Id": "Raven/Hilo/orders", "Patch": patch }] });
    for node in [A, B] {
        let response = nodes.send(node, &Request::new("POST", "/databases/t/bulk_docs").body(commands.to_string()));
        assert!(response.body.contains("NotModified"), "{}", response.body);
    }
}

#[test]
fn vectors_are_composite_after_replication() {
    let mut nodes = Nodes::new();
    nodes.put(A, "d/1", r#"{"n":1}"#);
    assert!(!vector(&nodes.document(A, "d/1")).contains(", "));
    nodes.replicate();
    assert_eq!(nodes.document(A, "d/1"), nodes.document(B, "d/1"));
    nodes.put(B, "d/2", r#"{"n":1}"#);
    assert!(vector(&nodes.document(B, "d/2")).starts_with("A:1-"), "B's vector includes what it has seen of A");
    nodes.put(B, "d/1", r#"{"n":2}"#);
    nodes.replicate();
    assert_eq!(nodes.document(A, "d/1")["n"], 2, "a later state replaces an earlier one without a conflict");
}

#[test]
fn an_ordinary_conflict_is_won_by_the_last_modification() {
    let mut nodes = Nodes::new();
    nodes.put(A, "d/1", r#"{"n":"a"}"#);
    nodes.put(B, "d/1", r#"{"n":"b"}"#);
    nodes.put(A, "d/2", r#"{"n":"a"}"#);
    nodes.replicate();
    nodes.put(A, "d/2", r#"{"n":"later"}"#);
    assert_eq!(nodes.send(B, &Request::new("DELETE", "/databases/t/docs?id=d/2")).status, 204);
    nodes.replicate();
    for node in [A, B] {
        assert_eq!(nodes.document(node, "d/1")["n"], "b");
        assert_eq!(nodes.document(node, "d/2"), Value::Null, "the deletion was the last change");
    }
}

#[test]
fn databases_are_created_and_deleted_on_all_nodes() {
    let mut nodes = Nodes::new();
    let incarnation = |nodes: &mut Nodes, node| {
        let response = nodes.send(node, &Request::get("/databases/t/docs?id=x"));
        response.header("Database-Cluster-Tx-Id").map(str::to_owned)
    };
    let first = incarnation(&mut nodes, A);
    assert!(first.is_some());
    assert_eq!(incarnation(&mut nodes, B), first, "one incarnation on all nodes");
    let topology = nodes.send(B, &Request::get("/topology?name=t"));
    assert!(topology.body.contains(r#""ClusterTag":"A""#) && topology.body.contains(r#""ClusterTag":"B""#));
    let delete = Request::new("DELETE", "/admin/databases").body(r#"{"DatabaseNames":["T"]}"#);
    assert_eq!(nodes.send(A, &delete).status, 200);
    assert_eq!(nodes.send(B, &Request::get("/databases/t/docs?id=x")).status, 500);
    assert_eq!(nodes.send(B, &Request::get("/topology?name=t")).status, 503);
    let create = Request::new("PUT", "/admin/databases?name=t").body(r#"{"DatabaseName":"t"}"#);
    let mut random = || [99; 16];
    assert_eq!(nodes.cluster.handle(B, &create, Timestamp::default(), &mut random).status, 201);
    assert_ne!(incarnation(&mut nodes, A), first);
}
