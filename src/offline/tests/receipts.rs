//! What receipts prove.

use super::*;

#[test]
fn a_conflict_about_the_receipt_is_settled_by_reading_it() {
    let mut device = device();
    let change = device.add(&[put(1)]);
    let (number, ..) = device.sent();
    assert_eq!(device.outcome(Outcome::ReceiptConflict), [Effect::ReadReceipt { number, node: 0 }]);
    let id = device.id;
    let effects = device.receipt(number, id);
    assert_eq!(effects, [Effect::KeepVector, Effect::Remove(change), Effect::Saved { change, results: false }]);
}

#[test]
fn another_batch_under_the_same_number_means_a_cloned_device() {
    let mut device = device();
    let (guarded, open) = (device.add(&[put(1)]), device.add(&[patch(2)]));
    let (number, ..) = device.sent();
    let later = device.add(&[patch(3)]);
    device.outcome(Outcome::ReceiptConflict);
    let effects = device.receipt(number, 0);
    assert!(effects.contains(&Effect::NewReceipt) && effects.contains(&Effect::Regression(Regression::Cloned)));
    let states = [guarded, open, later].map(|change| device.state(change));
    assert_eq!(states, [State::Queued, State::Unsure, State::Unsure], "a change vector cannot match twice");
    let (second, _, members) = device.sent();
    assert!(second > number);
    assert_eq!(members, [guarded]);
}

#[test]
fn a_refused_batch_that_a_late_copy_has_saved_is_found_by_its_fence() {
    let mut device = device();
    let change = device.add(&[put(1)]);
    let (number, ..) = device.sent();
    let id = device.id;
    device.outcome(Outcome::Refused);
    device.sent();
    device.outcome(Outcome::ReceiptConflict);
    assert!(device.receipt(number, id).contains(&Effect::Saved { change, results: false }));
    assert_eq!(device.queue.flight(), None);
}

#[test]
fn another_incarnation_pauses_until_the_app_accepts_it_and_then_the_receipt_is_read() {
    let mut device = device();
    let change = device.add(&[patch(1)]);
    let (number, ..) = device.sent();
    let effects = device.on(Event::Outcome { number, outcome: Outcome::ReceiptConflict, incarnation: 2 });
    assert_eq!(effects, [Effect::Regression(Regression::Incarnation), Effect::Paused(pause::INCARNATION)]);
    assert_eq!(device.drain(), [Effect::Paused(pause::INCARNATION)]);
    device.on(Event::Resume);
    assert_eq!(device.drain(), [Effect::ReadReceipt { number, node: 0 }]);
    device.on(Event::Receipt { number, node: 0, found: None, incarnation: 2 });
    let (fence, is_fence, _) = device.sent();
    assert!(is_fence && fence > number, "a copy of the old batch may still arrive");
    device.on(Event::Outcome { number: fence, outcome: Outcome::Applied, incarnation: 2 });
    assert_eq!(device.sent().2, [change]);
}

#[test]
fn a_node_that_lags_is_asked_again_and_one_that_has_gone_back_makes_a_new_receipt() {
    let mut device = device();
    let change = device.add(&[part(1, Action::Put, Expects::Absent)]);
    device.id += 1;
    let id = device.id;
    device.on(Event::Drain { user: 1, node: 2, id, changes: 1, bytes: 1 });
    device.outcome(Outcome::ReceiptConflict);
    let number = device.queue.flight().unwrap().batch.number;
    let absent = Event::Receipt { number, node: 2, found: None, incarnation: 1 };
    for attempt in 1..=12 {
        assert_eq!(device.on(absent), [Effect::Wait(attempt)]);
    }
    assert!(device.on(absent).contains(&Effect::Regression(Regression::ReceiptLost)));
    assert_eq!(device.state(change), State::Unsure, "a document may be absent again");
    device.on(Event::Retry(change));
    assert_eq!(device.sent().2, [change]);
}

#[test]
fn after_a_restore_a_change_that_was_refused_before_has_an_unknown_outcome() {
    let mut device = device();
    let (guarded, open) = (device.add(&[put(1)]), device.add(&[patch(2)]));
    device.sent();
    device.outcome(Outcome::Refused);
    device.save();
    device.on(Event::Incarnation(2));
    assert!(!device.queue.on(Event::Incarnation(2)).accepted, "reported once");
    device.on(Event::Resume);
    let fresh = device.add(&[patch(3)]);
    device.drain();
    let found = Some(Found { stamp: Stamp { last: 1, id: 1 }, current: false });
    let effects = device.on(Event::Receipt { number: 0, node: 0, found, incarnation: 2 });
    assert!(effects.contains(&Effect::Unsure(open)) && effects.contains(&Effect::KeepVector));
    assert_eq!(
        [guarded, open, fresh].map(|change| device.state(change)),
        [State::Queued, State::Unsure, State::Queued]
    );
}

#[test]
fn if_the_node_of_a_batch_is_gone_what_could_be_carried_out_twice_has_an_unknown_outcome() {
    let mut device = device();
    let (guarded, open) = (device.add(&[put(1)]), device.add(&[patch(2)]));
    let (number, ..) = device.sent();
    assert!(!device.queue.on(Event::NodeGone { number: number + 1 }).accepted);
    let effects = device.on(Event::NodeGone { number });
    assert!(effects.contains(&Effect::NewReceipt) && effects.contains(&Effect::Unsure(open)));
    assert_eq!(device.sent().2, [guarded]);
}
