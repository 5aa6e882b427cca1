//! Random events: whatever the shell reports, the state stays consistent.

use super::*;
use crate::protocol::{deed, queued};

/// Numbers that look random and repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    /// An event whose numbers are small, so that many match the state.
    fn event(&mut self, queue: &Queue) -> Vec<u32> {
        let change = queue.changes().get(self.below(4) as usize).map_or(1, |change| change.number);
        let number = queue.number - self.below(2).min(queue.number);
        let document = 1 + self.below(4);
        match self.below(28) {
            0..=5 => {
                let bits = self.below(3) | self.below(6) << 2 | self.below(2) << 5;
                vec![queued::ADD, 10, document, bits]
            }
            6..=11 => vec![queued::DRAIN, 1, self.below(2), self.below(1_000), 3, 50],
            12..=18 => vec![queued::OUTCOME, number, self.below(7), document, self.below(6) / 5 + 1],
            19 => {
                let known = queue.ids().nth(self.below(3) as usize).unwrap_or(0);
                let mut event = vec![queued::RECEIPT, number, self.below(2), 1];
                if self.below(4) > 0 {
                    event.extend([number, known, self.below(2)]);
                }
                event
            }
            20..=24 => {
                let version = queue.change(change).map_or(0, |change| change.version);
                vec![queued::REMAKE, change, version, document, self.below(7), 5 + self.below(3)]
            }
            25 | 26 => vec![queued::RESUME],
            _ => match [queued::RETRY, queued::DISCARD, queued::NODE_GONE, queued::INCARNATION, queued::CLEAR]
                [self.below(5) as usize]
            {
                queued::CLEAR => vec![queued::CLEAR],
                queued::NODE_GONE => vec![queued::NODE_GONE, number],
                code => vec![code, change],
            },
        }
    }
}

/// What holds in every state.
fn check(queue: &Queue) {
    let sealed = queue.changes().iter().filter(|change| change.state == State::Sealed).map(|change| change.number);
    let members = queue.flight().map(|flight| flight.members.clone()).unwrap_or_default();
    assert_eq!(sealed.collect::<Vec<_>>(), members, "members are sealed");
    for change in queue.changes() {
        assert!(!change.parts.is_empty() && change.number <= queue.added);
        for part in &change.parts {
            let mut earlier = queue.changes().iter().take_while(|other| other.number < change.number);
            let is_later = earlier.any(|other| other.part(part.document).is_some());
            assert_eq!(part.expects == Expects::Previous, is_later && part.expects != Expects::Any, "{change:?}");
        }
    }
}

#[test]
fn random_events_keep_the_state_consistent_and_report_each_end_once() {
    let mut ends = [0; 2];
    for seed in 0..60 {
        let mut random = Random(seed);
        let mut queue = Queue::new(1);
        let mut open = Vec::new();
        for _ in 0..300 {
            let event = random.event(&queue);
            let before = queue.clone();
            let reply = queue.dispatch(&event);
            if reply[0] == 0 {
                assert_eq!((&queue, reply.len()), (&before, 1), "{event:?}");
            }
            for effect in reply[1..].chunks(5) {
                match *effect {
                    [deed::ADDED, change, ..] => open.push(change),
                    [end @ (deed::SAVED | deed::DISCARDED), change, ..] => {
                        assert!(open.contains(&change), "{change} ends twice");
                        open.retain(|other| *other != change);
                        ends[usize::from(end == deed::SAVED)] += 1;
                    }
                    [deed::SEND, number, id, node, fence] => {
                        let flight = queue.flight().unwrap();
                        let batch = flight.fence.unwrap_or(flight.batch);
                        assert_eq!((number, id, node), (batch.number, batch.id, flight.node));
                        assert_eq!(fence > 0, flight.refusal.is_some());
                    }
                    _ => {}
                }
            }
            assert_eq!(open, queue.changes().iter().map(|change| change.number).collect::<Vec<_>>(), "{event:?}");
            check(&queue);
            let records: Vec<Vec<u32>> = queue.changes().iter().map(Change::record).collect();
            let restored = Queue::restore(1, &queue.record(), records.iter().map(Vec::as_slice));
            assert_eq!(Queue { attempts: queue.attempts, ..restored.queue }, queue);
        }
    }
    assert!(ends.iter().all(|ends| *ends > 100), "the events reach too little: {ends:?}");
}

#[test]
fn random_numbers_are_an_event_or_refused() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let length = random.below(12);
        let limit = [4, 70, u32::MAX][random.below(3) as usize];
        let numbers: Vec<u32> = (0..length).map(|_| random.below(limit)).collect();
        let mut queue = Queue::restore(1, &numbers, [&numbers[..], &[1, 1, 0, 9, 1, 0, 4, 0]]).queue;
        queue.dispatch(&numbers);
        queue.dispatch(&[queued::DRAIN, 1, 0, 1, 9, 9]);
    }
}
