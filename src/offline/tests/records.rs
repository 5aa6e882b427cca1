//! Records and numbers of the shell.

use super::*;

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
fn a_new_queue_reads_its_receipt_before_it_sends() {
    let Restored { queue, effects, .. } = Queue::restore(1, &[], None);
    assert!(effects.contains(&Effect::NewReceipt));
    let mut device = Device { queue, id: 0 };
    device.add(&[put(1)]);
    assert_eq!(device.drain(), [Effect::ReadReceipt { number: 0, node: 0 }]);
}

#[test]
fn the_shell_finds_batch_fence_and_state_in_their_places() {
    use crate::protocol::place;
    let mut device = device();
    device.add(&[put(1)]);
    device.sent();
    let fence = Batch { number: 77, id: 78 };
    device.queue.flight.as_mut().unwrap().fence = Some(fence);
    let record = device.queue.record();
    let batch = device.queue.flight.as_ref().unwrap().batch.number;
    assert_eq!((record[place::BATCH], record[place::FENCE]), (batch, fence.number));
    let mut change = device.queue.changes()[0].clone();
    change.state = State::Parked;
    assert_eq!(change.record()[place::STATE], State::Parked.number());
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
