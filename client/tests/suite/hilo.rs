//! Ids: leases, returns, callers that give up, and what is refused.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Database, Proxy, Recorded, Rule, begun, order};
use raven_edge_client::{DocumentStore, Source, StoreEvent};

/// A store, and what has happened to it.
fn watched(database: &Database) -> (DocumentStore, Arc<Mutex<Vec<StoreEvent>>>) {
    let events = Arc::<Mutex<Vec<_>>>::default();
    let seen = Arc::clone(&events);
    let store = DocumentStore::builder(&database.url, &database.name);
    let store = store.on_event(move |event| seen.lock().unwrap().push(event)).build().unwrap();
    (store, events)
}

#[tokio::test]
async fn after_store_save_and_dispose_max_is_1_and_the_next_client_gets_2_to_33() {
    let database = Database::new();
    let store = database.store();
    let session = store.session();
    let entity = session.store(order(5)).await.unwrap();
    assert_eq!(entity.id(), "orders/1-A");
    assert!(database.document("orders/1-A").is_none(), "nothing is sent before save()");
    session.save().await.unwrap();
    store.dispose().await.unwrap();
    let saved = database.document("orders/1-A").unwrap();
    assert_eq!((&saved["n"], &saved["@metadata"]["@collection"]), (&5.into(), &"Orders".into()));
    assert_eq!(database.max("orders"), 1);
    let (next, events) = watched(&database);
    assert_eq!(next.hilo("orders").unwrap().next().await.unwrap(), "orders/2-A");
    let leased = events.lock().unwrap().first().cloned();
    let Some(StoreEvent::Leased { low, high, fenced, .. }) = leased else { panic!("{leased:?}") };
    assert_eq!((low, high, fenced), (2, 33, true));
    next.dispose().await.unwrap();
    assert_eq!(database.max("orders"), 2);
    assert!(matches!(
        events.lock().unwrap().last(),
        Some(StoreEvent::Returned { low: 3, high: 33, applied: true, .. })
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_tasks_never_get_an_id_twice() {
    const EACH: usize = 5_000;
    let database = Database::new();
    let (first, second) = (database.store(), database.store());
    let tasks = (0..20).map(|number| {
        // Two stores take from one counter.
        let ids = if number % 2 == 0 { &first } else { &second }.hilo("orders").unwrap();
        tokio::spawn(async move {
            let mut mine = Vec::with_capacity(EACH);
            while mine.len() < EACH {
                mine.push(match ids.take() {
                    Some(id) => id,
                    None => ids.next().await.unwrap(),
                });
            }
            mine
        })
    });
    let mut all = HashSet::new();
    for task in tasks.collect::<Vec<_>>() {
        for id in task.await.unwrap() {
            assert!(all.insert(id.clone()), "{id} was issued twice");
        }
    }
    assert_eq!(all.len(), 20 * EACH);
    let highest = all.iter().map(|id| id[7..id.len() - 2].parse::<u64>().unwrap()).max().unwrap();
    first.dispose().await.unwrap();
    second.dispose().await.unwrap();
    assert!(database.max("orders") >= highest);
    let later = database.store();
    for _ in 0..100 {
        let id = later.hilo("orders").unwrap().next().await.unwrap();
        assert!(!all.contains(&id), "{id} was issued twice");
    }
    later.dispose().await.unwrap();
}

#[tokio::test]
async fn a_caller_that_gives_up_takes_no_number() {
    let database = Database::new();
    let proxy = Proxy::new(&database).await;
    let store = proxy.store(&database);
    let ids = store.hilo("orders").unwrap();
    // Dropped while the lease is under way: two wait on, and get the first numbers.
    assert!(begun(ids.next()).await.is_none());
    let (one, two) = tokio::join!(ids.next(), ids.next());
    assert_eq!([one.unwrap(), two.unwrap()], ["orders/1-A", "orders/2-A"]);
    store.dispose().await.unwrap();
    assert_eq!(database.max("orders"), 2);
}

#[tokio::test]
async fn the_source_document_writes_counter_documents_and_returns_what_is_left() {
    let database = Database::new();
    let proxy = Proxy::new(&database).await;
    let open = || DocumentStore::builder(&proxy.url, &database.name).source(Source::Document).build().unwrap();
    let store = open();
    assert_eq!(store.hilo("orders").unwrap().next().await.unwrap(), "orders/1");
    assert_eq!(database.max("orders"), 32);
    store.dispose().await.unwrap();
    assert_eq!(database.max("orders"), 1);
    assert!(!proxy.all().iter().any(Recorded::is_lease), "RavenDB's own leases are not used");
    database.put("Raven/ServerPrefixForHilo", serde_json::json!({ "ServerPrefix": "North/" }));
    let store = open();
    assert_eq!(store.session().store(order(1)).await.unwrap().id(), "orders/North/2");
    store.dispose().await.unwrap();
}

#[tokio::test]
async fn callers_of_the_same_moment_share_a_lease() {
    let database = Database::new();
    let proxy = Proxy::new(&database).await;
    let store = proxy.store(&database);
    let ids = store.hilo("orders").unwrap();
    let (a, b, c) = tokio::join!(ids.next(), ids.next(), ids.next());
    assert_eq!([a.unwrap(), b.unwrap(), c.unwrap()], ["orders/1-A", "orders/2-A", "orders/3-A"]);
    assert_eq!(proxy.all().iter().filter(|request| request.is_lease()).count(), 1);
    store.dispose().await.unwrap();
}

#[tokio::test]
async fn take_has_what_reserve_brings_into_memory() {
    let database = Database::new();
    let store = database.store();
    let ids = store.hilo("orders").unwrap();
    assert_eq!(ids.take(), None);
    ids.reserve(50).await.unwrap();
    let status = ids.status();
    assert!(status.at_hand >= 50, "{status:?}");
    let taken: Vec<_> = std::iter::repeat_with(|| ids.take()).take(50).flatten().collect();
    assert_eq!(taken.len(), 50);
    assert_eq!(ids.status().lease.unwrap().node_tag, "A");
    assert_eq!(ids.reserve(2_000_000).await.unwrap_err().code(), "InvalidArgument");
    store.dispose().await.unwrap();
    assert_eq!(ids.status().at_hand, 0);
}

#[tokio::test]
async fn a_lease_that_is_lost_is_asked_for_again() {
    let database = Database::new();
    let proxy = Proxy::new(&database).await;
    let mut losses = 2;
    proxy.rule(move |request: &Recorded| {
        if request.is_lease() && losses > 0 {
            losses -= 1;
            return Rule::Lose;
        }
        Rule::Pass
    });
    let store = proxy.store(&database);
    // The lost numbers are a gap.
    assert_eq!(store.hilo("orders").unwrap().next().await.unwrap(), "orders/65-A");
    store.dispose().await.unwrap();
}

#[tokio::test]
async fn without_a_server_a_caller_gets_an_error_in_time() {
    let database = Database::new();
    let mut proxy = Proxy::new(&database).await;
    proxy.off().await;
    // Long enough for one try on a busy machine.
    let store = DocumentStore::builder(&proxy.url, &database.name).timeout(Duration::from_secs(3)).build().unwrap();
    let error = store.hilo("orders").unwrap().next().await.unwrap_err();
    assert_eq!(error.code(), "Timeout");
    assert!(error.message().contains("cannot be reached"), "{error}");
    store.dispose().await.unwrap();
}

#[tokio::test]
async fn what_is_invalid_is_refused_before_anything_is_sent() {
    let database = Database::new();
    let proxy = Proxy::new(&database).await;
    let store = proxy.store(&database);
    for tag in ["", "orders/", "orders|", "a\nb"] {
        assert_eq!(store.hilo(tag).err().unwrap().code(), "InvalidTag", "{tag:?}");
    }
    for (url, name) in [("", "Shop"), ("/raven", "Shop"), ("http://a", " "), ("ftp://a", "Shop"), ("http://", "Shop")] {
        assert_eq!(DocumentStore::new(url, name).err().unwrap().code(), "InvalidArgument", "{url} {name}");
    }
    let of = || DocumentStore::builder("http://a", "Shop");
    for builder in [
        of().header("a b", "c"),
        of().header("a", "b\nc"),
        of().timeout(Duration::ZERO),
        of().capacity(2_000_000),
        of().capacity(0),
        of().identity_parts_separator('1'),
        of().certificate("no PEM"),
    ] {
        assert_eq!(builder.build().err().unwrap().code(), "InvalidArgument");
    }
    let session = store.session();
    for id in ["/a", "a//", "a\\b", &"x".repeat(513)] {
        assert_eq!(session.store_as(order(1), id).unwrap_err().code(), "InvalidId", "{id}");
        assert_eq!(session.load::<crate::support::Order>(id).await.unwrap_err().code(), "InvalidId", "{id}");
        assert_eq!(session.delete_id(id).unwrap_err().code(), "InvalidId", "{id}");
    }
    assert!(proxy.all().is_empty());
}

#[tokio::test]
async fn a_disposed_store_refuses_work() {
    let database = Database::new();
    let store = database.store();
    let (ids, session) = (store.hilo("orders").unwrap(), store.session());
    ids.next().await.unwrap();
    let waiting = ids.clone();
    store.dispose().await.unwrap();
    store.dispose().await.unwrap();
    assert_eq!(waiting.take(), None);
    assert_eq!(ids.next().await.unwrap_err().code(), "Disposed");
    assert_eq!(store.hilo("lines").err().unwrap().code(), "Disposed");
    assert_eq!(session.store(order(1)).await.unwrap_err().code(), "Disposed");
    assert_eq!(session.store_as(order(1), "a").unwrap_err().code(), "Disposed");
    assert_eq!(session.load::<crate::support::Order>("a").await.unwrap_err().code(), "Disposed");
    assert_eq!(session.save().await.unwrap_err().code(), "Disposed");
    assert_eq!(session.exists("a").await.unwrap_err().code(), "Disposed");
}

#[tokio::test]
async fn the_last_handle_returns_what_is_left() {
    let database = Database::new();
    let proxy = Proxy::new(&database).await;
    let store = proxy.store(&database);
    let ids = store.hilo("orders").unwrap();
    drop(store);
    assert_eq!(ids.next().await.unwrap(), "orders/1-A", "an id is a handle, too");
    drop(ids);
    proxy.arrived(|request| request.path.contains("/bulk_docs")).await;
    let again = database.store();
    // The return has a fence, so whichever comes first, no number is issued twice.
    assert_ne!(again.hilo("orders").unwrap().next().await.unwrap(), "orders/1-A");
    again.dispose().await.unwrap();
}

#[test]
fn without_a_runtime_calls_are_refused_and_the_last_handle_warns() {
    let database = Database::new();
    let (store, events) = watched(&database);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(store.hilo("orders").unwrap().next()).unwrap();
    drop(runtime);
    let mut next = Box::pin(async { store.hilo("orders").unwrap().reserve(500).await });
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(refused) = next.as_mut().poll(&mut context) else { panic!("it waits") };
    assert_eq!(refused.unwrap_err().code(), "InvalidOperation");
    drop(next);
    drop(store);
    assert_eq!(events.lock().unwrap().last(), Some(&StoreEvent::NotReturned));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_tasks_and_five_javascript_processes_never_get_an_id_twice() {
    beside_the_npm_package(400).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes longer: 100,000 ids"]
async fn twenty_tasks_and_five_javascript_processes_never_get_one_of_100_000_ids_twice() {
    beside_the_npm_package(4_000).await;
}

/// The npm package in five processes, and twenty tasks of this crate, with one counter; each takes so many ids.
async fn beside_the_npm_package(each: usize) {
    const PROGRAM: &str = "
        const [url, name, entry, count] = process.argv.slice(1);
        const { DocumentStore } = await import(entry);
        const store = new DocumentStore(url, name).initialize();
        const ids = store.hilo('orders');
        const mine = [];
        for (let at = 0; at < count; at++) mine.push(ids.take() ?? (await ids.next()));
        await store.dispose();
        console.log(mine.join(' '));";
    let database = Database::new();
    let entry = concat!(env!("CARGO_MANIFEST_DIR"), "/../pkg/lib/entries/node.js");
    assert!(std::path::Path::new(entry).exists(), "cargo xtask build makes the package");
    let processes: Vec<_> = (0..5)
        .map(|_| {
            let mut node = std::process::Command::new("node");
            let arguments = [database.url.as_str(), &database.name, entry, &each.to_string()];
            node.args(["--input-type=module", "--eval", PROGRAM]).args(arguments).stdout(std::process::Stdio::piped());
            node.spawn().unwrap()
        })
        .collect();
    let store = database.store();
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let ids = store.hilo("orders").unwrap();
            tokio::spawn(async move {
                let mut mine = Vec::new();
                while mine.len() < each {
                    let taken = ids.take();
                    mine.push(if let Some(id) = taken { id } else { ids.next().await.unwrap() });
                }
                mine
            })
        })
        .collect();
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await.unwrap());
    }
    for process in processes {
        let output = tokio::task::spawn_blocking(|| process.wait_with_output().unwrap()).await.unwrap();
        all.extend(String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned));
    }
    store.dispose().await.unwrap();
    assert_eq!(all.len(), 25 * each);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "an id was issued twice");
}

#[tokio::test]
async fn an_id_that_was_served_to_a_caller_that_is_gone_is_issued_next() {
    let database = Database::new();
    let store = database.store();
    let ids = store.hilo("orders").unwrap();
    let mut gone = Box::pin(ids.next());
    assert!(begun(gone.as_mut()).await.is_none());
    // The lease has arrived, and the caller was served: one number is missing.
    while ids.status().at_hand != 31 {
        tokio::task::yield_now().await;
    }
    drop(gone);
    assert_eq!(ids.next().await.unwrap(), "orders/1-A");
    store.dispose().await.unwrap();
    assert_eq!(database.max("orders"), 1);
}
