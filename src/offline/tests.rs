//! The rules of the queue, one by one. `tests/offline-law` checks them together, in every order of events.

use super::*;
use alloc::vec;

const LIMITS: (u32, u32) = (10, 1_000);

/// A queue with a new receipt, and its events in short form.
struct Device {
    queue: Queue,
    id: u32,
}

fn device() -> Device {
    let mut device = Device { queue: Queue::new(1), id: 0 };
    device.add(&[put(99)]);
    device.drain();
    device.on(Event::Receipt { number: 0, node: 0, found: None, incarnation: 1 });
    device.save();
    device
}

fn part(document: u32, action: Action, expects: Expects) -> Part {
    Part { document, action, expects, continues: false }
}

fn put(document: u32) -> Part {
    part(document, Action::Put, Expects::Known)
}

fn next(document: u32) -> Part {
    Part { continues: true, ..put(document) }
}

fn patch(document: u32) -> Part {
    part(document, Action::Patch, Expects::Any)
}

impl Device {
    fn on(&mut self, event: Event<'_>) -> Vec<Effect> {
        let reply = self.queue.on(event);
        assert!(reply.accepted, "{event:?}");
        // What is not durable does not count: the queue goes on with what the device has stored.
        let changes: Vec<Vec<u32>> = self.queue.changes().iter().map(Change::record).collect();
        let restored = Queue::restore(9, &self.queue.record(), changes.iter().map(Vec::as_slice));
        assert_eq!(restored.damage, Damage::default());
        let attempts = self.queue.attempts;
        self.queue = Queue { attempts, ..restored.queue };
        reply.effects
    }

    fn add(&mut self, parts: &[Part]) -> u32 {
        match self.on(Event::Add { bytes: 100, parts })[..] {
            [Effect::Added(number), Effect::Store(stored)] if number == stored => number,
            ref other => panic!("{other:?}"),
        }
    }

    fn drain(&mut self) -> Vec<Effect> {
        self.id += 1;
        self.on(Event::Drain { user: 1, node: 0, id: self.id, changes: LIMITS.0, bytes: LIMITS.1 })
    }

    /// The batch that is sent now: its number, whether it is a fence, and its members.
    fn sent(&mut self) -> (u32, bool, Vec<u32>) {
        let effects = self.drain();
        let sent = effects.iter().find_map(|effect| match effect {
            Effect::Send { number, fence, .. } => Some((*number, *fence)),
            _ => None,
        });
        let (number, fence) = sent.unwrap_or_else(|| panic!("nothing is sent: {effects:?}"));
        (number, fence, if fence { vec![] } else { self.queue.flight().unwrap().members.clone() })
    }

    fn answer(&mut self, answer: Answer) -> Vec<Effect> {
        let flight = self.queue.flight().unwrap();
        let number = flight.fence.unwrap_or(flight.batch).number;
        self.on(Event::Answered { number, answer, incarnation: 1 })
    }

    /// Sends a batch, and it is saved.
    fn save(&mut self) -> Vec<Effect> {
        self.sent();
        self.answer(Answer::Applied)
    }

    /// The receipt that was read names a batch.
    fn receipt(&mut self, last: u32, id: u32) -> Vec<Effect> {
        let flight = self.queue.flight().unwrap();
        let (number, node) = (flight.fence.unwrap_or(flight.batch).number, flight.node);
        let found = Some(Found { stamp: Stamp { last, id }, current: false });
        self.on(Event::Receipt { number, node, found, incarnation: 1 })
    }

    fn state(&self, change: u32) -> State {
        self.queue.change(change).unwrap().state
    }

    fn expects(&self, change: u32) -> Expects {
        self.queue.change(change).unwrap().parts[0].expects
    }
}

#[test]
fn a_batch_whose_response_is_lost_is_sent_again_under_its_number_to_its_node() {
    let mut device = device();
    let change = device.add(&[put(1)]);
    let (number, fence, members) = device.sent();
    assert_eq!((fence, members), (false, vec![change]));
    assert_eq!(device.answer(Answer::Again), [Effect::Wait(1)]);
    assert_eq!(device.answer(Answer::Again), [Effect::Wait(2)]);
    let id = device.id;
    let again = device.on(Event::Drain { user: 1, node: 5, id: id + 1, changes: 1, bytes: 1 });
    assert_eq!(again, [Effect::Send { number, id, node: 0, fence: false }]);
}

