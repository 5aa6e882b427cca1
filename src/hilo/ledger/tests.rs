use super::*;
use alloc::vec;
use proptest::prelude::*;

fn range(low: u64, high: u64) -> Range {
    Range::new(low, high).unwrap()
}

fn lease(id: u32, low: u64, high: u64) -> Lease {
    Lease { id, range: range(low, high), node: 0, fenced: true, merges: true }
}

fn hand(low_water: u64) -> Hand {
    Hand { low_water, ..Hand::default() }
}

/// Requests a lease and grants it; returns the effects of the grant.
fn grant(ledger: &mut Ledger, lease: Lease) -> Vec<Effect> {
    let asked = ledger.on(Event::Wanted { group: 0 });
    let [Effect::Lease { request, .. }] = asked[..] else { panic!("{asked:?}") };
    ledger.on(Event::Granted { request, lease, admit: false, hand: hand(0) })
}

/// Takes the rest out of the counter and returns everything.
fn close(ledger: &mut Ledger, next: u64) -> Vec<Effect> {
    assert_eq!(ledger.on(Event::Closing), vec![Effect::Surrender]);
    ledger.on(Event::Surrendered { next });
    ledger.on(Event::GiveBack { refence: true })
}

#[test]
fn after_one_number_is_issued_the_rest_of_the_lease_is_returned() {
    let mut ledger = Ledger::default();
    assert_eq!(grant(&mut ledger, lease(1, 1, 32)), vec![Effect::Hand { range: range(1, 32), lease: 1 }]);
    assert_eq!(close(&mut ledger, 2), vec![Effect::Return { lease: 1, high: 32, last: 1 }]);
    assert_eq!(ledger.on(Event::Wanted { group: 0 }), vec![], "a closed ledger requests nothing");
}

#[test]
fn a_lease_is_requested_once_per_group() {
    let mut ledger = Ledger::default();
    assert_eq!(ledger.on(Event::Wanted { group: 0 }).len(), 1);
    assert_eq!(ledger.on(Event::Wanted { group: 0 }), vec![]);
    assert_eq!(ledger.on(Event::Wanted { group: 7 }).len(), 1, "another group leases for itself");
    ledger.on(Event::Failed { request: 1 });
    assert_eq!(ledger.on(Event::Wanted { group: 0 }).len(), 1);
}

#[test]
fn at_low_water_the_next_lease_is_requested() {
    let mut ledger = Ledger::default();
    ledger.on(Event::Wanted { group: 0 });
    let effects = ledger.on(Event::Granted { request: 1, lease: lease(1, 1, 32), admit: false, hand: hand(8) });
    assert_eq!(effects, vec![Effect::Hand { range: range(1, 24), lease: 1 }]);
    let effects = ledger.on(Event::Dry(hand(8)));
    assert_eq!(
        effects,
        vec![Effect::Lease { request: 2, group: 0, above: 0 }, Effect::Hand { range: range(25, 32), lease: 1 }]
    );
}

#[test]
fn callers_that_reserve_numbers_cause_a_lease_although_memory_has_some() {
    let mut ledger = Ledger::default();
    grant(&mut ledger, lease(1, 1, 32));
    assert_eq!(ledger.on(Event::Wanted { group: 0 }), vec![Effect::Lease { request: 2, group: 0, above: 0 }]);
    let effects = ledger.on(Event::Granted { request: 2, lease: lease(2, 33, 96), admit: false, hand: hand(0) });
    assert_eq!(effects, vec![], "the counter still has its block");
    assert_eq!(ledger.held(), 64);
}

#[test]
fn adjacent_leases_are_returned_together_only_if_a_single_node_grants() {
    for (merges, expected) in [
        (true, vec![Effect::Return { lease: 2, high: 96, last: 1 }]),
        (false, vec![Effect::Return { lease: 2, high: 96, last: 32 }, Effect::Return { lease: 1, high: 32, last: 1 }]),
    ] {
        let mut ledger = Ledger::default();
        ledger.on(Event::Wanted { group: 0 });
        ledger.on(Event::Wanted { group: 1 });
        ledger.on(Event::Granted { request: 1, lease: lease(1, 1, 32), admit: false, hand: hand(0) });
        ledger.on(Event::Granted {
            request: 2,
            lease: Lease { merges, ..lease(2, 33, 96) },
            admit: false,
            hand: hand(0),
        });
        assert_eq!(close(&mut ledger, 2), expected);
    }
}

