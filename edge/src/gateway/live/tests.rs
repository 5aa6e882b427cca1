//! What a connection may listen to, and what it hears.

use super::super::config::{Config, tests::read};
use super::watches::{Step, Watches};
use serde_json::{Value, json};

/// Orders are judged by rows.
fn config() -> Config {
    read(&json!({
        "database": "Shop",
        "claims": ["name"],
        "collections": {
            "Orders": { "allow": "write", "rows": { "owner": "$name" } },
            "Products": "read",
            "Drafts": "create",
        },
    }))
    .unwrap()
}

fn command(name: &str, param: &Value) -> String {
    json!({ "CommandId": 7, "Command": name, "Param": param }).to_string()
}

fn take(watches: &mut Watches, name: &str, param: &str) -> Step {
    watches.take(&command(name, &json!(param)), &config().collections)
}

/// Watches that were permitted.
fn listening(to: &[(&str, &str)]) -> Watches {
    let mut watches = Watches::default();
    for (name, param) in to {
        assert!(matches!(take(&mut watches, name, param), Step::Ask(_)), "{name} {param}");
        let sent: Value = serde_json::from_str(&watches.permit().unwrap()).unwrap();
        assert_eq!(sent, json!({ "CommandId": 7, "Command": name, "Param": param }));
    }
    watches
}

fn change(id: &str, collection: &str) -> Value {
    json!({ "Type": "DocumentChange", "Value": {
        "Type": "Put", "Id": id, "CollectionName": collection, "ChangeVector": "A:1-x", "More": 1 } })
}

fn forwarded(watches: &mut Watches, messages: &Value) -> Value {
    serde_json::from_str(&watches.forward(&messages.to_string(), &config().collections).unwrap()).unwrap()
}

#[test]
fn levels_prefixes_and_rows_decide_about_watches() {
    for (name, param, permitted) in [
        ("watch-doc", "products/1-A", true),
        ("watch-doc", "PRODUCTS/1-a", true),
        ("watch-doc", "products/", false),
        ("watch-doc", "drafts/1-A", false),
        ("watch-doc", "orders/1-A", false),
        ("watch-doc", "Raven/Hilo/products", false),
        ("watch-doc", "", false),
        ("watch-prefix", "products/", true),
        ("watch-prefix", "products/1", true),
        ("watch-prefix", "product", false),
        ("watch-prefix", "", false),
        ("watch-prefix", "orders/", false),
        ("watch-prefix", "drafts/", false),
        ("watch-collection", "Products", true),
        ("watch-collection", "products", true),
        ("watch-collection", "Orders", true),
        ("watch-collection", "Drafts", false),
        ("watch-collection", "Secrets", false),
        ("watch-collection", "@hilo", false),
        ("watch-docs", "", false),
        ("watch-index", "Orders/All", false),
        ("watch-indexes", "", false),
        ("watch-operations", "", false),
        ("watch-counters", "", false),
        ("watch-all-timeseries", "", false),
        ("watch-topology-change", "", false),
    ] {
        let step = take(&mut Watches::default(), name, param);
        match step {
            Step::Ask(operation) => {
                assert!(permitted, "{name} {param}");
                assert_eq!(operation.action, "watch");
            }
            Step::Reply(text) => {
                assert!(!permitted, "{name} {param}");
                let [message]: [Value; 1] = serde_json::from_str(&text).unwrap();
                assert_eq!((&message["CommandId"], &message["Type"]), (&json!(7), &json!("Error")), "{name}");
            }
            other => panic!("{name} {param}: {other:?}"),
        }
    }
}

#[test]
fn the_app_is_asked_about_each_watch() {
    let mut watches = Watches::default();
    let Step::Ask(operation) = take(&mut watches, "watch-prefix", "products/1") else { panic!() };
    assert_eq!((operation.collection.as_deref(), operation.prefix.as_deref()), (Some("Products"), Some("products/1")));
    assert!(watches.deny().unwrap().contains("\"CommandId\":7"));
    assert_eq!(watches.permit(), None, "it was refused");
    assert_eq!(forwarded(&mut watches, &json!([change("products/1-A", "Products")])), json!([]));
    let all = listening(&[("watch-doc", "products/1-A"), ("watch-collection", "Orders")]);
    let asked = all.operations(&config().collections);
    let collections: Vec<_> = asked.iter().map(|operation| operation.collection.as_deref()).collect();
    assert_eq!(collections, [None, Some("Products"), Some("Orders")]);
}

#[test]
fn a_listener_hears_what_it_watches_and_may_read() {
    let mut products = listening(&[("watch-collection", "Products")]);
    let change_of = |id| {
        json!({ "Type": "DocumentChange",
        "Value": { "Type": "Put", "Id": id, "ChangeVector": "A:1-x", "CollectionName": "Products" } })
    };
    assert_eq!(
        forwarded(&mut products, &json!([change("products/1-A", "products")])),
        json!([change_of("products/1-A")])
    );
    // Of another collection, or where id and metadata do not agree, whatever RavenDB sends.
    for (id, collection) in
        [("orders/1-A", "Orders"), ("drafts/1", "Drafts"), ("orders/1-A", "Products"), ("products/1", "Secrets")]
    {
        assert_eq!(forwarded(&mut products, &json!([change(id, collection)])), json!([]), "{id} {collection}");
    }
    let mut one = listening(&[("watch-doc", "products/1-A")]);
    let both = json!([change("products/2-A", "Products"), change("products/1-A", "Products")]);
    assert_eq!(forwarded(&mut one, &both), json!([change_of("products/1-A")]));
}

