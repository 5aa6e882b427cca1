//! What is sent, and when.

use super::*;

#[test]
fn a_batch_whose_response_is_lost_is_sent_again_under_its_number_to_its_node() {
    let mut device = device();
    let change = device.add(&[put(1)]);
    let (number, fence, members) = device.sent();
    assert_eq!((fence, members), (false, vec![change]));
    assert_eq!(device.outcome(Outcome::Again), [Effect::Wait(1)]);
    assert_eq!(device.outcome(Outcome::Again), [Effect::Wait(2)]);
    let id = device.id;
    let again = device.on(Event::Drain { user: 1, node: 5, id: id + 1, changes: 1, bytes: 1 });
    assert_eq!(again, [Effect::Send { number, id, node: 0, fence: false }]);
}

#[test]
fn after_a_refusal_a_fence_is_saved_before_members_are_sent_apart() {
    let mut device = device();
    let changes = [device.add(&[put(1)]), device.add(&[put(2)])];
    let (number, ..) = device.sent();
    device.outcome(Outcome::Refused);
    let (fence, is_fence, _) = device.sent();
    assert!(is_fence && fence > number);
    assert_eq!(device.sent().0, fence, "the same fence");
    device.outcome(Outcome::Applied);
    let (third, _, members) = device.sent();
    assert!(third > fence);
    assert_eq!(members, [changes[0]]);
    assert_eq!(device.outcome(Outcome::Refused), [Effect::KeepError(changes[0])]);
    device.save();
    assert_eq!(device.state(changes[0]), State::Parked);
    assert_eq!(device.sent().2, [changes[1]], "a refused change does not stop others");
}

#[test]
fn a_sealed_change_is_given_up_only_when_its_refusal_is_fenced() {
    let mut device = device();
    let (change, second) = (device.add(&[put(1)]), device.add(&[next(1)]));
    device.sent();
    assert_eq!(device.on(Event::Discard(change)), [Effect::Store(change)]);
    device.outcome(Outcome::Refused);
    assert!(device.save().contains(&Effect::Discarded(change)));
    assert_eq!(device.expects(second), Expects::Stale { conflict: false });
    assert!(device.on(Event::Discard(second)).contains(&Effect::Discarded(second)));
}

#[test]
fn after_clear_nothing_is_left_and_what_was_in_flight_is_reported_as_unknown() {
    let mut device = device();
    let change = device.add(&[put(1)]);
    device.sent();
    let later = device.add(&[put(2)]);
    let effects = device.on(Event::Clear);
    assert!(effects.contains(&Effect::Unsure(change)) && !effects.contains(&Effect::Unsure(later)));
    assert!(effects.contains(&Effect::NewReceipt));
    assert!(device.queue.changes().is_empty() && device.queue.flight().is_none());
    let again = device.add(&[put(1)]);
    assert_eq!(device.sent().2, [again]);
}

#[test]
fn a_fence_that_is_refused_pauses_the_queue() {
    let mut device = device();
    device.add(&[put(1)]);
    device.sent();
    device.outcome(Outcome::TooLarge);
    let (fence, ..) = device.sent();
    assert_eq!(device.outcome(Outcome::Refused), [Effect::Paused(pause::RECEIPT)]);
    device.on(Event::Resume);
    assert_eq!(device.sent().0, fence);
}

#[test]
fn the_changes_of_another_user_are_not_sent() {
    let mut device = device();
    device.add(&[put(1)]);
    assert!(!device.queue.on(Event::Drain { user: 2, node: 0, id: 9, changes: 1, bytes: 1 }).accepted);
    device.sent();
    assert_eq!(device.outcome(Outcome::Unauthorized), [Effect::Paused(pause::AUTH)]);
}

#[test]
fn a_batch_has_room_for_what_fits() {
    let mut device = device();
    let changes: Vec<u32> = (1..=12).map(|document| device.add(&[put(document)])).collect();
    assert_eq!(device.sent().2, changes[..10], "1,000 bytes");
    device.outcome(Outcome::Applied);
    assert_eq!(device.on(Event::Add { bytes: 5_000, parts: &[put(50)] }).len(), 2);
    assert_eq!(device.sent().2, changes[10..]);
    device.outcome(Outcome::Applied);
    assert_eq!(device.sent().2.len(), 1, "a large change is sent alone");
}

#[test]
fn nothing_is_sent_to_a_sharded_database() {
    let mut device = Device { queue: Queue::new(1), id: 0 };
    let (first, second) = (device.add(&[put(1)]), device.add(&[patch(2)]));
    assert_eq!(device.drain(), [Effect::ReadReceipt { number: 0, node: 0 }]);
    let parked = |change| [Effect::KeepError(change), Effect::Parked(change), Effect::Store(change)];
    assert_eq!(device.on(Event::Sharded), [parked(first), parked(second)].concat());
    assert_eq!(device.drain(), [Effect::Idle]);
    device.on(Event::Retry(second));
    assert_eq!(device.drain(), [Effect::ReadReceipt { number: 0, node: 0 }], "the database may be another one now");
    device.on(Event::Receipt { number: 0, node: 0, found: None, incarnation: 1 });
    assert_eq!(device.sent().2, [second]);
}

#[test]
fn a_database_whose_receipt_is_known_is_not_sharded() {
    let mut device = device();
    device.add(&[put(1)]);
    assert!(!device.queue.on(Event::Sharded).accepted);
}

#[test]
fn a_read_of_a_user_who_is_not_signed_in_pauses_the_queue() {
    let mut device = device();
    device.add(&[put(1)]);
    assert_eq!(device.on(Event::NotSignedIn), [Effect::Paused(pause::AUTH)]);
    assert_eq!(device.drain(), [Effect::Paused(pause::AUTH)]);
    device.on(Event::Resume);
    device.sent();
}

#[test]
fn a_page_that_opens_tries_again_what_waits_for_a_sign_in_and_nothing_that_the_app_has_paused() {
    let mut device = device();
    device.add(&[put(1)]);
    assert!(!device.queue.on(Event::SignedIn).accepted);
    device.on(Event::NotSignedIn);
    device.on(Event::Pause);
    device.on(Event::SignedIn);
    assert_eq!(device.drain(), [Effect::Paused(pause::APP)]);
    device.on(Event::Resume);
    device.sent();
}
