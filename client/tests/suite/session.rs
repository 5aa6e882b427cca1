//! Sessions and operations with a real RavenDB.

use std::collections::HashMap;
use std::time::Duration;

use crate::support::{Database, Order, Proxy, Rule, order};
use raven_edge_client::{ByQuery, Document, Entity, Error, IndexDefinition, Patch, PatchStatus, SessionOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(15);

#[tokio::test]
async fn a_document_is_stored_changed_loaded_and_deleted() {
    let database = Database::new();
    let store = database.store();
    let session = store.session();
    let mut entity = session.store(order(1)).await.unwrap();
    assert!(session.has_changes());
    session.save().await.unwrap();
    assert!(!session.has_changes());
    entity.update(|order| order.lines.push("tea".into())).unwrap();
    assert!(session.has_changes());
    session.save().await.unwrap();
    let other = store.session();
    let again: Entity<Order> = other.load(entity.id()).await.unwrap().unwrap();
    assert_eq!((again.n, &again.lines[..]), (1, &["tea".to_owned()][..]));
    assert_eq!(again.change_vector(), entity.change_vector());
    assert_eq!(other.load::<Order>(entity.id()).await.unwrap().unwrap().n, 1);
    assert_eq!(other.requests(), 1, "the session has it already");
    other.delete(&again).unwrap();
    assert!(other.load::<Order>(again.id()).await.unwrap().is_none());
    other.save().await.unwrap();
    assert!(database.document(&entity.id()).is_none());
    assert_eq!(again.id(), "");
    store.dispose().await.unwrap();
}

#[tokio::test]
async fn a_change_that_changes_nothing_is_not_sent() {
    let database = Database::new();
    database.put("orders/old", json!({ "n": 1.0e0, "extra": { "a": [1] } }));
    let store = database.store();
    let session = store.session();
    let mut old: Entity<Loose> = session.load("orders/old").await.unwrap().unwrap();
    assert!(!session.has_changes());
    old.update(|loose| loose.status = 0).unwrap();
    assert!(!session.has_changes(), "a default that the document does not have is no change");
    old.update(|loose| loose.status = 4).unwrap();
    old.update(|loose| loose.status = 0).unwrap();
    session.save().await.unwrap();
    let saved = database.document("orders/old").unwrap();
    assert_eq!((&saved["extra"], &saved["status"]), (&json!({ "a": [1] }), &json!(0)), "what the type lacks stays");
}

#[derive(Serialize, Deserialize)]
struct Loose {
    #[serde(default)]
    status: i64,
}

impl Document for Loose {
    const COLLECTION: &'static str = "Orders";
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wide {
    big: u64,
    negative: i64,
    precise: f64,
    map: HashMap<String, u64>,
    optional: Option<String>,
}

impl Document for Wide {
    const COLLECTION: &'static str = "Wide";
}

#[tokio::test]
async fn numbers_above_2_to_the_53_and_maps_survive() {
    let database = Database::new();
    let store = database.store();
    let wide = || Wide {
        big: i64::MAX as u64,
        negative: -9_007_199_254_740_993,
        precise: 0.1 + 0.2,
        map: (0..40).map(|n| (format!("k{n}"), 9_007_199_254_740_993 + n)).collect(),
        optional: None,
    };
    let session = store.session();
    let entity = session.store(wide()).await.unwrap();
    session.save().await.unwrap();
    let again: Entity<Wide> = store.session().load(entity.id()).await.unwrap().unwrap();
    assert_eq!(*again, wide());
    store.dispose().await.unwrap();
}

#[tokio::test]
async fn json_that_does_not_fit_names_document_and_member_and_keeps_no_other_document_away() {
    let database = Database::new();
    let of = json!({ "@collection": "Orders" });
    database.put("orders/1", json!({ "n": 1, "@metadata": of }));
    database.put("orders/2", json!({ "n": 2, "lines": ["a", { "b": 3 }], "@metadata": of }));
    let session = database.store().session();
    let mut all = session.load_many::<Order>(["orders/1", "orders/2", "orders/3"]).await.unwrap().into_iter();
    assert_eq!(all.next().unwrap().unwrap().unwrap().n, 1);
    let error = all.next().unwrap().unwrap_err();
    assert!(matches!(error, Error::InvalidDocument(_)));
    assert!(error.message().contains("orders/2") && error.message().contains("lines[1]"), "{error}");
    assert!(all.next().unwrap().unwrap().is_none());
    assert_eq!(session.requests(), 1);
    let query = || {
        let query = session.query::<Order>("from Orders order by id()");
        query.wait_for_non_stale_results(Duration::from_secs(60))
    };
    assert_eq!(query().all().await.unwrap_err().detail().id.as_deref(), Some("orders/2"));
    let found = query().each().await.unwrap().results;
    let found = found.iter().map(|one| one.as_ref().map(|order| order.n).map_err(|error| error.code()));
    assert_eq!(found.collect::<Vec<_>>(), [Ok(1), Err("InvalidDocument")]);
}

#[derive(Serialize, Deserialize)]
struct Bad {
    map: HashMap<Vec<u8>, u8>,
}

impl Document for Bad {
    const COLLECTION: &'static str = "Bad";
}

#[tokio::test]
async fn an_entity_that_is_no_json_is_refused_before_a_number_is_taken() {
    let database = Database::new();
    let store = database.store();
    let bad = Bad { map: HashMap::from([(vec![1], 2)]) };
    let error = store.session().store(bad).await.err().unwrap();
    assert_eq!(error.code(), "InvalidDocument");
    assert_eq!(database.max("bad"), 0);
}

#[tokio::test]
async fn there_are_five_ways_to_an_id() {
    let database = Database::new();
    let store = database.store();
    let session = store.session();
    let by_lease = session.store(order(1)).await.unwrap();
    let semantic = session.store_as(order(2), "orders/mine").unwrap();
    let by_server = session.store_as(order(3), "orders/").unwrap();
    let by_cluster = session.store_as(order(4), "orders|").unwrap();
    let guid = session.store_as(order(5), "").unwrap();
    assert_eq!([by_server.id(), by_cluster.id(), guid.id()], ["orders/", "orders|", ""]);
    session.save().await.unwrap();
    assert_eq!([by_lease.id(), semantic.id(), by_cluster.id()], ["orders/1-A", "orders/mine", "orders/1"]);
    assert!(by_server.id().starts_with("orders/00000"), "{}", by_server.id());
    assert_eq!(guid.id().len(), 36, "{}", guid.id());
    for entity in [&by_lease, &semantic, &by_server, &by_cluster, &guid] {
        assert_eq!(database.document(&entity.id()).unwrap()["n"], entity.n);
        assert_eq!(session.load::<Order>(entity.id()).await.unwrap().unwrap().n, entity.n);
    }
    let mut guid = guid;
    guid.update(|order| order.n = 6).unwrap();
    session.save().await.unwrap();
    assert_eq!(database.document(&guid.id()).unwrap()["n"], 6, "its id is known now");
    assert_eq!(session.store_as(order(7), "ORDERS/MINE").unwrap_err().code(), "NonUniqueObject");
    store.dispose().await.unwrap();
}

#[tokio::test]
async fn two_entities_of_one_document_do_not_overwrite_each_other() {
    let database = Database::new();
    database.put("orders/1", json!({ "n": 1, "lines": [] }));
    let session = database.store().session();
    let mut one: Entity<Order> = session.load("orders/1").await.unwrap().unwrap();
    let mut two: Entity<Order> = session.load("orders/1").await.unwrap().unwrap();
    one.update(|order| order.n = 2).unwrap();
    two.update(|order| order.lines.push(order.n.to_string())).unwrap();
    assert_eq!((two.n, one.lines.len()), (2, 0));
    assert!(one.reload().unwrap());
    assert_eq!(one.lines, ["2"]);
    session.save().await.unwrap();
    let saved = database.document("orders/1").unwrap();
    assert_eq!((&saved["n"], &saved["lines"]), (&json!(2), &json!(["2"])));
}

#[derive(Debug, Serialize, Deserialize)]
struct Aliased {
    #[serde(alias = "Total")]
    total: i64,
}

impl Document for Aliased {
    const COLLECTION: &'static str = "Aliased";
}

#[tokio::test]
async fn a_change_that_would_make_a_document_unreadable_is_refused() {
    let database = Database::new();
    database.put("aliased/1", json!({ "Total": 1 }));
    let session = database.store().session();
    let mut entity: Entity<Aliased> = session.load("aliased/1").await.unwrap().unwrap();
    let error = entity.update(|aliased| aliased.total = 2).unwrap_err();
    assert_eq!(error.code(), "InvalidDocument");
    assert_eq!(entity.total, 1, "nothing has changed");
    assert!(!session.has_changes());
}

#[tokio::test]
async fn metadata_are_read_and_set() {
    let database = Database::new();
    let store = database.store();
    let session = store.session();
    let entity = session.store(order(1)).await.unwrap();
    entity.set_metadata("source", "web").unwrap();
    assert_eq!(entity.set_metadata("@change-vector", "A:1").unwrap_err().code(), "InvalidArgument");
    session.save().await.unwrap();
    assert!(entity.metadata("@last-modified").is_some());
    let other = store.session();
    let again: Entity<Order> = other.load(entity.id()).await.unwrap().unwrap();
    assert_eq!(again.metadata("source"), Some(json!("web")));
    again.set_metadata("source", Value::Null).unwrap();
    assert!(other.has_changes());
    other.save().await.unwrap();
    assert_eq!(database.document(&entity.id()).unwrap()["@metadata"].get("source"), None);
    assert_eq!(database.document(&entity.id()).unwrap()["@metadata"]["@collection"], "Orders");
    store.dispose().await.unwrap();
}

#[tokio::test]
async fn without_optimistic_concurrency_the_last_writer_wins_and_with_it_nobody_is_overwritten() {
    let database = Database::new();
    database.put("orders/1", json!({ "n": 0 }));
    let store = database.store();
    for (options, wins) in [(SessionOptions::default(), true), (SessionOptions::optimistic(), false)] {
        let session = store.session_with(options);
        let mut mine: Entity<Order> = session.load("orders/1").await.unwrap().unwrap();
        database.put("orders/1", json!({ "n": -1 }));
        mine.update(|order| order.n += 5).unwrap();
        let mine = mine.n;
        assert_eq!(session.save().await.is_ok(), wins);
        assert_eq!(database.document("orders/1").unwrap()["n"], if wins { mine } else { -1 });
    }
}

#[derive(Serialize, Deserialize)]
struct Invoice {
    of: String,
}

impl Document for Invoice {
    const COLLECTION: &'static str = "Invoices";
}

#[tokio::test]
async fn included_documents_come_with_the_same_request() {
    let database = Database::new();
    database.put("orders/1", json!({ "n": 1 }));
    database.put("invoices/1", json!({ "of": "orders/1", "@metadata": { "@collection": "Invoices" } }));
    let session = database.store().session();
    let invoice: Entity<Invoice> = session.include("of").load("invoices/1").await.unwrap().unwrap();
    assert_eq!(session.load::<Order>(&invoice.of).await.unwrap().unwrap().n, 1);
    assert_eq!(session.requests(), 1);
    let other = database.store().session();
    let found =
        other.query::<Invoice>("from Invoices include of").wait_for_non_stale_results(LIMIT).all().await.unwrap();
    assert_eq!(other.load::<Order>(&found[0].of).await.unwrap().unwrap().n, 1);
    assert_eq!(other.requests(), 1);
}

#[tokio::test]
async fn exists_asks_only_for_what_the_session_does_not_know() {
    let database = Database::new();
    database.put("orders/1", json!({ "n": 1 }));
    let session = database.store().session();
    assert!(session.exists("orders/1").await.unwrap());
    assert!(!session.exists("orders/2").await.unwrap());
    session.store_as(order(3), "orders/3").unwrap();
    assert!(session.exists("orders/3").await.unwrap());
    assert_eq!(session.requests(), 2);
}

#[tokio::test]
async fn queries_have_parameters_pages_statistics_and_streams() {
    let database = Database::new();
    let store = database.store();
    let session = store.session();
    for n in 0..200 {
        session.store(order(n)).await.unwrap();
    }
    session.save().await.unwrap();
    let other = store.session();
    let page = other.query::<Order>("from Orders where n >= $min order by n as long").bind("min", 100);
    let page = page.skip(10).take(20).wait_for_non_stale_results(LIMIT).results().await.unwrap();
    assert_eq!((page.results.len(), page.results[0].n, page.statistics.total_results), (20, 110, 100));
    assert!(
        !page.statistics.is_stale && page.statistics.index_name.starts_with("Auto/Orders"),
        "{:?}",
        page.statistics
    );
    let mut first = other.query::<Order>("from Orders where n = 7").first().await.unwrap().unwrap();
    first.update(|order| order.n = 1_000).unwrap();
    other.save().await.unwrap();
    assert_eq!(database.document(&first.id()).unwrap()["n"], 1_000);

    #[derive(Deserialize)]
    struct Only {
        n: i64,
    }
    let rows = other.query::<Only>("from Orders where n < 3 order by n as long select n").rows().await.unwrap();
    assert_eq!(rows.results.iter().map(|row| row.n).collect::<Vec<_>>(), [0, 1, 2]);
    let error = other.query::<Order>("from Orders where n < 3 select n").all().await.unwrap_err();
    assert_eq!(error.code(), "InvalidOperation");

    // A stream reads the index as it is.
    let all = "from Orders order by n as long";
    store.session().query::<Order>(all).wait_for_non_stale_results(LIMIT).results().await.unwrap();
    let mut stream = store.session().query::<Order>(all).stream().await.unwrap();
    let mut numbers = Vec::new();
    while let Some(row) = stream.next().await {
        let row = row.unwrap();
        assert!(row.id.as_ref().unwrap().starts_with("orders/"));
        numbers.push(row.n);
    }
    assert_eq!((numbers.len(), numbers[..7].to_vec(), numbers[199]), (200, (0..7).collect(), 1_000));

    let error = other.query::<Order>("from nonsense where").all().await.unwrap_err();
    assert!(matches!(error, Error::Server(_)) && error.detail().server_type.is_some(), "{error}");
    let error = other.query::<Order>("from Orders where n = $n").bind("n", HashMap::from([((), 1)])).all().await;
    assert_eq!(error.unwrap_err().code(), "InvalidArgument");
    store.dispose().await.unwrap();
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_error() {
    let database = Database::new();
    for n in 0..9 {
        database.put(&format!("orders/{n}"), json!({ "n": n, "@metadata": { "@collection": "Orders" } }));
    }
    let proxy = Proxy::new(&database).await;
    proxy.rule(|request| if request.path.contains("streams") { Rule::Cut(700) } else { Rule::Pass });
    let mut stream = proxy.store(&database).session().query::<Order>("from Orders").stream().await.unwrap();
    let mut count = 0;
    let error = loop {
        match stream.next().await {
            Some(Ok(_)) => count += 1,
            Some(Err(error)) => break error,
            None => panic!("the stream ends after {count} results as if that were all"),
        }
    };
    assert!(count < 9 && error.code() == "BadAnswer", "{error}");
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn patches_are_sent_with_a_save_and_the_entity_follows() {
    let database = Database::new();
    database.put("orders/1", json!({ "n": 1, "lines": [] }));
    let session = database.store().session();
    let mut entity: Entity<Order> = session.load("orders/1").await.unwrap().unwrap();
    let patch = Patch::script("this.n += args.by; this.lines.push(args.line)").arg("by", 4).arg("line", "tea");
    session.patch("orders/1", &patch).unwrap();
    session.patch("orders/none", &patch).unwrap();
    entity.update(|order| order.n = 9).unwrap();
    assert_eq!(session.save().await.unwrap_err().code(), "InvalidOperation", "the same document is changed, too");
    session.refresh(&mut entity).await.unwrap();
    session.save().await.unwrap();
    assert!(entity.reload().unwrap());
    assert_eq!((entity.n, &entity.lines[..]), (5, &["tea".to_owned()][..]));
    assert_eq!(
        entity.change_vector(),
        database.document("orders/1").unwrap()["@metadata"]["@change-vector"].as_str().map(Into::into)
    );
    entity.update(|order| order.n = 6).unwrap();
    session.save().await.unwrap();
    assert_eq!(database.document("orders/1").unwrap()["n"], 6);
    for patch in [Patch::script(" "), Patch::named("")] {
        assert_eq!(session.patch("orders/1", &patch).unwrap_err().code(), "InvalidArgument");
    }
    let refused = database.store().operations().patch("orders/1", &Patch::named("addLine")).await.unwrap_err();
    assert_eq!(refused.code(), "InvalidArgument");
}

#[tokio::test]
async fn a_patch_by_name_is_sent_as_a_gateway_takes_it() {
    let database = Database::new();
    let proxy = Proxy::new(&database).await;
    proxy.rule(|request| match request.is_save() {
        true => Rule::Respond(201, r#"{"Results":[{"Type":"PATCH","Id":"orders/1","PatchStatus":"Patched"}]}"#),
        false => Rule::Pass,
    });
    let session = proxy.store(&database).session();
    session.patch("orders/1", &Patch::named("addLine").arg("line", "tea")).unwrap();
    session.save().await.unwrap();
    let sent: Value = serde_json::from_str(&proxy.saves()[0].body).unwrap();
    let patch = json!({ "Type": "PATCH", "Id": "orders/1", "ChangeVector": null, "ReturnDocument": false, "Named": "addLine", "Parameters": { "line": "tea" } });
    assert_eq!(sent["Commands"], json!([patch]));
}

#[tokio::test]
async fn operations_change_many_documents_and_count_identities() {
    let database = Database::new();
    for n in 0..5 {
        database.put(&format!("orders/{n}"), json!({ "n": n, "@metadata": { "@collection": "Orders" } }));
    }
    let operations = database.store().operations();
    let patch = Patch::script("if (this.n < 100) this.n += 100");
    assert_eq!(operations.patch("orders/0", &patch).await.unwrap(), PatchStatus::Patched);
    assert_eq!(operations.patch("orders/0", &patch).await.unwrap(), PatchStatus::NotModified);
    assert_eq!(operations.patch("orders/none", &patch).await.unwrap(), PatchStatus::DocumentDoesNotExist);
    let update = ByQuery::new("from Orders update { this.n = this.n + $by }").bind("by", 1);
    let result = operations.patch_by_query(update).await.unwrap().wait().await.unwrap();
    assert_eq!(result["Total"], 5, "{result}");
    assert_eq!(database.document("orders/4").unwrap()["n"], 5);
    let bad = operations.patch_by_query(ByQuery::new("from Orders update { throw 'no' }")).await.unwrap();
    assert!(matches!(bad.wait().await, Err(Error::Server(_))));
    operations.delete_by_query(ByQuery::new("from Orders")).await.unwrap().wait().await.unwrap();
    assert!(database.document("orders/4").is_none());
    assert_eq!(operations.next_identity("invoices").await.unwrap(), 1);
    assert_eq!(operations.seed_identity("invoices", 41).await.unwrap(), 41);
    assert_eq!(operations.next_identity("invoices|").await.unwrap(), 42);
    assert_eq!(operations.identities().await.unwrap().get("invoices|"), Some(&42));
}

#[tokio::test]
async fn indexes_are_put_and_got() {
    let database = Database::new();
    let store = database.store();
    let operations = store.operations();
    let index = IndexDefinition::new("Orders/ByLines")
        .map("from order in docs.Orders select new { count = order.lines.Count, order.n }")
        .field("n", json!({ "Storage": "Yes" }));
    operations.put_index(&index).await.unwrap();
    let found = operations.index("Orders/ByLines").await.unwrap().unwrap();
    assert_eq!((&found.maps, found.fields["n"]["Storage"].as_str()), (&index.maps, Some("Yes")));
    assert!(operations.index("none").await.unwrap().is_none());
    database.put("orders/1", json!({ "n": 1, "lines": ["a", "b"], "@metadata": { "@collection": "Orders" } }));
    let session = store.session();
    let query = session.query::<Order>("from index 'Orders/ByLines' where count = 2");
    assert_eq!(query.wait_for_non_stale_results(LIMIT).all().await.unwrap()[0].n, 1);
    let bad = operations.put_index(&IndexDefinition::new("Bad").map("nonsense")).await.unwrap_err();
    assert!(matches!(bad, Error::Server(_)), "{bad}");
}