#[test]
fn where_rows_judge_only_the_collection_is_told_and_once() {
    let mut orders = listening(&[("watch-collection", "orders")]);
    let messages = json!([change("orders/1-A", "Orders"), change("orders/2-A", "Orders")]);
    let change_of = json!([{ "Type": "DocumentChange", "Value": { "CollectionName": "Orders" } }]);
    assert_eq!(forwarded(&mut orders, &messages), change_of);
}

#[test]
fn a_watch_that_has_ended_hears_nothing() {
    let mut watches = listening(&[("watch-collection", "Products")]);
    let Step::Send(text) = take(&mut watches, "unwatch-collection", "Products") else { panic!() };
    assert!(text.contains("unwatch-collection"));
    assert_eq!(forwarded(&mut watches, &json!([change("products/1-A", "Products")])), json!([]));
}

#[test]
fn confirmations_and_signs_of_life_pass_and_nothing_else() {
    let mut watches = listening(&[("watch-collection", "Products")]);
    assert_eq!(forwarded(&mut watches, &json!([])), json!([]));
    let confirmed = json!([{ "CommandId": 7, "Type": "Confirm", "More": 1 }]);
    assert_eq!(forwarded(&mut watches, &confirmed), json!([{ "CommandId": 7, "Type": "Confirm" }]));
    for message in [
        json!({ "TopologyChange": true }),
        json!({ "Type": "IndexChange", "Value": { "Name": "products/1", "Type": "BatchCompleted" } }),
        json!({ "Type": "Error", "Exception": "at Raven.Server" }),
        json!({ "Type": "CounterChange", "Value": { "DocumentId": "products/1-A", "CollectionName": "Products" } }),
        json!({ "Type": "DocumentChange", "Value": { "Id": "products/1-A" } }),
        json!({ "Type": "DocumentChange" }),
    ] {
        assert_eq!(forwarded(&mut watches, &json!([message])), json!([]), "{message}");
    }
    for text in ["", "{}", "[1]", "[{]", "x"] {
        assert_eq!(watches.forward(text, &config().collections), None, "{text}");
    }
}

#[test]
fn texts_that_are_no_commands_end_the_connection() {
    let long = format!("{{\"CommandId\":1,\"Command\":\"watch-doc\",\"Param\":\"products/{}\"}}", "x".repeat(5_000));
    for text in [
        "",
        "[]",
        "{}",
        "{\"Command\":\"watch-doc\",\"Param\":\"products/1\"}",
        "{\"CommandId\":\"1\",\"Command\":\"watch-doc\",\"Param\":\"products/1\"}",
        "{\"CommandId\":1,\"CommandId\":1,\"Command\":\"watch-doc\",\"Param\":\"products/1\"}",
        "{\"CommandId\":1,\"Command\":\"nonsense\"}",
        &long,
    ] {
        assert_eq!(Watches::default().take(text, &config().collections), Step::Close, "{text}");
    }
    let text = command("watch-document-counter", &Value::Null);
    assert!(matches!(Watches::default().take(&text, &config().collections), Step::Reply(_)));
}

#[test]
fn a_hub_tells_of_gaps_and_gets_the_acknowledgements_that_it_asks_for() {
    let mut watches = listening(&[("watch-collection", "Products")]);
    let acknowledge = command("acknowledge", &Value::Null);
    assert!(matches!(watches.take(&acknowledge, &config().collections), Step::Close));
    let messages = json!([{ "Type": "Acknowledge", "More": 1 }, { "Type": "Resync", "More": 1 }]);
    assert_eq!(forwarded(&mut watches, &messages), json!([{ "Type": "Acknowledge" }, { "Type": "Resync" }]));
    let Step::Send(sent) = watches.take(&acknowledge, &config().collections) else { panic!("nothing is sent") };
    assert_eq!(sent, "{\"CommandId\":0,\"Command\":\"acknowledge\"}");
    assert!(matches!(watches.take(&acknowledge, &config().collections), Step::Close));
}

#[test]
fn a_connection_has_a_limited_number_of_watches() {
    let mut watches = Watches::default();
    for count in 0..256 {
        assert!(matches!(take(&mut watches, "watch-doc", &format!("products/{count}")), Step::Ask(_)));
        watches.permit();
    }
    assert!(matches!(take(&mut watches, "watch-doc", "products/256"), Step::Reply(_)));
    assert!(matches!(take(&mut watches, "watch-doc", "products/255"), Step::Ask(_)), "it is one of them");
}
