//! Leases and returns from request to response, and what the caller sees of RavenDB's responses.

use super::caller;
use crate::gateway::collections::Right;
use crate::gateway::config::tests::config;
use crate::gateway::decide::decide;
use crate::gateway::plan::{Caller, FollowUp, Forward, Plan, Step, Turn};
use crate::gateway::refusal::{Kind, Refusal};
use crate::gateway::request::Incoming;
use crate::gateway::response::{Response, UpstreamResponse};
use raven_edge::source::server::wire::{HILO_PREFIX, MOVE_SCRIPT, lease_body, return_body};
use raven_edge::source::{Ask, Echo, Return, Size};
use serde_json::{Value, json};

const BASE: &str = "/databases/Shop";
const VECTOR: &str = "A:7-lY9rEB60dUKMGmDCZdqKnA";
const MODIFIED: &str = "2026-11-21T01:30:36.7546027Z";

fn request(method: &str, path: &str, body: &str) -> Incoming {
    Incoming {
        method: method.into(),
        url: format!("https://me/raven{path}"),
        headers: Vec::new(),
        body: body.into(),
        is_upload: false,
    }
}

fn plan(method: &str, path: &str, body: &str) -> Result<Plan, Kind> {
    decide(&request(method, path, body), &config()).map_err(|refusal| refusal.kind)
}

fn forward(plan: &Plan, caller: &Caller, latest_incarnation: Option<&str>) -> Result<Forward, Kind> {
    match plan
        .bind(&Turn { latest_incarnation, ..Turn::of(&config(), caller) })
        .map_err(|refusal: Refusal| refusal.kind)?
    {
        Step::Forward(forward) => Ok(forward),
        Step::Response(response) => panic!("{response:?}"),
    }
}