#[test]
fn without_a_fence_nothing_is_returned() {
    let mut ledger = Ledger::default();
    grant(&mut ledger, Lease { fenced: false, ..lease(1, 1, 32) });
    ledger.on(Event::Leaving);
    ledger.on(Event::Surrendered { next: 2 });
    assert_eq!(ledger.on(Event::GiveBack { refence: false }), vec![Effect::Burnt { range: range(2, 32), lease: 1 }]);
}

#[test]
fn a_grant_of_issued_numbers_is_refused() {
    let mut ledger = Ledger::default();
    grant(&mut ledger, lease(1, 1, 32));
    ledger.on(Event::Dry(hand(0)));
    ledger.on(Event::Wanted { group: 0 });
    let effects = ledger.on(Event::Granted { request: 2, lease: lease(2, 1, 32), admit: false, hand: hand(0) });
    assert_eq!(
        effects,
        vec![
            Effect::Regression { range: range(1, 32), highest: 32 },
            Effect::Lease { request: 3, group: 0, above: 32 }
        ]
    );
    let again = ledger.on(Event::Granted { request: 3, lease: lease(3, 20, 40), admit: false, hand: hand(0) });
    let third = Effect::Lease { request: 4, group: 0, above: 32 };
    assert_eq!(again, vec![Effect::Regression { range: range(20, 40), highest: 32 }, third]);
}

#[test]
fn the_same_numbers_under_another_node_tag_are_other_ids() {
    let mut ledger = Ledger::default();
    grant(&mut ledger, lease(1, 1, 32));
    ledger.on(Event::Dry(hand(0)));
    let effects = grant(&mut ledger, Lease { node: 1, ..lease(2, 1, 32) });
    assert_eq!(effects, vec![Effect::Hand { range: range(1, 32), lease: 2 }]);
}

#[test]
fn returned_numbers_may_be_granted_again() {
    let mut ledger = Ledger::default();
    grant(&mut ledger, lease(1, 1, 32));
    ledger.on(Event::Surrendered { next: 6 });
    assert_eq!(ledger.on(Event::GiveBack { refence: true }), vec![Effect::Return { lease: 1, high: 32, last: 5 }]);
    assert_eq!(grant(&mut ledger, lease(2, 6, 37)), vec![Effect::Hand { range: range(6, 37), lease: 2 }]);
}

#[test]
fn a_lease_of_an_older_generation_is_burnt() {
    let mut ledger = Ledger::default();
    ledger.on(Event::Wanted { group: 0 });
    ledger.on(Event::Leaving);
    ledger.on(Event::GiveBack { refence: false });
    ledger.on(Event::Back);
    let effects = ledger.on(Event::Granted { request: 1, lease: lease(1, 1, 32), admit: false, hand: hand(0) });
    assert_eq!(effects, vec![Effect::Burnt { range: range(1, 32), lease: 1 }]);
}

#[test]
fn a_lease_that_arrives_while_closing_is_returned_too() {
    let mut ledger = Ledger::default();
    ledger.on(Event::Wanted { group: 0 });
    ledger.on(Event::Closing);
    assert_eq!(ledger.on(Event::Granted { request: 1, lease: lease(1, 1, 32), admit: false, hand: hand(0) }), vec![]);
    assert_eq!(ledger.on(Event::GiveBack { refence: true }), vec![Effect::Return { lease: 1, high: 32, last: 0 }]);
}

/// A counter and a server for the ledger. In any order of events, no number may be issued or returned twice.
#[derive(Default)]
struct World {
    max: u64,
    next_lease: u32,
    /// The counter's next and last number; it is dry while next > last.
    counter: Option<(u64, u64)>,
    asked: Vec<u32>,
    /// Admissions that the pool was asked for and has not answered: request and range.
    admissions: Vec<(u32, Range)>,
    /// Leases by number.
    granted: Vec<Lease>,
    pool: Vec<u64>,
    issued: Vec<u64>,
}

