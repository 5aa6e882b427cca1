//! Mutates requests at random, 50,000 times. An independent judge checks that nothing forbidden is forwarded;
//! responses with hidden content check that none of it reaches the caller.
//!
//! `GATEWAY_SEED=…` selects another seed; a failure prints its seed and the request.

mod judge;
mod requests;

use super::caller;
use super::random::Random;
use crate::gateway::config::tests::config;
use crate::gateway::decide::{Step, decide};
use crate::gateway::plan::{Answered, Call, Forward};
use crate::gateway::response::UpstreamResponse;
use judge::Judge;
use requests::{changed, seeds, tokens};
use std::collections::BTreeMap;

const REQUESTS: usize = 50_000;

/// Stands in documents, counters and headers that no caller may see.
pub(in crate::gateway) const HIDDEN: &str = "TOP-SECRET";

/// The callers: an anonymous one, and two with an identity.
pub(in crate::gateway) const CALLERS: [Option<&str>; 3] = [None, Some("ann"), Some("bob")];

#[test]
fn no_mutated_request_finds_a_leak() {
    let seed = std::env::var("GATEWAY_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let config = config();
    let judge = Judge { tokens: tokens(&config) };
    let seeds = seeds(&judge.tokens);
    let mut random = Random(seed);
    let (mut routes, mut refusals, mut again) = (BTreeMap::new(), BTreeMap::new(), 0);
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
        let mut next = Some(plan);
        while let Some(plan) = next.take() {
            match plan.bind(&config, &caller, Some("i")) {
                Err(refusal) => *refusals.entry(refusal.kind.name()).or_insert(0) += 1,
                Ok(Step::Response(_)) => assert!(matches!(plan.call, Call::Topology { .. }), "{}", story()),
                Ok(Step::Forward(forward)) => {
                    let route = judge.check(&forward, caller.identity.as_deref());
                    let route = route.unwrap_or_else(|reason| panic!("{reason}\n{forward:#?}\n{}", story()));
                    *routes.entry(route).or_insert(0) += 1;
                    let upstream = upstream(&mut random, &plan.call, &forward);
                    match plan.clone().response(&config, &caller, &upstream, request.target()) {
                        Answered::Next(plan) => {
                            again += 1;
                            next = Some(plan);
                        }
                        Answered::Response(response) => {
                            let text = format!("{:?} {}", response.headers, String::from_utf8_lossy(&response.body));
                            let body = String::from_utf8_lossy(&upstream.body);
                            assert!(!text.contains(HIDDEN), "{text}\n{body}\n{}", story());
                        }
                    }
                }
            }
        }
    }
    println!("law: gateway: {REQUESTS} requests, forwarded {routes:?}, {again} times once more, refused {refusals:?}");
    // If hardly any request were forwarded, or hardly any refused, the run would prove little.
    for route in ["lease", "hilo/next", "return", "beacon", "batch", "read", "list", "several", "put", "delete", "head"]
    {
        assert!(routes.get(route).is_some_and(|count| *count > 50), "{route}: {routes:?}");
    }
    assert!(refusals.values().sum::<i32>() > 10_000, "{refusals:?}");
    assert!(again > 50, "{again}");
}

/// How many documents the server returns for each read of a request; `None` for a listing.
fn documents_of(forward: &Forward) -> Vec<Option<usize>> {
    let in_query = |query: &str| {
        let ids = query.split(['?', '&']).filter(|part| part.starts_with("id=")).count();
        (ids > 0).then_some(ids)
    };
    let body = forward.body.as_deref().and_then(|body| serde_json::from_str::<serde_json::Value>(body).ok());
    let Some(body) = body else { return vec![in_query(&forward.path)] };
    match (body["Ids"].as_array(), body["Requests"].as_array()) {
        (Some(ids), _) => vec![Some(ids.len())],
        (_, Some(parts)) => parts.iter().map(|part| in_query(part["Query"].as_str().unwrap_or_default())).collect(),
        _ => vec![None],
    }
}

/// A response of the server that contains hidden next to visible content.
fn upstream(random: &mut Random, call: &Call, forward: &Forward) -> UpstreamResponse {
    let status = *random.pick(&[200, 200, 200, 201, 201, 204, 404, 409, 500, 302]);
    let asked = documents_of(forward);
    let documents = |random: &mut Random, asked: Option<usize>| {
        let wrong = random.below(20) == 0;
        let count = asked.filter(|_| !wrong).unwrap_or_else(|| random.below(4));
        (0..count).map(|_| document(random)).collect::<Vec<_>>().join(",")
    };
    let includes = |random: &mut Random| {
        (0..random.below(3)).map(|at| format!("\"x/{at}\":{}", document(random))).collect::<Vec<_>>().join(",")
    };
    let read = |random: &mut Random, asked: Option<usize>| {
        format!("{{\"Results\":[{}],\"Includes\":{{{}}}}}", documents(random, asked), includes(random))
    };
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
        (200, Call::Several(_)) => {
            let parts: Vec<_> = asked.iter().map(|asked| sub(&read(random, *asked), 200)).collect();
            format!("{{\"Results\":[{}]}}", parts.join(","))
        }
        (200, Call::Lease(_)) => format!("{{\"Results\":[{},{}]}}", sub(grant, 201), sub(&counter, 200)),
        (200, Call::GiveBack(_)) => format!("{{\"Results\":[{}]}}", sub(&patched, 201)),
        (201, Call::GiveBack(_)) => patched,
        (200 | 201, _) => read(random, asked.first().copied().flatten()),
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