#[test]
fn a_conflict_about_the_receipt_is_settled_by_reading_it() {
    let mut device = device();
    let change = device.add(&[put(1)]);
    let (number, ..) = device.sent();
    assert_eq!(device.answer(Answer::ReceiptConflict), [Effect::ReadReceipt { number, node: 0 }]);
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
    device.answer(Answer::ReceiptConflict);
    let effects = device.receipt(number, 0);
    assert!(effects.contains(&Effect::NewReceipt) && effects.contains(&Effect::Regression(Regression::Cloned)));
    let states = [guarded, open, later].map(|change| device.state(change));
    assert_eq!(states, [State::Queued, State::Unsure, State::Unsure], "a change vector cannot match twice");
    let (second, _, members) = device.sent();
    assert!(second > number);
    assert_eq!(members, [guarded]);
}

#[test]
fn after_a_refusal_a_fence_is_saved_before_members_are_sent_apart() {
    let mut device = device();
    let changes = [device.add(&[put(1)]), device.add(&[put(2)])];
    let (number, ..) = device.sent();
    device.answer(Answer::Refused);
    let (fence, is_fence, _) = device.sent();
    assert!(is_fence && fence > number);
    assert_eq!(device.sent().0, fence, "the same fence");
    device.answer(Answer::Applied);
    let (third, _, members) = device.sent();
    assert!(third > fence);
    assert_eq!(members, [changes[0]]);
    assert_eq!(device.answer(Answer::Refused), [Effect::KeepError(changes[0])]);
    device.save();
    assert_eq!(device.state(changes[0]), State::Parked);
    assert_eq!(device.sent().2, [changes[1]], "a refused change does not stop others");
}

#[test]
fn a_refused_batch_that_a_late_copy_has_saved_is_found_by_its_fence() {
    let mut device = device();
    let change = device.add(&[put(1)]);
    let (number, ..) = device.sent();
    let id = device.id;
    device.answer(Answer::Refused);
    device.sent();
    device.answer(Answer::ReceiptConflict);
    assert!(device.receipt(number, id).contains(&Effect::Saved { change, results: false }));
    assert_eq!(device.queue.flight(), None);
}

#[test]
fn a_change_vector_is_passed_on_only_if_the_first_change_left_what_the_next_began_with() {
    let mut device = device();
    let (first, second) = (device.add(&[put(1)]), device.add(&[next(1)]));
    assert!(device.save().contains(&Effect::Pass { from: first, to: second, document: 1 }));
    assert_eq!(device.expects(second), Expects::Known);

    let third = device.add(&[put(1)]);
    device.save();
    assert_eq!(device.expects(third), Expects::Stale { conflict: false }, "it began with something else");
    assert_eq!(device.drain(), [Effect::Fetch { change: third, node: 0 }]);
}

#[test]
fn after_a_patch_or_a_receipt_the_next_change_is_made_anew() {
    let mut device = device();
    device.add(&[patch(1)]);
    let after_patch = device.add(&[next(1)]);
    device.save();
    assert_eq!(device.expects(after_patch), Expects::Stale { conflict: false });

    let mut device = self::device();
    device.add(&[put(1)]);
    let after_receipt = device.add(&[next(1)]);
    let (number, ..) = device.sent();
    device.answer(Answer::ReceiptConflict);
    let id = device.id;
    device.receipt(number, id);
    assert_eq!(device.expects(after_receipt), Expects::Stale { conflict: false });
}

#[test]
fn after_a_merge_the_next_change_is_made_anew() {
    let mut device = device();
    let (first, second) = (device.add(&[put(1)]), device.add(&[next(1)]));
    device.sent();
    device.answer(Answer::Conflict(1));
    device.save();
    assert_eq!(device.expects(first), Expects::Stale { conflict: true });
    assert_eq!(device.drain(), [Effect::Fetch { change: first, node: 0 }]);
    let version = device.queue.change(first).unwrap().version;
    let how = How::Write { absent: false, same: false };
    device.on(Event::Remake { change: first, version, parts: &[Remade { document: 1, how }] });
    assert_eq!(device.sent().2, [first]);
    device.answer(Answer::Applied);
    assert_eq!(device.expects(second), Expects::Stale { conflict: false });
}