impl World {
    fn run(&mut self, ledger: &mut Ledger, event: Event) {
        for effect in ledger.on(event) {
            match effect {
                Effect::Lease { request, .. } => self.asked.push(request),
                Effect::Hand { range, .. } => {
                    let before = self.counter.replace((range.low(), range.high()));
                    assert!(before.is_none_or(|(next, last)| next > last), "the counter had numbers");
                }
                Effect::Surrender => self.surrender(ledger),
                // There is only one client: the server applies the return if no lease was granted since.
                Effect::Return { high, last, .. } => {
                    assert!(self.issued.iter().all(|n| *n <= last || *n > high), "an issued number was returned");
                    if self.max == high {
                        self.max = last;
                    }
                }
                Effect::Burnt { .. } => {}
                Effect::Admit { request, lease } => {
                    let range = self.granted.iter().find(|known| known.id == lease).unwrap().range;
                    self.admissions.push((request, range));
                }
                Effect::Park { range, .. } => self.pool.extend(range.low()..=range.high()),
                Effect::Claim { request, all } => {
                    let count = if all { self.pool.len() } else { 1.min(self.pool.len()) };
                    let leases = self.pool.drain(..count).collect::<Vec<_>>().into_iter().map(|number| {
                        self.next_lease += 1;
                        parked(self.next_lease, number, number)
                    });
                    let leases = leases.collect();
                    self.run(ledger, Event::Claimed { request, leases, hand: hand(0) });
                }
                Effect::Refence { request, .. } => {
                    self.run(ledger, Event::Refenced { request, found: Some((self.max, true)) });
                }
                Effect::Regression { .. } => panic!("{effect:?}, although the server has not gone back in time"),
            }
        }
    }

    fn surrender(&mut self, ledger: &mut Ledger) {
        let next = self.counter.take().map_or(0, |(next, _)| next);
        self.run(ledger, Event::Surrendered { next });
    }

    fn take(&mut self, ledger: &mut Ledger, low_water: u64) {
        if self.counter.is_none_or(|(next, last)| next > last) {
            self.run(ledger, Event::Dry(hand(low_water)));
        }
        if let Some((next, last)) = self.counter.filter(|(next, last)| next <= last) {
            assert!(!self.issued.contains(&next), "{next} was issued twice");
            self.issued.push(next);
            self.counter = Some((next + 1, last));
        }
    }
}

proptest! {
    #[test]
    fn no_number_is_issued_twice(steps in proptest::collection::vec((0..12u8, 0..40u64), 1..120)) {
        let (mut ledger, mut world) = (Ledger::default(), World::default());
        for (step, n) in steps {
            match step {
                0..=2 => (0..=n % 12).for_each(|_| world.take(&mut ledger, n)),
                3 => world.run(&mut ledger, Event::Wanted { group: (n % 3) as u32 }),
                4 | 5 => if let Some(request) = world.asked.pop() {
                    let low = world.max + 1;
                    world.max += 1 + n;
                    world.next_lease += 1;
                    let lease = Lease { id: world.next_lease, range: range(low, world.max), node: 0, fenced: n % 5 > 0, merges: n % 2 > 0 };
                    world.granted.push(lease);
                    world.run(&mut ledger, Event::Granted { request, lease, admit: n % 3 > 0, hand: Hand { low_water: n / 2, block: n % 4, parked: 0 } });
                },
                6 => if let Some(request) = world.asked.pop() {
                    world.run(&mut ledger, Event::Failed { request });
                },
                7 => if let Some((request, range)) = world.admissions.pop() {
                    let parked = range.from(range.low() + n % 5).and_then(|rest| rest.split(n % 7).0);
                    world.pool.extend(parked.iter().flat_map(|parked| parked.low()..=parked.high()));
                    world.run(&mut ledger, Event::Admitted { request, parked, hand: hand(n / 2) });
                },
                8 => world.run(&mut ledger, Event::Claim),
                9 => world.run(&mut ledger, Event::Share { count: n }),
                10 => {
                    world.run(&mut ledger, Event::Leaving);
                    world.run(&mut ledger, Event::GiveBack { refence: false });
                    world.take(&mut ledger, 0);
                    world.run(&mut ledger, Event::Back);
                }
                _ => {
                    world.surrender(&mut ledger);
                    if n % 2 > 0 {
                        world.run(&mut ledger, Event::TakeOut);
                        world.surrender(&mut ledger);
                    }
                    world.run(&mut ledger, Event::GiveBack { refence: true });
                }
            }
        }
    }
}

/// A ledger with a lease of 1 to 32, of which 1 was issued and 2 to 9 were parked.
fn with_one_number() -> Ledger {
    let mut ledger = Ledger::default();
    ledger.on(Event::Wanted { group: 0 });
    let block = Hand { block: 1, ..Hand::default() };
    let effects = ledger.on(Event::Granted { request: 1, lease: lease(1, 1, 32), admit: true, hand: block });
    assert_eq!(
        effects,
        vec![Effect::Admit { request: 2, lease: 1 }],
        "no number is used before the pool has admitted the grant"
    );
    let effects = ledger.on(Event::Admitted { request: 2, parked: Some(range(2, 9)), hand: block });
    assert_eq!(effects, vec![Effect::Hand { range: range(1, 1), lease: 1 }]);
    ledger
}

