//! The trait `Source` supports several protocols: RavenDB's own routes and the protocol of older clients, with the
//! same drivers and the same authority.

mod world;

use raven_edge::error::{Code, Error};
use raven_edge::hilo::Range;
use raven_edge::http::Request;
use raven_edge::source::document::{Document, SPELLINGS};
use raven_edge::source::server::Server;
use raven_edge::source::{Ask, Capabilities, Exchange, Return, Size, Source, Step};
use world::World;

fn ask(tag: &str) -> Ask {
    Ask { tag: tag.into(), size: Size::Adaptive(None), above: 0, proof: None, incarnation: None, nonce: 1 }
}

/// A request for three numbers.
fn three(tag: &str) -> Ask {
    Ask { size: Size::Exact(3), ..ask(tag) }
}

fn document() -> Document {
    Document::new("Shop", '/', SPELLINGS[0])
}

/// Continues until the exchange has something to send, at once or after a pause.
fn sent<T: std::fmt::Debug>(step: Step<T>) -> Box<Request> {
    match step {
        Step::Send(request) | Step::Again(request, _) => request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_sources_share_a_counter_without_a_collision() {
    let mut world = World::new();
    let (server, document) = (Server::new("Shop", '/'), document());
    let mut taken = std::collections::BTreeSet::new();
    for round in 0..20 {
        let grant = match round % 3 {
            0 => world.run(server.lease(ask("orders"))),
            _ => world.run(document.lease(three("orders"))),
        }
        .unwrap();
        assert_eq!(grant.prefix, "orders/");
        assert_eq!(grant.tag, if round % 3 == 0 { "A" } else { "" });
        for number in grant.range.low()..=grant.range.high() {
            assert!(taken.insert(number), "{number} was granted twice");
        }
    }
    assert_eq!(taken.last().copied(), Some(taken.len() as u64), "no number was skipped");
}

#[test]
fn an_outage_inside_a_response_is_retried_after_a_pause() {
    let mut world = World::new();
    let mut lease = Server::new("Shop", '/').lease(ask("orders"));
    let asked = sent(lease.step(None));
    for status in [429, 502, 503] {
        let mut refused = world.send(&asked);
        refused.body = format!(r#"{{"Results":[{{"Result":null,"StatusCode":{status}}},null]}}"#).into();
        match lease.step(Some(Ok(refused))) {
            Step::Again(again, error) => assert_eq!((again, error.status), (asked.clone(), status)),
            other => panic!("{other:?}"),
        }
    }
    let response = world.send(&asked);
    assert!(matches!(lease.step(Some(Ok(response))), Step::Done(_)));
}

#[test]
fn a_write_that_conflicts_reads_again() {
    let mut world = World::new();
    let source = document();
    let (mut slow, mut quick) = (source.lease(three("orders")), source.lease(three("orders")));
    // Both read the same state; the second client writes first.
    let seen = world.send(&sent(slow.step(None)));
    let first = world.run_from(&mut quick, None).unwrap();
    let refused = world.send(&sent(slow.step(Some(Ok(seen)))));
    assert_eq!(refused.status, 409);
    let second = world.run_from(&mut slow, Some(Ok(refused))).unwrap();
    assert_eq!((first.range.low(), first.range.high()), (1, 3));
    assert_eq!((second.range.low(), second.range.high()), (4, 6));
}

#[test]
fn a_returned_end_is_granted_again_and_a_replay_changes_nothing() {
    let mut world = World::new();
    fn check<S: Source>(world: &mut World, source: &S, tag: &str) {
        assert_eq!(source.capabilities(), Capabilities { returnable: true, fenced: true, scoped: true });
        let grant = world.run(source.lease(ask(tag))).unwrap();
        let item = Return {
            tag: tag.into(),
            fence: grant.fence.clone().unwrap(),
            high: grant.range.high(),
            last: grant.range.low(),
        };
        let request = source.give_back(&[item], grant.node);
        let response = world.send(&request);
        assert!(source.applied(&response, 0));
        let next = world.run(source.lease(ask(tag))).unwrap();
        assert_eq!(next.range.low(), grant.range.low() + 1);
        let replayed = world.send(&request);
        assert!(!source.applied(&replayed, 0), "the counter has changed since");
    }
    check(&mut world, &Server::new("Shop", '/'), "orders");
    check(&mut world, &document(), "lines");
}

#[test]
fn a_fence_from_before_a_restored_folder_is_invalid() {
    let mut world = World::new();
    let source = Server::new("Shop", '/');
    world.run(source.lease(ask("orders"))).unwrap();
    let mut old = world.clone();
    let own = world.run(source.lease(ask("orders"))).unwrap();
    old.millis += 60_000;
    let other = old.run(source.lease(ask("orders"))).unwrap();
    let (mine, theirs) = (own.fence.unwrap(), other.fence.unwrap());
    assert_eq!(own.range, other.range);
    assert_eq!(mine.split_once(' ').unwrap().0, theirs.split_once(' ').unwrap().0, "the same change vector");
    let item = Return { tag: "orders".into(), fence: mine, high: own.range.high(), last: own.range.low() };
    let response = old.send(&source.give_back(&[item], own.node));
    assert!(!source.applied(&response, 0), "the numbers are the other client's");
}

#[test]
fn the_server_prefix_precedes_the_number() {
    let mut world = World::new();
    world.put("Raven/ServerPrefixForHilo", r#"{"ServerPrefix":"NorthServer/","@metadata":{"@collection":"Raven"}}"#);
    let grant = world.run(document().lease(ask("orders"))).unwrap();
    assert_eq!(format!("{}{}", grant.prefix, grant.range.low()), "orders/NorthServer/1");
}

#[test]
fn a_write_with_a_lost_response_leaves_a_gap_and_its_second_delivery_changes_nothing() {
    let mut world = World::new();
    let mut lease = document().lease(three("orders"));
    let read = world.send(&sent(lease.step(None)));
    let write = sent(lease.step(Some(Ok(read))));
    assert_eq!(world.send(&write).status, 201, "the write succeeds, but its response is lost");
    assert_eq!(world.send(&write).status, 409);
    let lost = Error::new(Code::Timeout, "lost");
    let grant = world.run_from(&mut lease, Some(Err(lost))).unwrap();
    assert_eq!(grant.range, Range::new(4, 6).unwrap());
}

#[test]
fn other_members_of_the_counter_are_kept() {
    let mut world = World::new();
    world.put("Raven/Hilo/orders", r#"{"Max":"5","Owner":{"Name":"x"},"@metadata":{"@collection":"@hilo","Note":1}}"#);
    for (low, high) in [(6, 8), (9, 11)] {
        let grant = world.run(document().lease(three("orders"))).unwrap();
        assert_eq!(grant.range, Range::new(low, high).unwrap());
    }
    let read = world.send(&document().counters().read(["orders".to_string()].into_iter()));
    let text = String::from_utf8(read.body).unwrap();
    assert!(
        text.contains(r#""Max":11"#) && text.contains(r#""Owner":{"Name":"x"}"#) && text.contains(r#""Note":1"#),
        "{text}"
    );
}
