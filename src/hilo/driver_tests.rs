use super::*;
use crate::pool::Token;
use alloc::vec;

/// The number of node tag B; A is 0.
const B: u32 = 1;

fn grant(low: u64, high: u64, node_tag: u32) -> Grant {
    Grant {
        range: Range::new(low, high).unwrap(),
        affixes: node_tag,
        node_tag,
        texts: high as u32,
        fenced: true,
        sealed: false,
        single_node: true,
        node: NodeId(node_tag),
        incarnation: 0,
    }
}

/// One caller waits.
const ONE: Demand = Demand { count: 1, exact: false };

/// Requests a lease for one caller; returns the number of the request.
fn asked(driver: &mut Driver, now: u64) -> u32 {
    let effects = driver.wanted(0, ONE, now);
    let [Effect::Lease { request, .. }] = effects[..] else { panic!("{effects:?}") };
    request
}

fn handed(driver: &Driver, effects: &[Effect]) -> u32 {
    let Some(Effect::Hand { lease, .. }) = effects.last() else { panic!("{effects:?}") };
    driver.grant(*lease).unwrap().node_tag
}

#[test]
fn a_number_keeps_the_tag_of_its_range() {
    let mut driver = Driver::new(true);
    let request = asked(&mut driver, 0);
    let effects = driver.granted(request, grant(1, 32, 0), 1);
    assert_eq!(handed(&driver, &effects), 0);
    let request = asked(&mut driver, 2);
    assert_eq!(driver.granted(request, grant(1, 32, B), 3), vec![]);
    let effects = driver.dry(true, 4);
    assert_eq!(handed(&driver, &effects), B);
}

#[test]
fn a_lease_above_a_number_carries_the_fence_of_a_lease_that_reached_it() {
    let mut driver = Driver::new(true);
    let proof = |driver: &Driver, above| driver.ask(0, above, 0, 0, 7).proof;
    assert_eq!(proof(&driver, 5), 0);
    for (low, high) in [(1, 32), (65, 96)] {
        let request = asked(&mut driver, 0);
        driver.granted(request, grant(low, high, 0), 1);
        driver.surrendered(high + 1, 2);
    }
    assert_eq!(proof(&driver, 96), 96);
    assert_eq!(proof(&driver, 97), 0);
    driver.forget();
    assert_eq!(proof(&driver, 5), 0);
}

#[test]
fn a_return_goes_to_the_node_that_granted() {
    let mut driver = Driver::new(true);
    let request = asked(&mut driver, 0);
    driver.granted(request, grant(1, 32, B), 1);
    driver.closing();
    driver.surrendered(2, 2);
    let effects = driver.give_back(false);
    let [Effect::Return { lease, high, last }] = effects[..] else { panic!("{effects:?}") };
    let back = Return { tag: 7, texts: 32, high: 32, last: 1 };
    assert_eq!(driver.return_of(7, lease, high, last), Some((NodeId(1), back)));
    driver.update_pool(&Outcome { highest: 5, ..Outcome::default() });
    let rest = Some((NodeId(1), Return { last: 5, ..back }));
    assert_eq!(driver.return_of(7, lease, high, last), rest, "the device marks 5 as issued");
    driver.update_pool(&Outcome { highest: 32, ..Outcome::default() });
    assert_eq!(driver.return_of(7, lease, high, last), None);
}

#[test]
fn many_callers_are_served_by_one_lease() {
    let mut driver = Driver::new(true);
    let ask = |size| Ask { tag: 0, size, above: 0, proof: 0, incarnation: 0, nonce: 7, oldest_texts: u32::MAX };
    for (count, exact, size) in
        [(1_000, false, Size::Exact(1_000)), (1, false, Size::Adaptive(None)), (1, true, Size::Exact(1))]
    {
        driver.wanted(0, Demand { count, exact }, 0);
        assert_eq!(driver.ask(0, 0, 0, 0, 7), ask(size));
    }
}

/// Requests a lease of exactly 100 numbers; returns the number of the request.
fn reserve(driver: &mut Driver, now: u64) -> u32 {
    let effects = driver.wanted(0, Demand { count: 100, exact: true }, now);
    let [Effect::Lease { request, .. }] = effects[..] else { panic!("{effects:?}") };
    assert_eq!(driver.ask(0, 0, 0, now, 7).size, Size::Exact(100));
    request
}

