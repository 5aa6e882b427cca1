use super::*;
use alloc::vec;

const MEMORY: Supply = Supply { now: 0, at_hand: 0, parked: None, pooled: false, crowded: false };
const DEVICE: Supply = Supply { parked: Some(0), pooled: true, ..MEMORY };

fn ask(waiters: &mut Waiters, want: Want, supply: Supply) -> Vec<Effect> {
    let mut effects = Vec::new();
    waiters.ask(want, 1_000, supply, &mut effects);
    effects
}

/// One caller waits for an id; its flight has reached the lease.
fn leasing(supply: Supply) -> Waiters {
    let mut waiters = Waiters::default();
    assert_eq!(ask(&mut waiters, Want::Id, supply), vec![Effect::Gather]);
    if supply.pooled {
        assert_eq!(waiters.on(Event::Gathered, supply), vec![Effect::Claim]);
        assert_eq!(waiters.on(Event::Claimed, supply), vec![Effect::Turn]);
    } else {
        assert_eq!(waiters.on(Event::Gathered, supply), vec![Effect::Turn]);
    }
    assert_eq!(waiters.on(Event::Turned, supply), vec![Effect::Lease { count: 1, exact: false }]);
    waiters
}

#[test]
fn a_caller_is_served_by_the_lease_and_the_flight_ends() {
    let mut waiters = leasing(MEMORY);
    let supply = Supply { at_hand: 32, ..MEMORY };
    assert_eq!(waiters.on(Event::Leased, supply), vec![Effect::End, Effect::Serve(1), Effect::Settle]);
    assert_eq!(waiters.on(Event::Served(1), supply), vec![]);
    assert_eq!(waiters.on(Event::Settled, supply), vec![]);
    assert_eq!(waiters, Waiters { numbers: 1, ..Waiters::default() });
}

#[test]
fn a_caller_does_not_wait_while_memory_has_a_number() {
    let mut waiters = Waiters::default();
    assert_eq!(ask(&mut waiters, Want::Id, Supply { at_hand: 1, ..MEMORY }), vec![Effect::Serve(1), Effect::Settle]);
    assert!(!waiters.is_busy());
}

#[test]
fn a_caller_that_finds_the_counter_empty_goes_on_waiting() {
    let mut waiters = Waiters::default();
    let supply = Supply { at_hand: 2, ..DEVICE };
    for _ in 0..2 {
        waiters.ask(Want::Id, 1_000, DEVICE, &mut Vec::new());
    }
    waiters.on(Event::Gathered, DEVICE);
    let serves = vec![Effect::End, Effect::Serve(1), Effect::Serve(2), Effect::Settle];
    assert_eq!(waiters.on(Event::Claimed, supply), serves);
    waiters.on(Event::Served(1), supply);
    // A refill has parked the other number.
    assert_eq!(waiters.waiting(), 1);
    assert_eq!(waiters.on(Event::Settled, DEVICE), vec![Effect::Gather]);
}

#[test]
fn callers_of_one_turn_of_the_event_loop_are_served_by_one_lease() {
    let mut waiters = Waiters::default();
    ask(&mut waiters, Want::Id, MEMORY);
    for _ in 0..99 {
        assert_eq!(ask(&mut waiters, Want::Id, MEMORY), vec![]);
    }
    // Another caller finds the counter empty.
    waiters.missed();
    waiters.on(Event::Gathered, MEMORY);
    waiters.missed();
    assert_eq!(waiters.on(Event::Turned, MEMORY), vec![Effect::Lease { count: 101, exact: false }]);
}

#[test]
fn parked_numbers_are_claimed_before_a_lease() {
    let mut waiters = Waiters::default();
    ask(&mut waiters, Want::Id, DEVICE);
    assert_eq!(waiters.on(Event::Gathered, DEVICE), vec![Effect::Claim]);
    let found = Supply { at_hand: 1, ..DEVICE };
    assert_eq!(waiters.on(Event::Claimed, found), vec![Effect::End, Effect::Serve(1), Effect::Settle]);
}

#[test]
fn among_siblings_the_pool_is_claimed_again_when_it_is_the_stores_turn() {
    let crowded = Supply { crowded: true, ..DEVICE };
    let mut waiters = Waiters::default();
    ask(&mut waiters, Want::Id, crowded);
    waiters.on(Event::Gathered, crowded);
    waiters.on(Event::Claimed, crowded);
    assert_eq!(waiters.on(Event::Turned, crowded), vec![Effect::Claim]);
    let mut leased_by_another = waiters.clone();
    let found = Supply { at_hand: 1, ..crowded };
    assert_eq!(leased_by_another.on(Event::Claimed, found), vec![Effect::End, Effect::Serve(1), Effect::Settle]);
    assert_eq!(waiters.on(Event::Claimed, crowded), vec![Effect::Lease { count: 1, exact: false }]);
}

