//! The response to a save is lost. As `tests/server/saving-lost.test.mjs` and its neighbours have it for the package.

use std::time::Duration;

use crate::support::{Database, Order, Proxy, Recorded, Rule, begun, order};
use raven_edge_client::{Document, DocumentStore, Entity, Error, Outcome, Patch, Session, SessionOptions, WhatToDo};
use serde_json::json;

/// A database behind a proxy, and a session.
async fn prepared() -> (Database, Proxy, DocumentStore, Session) {
    let database = Database::new();
    let proxy = Proxy::new(&database).await;
    let store = proxy.store(&database);
    let session = store.session();
    (database, proxy, store, session)
}

/// Applies a rule to saves.
fn on_saves(rule: fn() -> Rule) -> impl FnMut(&Recorded) -> Rule {
    move |request| if request.is_save() { rule() } else { Rule::Pass }
}

fn vector_of(database: &Database, id: &str) -> Option<String> {
    database.document(id)?["@metadata"]["@change-vector"].as_str().map(str::to_owned)
}

/// An error that says that the outcome is unknown, and what to do.
fn unknown(result: raven_edge_client::Result<()>) -> WhatToDo {
    let error = result.expect_err("the outcome is unknown");
    assert_eq!((error.code(), error.outcome()), ("OutcomeUnknown", Some(Outcome::Unknown)), "{error}");
    error.detail().advice.expect("an advice")
}

#[tokio::test]
async fn new_documents_under_hilo_ids_are_read_back_after_a_lost_response() {
    for rule in [
        || Rule::Lose,
        || Rule::Cut(10),
        || Rule::Instead(500, ""),
        || Rule::Instead(200, "<html>Sign in</html>"),
        || Rule::Instead(201, "{}"),
        || {
            Rule::Instead(
                502,
                r#"{"Type":"RavenEdge.Gateway.UpstreamUnreachable","Message":"RavenDB cannot be reached"}"#,
            )
        },
    ] as [fn() -> Rule; 6]
    {
        let (database, proxy, _store, session) = prepared().await;
        let mut entities = [session.store(order(1)).await.unwrap(), session.store(order(2)).await.unwrap()];
        proxy.rule(on_saves(rule));
        session.save().await.unwrap();
        assert_eq!(proxy.saves().len(), 1, "sent once");
        assert!(!session.has_changes());
        for entity in &entities {
            assert_eq!(entity.change_vector(), vector_of(&database, &entity.id()));
        }
        proxy.pass();
        entities[0].update(|order| order.n = 3).unwrap();
        session.save().await.unwrap();
        assert_eq!(database.document(&entities[0].id()).unwrap()["n"], 3);
    }
}

#[tokio::test]
async fn a_save_that_did_not_arrive_is_an_error_and_the_next_save_sends_it() {
    let (database, proxy, _store, session) = prepared().await;
    let entity = session.store(order(1)).await.unwrap();
    proxy.rule(on_saves(|| Rule::Drop));
    assert_eq!(unknown(session.save().await), WhatToDo::SaveAgain);
    assert!(session.has_changes());
    proxy.pass();
    session.save().await.unwrap();
    assert_eq!(database.document(&entity.id()).unwrap()["n"], 1);
    assert_eq!(database.max("orders"), 32);
}

#[tokio::test]
async fn a_save_to_an_unreachable_server_reports_that_nothing_was_saved() {
    let (_database, mut proxy, _store, session) = prepared().await;
    session.store_as(order(1), "orders/mine").unwrap();
    session.exists("orders/other").await.unwrap();
    proxy.off().await;
    let error = session.save().await.unwrap_err();
    assert_eq!((error.code(), error.outcome()), ("Unreachable", Some(Outcome::NotSaved)), "{error}");
    assert!(session.has_changes());
}