/// A driver that has leased two ranges of 100 numbers. It uses one number in 100 µs and has a round trip of 1,000 µs, so its low
/// water mark is 20 and its counter has 80 numbers.
fn steady() -> Driver {
    let mut driver = Driver::new(true);
    let request = reserve(&mut driver, 0);
    driver.granted(request, grant(1, 100, 0), 1_000);
    driver.dry(true, 6_000);
    let request = reserve(&mut driver, 10_000);
    let effects = driver.granted(request, grant(101, 200, 0), 11_000);
    assert!(matches!(effects[..], [Effect::Hand { range, .. }] if range.len() == 80), "{effects:?}");
    driver
}

#[test]
fn a_lease_ahead_of_need_follows_demand_and_not_the_last_reserve() {
    let mut driver = steady();
    let effects = driver.dry(true, 12_000);
    assert!(matches!(effects[..], [Effect::Lease { .. }, Effect::Hand { .. }]), "{effects:?}");
    assert_eq!(driver.ask(0, 0, 0, 12_000, 7).size, Size::Adaptive(Some(Echo { size: 100, texts: 200 })));
    let mut driver = steady();
    driver.park();
    let effects = driver.claimed(0, Outcome::default(), 12_000);
    assert!(matches!(effects[..], [Effect::Lease { .. }]), "{effects:?}");
    assert_eq!(
        driver.ask(0, 0, 0, 12_000, 7).size,
        Size::Exact(32),
        "the smallest range: nothing was used since the last lease"
    );
}

#[test]
fn a_lease_for_a_reserve_that_is_requested_again_keeps_its_size_whatever_happens_meanwhile() {
    let moved = |driver: &mut Driver| driver.claimed(0, Outcome::default(), 12_000);
    for meanwhile in [moved, |driver: &mut Driver| driver.dry(true, 12_000)] {
        let mut driver = steady();
        driver.park();
        let request = reserve(&mut driver, 11_500);
        meanwhile(&mut driver);
        let effects = driver.granted(request, grant(1, 100, 0), 13_000);
        assert!(matches!(effects.last(), Some(Effect::Lease { above: 180 | 200, .. })), "{effects:?}");
        assert_eq!(driver.ask(0, 200, 0, 13_000, 7).size, Size::Exact(100));
    }
}

fn pooled(waiting: u64, hold: bool) -> Driver {
    let mut driver = Driver::new(true);
    driver.set_conditions(Conditions {
        waiting,
        pooled: true,
        hold,
        keep: 8,
        grow: true,
        capacity: 0,
        reserved: 0,
        missed: 0,
    });
    driver
}

/// Leases 32 numbers at a time; returns how many the counter got, and how many the admission parked.
fn first_lease(driver: &mut Driver, now: u64) -> (u64, u64) {
    let request = asked(driver, now);
    let grant = Grant { incarnation: 1, ..grant(1, 32, 0) };
    let effects = driver.granted(request, grant, now);
    let [Effect::Admit { request, lease }] = effects[..] else { panic!("{effects:?}") };
    let kind = driver.admission_move(lease, now).unwrap();
    let (_, outcome) = pool::apply_move(None, 0, 1, &driver.build_move(kind, 1));
    let put = outcome.put.map_or(0, Range::len);
    let effects = driver.admitted(request, Some(outcome), true, now);
    let [Effect::Hand { range, .. }] = effects[..] else { panic!("{effects:?}") };
    (range.len(), put)
}

#[test]
fn waiting_callers_are_served_first_then_the_pool_and_memory_holds_the_rest() {
    assert_eq!(first_lease(&mut pooled(1, true), 1), (1, 8));
    assert_eq!(first_lease(&mut pooled(3, true), 1), (3, 24), "eight parked for each number in use");
    assert_eq!(first_lease(&mut pooled(10, false), 1), (10, 22), "nothing is held while siblings exist");
    let mut taking = pooled(1, true);
    taking.keep_at_hand(1);
    assert_eq!(first_lease(&mut taking, 1), (2, 8), "the number after it stays in the counter, below the parked ones");
}

/// The ranges that the effects park.
fn parks(effects: &[Effect]) -> Vec<(u64, u64)> {
    let park = |effect: &Effect| match effect {
        Effect::Park { range, .. } => Some((range.low(), range.high())),
        _ => None,
    };
    effects.iter().filter_map(park).collect()
}