#[test]
fn after_an_outage_callers_with_time_left_go_on_waiting_and_others_are_rejected() {
    let mut waiters = leasing(MEMORY);
    let mut effects = Vec::new();
    waiters.ask(Want::Id, 5_000, MEMORY, &mut effects);
    assert_eq!(effects, vec![]);
    let late = Supply { now: 960, ..MEMORY };
    let effects = waiters.on(Event::Failed { outage: true }, late);
    assert_eq!(effects, vec![Effect::Expire(1), Effect::End, Effect::Gather]);
}

#[test]
fn an_error_that_is_not_an_outage_rejects_all_callers() {
    let mut waiters = leasing(MEMORY);
    ask(&mut waiters, Want::Numbers(10), MEMORY);
    let effects = waiters.on(Event::Failed { outage: false }, MEMORY);
    assert_eq!(effects, vec![Effect::Refuse(1), Effect::Refuse(2), Effect::End]);
    assert_eq!(waiters.on(Event::Leased, MEMORY), vec![], "the flight has ended");
}

#[test]
fn a_caller_is_rejected_at_its_deadline_and_its_request_is_not_retried() {
    let mut waiters = leasing(MEMORY);
    assert!(waiters.are_unserved(MEMORY));
    assert_eq!(waiters.on(Event::Expired(1), MEMORY), vec![Effect::Expire(1)]);
    assert_eq!(waiters.on(Event::Expired(1), MEMORY), vec![]);
    assert!(!waiters.are_unserved(MEMORY));
    assert_eq!(waiters.on(Event::Leased, MEMORY), vec![Effect::End]);
}

#[test]
fn a_reserve_counts_parked_numbers_and_leases_the_missing_ones() {
    let mut waiters = Waiters::default();
    let some = Supply { parked: Some(30), ..DEVICE };
    assert_eq!(ask(&mut waiters, Want::Numbers(100), some), vec![Effect::Gather]);
    assert_eq!(waiters.reserved(), 100);
    assert_eq!(waiters.on(Event::Gathered, some), vec![Effect::Park]);
    assert_eq!(waiters.on(Event::Parked, some), vec![Effect::Turn]);
    assert_eq!(waiters.on(Event::Turned, some), vec![Effect::Lease { count: 70, exact: true }]);
    let enough = Supply { parked: Some(100), ..DEVICE };
    assert_eq!(waiters.on(Event::Leased, enough), vec![Effect::End, Effect::Serve(1)]);
    assert_eq!(waiters.reserved(), 0);
}

#[test]
fn a_dry_counter_fetches_numbers_although_no_caller_waits() {
    let mut waiters = Waiters::default();
    assert_eq!(waiters.on(Event::Dry, Supply { at_hand: 1, ..DEVICE }), vec![]);
    assert_eq!(waiters.on(Event::Dry, DEVICE), vec![Effect::Gather]);
    assert_eq!(waiters.on(Event::Gathered, DEVICE), vec![Effect::Claim]);
    assert_eq!(waiters.on(Event::Claimed, DEVICE), vec![Effect::Turn]);
    assert_eq!(waiters.on(Event::Turned, DEVICE), vec![Effect::Lease { count: 1, exact: false }]);
    assert_eq!(waiters.on(Event::Leased, DEVICE), vec![Effect::End], "once");
}

#[test]
fn a_caller_of_ready_gets_parked_numbers_or_none() {
    for (found, parked) in [(8, 192), (0, 0)] {
        let mut waiters = Waiters::default();
        ask(&mut waiters, Want::Ready, DEVICE);
        assert_eq!(waiters.waiting(), 0, "no number is issued for it");
        assert_eq!(waiters.on(Event::Gathered, DEVICE), vec![Effect::Claim]);
        let supply = Supply { at_hand: found, parked: Some(parked), ..DEVICE };
        let mut effects = waiters.on(Event::Claimed, supply);
        effects.sort_by_key(|effect| *effect == Effect::End);
        assert_eq!(effects, vec![Effect::Serve(1), Effect::End]);
    }
    assert_eq!(ask(&mut Waiters::default(), Want::Ready, MEMORY), vec![Effect::Serve(1)], "without a device");
}

#[test]
fn a_caller_that_found_the_counter_empty_and_asks_again_counts_once() {
    let mut waiters = Waiters::default();
    for callers in 1..4 {
        waiters.on(Event::Dry, DEVICE);
        waiters.missed();
        ask(&mut waiters, Want::Id, DEVICE);
        assert_eq!((waiters.waiting(), waiters.missing()), (callers, 0));
    }
    waiters.missed();
    assert_eq!((waiters.waiting(), waiters.missing()), (3, 1), "this one has not asked again yet");
}

