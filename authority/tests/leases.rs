//! Random histories of leases, returns and writes.

use proptest::prelude::*;
use raven_edge::source::server::wire::MOVE_SCRIPT;
use raven_edge_authority::authority::{Identity, Node, Options};
use raven_edge_authority::{Authority, MemoryStorage, Request, Response, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn authority() -> Authority<MemoryStorage> {
    let options = Options {
        database: "t".into(),
        node_tag: "A".into(),
        nodes: vec![Node { tag: "A".into(), url: "http://a".into() }],
        topology_etag: 1,
        check_origin: true,
        identity: Identity::from_random([1; 16], [2; 16]),
    };
    Authority::new(MemoryStorage::default(), options).expect("memory does not fail")
}

fn send(authority: &mut Authority<MemoryStorage>, request: &Request) -> Response {
    authority.handle(request, Timestamp::from_unix_millis(1_795_224_636_754), &mut || [7; 16])
}

fn body(response: &Response) -> Value {
    serde_json::from_str(&response.body).expect(&response.body)
}

struct Lease {
    low: i64,
    high: i64,
    fence: String,
}

fn lease(authority: &mut Authority<MemoryStorage>) -> Lease {
    let requests = json!({ "Requests": [
        { "Url": "/databases/t/hilo/next", "Query": "?tag=orders", "Method": "GET" },
        { "Url": "/databases/t/docs", "Query": "?id=Raven/Hilo/orders", "Method": "GET" },
    ] });
    let result = body(&send(authority, &Request::new("POST", "/databases/t/multi_get").body(requests.to_string())));
    let grant = &result["Results"][0]["Result"];
    let document = &result["Results"][1]["Result"]["Results"][0];
    assert_eq!(document["Max"], grant["High"]);
    let metadata = |name: &str| document["@metadata"][name].as_str().expect("a text");
    Lease {
        low: grant["Low"].as_i64().expect("a number"),
        high: grant["High"].as_i64().expect("a number"),
        fence: format!("{} {}", metadata("@change-vector"), metadata("@last-modified")),
    }
}

/// Returns a lease down to `last`; gives the `PatchStatus` of the response.
fn give_back(authority: &mut Authority<MemoryStorage>, lease: &Lease, last: i64) -> String {
    let patch = json!({ "Script": MOVE_SCRIPT, "Values": { "fence": lease.fence, "high": lease.high, "last": last } });
    let commands =
        json!({ "Commands": [{ "Type": "PATCH", "Id": "Raven/Hilo/orders", "ChangeVector": null, "Patch": patch }] });
    // The order of members matters in RavenDB. serde_json sorts them; `Commands` is the only one here.
    let result = body(&send(authority, &Request::new("POST", "/databases/t/bulk_docs").body(commands.to_string())));
    result["Results"][0]["PatchStatus"].as_str().expect("a status").into()
}

#[derive(Clone, Debug)]
enum Step {
    Lease,
    /// Issue this many numbers of a lease, then return the rest.
    Return {
        lease: usize,
        issue: i64,
    },
    /// Deliver an earlier return again.
    Replay {
        sent: usize,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Lease),
        3 => (any::<usize>(), 0i64..40).prop_map(|(lease, issue)| Step::Return { lease, issue }),
        2 => any::<usize>().prop_map(|sent| Step::Replay { sent }),
    ];
    proptest::collection::vec(step, 1..40)
}

proptest! {
    /// Fenced returns may be delivered any number of times and in any order; no number is issued twice.
    #[test]
    fn no_number_is_issued_twice(steps in steps()) {
        let mut authority = authority();
        let mut live: Vec<Lease> = Vec::new();
        let mut sent: Vec<(Lease, i64)> = Vec::new();
        let mut issued = BTreeSet::new();
        for step in steps {
            match step {
                Step::Lease => live.push(lease(&mut authority)),
                Step::Return { lease, issue } if !live.is_empty() => {
                    let lease = live.remove(lease % live.len());
                    let last = (lease.low - 1 + issue).min(lease.high);
                    for number in lease.low..=last {
                        prop_assert!(issued.insert(number), "{number} issued twice");
                    }
                    give_back(&mut authority, &lease, last);
                    sent.push((lease, last));
                }
                Step::Replay { sent: which } if !sent.is_empty() => {
                    let (lease, last) = &sent[which % sent.len()];
                    // `Patched` would mean that the first delivery had no effect.
                    prop_assert_eq!(give_back(&mut authority, lease, *last), "NotModified");
                }
                _ => {}
            }
        }
        for lease in live {
            for number in lease.low..=lease.high {
                prop_assert!(issued.insert(number), "{number} issued twice");
            }
        }
    }

    /// No two states of a document have the same vector, also after aborted batches.
    #[test]
    fn no_two_states_share_a_vector(steps in proptest::collection::vec((0u8..4, 0u8..3), 1..40)) {
        let mut authority = authority();
        let mut seen = BTreeSet::new();
        for (what, which) in steps {
            let url = format!("/databases/t/docs?id=d/{which}");
            let response = match what {
                0 | 1 => send(&mut authority, &Request::new("PUT", url).body("{}")),
                2 => send(&mut authority, &Request::new("DELETE", url)),
                _ => {
                    let put = |id: &str| json!({ "Type": "PUT", "Id": id, "Document": {} });
                    let stale = json!({ "Type": "PUT", "Id": "d/0", "ChangeVector": "stale", "Document": {} });
                    let commands = json!({ "Commands": [put("d/1"), put("d/2"), stale] });
                    send(&mut authority, &Request::new("POST", "/databases/t/bulk_docs").body(commands.to_string()))
                }
            };
            if let Some(vector) = (response.status == 201).then(|| body(&response)["ChangeVector"].to_string()) {
                prop_assert!(seen.insert(vector.clone()), "{vector} twice");
            }
        }
    }

    /// Every request gets a response, and every error response has an error body.
    #[test]
    fn every_request_gets_a_response(
        method in "GET|PUT|POST|DELETE|HEAD|PATCH",
        path in "(hilo/next|hilo/return|docs|bulk_docs|multi_get|nope)",
        query in "(tag|id|end|last|lastMax|startsWith|start|pageSize)=[%a-f0-9|/ é-]{0,6}(&(id|tag|matches|last|lastBatchSize)=[%a0-9*?|-]{0,20})?",
        text in r#"(\{"(Commands|Requests|Ids)":\[(\{"(Type|Url|Id)":("PUT"|"PATCH"|"x"|null|\{\}),"(Document|Query|Patch)":(\{\}|""|5)\}|null|1|"a")?\]\}?)|[\[\]{}":,a0-9é]{0,20}"#,
        if_match in proptest::option::of("[\"A:1x*é]{0,6}"),
    ) {
        let mut request = Request::new(&method, format!("/databases/t/{path}?{query}")).body(text);
        if let Some(value) = if_match {
            request = request.header("If-Match", value);
        }
        let response = send(&mut authority(), &request);
        prop_assert!((200..600).contains(&response.status));
        if response.status >= 500 && method != "HEAD" {
            let body = body(&response);
            for name in ["Url", "Type", "Message", "Error"] {
                prop_assert!(body[name].as_str().is_some_and(|text| !text.is_empty()), "{name} in {body}");
            }
        }
    }
}

#[test]
fn the_incarnation_is_stored_with_the_database() {
    let first = authority();
    let mut options = first.options().clone();
    options.identity = Identity::from_random([7; 16], [8; 16]);
    let reopened = Authority::new(first.storage().clone(), options).expect("memory does not fail");
    assert_eq!(reopened.options().identity, first.options().identity);
}