#[test]
fn the_pool_is_refilled_from_the_bottom_of_memory_when_a_burst_has_paused() {
    let mut driver = pooled(1, true);
    first_lease(&mut driver, 1_000);
    assert!(driver.begin_refill() && !driver.begin_refill(), "one at a time");
    assert_eq!(driver.rest_of_pause(1_000), 50);
    assert_eq!(driver.rest_of_pause(31_000), 20);
    assert!(!driver.is_refillable(), "a caller waits");
    driver.set_conditions(Conditions { waiting: 0, ..pooled(0, true).conditions });
    assert!(driver.rest_of_pause(51_000) == 0 && driver.is_refillable());
    driver.surrendered(2, 51_000);
    driver.update_pool(&Outcome { used: 1, parked: 8, lowest: 2, ..Outcome::default() });
    let effects = driver.refill(51_000);
    assert_eq!(parks(&effects), [(10, 17)], "a device that uses more numbers keeps more parked");
    let kind = driver.parking_move(&effects).unwrap();
    assert_eq!(driver.usable(), 0, "parked numbers come first");
    // A report that began before ends before.
    driver.update_pool(&Outcome { used: 1, parked: 8, lowest: 2, ..Outcome::default() });
    assert_eq!(driver.parked(), Some(8), "numbers count as parked when they are on disk");
    assert_eq!(parks(&driver.refill(51_000)), [], "but are not parked twice");
    driver.has_moved(&kind);
    driver.update_pool(&Outcome { used: 1, parked: 16, lowest: 2, ..Outcome::default() });
    assert_eq!(driver.parked(), Some(16));
}

#[test]
fn what_a_burst_has_not_used_is_parked_again_but_for_the_numbers_ahead_of_need() {
    for (spare, parked) in [(0, (2, 9)), (1, (3, 10))] {
        let mut driver = pooled(1, true);
        first_lease(&mut driver, 1);
        driver.keep_at_hand(spare);
        // A burst has claimed the pool, and has used nothing of it.
        let Effect::Claim { request, .. } = driver.claim()[0] else { panic!() };
        driver.dry(false, 1);
        let taken = vec![Parked { range: Range::new(2, 9).unwrap(), ..self::parked(&grant(1, 32, 0), None) }];
        driver.claimed(request, Outcome { taken, ..Outcome::default() }, 2);
        driver.set_conditions(Conditions { waiting: 0, ..pooled(0, true).conditions });
        driver.begin_refill();
        driver.surrendered(2, LOOP_GAP + 2);
        let effects = driver.refill(LOOP_GAP + 2);
        let hand = effects.iter().find_map(|effect| match effect {
            Effect::Hand { range, .. } => Some((range.low(), range.high())),
            _ => None,
        });
        assert_eq!(hand, (spare > 0).then_some((2, 2)));
        let ranges = parks(&effects);
        let all = (ranges.first().unwrap().0, ranges.last().unwrap().1);
        assert_eq!(all, parked, "{ranges:?}");
        // What is in the counter ahead of need counts as issued only when it is used.
        let note = driver.build_move(MoveKind::Park(vec![]), 1);
        assert_eq!(note.issued, [(0, 1)]);
    }
}

#[test]
fn memory_is_handed_out_only_as_far_as_it_lies_below_the_pool() {
    let mut driver = pooled(1, true);
    first_lease(&mut driver, 1);
    assert_eq!(driver.dry(true, 2), vec![], "2 to 9 are parked, memory has 10 to 32");
    assert_eq!(driver.usable(), 0);
    driver.update_pool(&Outcome { parked: 4, lowest: 12, ..Outcome::default() });
    assert_eq!(driver.usable(), 2);
    driver.set_conditions(Conditions { waiting: 9, ..pooled(0, true).conditions });
    let effects = driver.dry(true, 3);
    assert!(
        matches!(effects[..], [Effect::Hand { range, .. }] if (range.low(), range.high()) == (10, 11)),
        "{effects:?}"
    );
}

#[test]
fn a_burst_parks_nothing_of_a_new_lease_unless_numbers_are_reserved() {
    for (reserved, target) in [(0, 0), (20, 28)] {
        let mut driver = pooled(1, true);
        first_lease(&mut driver, 1);
        driver.set_conditions(Conditions { reserved, keep: 28, grow: false, ..pooled(1, true).conditions });
        let request = asked(&mut driver, 2);
        let grant = Grant { incarnation: 1, ..grant(33, 64, 0) };
        let effects = driver.granted(request, grant, 2);
        let [Effect::Admit { lease, .. }] = effects[..] else { panic!("{effects:?}") };
        let Some(MoveKind::Admit { target: parks, .. }) = driver.admission_move(lease, 2) else { panic!() };
        assert_eq!(parks, target);
    }
}