#[test]
fn numbers_ahead_of_need_are_claimed_but_not_leased() {
    let parked = Supply { parked: Some(8), ..DEVICE };
    for (supply, found, end) in [(parked, 1, Effect::End), (parked, 0, Effect::End)] {
        let mut waiters = Waiters::default();
        assert_eq!(waiters.on(Event::Spare, supply), vec![Effect::Gather]);
        assert_eq!(waiters.on(Event::Gathered, supply), vec![Effect::Claim]);
        assert_eq!(waiters.on(Event::Claimed, Supply { at_hand: found, ..supply }), vec![end]);
        assert_eq!(waiters, Waiters::default());
    }
    assert_eq!(Waiters::default().on(Event::Spare, DEVICE), vec![], "nothing is parked");
    assert_eq!(Waiters::default().on(Event::Spare, MEMORY), vec![], "there is no pool");
}

#[test]
fn while_another_lease_is_in_flight_its_end_is_awaited() {
    let mut waiters = leasing(MEMORY);
    assert_eq!(waiters.on(Event::Busy, MEMORY), vec![Effect::Share]);
    assert_eq!(waiters.on(Event::Shared, MEMORY), vec![Effect::End, Effect::Gather]);
}

#[test]
fn a_lease_ahead_of_need_is_the_flight_of_callers_that_arrive_meanwhile() {
    let mut waiters = Waiters::default();
    assert!(waiters.begin_ahead());
    assert!(!waiters.begin_ahead(), "one at a time");
    assert_eq!(ask(&mut waiters, Want::Id, MEMORY), vec![]);
    let effects = waiters.on(Event::Leased, Supply { at_hand: 2, ..MEMORY });
    assert_eq!(effects, vec![Effect::End, Effect::Serve(1), Effect::Settle]);
}

#[test]
fn after_the_store_has_ended_events_have_no_effect() {
    let mut waiters = leasing(MEMORY);
    assert_eq!(waiters.on(Event::Closed, MEMORY), vec![]);
    assert!(!waiters.is_busy() && !waiters.are_unserved(MEMORY));
    assert_eq!(waiters.on(Event::Leased, MEMORY), vec![]);
}

#[test]
fn callers_get_parked_numbers_while_a_reservation_waits_for_its_lease() {
    let parked = Supply { parked: Some(99), ..DEVICE };
    let found = Supply { at_hand: 1, parked: Some(98), ..DEVICE };
    let mut waiters = Waiters::default();
    ask(&mut waiters, Want::Numbers(100), parked);
    assert_eq!(waiters.on(Event::Gathered, parked), vec![Effect::Park]);
    assert_eq!(waiters.on(Event::Parked, parked), vec![Effect::Turn]);
    assert_eq!(waiters.on(Event::Turned, parked), vec![Effect::Lease { count: 1, exact: true }]);
    assert_eq!(ask(&mut waiters, Want::Id, parked), vec![Effect::Claim]);
    assert_eq!(ask(&mut waiters, Want::Id, parked), vec![Effect::Claim]);
    // The second claim had nothing to do, because one is under way.
    assert_eq!(waiters.on(Event::Claimed, parked), vec![]);
    assert_eq!(waiters.on(Event::Claimed, found), vec![Effect::Serve(2), Effect::Settle]);
    waiters.on(Event::Served(2), parked);
    assert_eq!(waiters.on(Event::Settled, parked), vec![Effect::Claim], "for the other caller");
    assert_eq!(waiters.on(Event::Claimed, found), vec![Effect::Serve(3), Effect::Settle]);
    waiters.on(Event::Served(3), parked);
    assert_eq!(waiters.on(Event::Settled, parked), vec![]);
    assert!(waiters.are_unserved(parked), "the reservation goes on");
}

#[test]
fn a_caller_that_comes_while_a_reservation_counts_claims_although_the_count_is_unknown() {
    let unknown = Supply { parked: None, ..DEVICE };
    let mut waiters = Waiters::default();
    ask(&mut waiters, Want::Numbers(100), unknown);
    waiters.on(Event::Gathered, unknown);
    assert_eq!(ask(&mut waiters, Want::Id, unknown), vec![Effect::Claim]);
}

#[test]
fn without_parked_numbers_nothing_is_claimed_beside_a_lease() {
    for supply in [DEVICE, MEMORY] {
        let mut waiters = leasing(supply);
        assert_eq!(ask(&mut waiters, Want::Id, supply), vec![]);
        assert_eq!(waiters.on(Event::Claimed, supply), vec![]);
    }
}