/// Numbers that were taken out of the pool.
fn parked(id: u32, low: u64, high: u64) -> (Lease, Range) {
    (Lease { fenced: false, merges: false, ..lease(id, low, high) }, range(low, high))
}

/// Numbers that were taken out of the pool, with the token of their lease of 1 to 32.
fn sealed(id: u32, low: u64, high: u64) -> (Lease, Range) {
    (Lease { merges: false, ..lease(id, 1, 32) }, range(low, high))
}

#[test]
fn numbers_are_handed_out_in_ascending_order_and_only_below_the_parked_ones() {
    let mut ledger = with_one_number();
    let hand = |parked| Hand { block: 4, parked, ..Hand::default() };
    assert_eq!(ledger.on(Event::Dry(hand(2))), vec![], "2 to 9 are parked, 10 to 32 are in memory");
    ledger.on(Event::Claim);
    let leases = vec![parked(2, 2, 3)];
    let effects = ledger.on(Event::Claimed { request: 3, leases, hand: hand(4) });
    assert_eq!(effects, vec![Effect::Hand { range: range(2, 3), lease: 2 }]);
    let effects = ledger.on(Event::Dry(hand(12)));
    assert_eq!(effects, vec![Effect::Hand { range: range(10, 11), lease: 1 }]);
}

#[test]
fn the_same_numbers_of_two_nodes_are_handed_out_in_ascending_order() {
    let mut ledger = Ledger::default();
    ledger.on(Event::Claim);
    let other = (Lease { node: 1, ..parked(2, 3, 9).0 }, range(3, 9));
    let hand = |parked| Hand { block: 4, parked, ..Hand::default() };
    let leases = vec![parked(1, 2, 9), other];
    let effects = ledger.on(Event::Claimed { request: 1, leases, hand: hand(0) });
    assert_eq!(effects, vec![Effect::Hand { range: range(2, 5), lease: 1 }]);
    let effects = ledger.on(Event::Dry(hand(6)));
    assert_eq!(effects, vec![Effect::Hand { range: range(3, 5), lease: 2 }], "6 to 9 of the first node are higher");
}

#[test]
fn parked_numbers_of_a_sealed_lease_are_returned_under_its_token_alone() {
    for (taken, expected) in [
        (vec![sealed(1, 2, 9), sealed(2, 10, 32)], Effect::Return { lease: 2, high: 32, last: 1 }),
        (vec![sealed(1, 2, 9)], Effect::Burnt { range: range(2, 9), lease: 1 }),
    ] {
        let mut ledger = Ledger::default();
        ledger.on(Event::Closing);
        ledger.on(Event::TakeOut);
        ledger.on(Event::Claimed { request: 1, leases: taken, hand: hand(0) });
        assert_eq!(ledger.on(Event::GiveBack { refence: true }), vec![expected], "no counter is read again");
    }
}

#[test]
fn at_unload_the_tail_is_returned_and_parked_numbers_stay() {
    let mut ledger = with_one_number();
    assert_eq!(ledger.on(Event::Leaving), vec![Effect::Surrender]);
    ledger.on(Event::Surrendered { next: 2 });
    assert_eq!(ledger.on(Event::GiveBack { refence: false }), vec![Effect::Return { lease: 1, high: 32, last: 9 }]);
    for event in [Event::Dry(hand(0)), Event::Wanted { group: 0 }, Event::Claim] {
        assert_eq!(ledger.on(event), vec![], "a page that has left requests nothing");
    }
    ledger.on(Event::Back);
    assert_eq!(ledger.on(Event::Claim), vec![Effect::Claim { request: 3, all: false }]);
}

#[test]
fn dispose_returns_tail_and_pool_together() {
    for merges in [true, false] {
        let mut ledger = with_one_number();
        ledger.leases.iter_mut().for_each(|lease| lease.merges = merges);
        ledger.on(Event::Closing);
        ledger.on(Event::Surrendered { next: 2 });
        assert_eq!(ledger.on(Event::TakeOut), vec![Effect::Claim { request: 3, all: true }]);
        ledger.on(Event::Claimed { request: 3, leases: vec![parked(2, 2, 9)], hand: hand(0) });
        let back = vec![Effect::Return { lease: 1, high: 32, last: 1 }];
        assert_eq!(ledger.on(Event::GiveBack { refence: true }), back, "both are parts of the same lease");
    }
}