fn upstream(status: u16, body: &Value) -> UpstreamResponse {
    let headers =
        [("database-cluster-tx-id", "i"), ("etag", "\"A:1\""), ("server", "Kestrel"), ("refresh-topology", "true")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    UpstreamResponse { status, headers, body: body.to_string().into_bytes() }
}

fn caller_response(plan: &Plan, caller: &Caller, upstream: &UpstreamResponse) -> (Response, Value) {
    let FollowUp::Response(response) = plan.clone().response(&Turn::of(&config(), caller), upstream) else {
        panic!("the server is asked once more")
    };
    let body = serde_json::from_slice(&response.body).unwrap_or(Value::Null);
    (response, body)
}

fn asked(size: Size, above: u64) -> Result<Plan, Kind> {
    let ask = Ask { tag: "orders".into(), size, above, proof: None, incarnation: None, nonce: 1 };
    plan("POST", &format!("{BASE}/multi_get?nonce=1"), &lease_body(BASE, &ask, '/'))
}

fn granted(low: u64, high: u64, max: u64) -> Value {
    let lease = json!({ "Prefix": "orders/", "Low": low, "High": high, "LastSize": high - low + 1,
        "ServerTag": "A", "LastRangeAt": MODIFIED, "Other": "x" });
    let metadata = json!({ "@collection": "@hilo", "@id": "Raven/Hilo/orders", "@change-vector": VECTOR, "@last-modified": MODIFIED });
    let counter = json!({ "Max": max, "@metadata": metadata });
    json!({ "Results": [
        { "Result": lease, "StatusCode": 201, "Headers": { "X": "y" } },
        { "Result": { "Results": [counter], "Includes": {} }, "StatusCode": 200, "Headers": { "ETag": VECTOR } },
    ] })
}

/// The fence of a lease, as the client composes it.
fn leased(caller: &Caller, low: u64, high: u64) -> String {
    let plan = asked(Size::Adaptive(None), 0).unwrap();
    let (_, body) = caller_response(&plan, caller, &upstream(200, &granted(low, high, high)));
    let metadata = &body["Results"][1]["Result"]["Results"][0]["@metadata"];
    format!("{} {}", metadata["@change-vector"].as_str().unwrap(), metadata["@last-modified"].as_str().unwrap())
}

fn give_back(tag: &str, fence: &str, high: u64, last: u64) -> Result<Plan, Kind> {
    let item = Return { tag: tag.into(), fence: fence.into(), high, last };
    plan("POST", &format!("{BASE}/bulk_docs"), &return_body(HILO_PREFIX, &[item]))
}

#[test]
fn a_lease_is_rebuilt_and_its_size_limited() {
    let echo = |size| Size::Adaptive(Some(Echo { size, at: MODIFIED.into() }));
    for (size, above, expected) in [
        (Size::Adaptive(None), 0, Size::Adaptive(None)),
        (Size::Exact(100), 0, Size::Exact(100)),
        (Size::Exact(1_000_000), 0, Size::Exact(128)),
        (echo(32), 0, echo(32)),
        // RavenDB doubles it.
        (echo(100), 0, echo(64)),
        // Without proof nobody may move the counter.
        (Size::Adaptive(None), 9_000_000_000, Size::Adaptive(None)),
    ] {
        let forward = forward(&asked(size, above).unwrap(), &caller(None), None).unwrap();
        let ask = Ask { tag: "orders".into(), size: expected, above: 0, proof: None, incarnation: None, nonce: 9 };
        assert_eq!(forward.path, "/databases/Shop/multi_get?nonce=9");
        assert_eq!(forward.body.unwrap(), lease_body(BASE, &ask, '/'));
    }
    let plain = plan("GET", &format!("{BASE}/hilo/next?tag=orders&lastMax=5&nonce=1"), "").unwrap();
    let path = forward(&plain, &caller(None), None).unwrap().path;
    assert_eq!(path, "/databases/Shop/hilo/next?tag=orders&identityPartsSeparator=%2F&nonce=9");
    // A hub behind the gateway learns what the client knows, if that can be an incarnation.
    for (given, expected) in [("mB%2Fa%2Bw", "&incarnation=mB%2Fa%2Bw"), ("a%0Ab", ""), (&"x".repeat(65), "")] {
        let known = plan("GET", &format!("{BASE}/hilo/next?tag=orders&incarnation={given}&nonce=1"), "").unwrap();
        let path = forward(&known, &caller(None), None).unwrap().path;
        assert_eq!(path, format!("/databases/Shop/hilo/next?tag=orders&identityPartsSeparator=%2F{expected}&nonce=9"));
    }
}

#[test]
fn only_a_caller_that_has_had_the_number_moves_the_counter() {
    let me = caller(Some("me"));
    let leap = |above, fence: &str, who: &Caller, latest_incarnation| {
        let ask = Ask {
            tag: "orders".into(),
            size: Size::Adaptive(None),
            above,
            proof: Some(fence.into()),
            incarnation: None,
            nonce: 9,
        };
        let plan = plan("POST", &format!("{BASE}/multi_get?nonce=9"), &lease_body(BASE, &ask, '/')).unwrap();
        let body = forward(&plan, who, latest_incarnation).unwrap().body.unwrap();
        assert!(!body.contains("proof"), "{body}");
        body.contains(&format!("&lastMax={above}&"))
    };
    let fence = leased(&me, 33, 64);
    assert!(leap(64, &fence, &me, Some("i")) && leap(40, &fence, &me, None));
    assert!(!leap(65, &fence, &me, Some("i")));
    assert!(!leap(64, &fence, &caller(Some("you")), Some("i")));
    assert!(!leap(64, &fence, &me, Some("another database")));
    assert!(!leap(64, &format!("{VECTOR} {MODIFIED}"), &me, Some("i")));
}

#[test]
fn the_caller_gets_a_token_instead_of_the_fence() {
    let plan = asked(Size::Adaptive(None), 0).unwrap();
    let (response, body) = caller_response(&plan, &caller(None), &upstream(200, &granted(1, 32, 32)));
    assert_eq!(body["Results"][0]["Result"]["High"], 32);
    assert_eq!(body["Results"][1]["Result"]["Results"][0]["Max"], 32);
    let text = String::from_utf8(response.body.clone()).unwrap();
    assert!(!text.contains("lY9r") && !text.contains("Other") && !text.contains("Headers\":{\"X"), "{text}");
    assert_eq!(response.header("database-cluster-tx-id"), Some("i"));
    assert_eq!(response.header("refresh-topology"), Some("true"));
    assert_eq!((response.header("server"), response.header("etag")), (None, None));
}

#[test]
fn without_a_fence_there_is_no_token() {
    let plan = asked(Size::Adaptive(None), 0).unwrap();
    let mut other = granted(1, 32, 32);
    other["Results"][1]["Result"]["Results"][0]["@metadata"]["@last-modified"] = Value::Null;
    for body in [granted(1, 32, 64), other] {
        let (_, body) = caller_response(&plan, &caller(None), &upstream(200, &body));
        assert_eq!((&body["Results"][0]["StatusCode"], &body["Results"][1]["Result"]), (&json!(201), &Value::Null));
    }
}

#[test]
fn a_failed_lease_reveals_only_its_reason() {
    let plan = asked(Size::Adaptive(None), 0).unwrap();
    let error = json!({ "Type": "System.IO.IOException", "Message": "/srv", "Error": "at X" });
    let parts = json!({ "Results": [{ "Result": error, "StatusCode": 500 }, { "Result": null, "StatusCode": 404 }] });
    let (_, body) = caller_response(&plan, &caller(None), &upstream(200, &parts));
    assert_eq!(body["Results"][0]["StatusCode"], 500);
    assert_eq!(body["Results"][0]["Result"]["Type"], "System.IO.IOException");
    assert!(!body.to_string().contains("srv") && !body.to_string().contains("at X"));
}

#[test]
fn a_return_is_forwarded_with_the_real_fence() {
    let me = caller(Some("me"));
    let fence = leased(&me, 33, 64);
    for last in [32, 33, 63] {
        let forward = forward(&give_back("orders", &fence, 64, last).unwrap(), &me, Some("i")).unwrap();
        let item = Return { tag: "orders".into(), fence: format!("{VECTOR} {MODIFIED}"), high: 64, last };
        assert_eq!(forward.path, "/databases/Shop/bulk_docs");
        assert_eq!(forward.body.unwrap(), return_body(HILO_PREFIX, &[item]));
    }
}

#[test]
fn a_return_needs_proof() {
    let me = caller(Some("me"));
    let fence = leased(&me, 33, 64);
    let fresh = format!("{VECTOR} {MODIFIED}");
    for (tag, fence, high, last, who, latest_incarnation) in [
        ("orders", fence.as_str(), 64, 31, &me, "i"),
        ("orders", &fence, 64, 0, &me, "i"),
        ("orders", &fence, 64, 64, &me, "i"),
        ("orders", &fence, 64, 65, &me, "i"),
        ("orders", &fence, 63, 40, &me, "i"),
        ("orders", &fence, 65, 40, &me, "i"),
        ("orders", &fresh, 64, 40, &me, "i"),
        ("orders", "", 64, 40, &me, "i"),
        ("drafts", &fence, 64, 40, &me, "i"),
        ("orders", &fence, 64, 40, &caller(Some("you")), "i"),
        ("orders", &fence, 64, 40, &caller(None), "i"),
        ("orders", &fence, 64, 40, &me, "another database"),
    ] {
        let plan = give_back(tag, fence, high, last).unwrap();
        assert_eq!(
            forward(&plan, who, Some(latest_incarnation)),
            Err(Kind::Return),
            "{tag} {high} {last} {latest_incarnation}"
        );
    }
    assert_eq!(give_back("products", &fence, 64, 40), Err(Kind::Collection));
    assert_eq!(give_back("orders", &fence, 64, 1 << 53), Err(Kind::Return));
    let whole = return_body(HILO_PREFIX, &[Return { tag: "orders".into(), fence, high: 64, last: 40 }]);
    for (from, to) in [
        ("\"last\":40", "\"last\":-1"),
        ("\"last\":40", "\"last\":\"40\""),
        ("\"last\":40", "\"last\":40.0"),
        ("\"last\":40", "\"last\":4e1"),
        ("\"last\":40", "\"last\":null"),
        ("\"last\":40", "\"last\":40,\"x\":1"),
        ("\"high\":64", "\"high\":\"64\""),
        ("this.Max = args.last", "this.Max = args.last "),
        ("this.Max = args.last", "this.Max = 0"),
        ("\"ChangeVector\":null", "\"ChangeVector\":\"A:1\""),
        ("\"ChangeVector\":null", "\"ChangeVector\":null,\"PatchIfMissing\":null"),
        ("Raven/Hilo/orders", "raven/hilo/orders"),
        ("Raven/Hilo/orders", "orders/1-A"),
    ] {
        let changed = whole.replace(from, to);
        assert_ne!(changed, whole, "{from}");
        assert_eq!(plan("POST", &format!("{BASE}/bulk_docs"), &changed), Err(Kind::Return), "{to}");
    }
    assert!(whole.contains(&MOVE_SCRIPT.replace('"', "\\\"")));
}

#[test]
fn the_result_of_a_return_does_not_reveal_the_new_fence() {
    let me = caller(None);
    let plan = give_back("orders", &leased(&me, 1, 32), 32, 1).unwrap();
    let result = json!({ "Id": "Raven/Hilo/orders", "ChangeVector": "A:8-new", "LastModified": "2027", "Type": "PATCH",
        "PatchStatus": "Patched", "Debug": null });
    let (response, body) = caller_response(&plan, &me, &upstream(201, &json!({ "Results": [result] })));
    assert_eq!((response.status, &body["Results"][0]["PatchStatus"]), (201, &json!("Patched")));
    assert!(!body.to_string().contains("A:8") && !body.to_string().contains("2027"), "{body}");
}

#[test]
fn a_beacon_may_contain_only_returns() {
    let me = caller(None);
    let item = Return { tag: "orders".into(), fence: leased(&me, 1, 32), high: 32, last: 1 };
    let wrap = |batch: &str| {
        let url = format!("{BASE}/bulk_docs");
        format!("{{\"Requests\":[{{\"Url\":\"{url}\",\"Query\":\"\",\"Method\":\"POST\",\"Content\":{batch}}}]}}")
    };
    let path = format!("{BASE}/multi_get");
    let beacon = plan("POST", &path, &wrap(&return_body(HILO_PREFIX, &[item]))).unwrap();
    let forward = forward(&beacon, &me, None).unwrap();
    assert!(forward.path.ends_with("/multi_get") && forward.body.unwrap().contains(VECTOR));
    let put = json!({ "Commands": [{ "Type": "DELETE", "Id": "orders/1-A", "ChangeVector": null }] });
    assert_eq!(plan("POST", &path, &wrap(&put.to_string())), Err(Kind::Document));
}

fn document(collection: &str, id: &str) -> Value {
    json!({ "text": collection, "@metadata": { "@collection": collection, "@id": id, "@change-vector": "A:1" } })
}

#[test]
fn documents_are_shown_or_hidden_by_their_metadata() {
    let by_id = plan("GET", &format!("{BASE}/docs?id=products%2F1-A&id=products%2F2-A&id=products%2F3-A"), "").unwrap();
    let hidden = document("Secrets", "products/2-A");
    let body = json!({ "Results": [document("products", "products/1-A"), hidden, null], "Includes": {
        "notes/1-A": document("Notes", "notes/1-A"), "s/1": document("Secrets", "s/1"), "s/2": document("Products", "s/2") },
        "CounterIncludes": { "x": "Secrets" } });
    let (response, shown) = caller_response(&by_id, &caller(None), &upstream(200, &body));
    assert_eq!(shown["Results"], json!([document("products", "products/1-A"), null, null]));
    assert_eq!(response.header("etag"), None, "it also depends on hidden documents");
    assert_eq!(shown["Includes"], json!({ "notes/1-A": document("Notes", "notes/1-A") }));
    assert!(!shown.to_string().contains("Secrets"));
    let list = plan("GET", &format!("{BASE}/docs?startsWith=products%2F&pageSize=9"), "").unwrap();
    let (_, shown) = caller_response(&list, &caller(None), &upstream(200, &body));
    assert_eq!(shown, json!({ "Results": [document("products", "products/1-A")] }));
}

/// The requests to a server that has these documents, until there is a response; each document includes `notes/ID`, ID being
/// its own id.
fn conversation(plan: Plan, stored: &[Value]) -> (Vec<String>, Response) {
    let (mut plan, mut sent) = (plan, Vec::new());
    loop {
        let forward = forward(&plan, &caller(None), None).unwrap();
        let asked = forward.body.unwrap_or(forward.path);
        let part = |query: &str| {
            let named = query.split(['?', '&']).filter_map(|part| part.strip_prefix("id="));
            let found: Vec<_> = named
                .map(|id| {
                    let id = crate::gateway::request::decode(id).unwrap();
                    stored
                        .iter()
                        .find(|of| of["@metadata"]["@id"].as_str().is_some_and(|own| own.eq_ignore_ascii_case(&id)))
                })
                .collect();
            let referred =
                found.iter().flatten().map(|of| format!("notes/{}", of["@metadata"]["@id"].as_str().unwrap()));
            let includes: serde_json::Map<_, _> = referred
                .map(|id| (id.clone(), document("Notes", &id)))
                .filter(|_| query.contains("include="))
                .collect();
            json!({ "Results": found, "Includes": includes })
        };
        let body = match serde_json::from_str::<Value>(&asked) {
            Ok(body) if body["Requests"].is_array() => {
                let parts = body["Requests"].as_array().unwrap().iter();
                let parts: Vec<_> = parts
                    .map(
                        |of| json!({ "Result": part(of["Query"].as_str().unwrap()), "StatusCode": 200, "Headers": {} }),
                    )
                    .collect();
                json!({ "Results": parts })
            }
            Ok(body) => {
                let ids: Vec<_> =
                    body["Ids"].as_array().unwrap().iter().map(|id| format!("id={}", id.as_str().unwrap())).collect();
                part(&ids.join("&"))
            }
            Err(_) => part(&asked),
        };
        let single = body["Results"].as_array().is_some_and(|all| all.len() == 1 && all[0].is_null());
        let upstream = if single {
            UpstreamResponse { body: Vec::new(), ..upstream(404, &Value::Null) }
        } else {
            upstream(200, &body)
        };
        sent.push(asked);
        match plan.response(&Turn::of(&config(), &caller(None)), &upstream) {
            FollowUp::Response(response) => return (sent, response),
            FollowUp::Next(next) => plan = next,
        }
    }
}

fn shown(response: &Response) -> Value {
    serde_json::from_slice(&response.body).unwrap_or(Value::Null)
}

#[test]
fn each_document_is_asked_for_once_and_shown_in_the_order_of_the_caller() {
    // The test's server compares ASCII alone.
    let stored = [document("Products", "products/1-A"), document("Products", "products/ü")];
    let ids = ["products/1-A", "PRODUCTS/1-a", "products/ü", "products/9-A", "products/1-A", "products/Ü"];
    let many = plan("POST", &format!("{BASE}/docs"), &json!({ "Ids": ids }).to_string()).unwrap();
    assert_eq!(many.operations[0].ids, ["products/1-A", "products/ü", "products/9-A"]);
    let (sent, response) = conversation(many, &stored);
    assert_eq!(sent, [json!({ "Ids": ["products/1-A", "products/ü", "products/9-A"] }).to_string()]);
    let [one, other] = &stored;
    assert_eq!(shown(&response)["Results"], json!([one, one, other, null, one, other]));
    let twice = |id: &str| plan("GET", &format!("{BASE}/docs?id={id}&id={id}"), "").unwrap();
    let (sent, response) = conversation(twice("products%2F9-A"), &stored);
    assert_eq!((sent.len(), response.status), (1, 200), "for two ids RavenDB has no 404");
    assert_eq!(shown(&response)["Results"], json!([null, null]));
}

#[test]
fn one_large_document_does_not_fill_the_memory() {
    let mut large = document("Products", "products/1-A");
    large["text"] = "x".repeat(300_000).into();
    let stored = [large];
    let many = |count: usize| {
        plan("POST", &format!("{BASE}/docs"), &json!({ "Ids": vec!["products/1-A"; count] }).to_string())
    };
    let (_, response) = conversation(many(3).unwrap(), &stored);
    assert_eq!((response.status, shown(&response)["Results"].as_array().unwrap().len()), (200, 3));
    let (_, response) = conversation(many(16).unwrap(), &stored);
    assert_eq!((response.status, shown(&response)["Type"].as_str()), (413, Some("RavenEdge.Gateway.LimitExceeded")));
    let part =
        json!({ "Url": "/databases/Shop/docs", "Query": "?id=products%2F1-A&id=PRODUCTS%2F1-A", "Method": "GET" });
    let several = json!({ "Requests": vec![part; 4] }).to_string();
    let (sent, response) = conversation(plan("POST", &format!("{BASE}/multi_get"), &several).unwrap(), &stored);
    assert_eq!(sent[0].matches("id=").count(), 1, "{sent:?}");
    assert_eq!(response.status, 413);
}

#[test]
fn equal_reads_of_one_request_are_sent_once() {
    let part = |query: &str| json!({ "Url": "/databases/Shop/docs", "Query": query, "Method": "GET" });
    let parts =
        ["?id=products%2F1-A", "?id=products%2F2-A", "?id=PRODUCTS%2F1-a", "?id=products%2F1-A&metadataOnly=true"];
    let body = json!({ "Requests": parts.map(part) }).to_string();
    let several = plan("POST", &format!("{BASE}/multi_get"), &body).unwrap();
    let (sent, response) = conversation(several, &[document("Products", "products/1-A")]);
    assert_eq!((sent.len(), sent[0].matches("\"Url\"").count()), (1, 3), "{sent:?}");
    let statuses: Vec<_> =
        shown(&response)["Results"].as_array().unwrap().iter().map(|of| of["StatusCode"].clone()).collect();
    assert_eq!(statuses, [200, 404, 200, 200]);
}

#[test]
fn ids_times_includes_are_bounded() {
    let query = |ids: usize, includes: usize| {
        let ids = (0..ids).map(|at| format!("id=products%2F{at}-A"));
        ids.chain((0..includes).map(|at| format!("include=a{at}"))).collect::<Vec<_>>().join("&")
    };
    let get = |ids, includes| plan("GET", &format!("{BASE}/docs?{}", query(ids, includes)), "").map(drop);
    assert_eq!((get(8, 4), get(8, 5), get(16, 3)), (Ok(()), Err(Kind::Limit), Err(Kind::Limit)));
    let repeated = format!("{BASE}/docs?{}&id=PRODUCTS%2F0-a", query(8, 4));
    assert!(plan("GET", &repeated, "").is_ok(), "the same document counts once");
    let part = |ids, includes| json!({ "Url": "/databases/Shop/docs", "Query": format!("?{}", query(ids, includes)), "Method": "GET" });
    let several = |parts: &[Value]| {
        plan("POST", &format!("{BASE}/multi_get"), &json!({ "Requests": parts }).to_string()).map(drop)
    };
    assert_eq!(several(&[part(4, 4), part(8, 2)]), Ok(()));
    assert_eq!(several(&[part(4, 4), part(6, 3)]), Err(Kind::Limit));
    assert_eq!(several(&[part(8, 4), part(8, 4)]), Ok(()), "equal reads are sent once");
}

#[test]
fn a_hidden_document_next_to_a_visible_one_looks_like_a_missing_one() {
    let path = format!("{BASE}/docs?id=products%2F1-A&id=products%2F2-A&include=x");
    let part = json!({ "Url": "/databases/Shop/docs", "Query": "?id=products%2F1-A&id=products%2F2-A&include=x", "Method": "GET" });
    let several = json!({ "Requests": [part, { "Url": "/databases/Shop/docs", "Query": "?id=products%2F1-A", "Method": "GET" }] });
    let several = several.to_string();
    let multi = format!("{BASE}/multi_get");
    let own = document("Products", "products/1-A");
    for (method, path, body) in [("GET", &path, ""), ("POST", &multi, several.as_str())] {
        let shown_for = |stored: &[Value]| {
            let (sent, response) = conversation(plan(method, path, body).unwrap(), stored);
            (sent, response.status, shown(&response))
        };
        let hidden = shown_for(&[own.clone(), document("Secrets", "products/2-A")]);
        assert_eq!(hidden, shown_for(core::slice::from_ref(&own)), "hidden and missing");
        assert_eq!(hidden.0.len(), 2);
        assert!(!hidden.0[1].contains("2-A"), "{:?}", hidden.0);
        let (_, status, body) = hidden;
        assert_eq!(status, 200);
        let read = if body["Includes"].is_object() { &body } else { &body["Results"][0]["Result"] };
        assert_eq!(read["Results"], json!([own, null]));
        assert_eq!(read["Includes"], json!({ "notes/products/1-A": document("Notes", "notes/products/1-A") }));
        let (sent, status, body) =
            shown_for(&[document("Secrets", "products/1-A"), document("Secrets", "products/2-A")]);
        assert_eq!((sent.len(), status), (1, 200), "nothing is visible");
        assert!(!body.to_string().contains("notes/"), "{body}");
    }
}

#[test]
fn documents_that_change_faster_than_they_can_be_read_are_refused() {
    let mut plan = plan(
        "GET",
        &format!("{BASE}/docs?id=products%2F1-A&id=products%2F2-A&id=products%2F3-A&id=products%2F4-A&include=x"),
        "",
    )
    .unwrap();
    for left in (1..4).rev() {
        let mut results = vec![document("Products", "products/1-A"); left];
        results.push(Value::Null);
        match plan.response(
            &Turn::of(&config(), &caller(None)),
            &upstream(200, &json!({ "Results": results, "Includes": {} })),
        ) {
            FollowUp::Next(next) => plan = next,
            FollowUp::Response(response) => {
                assert_eq!((left, response.status), (1, 502));
                return;
            }
        }
    }
    panic!("it goes on");
}

#[test]
fn a_conflict_tells_those_who_may_only_delete_nothing() {
    let mut rules = config();
    rules.collections.0.iter_mut().for_each(|of| of.rights = vec![Right::Delete]);
    let error = |id: &str| {
        json!({ "Type": "Raven.Client.Exceptions.ConcurrencyException", "Message": "m", "Error": "e",
        "Id": id, "ExpectedChangeVector": "A:9-x", "ActualChangeVector": "A:1-y" })
    };
    let mut missing = error("");
    for name in ["Id", "ExpectedChangeVector", "ActualChangeVector"] {
        missing[name] = Value::Null;
    }
    let delete = |id: &str| json!({ "Type": "DELETE", "Id": id, "ChangeVector": "A:9-x" });
    let batch = |ids: &[&str]| json!({ "Commands": ids.iter().map(|id| delete(id)).collect::<Vec<_>>() }).to_string();
    for (method, path, body, id) in [
        ("DELETE", format!("{BASE}/docs?id=orders%2F1-A"), String::new(), json!("orders/1-A")),
        ("POST", format!("{BASE}/bulk_docs"), batch(&["orders/1-A"]), json!("orders/1-A")),
        ("POST", format!("{BASE}/bulk_docs"), batch(&["orders/1-A", "orders/2-A"]), Value::Null),
    ] {
        let mut request = request(method, &path, &body);
        if method == "DELETE" {
            request.headers.push(("if-match".into(), "\"A:9-x\"".into()));
        }
        let plan = decide(&request, &rules).unwrap();
        let shown_for =
            |body: &Value| match plan.clone().response(&Turn::of(&rules, &caller(None)), &upstream(409, body)) {
                FollowUp::Response(response) => (response.status, shown(&response)),
                FollowUp::Next(_) => panic!("a write is sent once"),
            };
        let hidden = shown_for(&error("orders/1-A"));
        assert_eq!(hidden, shown_for(&missing), "{path}");
        assert_eq!((hidden.0, &hidden.1["Id"]), (409, &id));
        assert_eq!(hidden.1.get("ActualChangeVector"), None);
    }
}

#[test]
fn a_single_hidden_document_is_reported_as_not_found() {
    let one = |method| plan(method, &format!("{BASE}/docs?id=products%2F1-A"), "").unwrap();
    let body = |collection| json!({ "Results": [document(collection, "products/1-A")], "Includes": {} });
    for method in ["GET", "HEAD"] {
        let plan = one(method);
        assert_eq!(forward(&plan, &caller(None), None).unwrap().method, "GET", "only metadata shows the collection");
        let (response, _) = caller_response(&plan, &caller(None), &upstream(200, &body("Products")));
        assert_eq!((response.status, response.header("etag")), (200, Some("\"A:1\"")));
        let missing = UpstreamResponse { body: Vec::new(), ..upstream(404, &Value::Null) };
        for upstream in [upstream(200, &body("Secrets")), missing] {
            let (response, _) = caller_response(&plan, &caller(None), &upstream);
            assert_eq!((response.status, response.body.len(), response.header("etag")), (404, 0, None));
        }
    }
    assert_eq!(caller_response(&one("HEAD"), &caller(None), &upstream(200, &body("Products"))).0.body.len(), 0);
}

#[test]
fn an_expiration_date_needs_the_right_to_delete() {
    let mut rules = config();
    rules
        .collections
        .0
        .iter_mut()
        .filter(|of| of.name == "Orders")
        .for_each(|of| of.rights = vec![Right::Create, Right::Change]);
    for (vector, date, may) in [
        (json!(""), "@expires", true),
        (json!(null), "@expires", false),
        (json!("A:1-x"), "@archive-at", false),
        (json!(null), "@refresh", true),
    ] {
        let document = json!({ "@metadata": { "@collection": "Orders", date: "2030" } });
        let put = json!({ "Type": "PUT", "Id": "orders/1-A", "ChangeVector": vector, "Document": document });
        let body = json!({ "Commands": [put] }).to_string();
        let decided = decide(&request("POST", &format!("{BASE}/bulk_docs"), &body), &rules);
        assert_eq!(decided.is_ok(), may, "{body}");
    }
}

#[test]
fn a_write_that_may_create_or_change_needs_both_rights() {
    for (vector, shown_for) in
        [(json!(null), &["change", "create"][..]), (json!(""), &["create"]), (json!("A:1-x"), &["change"])]
    {
        let document = json!({ "@metadata": { "@collection": "Orders" } });
        let put = json!({ "Type": "PUT", "Id": "orders/1-A", "ChangeVector": vector, "Document": document });
        let plan = plan("POST", &format!("{BASE}/bulk_docs"), &json!({ "Commands": [put] }).to_string()).unwrap();
        assert!(plan.operations.iter().map(|operation| operation.action).eq(shown_for.iter().copied()), "{vector}");
    }
}

#[test]
fn the_topology_contains_only_the_gateway() {
    let plan = plan("GET", "/topology?name=shop", "").unwrap();
    let Ok(Step::Response(response)) = plan.bind(&Turn::of(&config(), &caller(None))) else {
        panic!("it sends a request to the server")
    };
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(body["Nodes"][0]["Url"], "https://me/raven");
}

#[test]
fn requests_above_a_limit_are_refused() {
    let many = |count: usize| (0..count).map(|at| format!("id=orders%2F{at}-A")).collect::<Vec<_>>().join("&");
    assert!(plan("GET", &format!("{BASE}/docs?{}", many(16)), "").is_ok());
    assert_eq!(plan("GET", &format!("{BASE}/docs?{}", many(17)), ""), Err(Kind::Limit));
    let delete = json!({ "Type": "DELETE", "Id": "orders/1-A", "ChangeVector": null });
    let batch = |count| json!({ "Commands": vec![delete.clone(); count] }).to_string();
    assert!(plan("POST", &format!("{BASE}/bulk_docs"), &batch(8)).is_ok());
    assert_eq!(plan("POST", &format!("{BASE}/bulk_docs"), &batch(9)), Err(Kind::Limit));
    let part = json!({ "Url": "/databases/Shop/docs", "Query": "?id=orders%2F1-A", "Method": "GET" });
    let several = |count| json!({ "Requests": vec![part.clone(); count] }).to_string();
    assert!(plan("POST", &format!("{BASE}/multi_get"), &several(4)).is_ok());
    assert_eq!(plan("POST", &format!("{BASE}/multi_get"), &several(5)), Err(Kind::Limit));
    let large = " ".repeat(4_097);
    assert_eq!(plan("POST", &format!("{BASE}/bulk_docs"), &large), Err(Kind::Limit));
    let list = |more: &str| plan("GET", &format!("{BASE}/docs?startsWith=orders%2F&{more}"), "");
    assert_eq!(list("pageSize=51"), Err(Kind::Limit));
    for name in ["matches", "exclude"] {
        assert!(list(&format!("pageSize=5&{name}=*a*|*%2A|b*")).is_ok());
        assert_eq!(list(&format!("pageSize=5&{name}=1*|*a*%2A")), Err(Kind::Limit));
    }
    for (path, may) in [
        ("Owner(users%2F)", true),
        ("Owner%5B{0}%2Fdetails%5D", true),
        ("Owner%5B{0}%2F{0,999999}%5D", false),
        ("Owner%5B{0}%2F{0}%5D", false),
        ("Owner%5B{0:N9}%2Fdetails%5D", false),
        ("Owner%5B{0}%2F{{%5D", false),
    ] {
        assert_eq!(plan("GET", &format!("{BASE}/docs?id=orders%2F1-A&include={path}"), "").is_ok(), may, "{path}");
    }
}

/// Required rights, method, address, body, `If-Match`.
type Use = (&'static [Right], &'static str, String, String, Option<&'static str>);

/// All requests that need rights for a collection.
fn uses(name: &str) -> Vec<Use> {
    let tag = name.to_lowercase();
    let id = format!("{tag}/1-A");
    let at = format!("{BASE}/docs?id={tag}%2F1-A");
    let document = json!({ "@metadata": { "@collection": name } });
    let batch = |command: Value| json!({ "Commands": [command] }).to_string();
    let put = |vector: Value| batch(json!({ "Type": "PUT", "Id": id, "ChangeVector": vector, "Document": document }));
    let several =
        |query: String| json!({ "Requests": [{ "Url": format!("{BASE}/docs"), "Query": query, "Method": "GET" }] });
    let ask = Ask { tag: tag.clone(), size: Size::Adaptive(None), above: 0, proof: None, incarnation: None, nonce: 1 };
    let bulk = format!("{BASE}/bulk_docs");
    let multi = format!("{BASE}/multi_get");
    let track = json!({ "Type": "BatchTrackChanges", "TrackedEntities": { id.clone(): "A:1-x" } });
    let item = Return { tag: tag.clone(), fence: "x".into(), high: 2, last: 1 };
    vec![
        (&[Right::Lease], "GET", format!("{BASE}/hilo/next?tag={tag}"), String::new(), None),
        (&[Right::Lease], "POST", multi.clone(), lease_body(BASE, &ask, '/'), None),
        (&[Right::Lease], "POST", bulk.clone(), return_body(HILO_PREFIX, &[item]), None),
        (&[Right::Create], "POST", bulk.clone(), put(json!("")), None),
        (&[Right::Create], "PUT", at.clone(), document.to_string(), Some("\"\"")),
        (&[Right::Change], "POST", bulk.clone(), put(json!("A:1-x")), None),
        (&[Right::Change], "PUT", at.clone(), document.to_string(), Some("\"A:1-x\"")),
        // Without a change vector RavenDB also creates the document.
        (&[Right::Create, Right::Change], "POST", bulk.clone(), put(json!(null)), None),
        (&[Right::Create, Right::Change], "PUT", at.clone(), document.to_string(), None),
        (
            &[Right::Delete],
            "POST",
            bulk.clone(),
            batch(json!({ "Type": "DELETE", "Id": id, "ChangeVector": null })),
            None,
        ),
        (&[Right::Delete], "DELETE", at.clone(), String::new(), None),
        (&[Right::Read], "GET", at.clone(), String::new(), None),
        (&[Right::Read], "HEAD", at, String::new(), None),
        (&[Right::Read], "POST", format!("{BASE}/docs"), json!({ "Ids": [id] }).to_string(), None),
        (&[Right::Read], "GET", format!("{BASE}/docs?startsWith={tag}%2F&pageSize=5"), String::new(), None),
        (&[Right::Read], "POST", multi.clone(), several(format!("?id={tag}%2F1-A")).to_string(), None),
        (&[Right::Read], "POST", multi, several(format!("?startsWith={tag}%2F&pageSize=5")).to_string(), None),
        (&[Right::Read], "POST", bulk, batch(track), None),
    ]
}

#[test]
fn each_right_allows_only_its_own_routes() {
    let single = [Right::Lease, Right::Create, Right::Read, Right::Change, Right::Delete].map(|right| vec![right]);
    for held in single.into_iter().chain([vec![Right::Create, Right::Change]]) {
        let mut rules = config();
        rules.collections.0.iter_mut().for_each(|of| of.rights.clone_from(&held));
        for (rights, method, path, body, if_match) in uses("Orders") {
            let mut request = request(method, &path, &body);
            request.headers.extend(if_match.map(|vector| ("if-match".into(), vector.into())));
            let decided = decide(&request, &rules).map_err(|refusal| refusal.kind);
            let may = rights.iter().all(|right| held.contains(right));
            let expected = if may { Ok(()) } else { Err(Kind::Collection) };
            assert_eq!(decided.map(drop), expected, "{held:?}: {method} {path} {body}");
        }
    }
    for (_, method, path, body, if_match) in uses("Secrets") {
        let mut request = request(method, &path, &body);
        request.headers.extend(if_match.map(|vector| ("if-match".into(), vector.into())));
        assert_eq!(
            decide(&request, &config()).map_err(|refusal| refusal.kind),
            Err(Kind::Collection),
            "{method} {path}"
        );
    }
}