#[tokio::test]
async fn if_the_first_address_is_unreachable_the_next_one_is_used_even_for_a_save() {
    let (database, proxy, _store, _) = prepared().await;
    let store = DocumentStore::builder("http://127.0.0.1:1", &database.name).address(&proxy.url).build().unwrap();
    let session = store.session();
    session.store_as(order(1), "orders/mine").unwrap();
    session.save().await.unwrap();
    assert_eq!(proxy.saves().len(), 1);
}

#[tokio::test]
async fn for_all_other_changes_the_outcome_is_unknown_and_saving_again_is_safe() {
    for case in ["a semantic id", "a changed document", "a deletion"] {
        let (database, proxy, _store, session) = prepared().await;
        database.put("orders/old", json!({ "n": 0 }));
        match case {
            "a semantic id" => drop(session.store_as(order(1), "orders/mine").unwrap()),
            "a changed document" => {
                let mut old: Entity<Order> = session.load("orders/old").await.unwrap().unwrap();
                old.update(|order| order.n = 1).unwrap();
            }
            _ => session.delete_id("orders/old").unwrap(),
        }
        proxy.rule(on_saves(|| Rule::Lose));
        assert_eq!(unknown(session.save().await), WhatToDo::SaveAgain, "{case}");
        assert!(session.has_changes(), "{case}");
        proxy.pass();
        session.save().await.unwrap();
        assert!(!session.has_changes(), "{case}");
    }
}

#[tokio::test]
async fn if_saving_again_could_do_it_twice_the_error_says_to_look_first() {
    let (database, proxy, _store, session) = prepared().await;
    session.store_as(order(1), "orders/").unwrap();
    proxy.rule(on_saves(|| Rule::Lose));
    assert_eq!(unknown(session.save().await), WhatToDo::CheckFirst);
    session.clear();
    database.put("orders/old", json!({ "n": 0 }));
    session.patch("orders/old", &Patch::script("this.n++")).unwrap();
    assert_eq!(unknown(session.save().await), WhatToDo::CheckFirst);
    assert_eq!(database.document("orders/old").unwrap()["n"], 1);
    assert_eq!(proxy.saves().len(), 2, "nothing is repeated by itself");
}

#[tokio::test]
async fn another_clients_document_under_the_same_id_is_not_mistaken_for_this_sessions() {
    let (database, proxy, _store, session) = prepared().await;
    let entity = session.store(order(1)).await.unwrap();
    database.put(&entity.id(), json!({ "n": -1 }));
    proxy.rule(on_saves(|| Rule::Drop));
    unknown(session.save().await);
    proxy.pass();
    let error = session.save().await.unwrap_err();
    assert!(matches!(error, Error::Concurrency(_)), "{error}");
    assert_eq!(error.detail().server_type.as_deref(), Some("Raven.Client.Exceptions.ConcurrencyException"));
    assert_eq!(database.document(&entity.id()).unwrap()["n"], -1);
}

#[tokio::test]
async fn if_reading_back_fails_too_the_next_save_resolves_the_outcome_first() {
    let (database, proxy, _store, session) = prepared().await;
    let mut entities = vec![session.store(order(1)).await.unwrap(), session.store(order(2)).await.unwrap()];
    proxy.rule(|request| match request {
        request if request.is_save() => Rule::Lose,
        request if request.is_read() => Rule::Respond(500, "{}"),
        _ => Rule::Pass,
    });
    for _ in 0..2 {
        unknown(session.save().await);
    }
    proxy.pass();
    entities[0].update(|order| order.n = 3).unwrap();
    entities.push(session.store(order(4)).await.unwrap());
    session.save().await.unwrap();
    let saves = proxy.saves();
    assert_eq!(saves.len(), 2);
    assert!(!saves[1].body.contains("orders/2-A"), "a saved document is not sent again: {}", saves[1].body);
    for entity in &entities {
        assert_eq!(database.document(&entity.id()).unwrap()["n"], entity.n);
    }
}

