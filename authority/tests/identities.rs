//! Identities on two nodes, and ids that the server generates: no request can make them collide.

use proptest::prelude::*;
use raven_edge_authority::authority::Node;
use raven_edge_authority::cluster::Cluster;
use raven_edge_authority::{Request, Response, Timestamp};
use std::collections::BTreeSet;

fn cluster(tags: &[&str]) -> Cluster {
    let nodes = tags.iter().map(|&tag| Node { tag: tag.into(), url: format!("http://{tag}") });
    let mut cluster = Cluster::new(nodes.collect(), true);
    assert_eq!(cluster.create("t", &mut || [3; 16]), Ok(true));
    cluster
}

fn send(cluster: &mut Cluster, node: usize, method: &str, rest: &str, body: &str) -> Response {
    // Every call gets the same random bytes; only GUIDs may repeat because of that.
    let request = Request::new(method, format!("/databases/t/{rest}")).body(body);
    cluster.handle(node, &request, Timestamp::from_unix_millis(1_795_224_636_754), &mut || [7; 16])
}

fn text(cluster: &mut Cluster, node: usize, method: &str, rest: &str, body: &str) -> String {
    send(cluster, node, method, rest, body).body
}

#[test]
fn identities_belong_to_the_cluster_and_etags_to_the_node() {
    let mut cluster = cluster(&["A", "B"]);
    let mut next = |node, rest: &str| text(&mut cluster, node, "POST", &format!("identity/next?name=u{rest}"), "");
    assert_eq!(next(0, ""), r#"{"NewIdentityValue":1}"#);
    assert_eq!(next(1, ""), r#"{"NewIdentityValue":2}"#);
    assert_eq!(next(1, "&raft-request-id=r"), r#"{"NewIdentityValue":3}"#);
    assert_eq!(next(0, "&raft-request-id=r"), r#"{"NewIdentityValue":3}"#, "the other node knows the call");
    assert_eq!(text(&mut cluster, 0, "GET", "debug/identities", ""), r#"{"u|":3}"#);
    assert_eq!(text(&mut cluster, 1, "GET", "debug/identities", ""), r#"{"u|":3}"#);
    for (node, id) in [(0, "u|"), (1, "U|"), (0, "u/"), (1, "u/")] {
        assert_eq!(send(&mut cluster, node, "PUT", &format!("docs?id={id}"), "{}").status, 201, "{id}");
    }
    cluster.replicate_all().expect("memory does not fail");
    let listed = text(&mut cluster, 0, "GET", "docs?startsWith=u&metadataOnly=true", "");
    for id in ["u/4", "U/5", "u/0000000000000000002-A", "u/0000000000000000002-B"] {
        assert!(listed.contains(&format!("\"@id\":\"{id}\"")), "{id} in {listed}");
    }
}

#[test]
fn a_batch_that_waits_for_too_many_nodes_times_out() {
    for (tags, replicas, status) in [
        (["A", "B"].as_slice(), "1", 201),
        (&["A", "B"], "majority", 201),
        (&["A", "B"], "2", 408),
        (&["A"], "1", 408),
        (&["A"], "majority", 201),
    ] {
        let mut cluster = cluster(tags);
        let rest = format!("bulk_docs?waitForReplicasTimeout=00:00:01&numberOfReplicasToWaitFor={replicas}");
        let body = r#"{"Commands":[{"Type":"PUT","Id":"a","Document":{}}]}"#;
        assert_eq!(send(&mut cluster, 0, "POST", &rest, body).status, status, "{tags:?} {replicas}");
        assert_eq!(send(&mut cluster, 0, "HEAD", "docs?id=a", "").status, 200, "it is committed nevertheless");
    }
}

proptest! {
    #[test]
    fn no_number_comes_twice(nodes in proptest::collection::vec((0usize..2, 0u8..4), 1..40)) {
        let mut cluster = cluster(&["A", "B"]);
        let mut seen = BTreeSet::new();
        for (node, act) in nodes {
            let body = match act {
                0 => text(&mut cluster, node, "POST", "identity/next?name=N", ""),
                1 => text(&mut cluster, node, "PUT", "docs?id=n|", "{}"),
                2 => text(&mut cluster, node, "POST", "bulk_docs", r#"{"Commands":[{"Type":"PUT","Id":"n|","Document":{}}]}"#),
                // A seed below the last number changes nothing.
                _ => { text(&mut cluster, node, "POST", "identity/seed?name=n&value=0", ""); continue }
            };
            let json: serde_json::Value = serde_json::from_str(&body).expect("JSON");
            let id = json["Id"].as_str().or_else(|| json["Results"][0]["@id"].as_str());
            let number = match id {
                Some(id) => id.trim_start_matches("n/").parse().ok(),
                None => json["NewIdentityValue"].as_i64(),
            };
            prop_assert!(number.is_some_and(|number| seen.insert(number)), "{}", body);
        }
    }

    #[test]
    fn bad_input_gets_an_answer(
        route in prop::sample::select(vec![
            ("POST", "identity/next?name="), ("POST", "identity/seed?value=5&name="), ("POST", "identity/seed?name=a&value="),
            ("GET", "debug/identities?pageSize="), ("PUT", "docs?id="), ("GET", "docs?id=a&include="),
            ("POST", "bulk_docs?waitForReplicasTimeout="), ("POST", "identity/next?name=a&raft-request-id="),
        ]),
        value in "[a-z0-9./|()\\[\\]$%:&=üé😀-]{0,12}",
    ) {
        let mut cluster = cluster(&["A"]);
        for id in ["a", "b|", "b/"] {
            send(&mut cluster, 0, "PUT", &format!("docs?id={id}"), r#"{"a":["b/1",{"a":1.5}],"b":{"a":true}}"#);
        }
        let (method, rest) = route;
        let body = if method == "POST" { r#"{"Commands":[]}"# } else { "{}" };
        let response = send(&mut cluster, 0, method, &format!("{rest}{value}"), body);
        prop_assert!([200, 201, 404, 408, 500, 501].contains(&response.status), "{}", response.body);
    }
}
