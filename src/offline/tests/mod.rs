//! The rules of the queue, one by one. `tests/offline-law` checks them together, in every order of events.

mod chains;
mod kept;
mod random;
mod receipts;
mod records;
mod sending;

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

    fn outcome(&mut self, outcome: Outcome) -> Vec<Effect> {
        let flight = self.queue.flight().unwrap();
        let number = flight.fence.unwrap_or(flight.batch).number;
        self.on(Event::Outcome { number, outcome, incarnation: 1 })
    }

    /// Sends a batch, and it is saved.
    fn save(&mut self) -> Vec<Effect> {
        self.sent();
        self.outcome(Outcome::Applied)
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