#[test]
fn numbers_of_a_source_without_incarnation_are_not_parked() {
    for (incarnation, parks) in [(1, 1), (0, 0)] {
        let mut driver = Driver::new(true);
        let request = asked(&mut driver, 0);
        driver.granted(request, Grant { incarnation, ..grant(1, 32, 0) }, 1);
        driver.surrendered(2, 2);
        assert_eq!(driver.park().len(), parks, "{incarnation:?}");
    }
}

#[test]
fn numbers_that_are_being_reported_as_issued_are_not_returned() {
    let mut driver = pooled(1, true);
    let plan = |waiting| Conditions {
        waiting,
        pooled: true,
        hold: true,
        keep: 0,
        grow: false,
        capacity: 0,
        reserved: 0,
        missed: 0,
    };
    driver.set_conditions(plan(1));
    let decide = |record, wanted: &Move| pool::apply_move(record, 1, 1, wanted);
    let built = |driver: &mut Driver, kind| driver.build_move(kind, 1);
    let leased = |driver: &mut Driver, low| {
        let request = asked(driver, 0);
        let grant = Grant { incarnation: 1, ..grant(low, low + 31, 0) };
        let effects = driver.granted(request, grant, 1);
        let [Effect::Admit { request, lease }] = effects[..] else { panic!("{effects:?}") };
        let kind = driver.admission_move(lease, 1).unwrap();
        (request, built(driver, kind))
    };
    let (request, wanted) = leased(&mut driver, 1);
    let (record, outcome) = decide(None, &wanted);
    driver.admitted(request, Some(outcome), true, 2);
    // The counter gets 2 to 6 and issues only 2. The page leaves before the report to the device is confirmed.
    driver.set_conditions(plan(5));
    driver.dry(true, 3);
    let kind = driver.report_move().unwrap();
    let note = built(&mut driver, kind);
    driver.leaving();
    driver.surrendered(3, 4);
    let effects = driver.give_back(false);
    let Some(Effect::Return { lease, high, last }) = effects.last() else { panic!("{effects:?}") };
    let (_, back) = driver.return_of(0, *lease, *high, *last).unwrap();
    let (record, _) = decide(record, &note);
    let (_, wanted) = leased(&mut pooled(1, true), back.last + 1);
    let (_, outcome) = decide(record, &wanted);
    assert_eq!(outcome.conflict, None, "the server has not gone back: {back:?} was returned");
}

#[test]
fn reports_to_a_slow_device_stop_until_one_is_confirmed() {
    let mut driver = pooled(1, true);
    driver.set_conditions(Conditions {
        waiting: 1,
        pooled: true,
        hold: true,
        keep: 0,
        grow: false,
        capacity: 0,
        reserved: 0,
        missed: 0,
    });
    let request = asked(&mut driver, 0);
    driver.granted(request, Grant { incarnation: 1, ..grant(1, 1_000, 0) }, 1);
    driver.admitted(request + 1, Some(Outcome::default()), true, 2);
    let reports = |driver: &mut Driver| {
        driver.dry(true, 3);
        let note = driver.report_move();
        note.is_some_and(|kind| driver.build_move(kind, 1).used > 0)
    };
    let notes = (0..60).filter(|_| reports(&mut driver)).count();
    assert!((8..20).contains(&notes), "{notes} reports without confirmation");
    assert!(driver.report_move().is_none());
    driver.claimed(0, Outcome { highest: 100, ..Outcome::default() }, 4);
    assert!(driver.report_move().is_some(), "the rest is reported after a confirmation");
}