#[tokio::test]
async fn the_first_of_two_lost_saves_arrives_late_and_is_recognized() {
    for is_changed in [true, false] {
        let (database, proxy, _store, session) = prepared().await;
        let mut entity = session.store(order(1)).await.unwrap();
        proxy.rule(on_saves(|| Rule::Drop));
        unknown(session.save().await);
        if is_changed {
            entity.update(|order| order.n = 2).unwrap();
        }
        unknown(session.save().await);
        let first = proxy.saves().remove(0);
        let path = format!("/databases/{}/bulk_docs", database.name);
        let (status, text) = database.send("POST", &path, Some(serde_json::from_str(&first.body).unwrap()));
        assert_eq!(status, 201, "{text}");
        proxy.pass();
        session.save().await.unwrap();
        assert!(!session.has_changes());
        assert_eq!(database.document(&entity.id()).unwrap()["n"], entity.n);
    }
}

#[tokio::test]
async fn after_a_lost_save_of_a_guarded_change_the_app_has_to_refresh_first() {
    let (database, proxy, _store, session) = prepared().await;
    let mut entity = session.store(order(1)).await.unwrap();
    session.save().await.unwrap();
    entity.update(|order| order.n = 2).unwrap();
    proxy.rule(on_saves(|| Rule::Lose));
    assert_eq!(unknown(session.save().await), WhatToDo::Refresh);
    proxy.pass();
    let refused = session.save().await.unwrap_err();
    assert_eq!((refused.code(), refused.outcome()), ("Concurrency", Some(Outcome::Unknown)));
    session.refresh(&mut entity).await.unwrap();
    assert_eq!(entity.n, 2);
    assert!(!session.has_changes());
    entity.update(|order| order.n = 3).unwrap();
    session.save().await.unwrap();
    assert_eq!(database.document(&entity.id()).unwrap()["n"], 3);
}

#[tokio::test]
async fn a_deletion_of_a_document_that_may_still_arrive_is_sent_until_the_server_responds() {
    let (database, proxy, _store, session) = prepared().await;
    let entity = session.store(order(1)).await.unwrap();
    let id = entity.id();
    proxy.rule(on_saves(|| Rule::Drop));
    unknown(session.save().await);
    session.delete(&entity).unwrap();
    unknown(session.save().await);
    let first = proxy.saves().remove(0);
    let path = format!("/databases/{}/bulk_docs", database.name);
    database.send("POST", &path, Some(serde_json::from_str(&first.body).unwrap()));
    assert_eq!(database.document(&id).unwrap()["n"], 1);
    proxy.pass();
    assert!(session.load::<Order>(&id).await.unwrap().is_none());
    session.save().await.unwrap();
    assert!(database.document(&id).is_none());
    assert!(!session.has_changes());
}

#[tokio::test]
async fn a_save_that_is_dropped_in_the_middle_is_resolved_by_the_next_one() {
    let (database, proxy, _store, session) = prepared().await;
    let mut entity = session.store(order(1)).await.unwrap();
    proxy.rule(on_saves(|| Rule::Lose));
    {
        let save = session.save();
        tokio::pin!(save);
        tokio::select! {
            biased;
            _ = &mut save => panic!("nothing responds"),
            () = proxy.arrived(Recorded::is_save) => {}
        }
    }
    // The server has it before the next save looks for it.
    let saved = || database.document(&entity.id());
    while saved().is_none() {
        tokio::task::yield_now().await;
    }
    proxy.pass();
    session.save().await.unwrap();
    assert_eq!(proxy.saves().len(), 1, "it was found, and not sent again");
    assert!(!session.has_changes());
    entity.update(|order| order.n = 2).unwrap();
    session.save().await.unwrap();
    assert_eq!(database.document(&entity.id()).unwrap()["n"], 2);
}