#[test]
fn numbers_parked_on_an_earlier_visit_are_returned_with_a_fence_that_is_read_for_the_return() {
    for (found, expected) in [
        (Some((9, true)), Effect::Return { lease: 1, high: 9, last: 1 }),
        (Some((9, false)), Effect::Burnt { range: range(2, 9), lease: 1 }),
        (Some((32, true)), Effect::Burnt { range: range(2, 9), lease: 1 }),
        (None, Effect::Burnt { range: range(2, 9), lease: 1 }),
    ] {
        let mut ledger = Ledger::default();
        ledger.on(Event::Closing);
        ledger.on(Event::TakeOut);
        ledger.on(Event::Claimed { request: 1, leases: vec![parked(2, 2, 4), parked(1, 5, 9)], hand: hand(0) });
        assert_eq!(ledger.on(Event::GiveBack { refence: true }), vec![Effect::Refence { request: 2, lease: 1 }]);
        assert_eq!(ledger.on(Event::Refenced { request: 2, found }), vec![expected]);
        assert_eq!(ledger.on(Event::Refenced { request: 2, found }), vec![], "once");
    }
}

#[test]
fn after_the_database_was_replaced_a_fence_that_arrives_is_ignored() {
    let mut ledger = with_one_number();
    ledger.on(Event::Surrendered { next: 2 });
    ledger.on(Event::TakeOut);
    ledger.on(Event::Claimed {
        request: 3,
        leases: vec![parked(2, 40, 41)],
        hand: Hand { block: 1, ..Hand::default() },
    });
    ledger.on(Event::Surrendered { next: 2 });
    let effects = ledger.on(Event::GiveBack { refence: true });
    assert_eq!(effects, vec![Effect::Refence { request: 4, lease: 2 }, Effect::Return { lease: 1, high: 32, last: 9 }]);
    ledger.on(Event::Forget);
    assert_eq!(ledger.on(Event::Refenced { request: 4, found: Some((41, true)) }), vec![]);
}

#[test]
fn a_grant_that_a_later_one_has_overtaken_is_burnt_and_is_no_regression() {
    let mut ledger = Ledger::default();
    ledger.on(Event::Wanted { group: 1 });
    ledger.on(Event::Wanted { group: 2 });
    ledger.on(Event::Granted { request: 2, lease: lease(1, 33, 64), admit: false, hand: hand(0) });
    ledger.on(Event::Dry(hand(0)));
    let late = ledger.on(Event::Granted { request: 1, lease: lease(2, 1, 32), admit: false, hand: hand(0) });
    let again = Effect::Lease { request: 3, group: 1, above: 64 };
    assert_eq!(late, vec![Effect::Burnt { range: range(1, 32), lease: 2 }, again]);
    let back = ledger.on(Event::Granted { request: 3, lease: lease(3, 2, 40), admit: false, hand: hand(0) });
    assert_eq!(
        back[0],
        Effect::Regression { range: range(2, 40), highest: 64 },
        "request 3 was made after the grant of higher numbers had arrived"
    );
}

#[test]
fn when_the_pool_refuses_a_grant_higher_numbers_are_requested() {
    let mut ledger = Ledger::default();
    ledger.on(Event::Wanted { group: 0 });
    ledger.on(Event::Granted { request: 1, lease: lease(1, 1, 32), admit: true, hand: hand(0) });
    let effects = ledger.on(Event::Regressed { request: 2, highest: 40, overtaken: false });
    let again = Effect::Lease { request: 3, group: 0, above: 40 };
    assert_eq!(effects, vec![Effect::Regression { range: range(1, 32), highest: 40 }, again]);
    assert_eq!(ledger.held(), 0);
}

#[test]
fn a_grant_that_arrives_after_the_page_left_is_burnt() {
    let mut ledger = Ledger::default();
    ledger.on(Event::Wanted { group: 0 });
    ledger.on(Event::Granted { request: 1, lease: lease(1, 1, 32), admit: true, hand: hand(0) });
    ledger.on(Event::Claim);
    ledger.on(Event::Leaving);
    assert_eq!(ledger.on(Event::GiveBack { refence: false }), vec![]);
    ledger.on(Event::Back);
    let effects = ledger.on(Event::Admitted { request: 2, parked: Some(range(2, 9)), hand: hand(0) });
    assert_eq!(effects, [(1, 1), (10, 32)].map(|(low, high)| Effect::Burnt { range: range(low, high), lease: 1 }));
    let effects = ledger.on(Event::Claimed { request: 3, leases: vec![parked(2, 40, 41)], hand: hand(0) });
    assert_eq!(effects, vec![Effect::Burnt { range: range(40, 41), lease: 2 }]);
}
