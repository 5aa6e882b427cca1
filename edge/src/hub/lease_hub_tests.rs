use super::super::lease_sizes::SizeBounds;
use super::super::storage_trait::MemoryHubStorage;
use super::*;
use raven_edge_authority::json::Value;

/// A successful response of a source.
fn responded(body: Vec<u8>) -> Report {
    Report { input: Input::Response { status: 201, body, incarnation: None }, now: 5, random: 0 }
}

fn new_hub(storage: MemoryHubStorage, identity: &str, node_tag: &str) -> Hub<MemoryHubStorage> {
    let config = Config {
        kind: 2,
        detail: 0,
        scoped: true,
        identity: identity.into(),
        urls: vec!["http://a".into()],
        node_tag: Some(node_tag.into()),
        timeout: 1_000,
        loans: SizeBounds { first: 8, largest: 16 },
        most: 100,
        ranges: SizeBounds { first: 64, largest: 512 },
    };
    Hub::new(storage, config)
}

/// The response body for a new client. The source begins with 1, unless it is asked for numbers above another one.
fn lent(hub: &mut Hub<MemoryHubStorage>) -> String {
    let request = || HubRequest {
        method: "GET",
        target: "/databases/d/hilo/next?tag=orders",
        body: &[],
        client_incarnation: None,
        page: false,
        secret: "s".into(),
        now: 5,
    };
    let mut next = match hub.handle(request()).unwrap() {
        Reply::Response(response) => return response.body,
        Reply::NeedsSource => hub.refill(5, 1).unwrap(),
    };
    while let Step::Send(outgoing) = next {
        let ask = wire::parse_object(&outgoing.body.unwrap()).unwrap();
        let Some(Value::Number(above)) = ask.get("above") else { panic!("{ask:?}") };
        let low = above.parse::<u64>().unwrap() + 1;
        let body = format!(r#"{{"low":{low},"high":{}}}"#, low + 63).into_bytes();
        next = hub.step(responded(body)).unwrap();
    }
    let Reply::Response(response) = hub.handle(request()).unwrap() else { panic!("{next:?}") };
    response.body
}

#[test]
fn another_source_under_the_same_node_tag_continues_above_the_first() {
    let mut hub = new_hub(MemoryHubStorage::default(), "one", "H1");
    assert!(lent(&mut hub).contains(r#""Low":1,"High":8,"LastSize":8,"ServerTag":"H1""#));
    let mut hub = new_hub(hub.storage, "two", "H1");
    assert!(lent(&mut hub).contains(r#""Low":65,"High":72,"LastSize":8,"ServerTag":"H1""#));
    let mut hub = new_hub(hub.storage, "three", "H2");
    assert!(
        lent(&mut hub).contains(r#""Low":1,"High":8,"LastSize":8,"ServerTag":"H2""#),
        "another node tag makes other ids"
    );
    let mut hub = new_hub(hub.storage, "one", "H1");
    assert!(lent(&mut hub).contains(r#""Low":129,"High":136,"LastSize":8,"ServerTag":"H1""#));
    let mut hub = new_hub(hub.storage, "four", "h1");
    assert!(lent(&mut hub).contains(r#""Low":193,"High":200,"#), "ids are case-insensitive");
}

#[test]
fn a_grant_requested_earlier_does_not_refute_a_reported_incarnation() {
    let mut hub = new_hub(MemoryHubStorage::default(), "one", "H1");
    lent(&mut hub);
    let ask = |hub: &mut Hub<MemoryHubStorage>| {
        let (method, target) = ("GET", "/databases/d/hilo/next?tag=orders");
        let secret = "s".into();
        hub.handle(HubRequest {
            method,
            target,
            body: &[],
            client_incarnation: Some("new"),
            page: false,
            secret,
            now: 5,
        })
        .unwrap()
    };
    let granted = |hub: &mut Hub<MemoryHubStorage>, low: u64| {
        let body = format!(r#"{{"low":{low},"high":{}}}"#, low + 63).into_bytes();
        hub.step(responded(body)).unwrap()
    };
    let Step::Send(_) = hub.refill(5, 1).unwrap() else { panic!() };
    assert_eq!(ask(&mut hub), Reply::NeedsSource);
    granted(&mut hub, 65);
    assert_eq!(ask(&mut hub), Reply::NeedsSource, "the source was asked before the client reported the incarnation");
    let Step::Send(_) = hub.refill(5, 1).unwrap() else { panic!() };
    granted(&mut hub, 129);
    assert!(matches!(ask(&mut hub), Reply::Response(_)), "the source does not confirm the incarnation");
}

#[test]
fn a_client_reports_the_incarnation_that_its_worker_does_not_know() {
    let mut hub = new_hub(MemoryHubStorage::default(), "one", "H1");
    lent(&mut hub);
    let mut ask = |client_incarnation| {
        let (method, target) = ("GET", "/databases/d/hilo/next?tag=orders&incarnation=new");
        let secret = "s".into();
        hub.handle(HubRequest { method, target, body: &[], client_incarnation, page: false, secret, now: 5 }).unwrap()
    };
    assert_eq!(ask(None), Reply::NeedsSource, "the Worker has just started");
    assert_eq!(ask(Some("one")), Reply::NeedsSource, "the Worker has forwarded no response of the new database");
    assert!(matches!(ask(Some("")), Reply::Response(_)), "the source has been asked meanwhile");
}
