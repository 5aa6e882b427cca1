//! Mutates requests at random, 50,000 times. An independent judge checks that nothing forbidden is forwarded;
//! responses with hidden content check that none of it reaches the caller.
//!
//! `GATEWAY_SEED=…` selects another seed; a failure prints its seed and the request.

mod judge;
mod named_judge;
mod requests;
mod responses;

use super::caller;
use super::random::Random;
use crate::gateway::config::Config;
use crate::gateway::config::tests::config;
use crate::gateway::decide::decide;
use crate::gateway::plan::{Call, FollowUp, Step, Turn};
use judge::Judge;
use requests::{changed, seeds, tokens};
use responses::upstream;
use serde_json::json;
use std::collections::BTreeMap;

const REQUESTS: usize = 50_000;

/// Stands in documents, counters and headers that no caller may see.
pub(in crate::gateway) const HIDDEN: &str = "TOP-SECRET";

/// The callers: an anonymous one, and two with an identity.
pub(in crate::gateway) const CALLERS: [Option<&str>; 3] = [None, Some("ann"), Some("bob")];

/// The gateway's configurations: without and with rows, named queries and patches. The latter is used for four of five requests.
fn configs() -> [Config; 2] {
    let size = json!({ "type": "integer", "min": 0, "max": 9 });
    let with_rows = json!({
        "database": "Shop",
        "path": "/raven",
        "claims": ["name"],
        "collections": {
            "Orders": "write", "Drafts": "create", "Products": "read",
            "Notes": { "allow": "write", "rows": { "owner": "$name" } },
        },
        "queries": {
            "notes": {
                "query": named_judge::QUERIES[0], "parameters": { "size": size }, "page": { "default": 2, "max": 5 },
            },
            "products": { "query": named_judge::QUERIES[1], "total": true, "projection": ["a"] },
        },
        "patches": {
            "tick": { "collection": "Notes", "script": named_judge::SCRIPTS[0], "parameters": { "size": size } },
            "mark": { "collection": "Products", "script": named_judge::SCRIPTS[1],
                "parameters": { "text": { "type": "string", "maxLength": 8 } } },
        },
        "limits": { "range": 128, "commands": 8, "ids": 16, "page": 50, "requests": 4, "body": 4096, "includes": 32 },
        "origins": ["https://app.example"],
    });
    [config(), crate::gateway::config::tests::read(&with_rows).unwrap()]
}

#[test]
fn no_mutated_request_finds_a_leak() {
    let seed = std::env::var("GATEWAY_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let configs = configs();
    let mut judge = Judge { tokens: tokens(&configs[0]), has_rows: false };
    let seeds = seeds(&judge.tokens);
    let mut random = Random(seed);
    let (mut routes, mut refusals, mut again, mut seen) = (BTreeMap::new(), BTreeMap::new(), 0, 0);
    for number in 0..REQUESTS {
        judge.has_rows = random.below(5) > 0;
        let config = &configs[usize::from(judge.has_rows)];
        let request = changed(&seeds, &judge.tokens, &mut random);
        let caller = caller(CALLERS[random.below(CALLERS.len())]);
        let identity = caller.identity.as_deref();
        let story = || {
            let body = String::from_utf8_lossy(&request.body);
            format!("seed {seed}, request {number}, {identity:?}: {request:#?}\n{body}")
        };
        let sees = |owner: &str| !judge.has_rows || Some(owner) == identity;
        let mut next = match decide(&request, config) {
            Ok(plan) => Some(plan),
            Err(refusal) => {
                *refusals.entry(refusal.kind.name()).or_insert(0) += 1;
                continue;
            }
        };
        let turn = Turn { config, caller: &caller, target: request.target(), latest_incarnation: Some("i") };
        while let Some(plan) = next.take() {
            let forward = match plan.bind(&turn) {
                Err(refusal) => {
                    *refusals.entry(refusal.kind.name()).or_insert(0) += 1;
                    break;
                }
                Ok(Step::Response(response)) => {
                    let is_named = matches!(plan.call, Call::Named(_) | Call::Stream(_)) && identity.is_none();
                    assert!(matches!(plan.call, Call::Topology { .. }) || is_named, "{}", story());
                    assert!(!String::from_utf8_lossy(&response.body).contains(HIDDEN));
                    break;
                }
                Ok(Step::Forward(forward)) => forward,
            };
            let route = judge.check(&forward, identity);
            let route = route.unwrap_or_else(|reason| panic!("{reason}\n{forward:#?}\n{}", story()));
            *routes.entry(route).or_insert(0) += 1;
            let upstream = upstream(&mut random, &plan.call, &forward, &sees);
            let body = String::from_utf8_lossy(&upstream.body).into_owned();
            let text = match plan.call {
                Call::Stream(stream) if upstream.status == 200 => {
                    let (mut flow, mut shown) = (stream.flow(), String::new());
                    for piece in upstream.body.chunks(1 + random.below(60)) {
                        let Some(more) = flow.next(piece, config, &caller) else { break };
                        shown.push_str(&more);
                    }
                    shown
                }
                _ => match plan.response(&turn, &upstream) {
                    FollowUp::Next(plan) => {
                        again += 1;
                        next = Some(plan);
                        continue;
                    }
                    FollowUp::Response(response) => {
                        format!("{:?} {}", response.headers, String::from_utf8_lossy(&response.body))
                    }
                },
            };
            seen += usize::from(text.contains(responses::SHOWN));
            assert!(!text.contains(HIDDEN), "{text}\n{body}\n{}", story());
        }
    }
    println!(
        "law: gateway: {REQUESTS} requests, forwarded {routes:?}, {again} times once more, {seen} with documents, refused \
         {refusals:?}"
    );
    // If hardly any request were forwarded, or hardly any refused, the run would prove little.
    for route in [
        "lease",
        "hilo/next",
        "return",
        "beacon",
        "batch",
        "read",
        "list",
        "several",
        "put",
        "delete",
        "query",
        "stream",
        "patch",
    ] {
        assert!(routes.get(route).is_some_and(|count| *count > 50), "{route}: {routes:?}");
    }
    assert!(refusals.values().sum::<i32>() > 10_000, "{refusals:?}");
    assert!(again > 300 && seen > 100, "{again} {seen}");
}
