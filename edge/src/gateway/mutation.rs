//! Mutates requests at random, 50,000 times. An independent judge checks that nothing forbidden is forwarded;
//! responses with hidden content check that none of it reaches the caller.
//!
//! `GATEWAY_SEED=…` selects another seed; a failure prints its seed and the request.

mod judge;
mod random;
mod requests;

use super::config::tests::config;
use super::decide::{Step, decide};
use super::plan::{Call, Caller};
use super::response::UpstreamResponse;
use super::token::Keys;
use judge::Judge;
use random::Random;
use requests::{changed, seeds, tokens};
use std::collections::BTreeMap;

const REQUESTS: usize = 50_000;

/// Stands in documents, counters and headers that no caller may see.
pub(super) const HIDDEN: &str = "TOP-SECRET";

/// The callers: an anonymous one, and two with an identity.
pub(super) const CALLERS: [Option<&str>; 3] = [None, Some("ann"), Some("bob")];

pub(super) fn caller(identity: Option<&str>) -> Caller {
    let keys = Keys::new(&["0123456789abcdef0123456789abcdef".into()]).unwrap();
    Caller { keys, upstream: "http://ravendb".into(), identity: identity.map(Into::into), nonce: 9 }
}

#[test]
fn no_mutated_request_finds_a_leak() {
    let seed = std::env::var("GATEWAY_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let config = config();
    let judge = Judge { tokens: tokens(&config) };
    let seeds = seeds(&judge.tokens);
    let mut random = Random(seed);
    let (mut routes, mut refusals) = (BTreeMap::new(), BTreeMap::new());
    for number in 0..REQUESTS {
        let request = changed(&seeds, &judge.tokens, &mut random);
        let caller = caller(CALLERS[random.below(CALLERS.len())]);
        let story = || {
            format!(
                "seed {seed}, request {number}, {:?}: {request:#?}\n{}",
                caller.identity,
                String::from_utf8_lossy(&request.body)
            )
        };
        let plan = match decide(&request, &config) {
            Ok(plan) => plan,
            Err(refusal) => {
                *refusals.entry(refusal.kind.name()).or_insert(0) += 1;
                continue;
            }
        };
        match plan.bind(&config, &caller, Some("i")) {
            Err(refusal) => *refusals.entry(refusal.kind.name()).or_insert(0) += 1,
            Ok(Step::Response(_)) => assert!(matches!(plan.call, Call::Topology { .. }), "{}", story()),
            Ok(Step::Forward(forward)) => {
                let route = judge.check(&forward, caller.identity.as_deref());
                let route = route.unwrap_or_else(|reason| panic!("{reason}\n{forward:#?}\n{}", story()));
                *routes.entry(route).or_insert(0) += 1;
                let upstream = upstream(&mut random, &plan.call);
                let response = plan.response(&config, &caller, &upstream, request.target());
                let text = format!("{:?} {}", response.headers, String::from_utf8_lossy(&response.body));
                assert!(!text.contains(HIDDEN), "{text}\n{}\n{}", String::from_utf8_lossy(&upstream.body), story());
            }
        }
    }
    println!("law: gateway: {REQUESTS} requests, forwarded {routes:?}, refused {refusals:?}");
    // If hardly any request were forwarded, or hardly any refused, the run would prove little.
    for route in ["lease", "hilo/next", "return", "beacon", "batch", "read", "list", "several", "put", "delete", "head"]
    {
        assert!(routes.get(route).is_some_and(|count| *count > 50), "{route}: {routes:?}");
    }
    assert!(refusals.values().sum::<i32>() > 10_000, "{refusals:?}");
}

/// A response of the server that contains hidden next to visible content.
fn upstream(random: &mut Random, call: &Call) -> UpstreamResponse {
    let status = *random.pick(&[200, 200, 200, 201, 201, 204, 404, 409, 500, 302]);
    let documents = |random: &mut Random| (0..random.below(4)).map(|_| document(random)).collect::<Vec<_>>().join(",");
    let includes = |random: &mut Random| {
        (0..random.below(3)).map(|at| format!("\"x/{at}\":{}", document(random))).collect::<Vec<_>>().join(",")
    };
    let read =
        |random: &mut Random| format!("{{\"Results\":[{}],\"Includes\":{{{}}}}}", documents(random), includes(random));
    let counter = format!(
        "{{\"Results\":[{{\"Max\":64,\"@metadata\":{{\"@change-vector\":\"A:7-{HIDDEN}\",\"@last-modified\":\"{HIDDEN}\"}}}}]}}"
    );
    let grant =
        "{\"Prefix\":\"orders/\",\"Low\":33,\"High\":64,\"LastSize\":32,\"ServerTag\":\"A\",\"LastRangeAt\":\"2026\"}";
    let patched = format!(
        "{{\"Results\":[{{\"ChangeVector\":\"{HIDDEN}\",\"LastModified\":\"{HIDDEN}\",\"PatchStatus\":\"Patched\"}}]}}"
    );
    let sub = |body: &str, status: u16| {
        format!("{{\"Result\":{body},\"StatusCode\":{status},\"Headers\":{{\"X\":\"{HIDDEN}\"}}}}")
    };
    let body = match (status, call) {
        (409.., _) => format!("{{\"Type\":\"X\",\"Message\":\"{HIDDEN}\",\"Error\":\"{HIDDEN}\"}}"),
        (200, Call::Several(reads)) => {
            let parts: Vec<_> = reads.iter().map(|_| sub(&read(random), 200)).collect();
            format!("{{\"Results\":[{}]}}", parts.join(","))
        }
        (200, Call::Lease(_)) => format!("{{\"Results\":[{},{}]}}", sub(grant, 201), sub(&counter, 200)),
        (200, Call::GiveBack(_)) => format!("{{\"Results\":[{}]}}", sub(&patched, 201)),
        (201, Call::GiveBack(_)) => patched,
        (200 | 201, _) => read(random),
        _ => HIDDEN.into(),
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let headers = vec![pair("server", HIDDEN), pair("set-cookie", HIDDEN), pair("raven-server-version", HIDDEN)];
    UpstreamResponse { status, headers, body: body.into_bytes() }
}

/// A document that may be seen, or one that only looks like it.
fn document(random: &mut Random) -> String {
    let visible = "{\"a\":1,\"@metadata\":{\"@collection\":\"Products\",\"@id\":\"products/1-A\"}}";
    let hidden = |metadata: &str| format!("{{\"a\":\"{HIDDEN}\",\"@metadata\":{metadata}}}");
    match random.below(10) {
        0 | 1 => visible.into(),
        2 => hidden("{\"@collection\":\"Secrets\",\"@id\":\"products/1-A\"}"),
        3 => hidden("{\"@collection\":\"Products\",\"@id\":\"secrets/1-A\"}"),
        4 => hidden("{\"@collection\":\"Secrets\",\"@collection\":\"Products\",\"@id\":\"products/1-A\"}"),
        5 => hidden(
            "{\"@collection\":\"Products\",\"@id\":\"products/1-A\"},\"@metadata\":{\"@collection\":\"Secrets\"}",
        ),
        6 => hidden("{\"@id\":\"products/1-A\"}"),
        7 => hidden("\"Products\""),
        8 => hidden("{\"@collection\":\"Drafts\",\"@id\":\"drafts/1-A\"}"),
        _ => "null".into(),
    }
}
