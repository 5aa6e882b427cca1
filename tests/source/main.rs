//! The trait `Source` carries more than one protocol: RavenDB's own routes and the protocol of older clients, over the
//! same drivers and against the same authority.

mod document;
mod world;

use document::Document;
use raven_edge::source::server::Server;
use raven_edge::source::{Ask, Capabilities, Exchange, Return, Size, Source, Step};
use world::World;

fn ask(tag: &str) -> Ask {
    Ask { tag: tag.into(), size: Size::Adaptive(None), above: 0, nonce: 1 }
}

#[test]
fn both_sources_share_a_counter_without_a_collision() {
    let mut world = World::new();
    let (server, document) = (Server::new("Shop", '/'), Document::new("Shop", 3));
    let mut taken = std::collections::BTreeSet::new();
    for round in 0..20 {
        let grant = match round % 3 {
            0 => world.run(server.lease(ask("orders"))),
            _ => world.run(document.lease(ask("orders"))),
        }
        .unwrap();
        assert_eq!(grant.prefix, "orders/");
        assert_eq!(grant.tag, if round % 3 == 0 { "A" } else { "" });
        for number in grant.range.low()..=grant.range.high() {
            assert!(taken.insert(number), "{number} was granted twice");
        }
    }
    assert_eq!(taken.last().copied(), Some(taken.len() as u64), "and nothing was left out");
}

#[test]
fn a_put_that_came_second_reads_again() {
    let mut world = World::new();
    let source = Document::new("Shop", 3);
    let (mut slow, mut quick) = (source.lease(ask("orders")), source.lease(ask("orders")));
    // Both read the same state; the second one writes first.
    let Step::Send(read) = slow.step(None) else { panic!() };
    let seen = world.send(&read);
    let first = world.run_from(&mut quick, None).unwrap();
    let Step::Send(put) = slow.step(Some(Ok(seen))) else { panic!() };
    let refused = world.send(&put);
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
        let answer = world.send(&request);
        assert!(source.applied(&answer, 0));
        let next = world.run(source.lease(ask(tag))).unwrap();
        assert_eq!(next.range.low(), grant.range.low() + 1);
        let replayed = world.send(&request);
        assert!(!source.applied(&replayed, 0), "the counter has moved on");
    }
    check(&mut world, &Server::new("Shop", '/'), "orders");
    check(&mut world, &Document::new("Shop", 3), "lines");
}

#[test]
fn the_fence_of_before_a_folder_was_put_back_fits_no_more() {
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
    let answer = old.send(&source.give_back(&[item], own.node));
    assert!(!source.applied(&answer, 0), "the numbers are the other client's");
}

#[test]
fn the_server_prefix_stands_before_the_number() {
    let mut world = World::new();
    world.put("Raven/ServerPrefixForHilo", r#"{"ServerPrefix":"NorthServer/","@metadata":{"@collection":"Raven"}}"#);
    let grant = world.run(Document::new("Shop", 3).lease(ask("orders"))).unwrap();
    assert_eq!(format!("{}{}", grant.prefix, grant.range.low()), "orders/NorthServer/1");
}