#[test]
fn a_new_document_after_a_delete_must_not_exist() {
    let mut device = device();
    device.add(&[part(1, Action::Delete, Expects::Known)]);
    let again = device.add(&[Part { continues: true, ..part(1, Action::Put, Expects::Absent) }]);
    device.save();
    assert_eq!(device.expects(again), Expects::Absent);
}

#[test]
fn a_conflict_stops_its_document_and_no_other() {
    let mut device = device();
    let (first, other) = (device.add(&[put(1)]), device.add(&[put(2)]));
    let second = device.add(&[next(1), put(3)]);
    let third = device.add(&[next(3)]);
    assert_eq!(device.sent().2, [first, other]);
    device.answer(Answer::Conflict(1));
    device.save();
    let version = device.queue.change(first).unwrap().version;
    let ask = [Remade { document: 1, how: How::Ask }];
    let effects = device.on(Event::Remake { change: first, version, parts: &ask });
    assert!(effects.contains(&Effect::Conflict(first)));
    assert_eq!(device.sent().2, [other], "{second} and {third} wait");
    device.answer(Answer::Applied);
    assert_eq!(device.drain(), [Effect::Idle]);
    // The same result again, from another tab.
    assert!(!device.queue.on(Event::Remake { change: first, version, parts: &ask }).accepted);

    let version = device.queue.change(first).unwrap().version;
    let effects = device.on(Event::Remake { change: first, version, parts: &[Remade { document: 1, how: How::Drop }] });
    assert!(effects.contains(&Effect::Saved { change: first, results: false }));
    assert_eq!(device.drain(), [Effect::Fetch { change: second, node: 0 }], "its base is not on the server");
}

#[test]
fn a_new_id_is_used_by_the_later_changes_of_the_document() {
    let mut device = device();
    let first = device.add(&[part(1, Action::Put, Expects::Absent)]);
    let second = device.add(&[patch(1)]);
    device.sent();
    device.answer(Answer::Conflict(1));
    device.save();
    let version = device.queue.change(first).unwrap().version;
    let effects =
        device.on(Event::Remake { change: first, version, parts: &[Remade { document: 1, how: How::Rename(8) }] });
    assert!(effects.contains(&Effect::Rename { change: second, document: 1, to: 8 }));
    assert_eq!(device.expects(first), Expects::Absent);
    assert!(device.queue.pending(1).is_none());
    assert_eq!(device.queue.pending(8).unwrap().number, second);
}

#[test]
fn a_sealed_change_is_given_up_only_when_its_refusal_is_fenced() {
    let mut device = device();
    let (change, second) = (device.add(&[put(1)]), device.add(&[next(1)]));
    device.sent();
    assert_eq!(device.on(Event::Discard(change)), [Effect::Store(change)]);
    device.answer(Answer::Refused);
    assert!(device.save().contains(&Effect::Discarded(change)));
    assert_eq!(device.expects(second), Expects::Stale { conflict: false });
    assert!(device.on(Event::Discard(second)).contains(&Effect::Discarded(second)));
}

#[test]
fn another_incarnation_pauses_until_the_app_accepts_it_and_then_the_receipt_is_read() {
    let mut device = device();
    let change = device.add(&[patch(1)]);
    let (number, ..) = device.sent();
    let effects = device.on(Event::Answered { number, answer: Answer::ReceiptConflict, incarnation: 2 });
    assert_eq!(effects, [Effect::Regression(Regression::Incarnation), Effect::Paused(pause::INCARNATION)]);
    assert_eq!(device.drain(), [Effect::Paused(pause::INCARNATION)]);
    device.on(Event::Resume);
    assert_eq!(device.drain(), [Effect::ReadReceipt { number, node: 0 }]);
    device.on(Event::Receipt { number, node: 0, found: None, incarnation: 2 });
    let (fence, is_fence, _) = device.sent();
    assert!(is_fence && fence > number, "a copy of the old batch may still arrive");
    device.on(Event::Answered { number: fence, answer: Answer::Applied, incarnation: 2 });
    assert_eq!(device.sent().2, [change]);
}

