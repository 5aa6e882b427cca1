//! Receipts of the offline queue: which forms pass, whose they are, and what a caller learns of a conflict.

use super::caller;
use crate::gateway::base64url;
use crate::gateway::config::tests::{config, read};
use crate::gateway::decide::decide;
use crate::gateway::plan::{Caller, FollowUp, Forward, Plan, Step, Turn};
use crate::gateway::refusal::Kind;
use crate::gateway::request::Incoming;
use crate::gateway::response::UpstreamResponse;
use serde_json::{Value, json};

const RECEIPT: &str = "Raven-Edge/Devices/0123456789abcdef0123456789abcdef";
const BATCH: &str = "fedcba9876543210fedcba9876543210";

fn receipt() -> Value {
    let document = json!({ "Last": 7, "Batch": BATCH, "User": "ann", "@metadata": { "@collection": "@raven-edge" } });
    json!({ "Type": "PUT", "Id": RECEIPT, "ChangeVector": "A:1", "Document": document })
}

fn order() -> Value {
    let document = json!({ "@metadata": { "@collection": "Orders" } });
    json!({ "Type": "PUT", "Id": "orders/1-A", "ChangeVector": "", "Document": document })
}

fn request(route: &str, body: &Value) -> Incoming {
    let url = format!("https://me/raven/databases/Shop/{route}");
    Incoming { method: "POST".into(), url, headers: Vec::new(), body: body.to_string().into(), is_upload: false }
}

fn send(route: &str, body: &Value) -> Result<Plan, Kind> {
    decide(&request(route, body), &config()).map_err(|refusal| refusal.kind)
}

fn batch(commands: &[Value]) -> Result<Plan, Kind> {
    send("bulk_docs", &json!({ "Commands": commands }))
}

fn sent(plan: &Plan, caller: &Caller) -> Result<Value, Kind> {
    match plan.bind(&Turn::of(&config(), caller)).map_err(|refusal| refusal.kind)? {
        Step::Forward(forward) => Ok(serde_json::from_str(&forward.body.unwrap_or_default()).unwrap()),
        Step::Response(response) => panic!("{response:?}"),
    }
}

fn shown(plan: &Plan, who: &str, status: u16, body: &Value) -> (u16, Value) {
    let upstream = UpstreamResponse { status, headers: Vec::new(), body: body.to_string().into_bytes() };
    let FollowUp::Response(response) = plan.clone().response(&Turn::of(&config(), &caller(Some(who))), &upstream)
    else {
        panic!("the server is asked once more")
    };
    (response.status, serde_json::from_slice(&response.body).unwrap_or(Value::Null))
}

#[test]
fn a_receipt_passes_as_the_first_command_of_a_batch() {
    let plan = batch(&[receipt(), order()]).unwrap();
    let text = sent(&plan, &caller(Some("ann"))).unwrap();
    assert_eq!(text["Commands"][0], receipt());
    assert_eq!(text["Commands"][1]["Id"], "orders/1-A");
    assert!(
        batch(&[receipt()]).is_ok(),
        "a batch may contain only a receipt: the queue sends one so that a refused batch can no longer arrive"
    );
    let ids: Vec<&String> = plan.operations.iter().flat_map(|operation| &operation.ids).collect();
    assert_eq!(ids, ["orders/1-A"], "`authorize` decides only about the app's documents");
}

#[test]
fn a_receipt_elsewhere_or_in_another_form_is_refused() {
    assert!(batch(&[order(), receipt()]).is_err());
    assert!(batch(&[receipt(), receipt()]).is_err());
    for (path, value) in [
        ("/Type", json!("DELETE")),
        ("/ChangeVector", Value::Null),
        ("/ChangeVector", json!("\"x\"")),
        ("/Id", json!("Raven-Edge/Devices/1")),
        ("/Id", json!("raven-edge/devices/0123456789abcdef0123456789abcdef")),
        ("/Document/Last", json!(-1)),
        ("/Document/Last", json!("7")),
        ("/Document/Last", json!(1.5)),
        ("/Document/Batch", json!("x")),
        ("/Document/User", json!(1)),
        ("/Document/More", json!(1)),
        ("/Document/@metadata/@collection", json!("Orders")),
        ("/Document/@metadata/@expires", json!("2026-01-01T00:00:00Z")),
    ] {
        let mut changed = receipt();
        let (parent, name) = path.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap()[name] = value.clone();
        assert!(batch(&[changed, order()]).is_err(), "{path}: {value}");
    }
}