#[tokio::test]
async fn a_dropped_save_of_a_guarded_change_is_reported_by_the_next_one() {
    let (database, proxy, _store, session) = prepared().await;
    let mut entity = session.store(order(1)).await.unwrap();
    session.save().await.unwrap();
    entity.update(|order| order.n = 2).unwrap();
    let before = vector_of(&database, &entity.id());
    {
        let save = session.save();
        tokio::pin!(save);
        assert!(begun(&mut save).await.is_none());
        // Until the server has it.
        proxy.rule(on_saves(|| Rule::Lose));
        tokio::select! {
            biased;
            _ = &mut save => panic!("nothing responds"),
            () = async { while vector_of(&database, &entity.id()) == before { tokio::task::yield_now().await } } => {}
        }
    }
    proxy.pass();
    let error = session.save().await.unwrap_err();
    assert_eq!((error.code(), error.outcome()), ("Concurrency", Some(Outcome::Unknown)));
}

#[tokio::test]
async fn what_the_app_changes_while_a_save_is_under_way_is_saved_next() {
    let (database, proxy, _store, session) = prepared().await;
    let mut entity = session.store(order(1)).await.unwrap();
    {
        let save = session.save();
        tokio::pin!(save);
        assert!(begun(&mut save).await.is_none());
        entity.update(|order| order.n = 2).unwrap();
        save.await.unwrap();
    }
    assert!(session.has_changes());
    assert_eq!(database.document(&entity.id()).unwrap()["n"], 1);
    session.save().await.unwrap();
    assert_eq!(database.document(&entity.id()).unwrap()["n"], 2);
    assert_eq!(proxy.saves().len(), 2);
}

#[tokio::test]
async fn a_conflict_changes_nothing_and_names_the_document() {
    let (database, _proxy, store, _) = prepared().await;
    database.put("orders/old", json!({ "n": 0 }));
    let session = store.session_with(SessionOptions::optimistic());
    let mut old: Entity<Order> = session.load("orders/old").await.unwrap().unwrap();
    let fresh = session.store(order(7)).await.unwrap();
    database.put("orders/old", json!({ "n": 5 }));
    old.update(|order| order.n = 1).unwrap();
    let error = session.save().await.unwrap_err();
    assert!(matches!(error, Error::Concurrency(_)), "{error}");
    assert_eq!(error.detail().id.as_deref(), Some("orders/old"));
    assert!(error.detail().actual_change_vector.is_some());
    assert!(database.document(&fresh.id()).is_none(), "all or nothing");
    session.refresh(&mut old).await.unwrap();
    assert_eq!(old.n, 5);
    old.update(|order| order.n += 1).unwrap();
    session.save().await.unwrap();
    assert_eq!(database.document("orders/old").unwrap()["n"], 6);
    assert_eq!(database.document(&fresh.id()).unwrap()["n"], 7);
}

#[tokio::test]
async fn a_slow_server_ends_in_an_unknown_outcome() {
    let (database, proxy, _, _) = prepared().await;
    let store = DocumentStore::builder(&proxy.url, &database.name).timeout(Duration::from_millis(500)).build().unwrap();
    let session = store.session();
    session.store_as(order(1), "orders/mine").unwrap();
    proxy.rule(on_saves(|| Rule::Hole));
    let error = session.save().await.unwrap_err();
    assert_eq!(error.code(), "OutcomeUnknown");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.starts_with("Timeout: "), "{source}");
}

/// Futures, sessions and entities may move between the threads of a server.
#[test]
fn all_that_a_server_holds_may_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    fn of<T: Document + Send + 'static>(store: &DocumentStore, entity: Entity<T>, value: T) {
        is_send(store);
        is_send(&entity);
        let session = store.session();
        is_send(&session);
        is_send(&async move {
            session.store(value).await?;
            session.load::<T>("a").await?;
            session.query::<T>("from a").all().await?;
            session.query::<T>("from a").stream().await?.next().await;
            session.save().await
        });
        let ids = store.hilo("orders");
        is_send(&async move { ids?.next().await });
        let store = store.clone();
        is_send(&async move { store.dispose().await });
    }
    let _ = of::<Order>;
}