#[test]
fn a_node_that_lags_is_asked_again_and_one_that_has_gone_back_makes_a_new_receipt() {
    let mut device = device();
    let change = device.add(&[part(1, Action::Put, Expects::Absent)]);
    device.id += 1;
    let id = device.id;
    device.on(Event::Drain { user: 1, node: 2, id, changes: 1, bytes: 1 });
    device.answer(Answer::ReceiptConflict);
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
fn a_fence_that_is_refused_pauses_the_queue() {
    let mut device = device();
    device.add(&[put(1)]);
    device.sent();
    device.answer(Answer::TooLarge);
    let (fence, ..) = device.sent();
    assert_eq!(device.answer(Answer::Refused), [Effect::Paused(pause::RECEIPT)]);
    device.on(Event::Resume);
    assert_eq!(device.sent().0, fence);
}

#[test]
fn the_changes_of_another_user_are_not_sent() {
    let mut device = device();
    device.add(&[put(1)]);
    assert!(!device.queue.on(Event::Drain { user: 2, node: 0, id: 9, changes: 1, bytes: 1 }).accepted);
    device.sent();
    assert_eq!(device.answer(Answer::Unauthorized), [Effect::Paused(pause::AUTH)]);
}

#[test]
fn a_batch_has_room_for_what_fits() {
    let mut device = device();
    let changes: Vec<u32> = (1..=12).map(|document| device.add(&[put(document)])).collect();
    assert_eq!(device.sent().2, changes[..10], "1,000 bytes");
    device.answer(Answer::Applied);
    assert_eq!(device.on(Event::Add { bytes: 5_000, parts: &[put(50)] }).len(), 2);
    assert_eq!(device.sent().2, changes[10..]);
    device.answer(Answer::Applied);
    assert_eq!(device.sent().2.len(), 1, "a large change is sent alone");
}

#[test]
fn a_damaged_record_is_set_aside_and_the_others_go_on() {
    let mut device = device();
    let changes = [device.add(&[put(1)]), device.add(&[patch(2)])];
    device.sent();
    let mut records: Vec<Vec<u32>> = device.queue.changes().iter().map(Change::record).collect();
    records.push(vec![1, 7, 0, 0, 9, 0, 1, 0]);
    records.push(vec![]);
    let records = || records.iter().map(Vec::as_slice);
    let restored = Queue::restore(1, &device.queue.record(), records());
    assert_eq!((restored.queue, restored.damage.changes), (device.queue.clone(), vec![2, 3]));

    let restored = Queue::restore(1, &[77], records());
    assert!(restored.damage.queue && restored.effects.contains(&Effect::NewReceipt));
    let states = changes.map(|change| restored.queue.change(change).unwrap().state);
    assert_eq!(states, [State::Queued, State::Unsure]);
}

#[test]
fn numbers_stand_for_events_and_effects() {
    use crate::protocol::{deed, queued};
    let mut queue = Queue::new(1);
    let known = patch(4).bits();
    assert_eq!(queue.dispatch(&[queued::ADD, 10, 4, known]), [1, deed::ADDED, 1, 0, 0, 0, deed::STORE, 1, 0, 0, 0]);
    assert_eq!(queue.dispatch(&[queued::DRAIN, 1, 3, 1, 9, 9]), [1, deed::READ_RECEIPT, 0, 3, 0, 0]);
    assert_eq!(queue.dispatch(&[queued::RECEIPT, 0, 3, 5]), [1]);
    assert_eq!(queue.dispatch(&[queued::DRAIN, 1, 3, 1, 9, 9]), [1, deed::STORE, 1, 0, 0, 0, deed::SEND, 1, 1, 3, 0]);
    for nonsense in
        [&[][..], &[99], &[queued::ADD], &[queued::ADD, 1, 2], &[queued::DRAIN, 1], &[queued::REMAKE, 1, 0, 4]]
    {
        assert_eq!(queue.dispatch(nonsense), [0], "{nonsense:?}");
    }
}