#[test]
fn the_changes_of_one_user_are_not_sent_as_another_one() {
    let plan = batch(&[receipt(), order()]).unwrap();
    assert_eq!(sent(&plan, &caller(Some("bob"))), Err(Kind::SignIn));
    assert!(sent(&plan, &caller(None)).is_ok(), "without names of callers there is nothing to compare");
}

#[test]
fn what_one_user_keeps_is_not_read_as_another_one() {
    let config = read(
        &json!({ "database": "Shop", "path": "/raven", "collections": { "Orders": "read" }, "sets": { "all": { "collection": "Orders" } } }),
    );
    let config = config.unwrap();
    let sums = base64url::encode(&[0; 2_560]);
    let named = "queries/named/all";
    for (route, body) in [
        ("docs", json!({ "Ids": ["orders/1-A"] })),
        (named, json!({})),
        (&format!("streams/{named}"), json!({})),
        (&format!("{named}/sync"), json!({ "Key": base64url::encode(&[0; 16]), "Sums": sums })),
    ] {
        for (user, who, expected) in [
            (None, Some("bob"), true),
            (Some(json!("ann")), Some("ann"), true),
            (Some(json!("ann")), None, true),
            (Some(json!("ann")), Some("bob"), false),
            (Some(json!(null)), Some("bob"), false),
            (Some(json!(7)), None, false),
        ] {
            let mut body = body.clone();
            if let Some(user) = &user {
                body["User"] = user.clone();
            }
            let plan = decide(&request(route, &body), &config).map_err(|refusal| refusal.message).unwrap();
            let sent = plan.bind(&Turn::of(&config, &caller(who))).map_err(|refusal| refusal.kind);
            assert_eq!(sent.is_ok(), expected, "{route} {user:?} {who:?}");
            match sent {
                Ok(Step::Forward(Forward { body: Some(body), .. })) => assert!(!body.contains("User"), "{body}"),
                Ok(step) => panic!("{step:?}"),
                Err(kind) => assert_eq!(kind, Kind::SignIn),
            }
        }
    }
}

#[test]
fn a_caller_reads_only_its_own_receipt() {
    let plan = send("docs", &json!({ "Ids": [RECEIPT] })).unwrap();
    let metadata = json!({ "@collection": "@raven-edge", "@id": RECEIPT, "@change-vector": "A:9" });
    let stored = json!({ "Results": [{ "Last": 7, "Batch": BATCH, "User": "ann", "@metadata": metadata }] });
    let (status, body) = shown(&plan, "ann", 200, &stored);
    assert_eq!((status, &body["Results"][0]["Last"]), (200, &json!(7)));
    assert_eq!(shown(&plan, "bob", 200, &stored), (404, Value::Null));
}

#[test]
fn a_conflict_about_the_receipt_names_it() {
    let plan = batch(&[receipt(), order()]).unwrap();
    let kind = "Raven.Client.Exceptions.ConcurrencyException";
    let (_, body) = shown(&plan, "ann", 409, &json!({ "Type": kind, "Id": RECEIPT, "ActualChangeVector": "A:8" }));
    assert_eq!(body["Id"], RECEIPT);
}

#[test]
fn of_a_saved_receipt_the_response_shows_only_type_and_id() {
    let plan = batch(&[receipt(), order(), json!({ "Type": "DELETE", "Id": "orders/2-A", "ChangeVector": "A:3" })]);
    let plan = plan.unwrap();
    let result = |id: &str| json!({ "Type": "PUT", "@id": id, "Secret": 1 });
    let results = json!({ "Results": [result(RECEIPT), result("orders/1-A"), result("orders/2-A")] });
    let (status, body) = shown(&plan, "ann", 201, &results);
    assert_eq!((status, &body["Results"][0]), (201, &json!({ "Type": "PUT", "@id": RECEIPT })));
}
