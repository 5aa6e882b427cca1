//! What the next change of a document expects; conflicts.

use super::*;

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
    device.outcome(Outcome::ReceiptConflict);
    let id = device.id;
    device.receipt(number, id);
    assert_eq!(device.expects(after_receipt), Expects::Stale { conflict: false });
}

#[test]
fn after_a_merge_the_next_change_is_made_anew() {
    let mut device = device();
    let (first, second) = (device.add(&[put(1)]), device.add(&[next(1)]));
    device.sent();
    device.outcome(Outcome::Conflict(1));
    device.save();
    assert_eq!(device.expects(first), Expects::Stale { conflict: true });
    assert_eq!(device.drain(), [Effect::Fetch { change: first, node: 0 }]);
    let version = device.queue.change(first).unwrap().version;
    let how = How::Write { absent: false, same: false };
    device.on(Event::Remake { change: first, version, parts: &[Remade { document: 1, how }] });
    assert_eq!(device.sent().2, [first]);
    device.outcome(Outcome::Applied);
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
    device.outcome(Outcome::Conflict(1));
    device.save();
    let version = device.queue.change(first).unwrap().version;
    let ask = [Remade { document: 1, how: How::Ask }];
    let effects = device.on(Event::Remake { change: first, version, parts: &ask });
    assert!(effects.contains(&Effect::Conflict(first)));
    assert_eq!(device.sent().2, [other], "{second} and {third} wait");
    device.outcome(Outcome::Applied);
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
    device.outcome(Outcome::Conflict(1));
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
fn parts_are_made_anew_all_together_or_not_at_all() {
    let mut device = device();
    let change = device.add(&[part(1, Action::Put, Expects::Absent), part(2, Action::Put, Expects::Absent), put(3)]);
    let other = device.add(&[patch(7)]);
    device.on(Event::Discard(other));
    device.sent();
    device.outcome(Outcome::Conflict(0));
    device.save();
    let version = device.queue.change(change).unwrap().version;
    device.add(&[patch(8)]);
    let rename = |document, to| Remade { document, how: How::Rename(to) };
    let drop = Remade { document: 3, how: How::Drop };
    for parts in [[rename(1, 9), rename(2, 9)], [rename(1, 8), drop], [rename(1, 9), Remade { document: 4, ..drop }]] {
        assert!(!device.queue.on(Event::Remake { change, version, parts: &parts }).accepted, "{parts:?}");
    }
    device.on(Event::Remake { change, version, parts: &[rename(1, 9), rename(2, 10), drop] });
    let left = device.queue.change(change).unwrap();
    assert_eq!(left.parts.iter().map(|part| part.document).collect::<Vec<_>>(), [9, 10]);
}
