use super::*;
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
    let effects = driver.dry(4);
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
    driver.dry(6_000);
    let request = reserve(&mut driver, 10_000);
    let effects = driver.granted(request, grant(101, 200, 0), 11_000);
    assert!(matches!(effects[..], [Effect::Hand { range, .. }] if range.len() == 80), "{effects:?}");
    driver
}

#[test]
fn a_lease_ahead_of_need_follows_demand_and_not_the_last_reserve() {
    let mut driver = steady();
    let effects = driver.dry(12_000);
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
    for meanwhile in [moved, |driver: &mut Driver| driver.dry(12_000)] {
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
    driver.set_conditions(Conditions { waiting, pooled: true, hold, keep: 8, grow: true, capacity: 0 });
    driver
}

/// Leases 32 numbers; returns how many the counter got, how many the admission parked, and how many the driver parked afterwards.
fn first_lease(driver: &mut Driver) -> (u64, u64, u64) {
    let request = asked(driver, 0);
    let grant = Grant { incarnation: 1, ..grant(1, 32, 0) };
    let effects = driver.granted(request, grant, 1);
    let [Effect::Admit { request, lease }] = effects[..] else { panic!("{effects:?}") };
    let kind = driver.admission_move(lease).unwrap();
    let (_, outcome) = pool::apply_move(None, 0, 1, &driver.build_move(kind, 1));
    let put = outcome.put.map_or(0, Range::len);
    let effects = driver.admitted(request, Some(outcome), true, 2);
    let lens = |hand: bool| {
        let len = |effect: &Effect| match effect {
            Effect::Hand { range, .. } if hand => range.len(),
            Effect::Park { range, .. } if !hand => range.len(),
            _ => 0,
        };
        effects.iter().map(len).sum()
    };
    (lens(true), put, lens(false))
}

#[test]
fn waiting_callers_are_served_first_then_the_pool_and_memory_holds_the_rest() {
    assert_eq!(first_lease(&mut pooled(1, true)), (1, 8, 0));
    assert_eq!(first_lease(&mut pooled(3, true)), (3, 24, 0), "eight parked for each number in use");
    assert_eq!(first_lease(&mut pooled(10, false)), (10, 22, 0), "nothing is held while siblings exist");
}

#[test]
fn a_device_that_uses_more_numbers_keeps_more_parked() {
    let mut driver = pooled(1, true);
    first_lease(&mut driver);
    driver.set_conditions(Conditions { waiting: 0, pooled: true, hold: true, keep: 8, grow: true, capacity: 0 });
    let effects = driver.dry(3);
    assert!(
        effects.iter().any(|effect| matches!(effect, Effect::Park { range, .. } if range.len() == 8)),
        "{effects:?}"
    );
    assert_eq!(driver.parked(), Some(16));
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
    let plan = |waiting| Conditions { waiting, pooled: true, hold: true, keep: 0, grow: false, capacity: 0 };
    driver.set_conditions(plan(1));
    let decide = |record, wanted: &Move| pool::apply_move(record, 1, 1, wanted);
    let built = |driver: &mut Driver, kind| driver.build_move(kind, 1);
    let leased = |driver: &mut Driver, low| {
        let request = asked(driver, 0);
        let grant = Grant { incarnation: 1, ..grant(low, low + 31, 0) };
        let effects = driver.granted(request, grant, 1);
        let [Effect::Admit { request, lease }] = effects[..] else { panic!("{effects:?}") };
        let kind = driver.admission_move(lease).unwrap();
        (request, built(driver, kind))
    };
    let (request, wanted) = leased(&mut driver, 1);
    let (record, outcome) = decide(None, &wanted);
    driver.admitted(request, Some(outcome), true, 2);
    // The counter gets 2 to 6 and issues only 2. The page leaves before the report to the device is confirmed.
    driver.set_conditions(plan(5));
    driver.dry(3);
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
    driver.set_conditions(Conditions { waiting: 1, pooled: true, hold: true, keep: 0, grow: false, capacity: 0 });
    let request = asked(&mut driver, 0);
    driver.granted(request, Grant { incarnation: 1, ..grant(1, 1_000, 0) }, 1);
    driver.admitted(request + 1, Some(Outcome::default()), true, 2);
    let reports = |driver: &mut Driver| {
        driver.dry(3);
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
fn claims_in_a_loop_get_a_block_of_numbers() {
    let claims = |hold, step: u64| {
        let mut driver = pooled(1, hold);
        let mut low = 1;
        let claim = |turn: u64| {
            driver.dry(turn * step);
            let effects = driver.claim();
            let [Effect::Claim { request, all: false }] = effects[..] else { panic!("{effects:?}") };
            let MoveKind::Claim(count) = driver.claim_move(turn * step) else { panic!() };
            let taken = Parked { range: Range::new(low, low + count - 1).unwrap(), affixes: 0, node_tag: 0 };
            low += count;
            let effects = driver.claimed(request, Outcome { taken: vec![taken], ..Outcome::default() }, turn * step);
            assert!(
                matches!(effects[..], [Effect::Hand { range, .. }] if range.len() == count),
                "the counter gets all"
            );
            count
        };
        (0..14).map(claim).collect::<Vec<u64>>()
    };
    assert_eq!(claims(true, LOOP_GAP - 1), [1, 1, 1, 1, 2, 3, 4, 6, 9, 14, 16, 16, 16, 16], "half of what was used");
    assert_eq!(claims(true, LOOP_GAP), [1; 14], "a user does not notice one transaction per number");
    assert_eq!(claims(false, 1), [1; 14], "no block while memory must not hold numbers");
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
    driver.dry(2);
    driver.dry(3);
    assert_eq!(oldest(&driver), 64, "the newest lease is repeated to the source");
}
