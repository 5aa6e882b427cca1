use super::super::shelf::MemoryShelf;
use super::*;
use raven_edge_authority::json::Value;

/// A hub over an app's own source of this name.
fn answered(body: Vec<u8>) -> Report {
    Report { input: Input::Response { status: 201, body, incarnation: None }, now: 5, random: 0 }
}

fn keeper(shelf: MemoryShelf, identity: &str, node_tag: &str) -> Keeper<MemoryShelf> {
    let config = Config {
        kind: 2,
        detail: 0,
        scoped: true,
        identity: identity.into(),
        urls: vec!["http://a".into()],
        node_tag: Some(node_tag.into()),
        timeout: 1_000,
        loans: Span { first: 8, largest: 16 },
        most: 100,
        ranges: Span { first: 64, largest: 512 },
    };
    Keeper::new(shelf, config)
}

/// What a new client gets where the source begins with 1 unless it is told to begin above a number.
fn lent(hub: &mut Keeper<MemoryShelf>) -> String {
    let asked = || Asked {
        method: "GET",
        target: "/databases/d/hilo/next?tag=orders",
        body: &[],
        heard: None,
        page: false,
        secret: "s".into(),
        now: 5,
    };
    let mut next = match hub.handle(asked()).unwrap() {
        Reply::Answer(said) => return said.body,
        Reply::Wait => hub.refill(5, 1).unwrap(),
    };
    while let Step::Send(sending) = next {
        let ask = wire::object(&sending.body.unwrap()).unwrap();
        let Some(Value::Number(above)) = ask.get("above") else { panic!("{ask:?}") };
        let low = above.parse::<u64>().unwrap() + 1;
        let body = format!(r#"{{"low":{low},"high":{}}}"#, low + 63).into_bytes();
        next = hub.step(answered(body)).unwrap();
    }
    let Reply::Answer(said) = hub.handle(asked()).unwrap() else { panic!("{next:?}") };
    said.body
}

#[test]
fn another_source_under_the_same_node_tag_goes_on_above() {
    let mut hub = keeper(MemoryShelf::default(), "one", "H1");
    assert!(lent(&mut hub).contains(r#""Low":1,"High":8,"LastSize":8,"ServerTag":"H1""#));
    let mut hub = keeper(hub.shelf, "two", "H1");
    assert!(lent(&mut hub).contains(r#""Low":65,"High":72,"LastSize":8,"ServerTag":"H1""#));
    let mut hub = keeper(hub.shelf, "three", "H2");
    assert!(lent(&mut hub).contains(r#""Low":1,"High":8,"LastSize":8,"ServerTag":"H2""#), "those are other ids");
    let mut hub = keeper(hub.shelf, "one", "H1");
    assert!(lent(&mut hub).contains(r#""Low":129,"High":136,"LastSize":8,"ServerTag":"H1""#));
    let mut hub = keeper(hub.shelf, "four", "h1");
    assert!(lent(&mut hub).contains(r#""Low":193,"High":200,"#), "ids have no case");
}

#[test]
fn a_range_that_was_on_its_way_says_nothing_of_what_was_heard_since() {
    let mut hub = keeper(MemoryShelf::default(), "one", "H1");
    lent(&mut hub);
    let ask = |hub: &mut Keeper<MemoryShelf>| {
        let (method, target) = ("GET", "/databases/d/hilo/next?tag=orders");
        let secret = "s".into();
        hub.handle(Asked { method, target, body: &[], heard: Some("new"), page: false, secret, now: 5 }).unwrap()
    };
    let granted = |hub: &mut Keeper<MemoryShelf>, low: u64| {
        let body = format!(r#"{{"low":{low},"high":{}}}"#, low + 63).into_bytes();
        hub.step(answered(body)).unwrap()
    };
    let Step::Send(_) = hub.refill(5, 1).unwrap() else { panic!() };
    assert_eq!(ask(&mut hub), Reply::Wait);
    granted(&mut hub, 65);
    assert_eq!(ask(&mut hub), Reply::Wait, "the source was asked before anybody had heard of it");
    let Step::Send(_) = hub.refill(5, 1).unwrap() else { panic!() };
    granted(&mut hub, 129);
    assert!(matches!(ask(&mut hub), Reply::Answer(_)), "it knows of no such thing");
}