#[test]
fn a_burst_claims_as_much_as_the_device_keeps_parked_and_a_user_one_number_at_a_time() {
    let claims = |hold, step: u64| {
        let mut driver = pooled(1, hold);
        let mut low = 1;
        let claim = |turn: u64| {
            driver.dry(true, turn * step);
            let effects = driver.claim();
            let [Effect::Claim { request, all: false }] = effects[..] else { panic!("{effects:?}") };
            let MoveKind::Claim { count, demand: 1 } = driver.claim_move(turn * step) else { panic!() };
            let taken = Parked { range: Range::new(low, low).unwrap(), ..parked(&grant(1, 1, 0), None) };
            low += 1;
            let effects = driver.claimed(request, Outcome { taken: vec![taken], ..Outcome::default() }, turn * step);
            assert!(matches!(effects[..], [Effect::Hand { .. }]), "{effects:?}");
            count
        };
        (0..5).map(claim).collect::<Vec<u64>>()
    };
    assert_eq!(claims(true, LOOP_GAP - 1), [1, 16, 24, 32, 40], "eight for each number that was used");
    assert_eq!(claims(true, LOOP_GAP), [1; 5], "a user does not notice one transaction per number");
    assert_eq!(claims(false, 1), [1; 5], "no burst while memory must not hold numbers");
}

/// A driver with a pool claims 40 to 43 of a sibling's range and issues them, before or after it requests a lease. Returns the
/// effects of the grant of 1 to 32.
fn late_grant(claims_first: bool) -> Vec<Effect> {
    let mut driver = Driver::new(true);
    driver.set_conditions(Conditions { pooled: true, waiting: 1, ..Conditions::default() });
    let mut request = 0;
    for claims in [claims_first, !claims_first] {
        if claims {
            let effects = driver.claim();
            let [Effect::Claim { request, .. }] = effects[..] else { panic!("{effects:?}") };
            let taken = vec![parked(&grant(40, 43, 0), None)];
            driver.claimed(request, Outcome { taken, highest: 43, ..Outcome::default() }, 1);
            driver.surrendered(44, 2);
        } else {
            request = asked(&mut driver, 3);
        }
    }
    driver.granted(request, Grant { incarnation: 1, ..grant(1, 32, 0) }, 3)
}

#[test]
fn a_late_grant_below_numbers_that_a_sibling_has_leased_meanwhile_is_burnt_without_a_regression() {
    let effects = late_grant(false);
    assert!(matches!(effects[..], [Effect::Burnt { .. }, Effect::Lease { above: 43, .. }]), "{effects:?}");
}

#[test]
fn a_grant_below_numbers_that_were_known_when_it_was_requested_is_a_regression() {
    let effects = late_grant(true);
    assert!(matches!(effects[..], [Effect::Regression { highest: 43, .. }, Effect::Lease { .. }]), "{effects:?}");
}

#[test]
fn a_lease_says_which_texts_are_still_needed() {
    let mut driver = Driver::new(true);
    let oldest = |driver: &Driver| driver.ask(0, 0, 0, 0, 7).oldest_texts;
    assert_eq!(oldest(&driver), u32::MAX, "there are none");
    for (low, high) in [(1, 32), (33, 64)] {
        let request = asked(&mut driver, 0);
        driver.granted(request, grant(low, high, 0), 1);
    }
    assert_eq!(oldest(&driver), 32, "numbers of the first lease are in memory");
    driver.dry(true, 2);
    driver.dry(true, 3);
    assert_eq!(oldest(&driver), 64, "the newest lease is repeated to the source");
}

#[test]
fn numbers_of_a_sealed_lease_keep_its_token_when_they_are_parked_and_claimed() {
    let mut driver = pooled(1, false);
    let request = asked(&mut driver, 0);
    driver.granted(request, Grant { incarnation: 1, sealed: true, single_node: false, ..grant(1, 32, 0) }, 1);
    let Some(MoveKind::Admit { grant: admitted, .. }) = driver.admission_move(driver.grant_count, 1) else { panic!() };
    let token = Token { lease: Range::new(1, 32).unwrap(), text: 32 };
    assert_eq!(admitted.token, Some(token));
    let mut other = pooled(1, false);
    let Effect::Claim { request, .. } = other.claim()[0] else { panic!() };
    let taken = vec![Parked { range: Range::new(9, 9).unwrap(), ..admitted }];
    let effects = other.claimed(request, Outcome { taken, ..Outcome::default() }, 1);
    let [Effect::Hand { range, lease }] = effects[..] else { panic!("{effects:?}") };
    let grant = other.grant(lease).unwrap();
    assert_eq!((range.low(), grant.range, grant.texts, grant.fenced), (9, token.lease, 32, true));
    assert_eq!(parked(grant, Some(range)).token, Some(token));
    assert_eq!(other.ask(0, 0, 0, 1, 7).oldest_texts, 32);
}
