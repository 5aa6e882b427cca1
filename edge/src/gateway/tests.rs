//! Leases and returns from request to response, and what the caller sees of RavenDB's responses.

use super::collections::Right;
use super::config::tests::config;
use super::decide::{Step, decide};
use super::mutation::caller;
use super::plan::{Caller, Forward, Plan};
use super::refusal::{Kind, Refusal};
use super::request::Incoming;
use super::response::{Response, UpstreamResponse};
use raven_edge::source::server::wire::{HILO_PREFIX, MOVE_SCRIPT, lease_body, return_body};
use raven_edge::source::{Ask, Echo, Return, Size};
use serde_json::{Value, json};

const BASE: &str = "/databases/Shop";
const VECTOR: &str = "A:7-lY9rEB60dUKMGmDCZdqKnA";
const MODIFIED: &str = "2026-11-21T01:30:36.7546027Z";

fn request(method: &str, path: &str, body: &str) -> Incoming {
    Incoming { method: method.into(), url: format!("https://me/raven{path}"), headers: Vec::new(), body: body.into() }
}

fn plan(method: &str, path: &str, body: &str) -> Result<Plan, Kind> {
    decide(&request(method, path, body), &config()).map_err(|refusal| refusal.kind)
}

fn forward(plan: &Plan, caller: &Caller, latest_incarnation: Option<&str>) -> Result<Forward, Kind> {
    match plan.bind(&config(), caller, latest_incarnation).map_err(|refusal: Refusal| refusal.kind)? {
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
    let response = plan.response(&config(), caller, upstream, "/x");
    let body = serde_json::from_slice(&response.body).unwrap_or(Value::Null);
    (response, body)
}

fn asked(size: Size, above: u64) -> Result<Plan, Kind> {
    let ask = Ask { tag: "orders".into(), size, above, proof: None, nonce: 1 };
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
        let ask = Ask { tag: "orders".into(), size: expected, above: 0, proof: None, nonce: 9 };
        assert_eq!(forward.path, "/databases/Shop/multi_get?nonce=9");
        assert_eq!(forward.body.unwrap(), lease_body(BASE, &ask, '/'));
    }
    let plain = plan("GET", &format!("{BASE}/hilo/next?tag=orders&lastMax=5&nonce=1"), "").unwrap();
    let forward = forward(&plain, &caller(None), None).unwrap();
    assert_eq!(forward.path, "/databases/Shop/hilo/next?tag=orders&identityPartsSeparator=%2F&nonce=9");
}

#[test]
fn only_a_caller_that_has_had_the_number_moves_the_counter() {
    let me = caller(Some("me"));
    let leap = |above, fence: &str, who: &Caller, latest_incarnation| {
        let ask = Ask { tag: "orders".into(), size: Size::Adaptive(None), above, proof: Some(fence.into()), nonce: 9 };
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
    let by_id =
        |include: &str| plan("GET", &format!("{BASE}/docs?id=products%2F1-A&id=products%2F2-A{include}"), "").unwrap();
    let hidden = document("Secrets", "products/2-A");
    let mut body = json!({ "Results": [document("products", "products/1-A"), hidden, null], "Includes": {
        "notes/1-A": document("Notes", "notes/1-A"), "s/1": document("Secrets", "s/1"), "s/2": document("Products", "s/2") },
        "CounterIncludes": { "x": "Secrets" } });
    let (response, shown) = caller_response(&by_id(""), &caller(None), &upstream(200, &body));
    assert_eq!(shown["Results"], json!([document("products", "products/1-A"), null, null]));
    assert_eq!(response.header("etag"), None, "it also depends on hidden documents");
    let (response, _) = caller_response(&by_id("&include=x"), &caller(None), &upstream(200, &body));
    assert_eq!(response.status, 403, "includes would reveal what the hidden document refers to");
    body["Results"][1] = Value::Null;
    let (response, shown) = caller_response(&by_id("&include=x"), &caller(None), &upstream(200, &body));
    assert_eq!(shown["Includes"], json!({ "notes/1-A": document("Notes", "notes/1-A") }));
    assert_eq!(response.header("etag"), None, "it also depends on hidden documents");
    assert!(!shown.to_string().contains("Secrets"));
    body["Results"][1] = document("Secrets", "products/2-A");
    let list = plan("GET", &format!("{BASE}/docs?startsWith=products%2F&pageSize=9"), "").unwrap();
    let (_, shown) = caller_response(&list, &caller(None), &upstream(200, &body));
    assert_eq!(shown, json!({ "Results": [document("products", "products/1-A")] }));
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
    for (vector, told) in
        [(json!(null), &["change", "create"][..]), (json!(""), &["create"]), (json!("A:1-x"), &["change"])]
    {
        let document = json!({ "@metadata": { "@collection": "Orders" } });
        let put = json!({ "Type": "PUT", "Id": "orders/1-A", "ChangeVector": vector, "Document": document });
        let plan = plan("POST", &format!("{BASE}/bulk_docs"), &json!({ "Commands": [put] }).to_string()).unwrap();
        assert!(plan.operations.iter().map(|operation| operation.action).eq(told.iter().copied()), "{vector}");
    }
}

#[test]
fn the_topology_contains_only_the_gateway() {
    let plan = plan("GET", "/topology?name=shop", "").unwrap();
    let Ok(Step::Response(response)) = plan.bind(&config(), &caller(None), None) else {
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
    let ask = Ask { tag: tag.clone(), size: Size::Adaptive(None), above: 0, proof: None, nonce: 1 };
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
