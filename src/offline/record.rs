//! The queue as records of numbers, which the shell stores: one of the queue itself, and one of each change. The shell reads the places
//! that are listed in `crate::protocol::place`.

use alloc::vec::Vec;

use super::change::{Change, Part, State};
use super::flight::{Batch, Flight, Refusal};
use super::receipt::{Receipt, Stamp};
use super::{Effect, Queue, Regression};

/// The first number of each record: its format.
const FORMAT: u32 = 1;

/// What could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// The record of the queue. Its batches are unknown: the shell makes a new receipt id.
    pub queue: bool,
    /// Positions of the records of changes.
    pub changes: Vec<usize>,
}

/// A queue that was read from the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The queue without the damaged changes.
    pub queue: Queue,
    /// What could not be read.
    pub damage: Damage,
    /// What to do because the record of the queue is damaged.
    pub effects: Vec<Effect>,
}

/// Takes numbers from a record; `None` after its end.
struct Numbers<'a>(&'a [u32]);

impl Numbers<'_> {
    fn next(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A record whose number is 0 is absent.
    fn batch(&mut self) -> Option<Option<Batch>> {
        let (number, id) = (self.next()?, self.next()?);
        Some((number > 0).then_some(Batch { number, id }))
    }
}

impl Queue {
    /// The record of the queue.
    pub fn record(&self) -> Vec<u32> {
        let Queue { user, incarnation, other, node, number, added, .. } = *self;
        let receipt = self.receipt.number();
        let Stamp { last, id } = self.saved;
        let paused = u32::from(self.paused);
        let mut record = Vec::from([FORMAT, user, incarnation, other, paused, receipt, last, id, node, number, added]);
        if let Some(flight) = &self.flight {
            let (refusal, document) = match flight.refusal {
                None => (0, 0),
                Some(Refusal::Other) => (1, 0),
                Some(Refusal::Superseded) => (2, 0),
                Some(Refusal::Conflict(document)) => (3, document),
            };
            let fence = flight.fence.unwrap_or(Batch { number: 0, id: 0 });
            let Batch { number, id } = flight.batch;
            record.extend([number, id, flight.node, refusal, document, fence.number, fence.id]);
            record.extend(&flight.members);
        }
        record
    }

    fn read_record(record: &[u32]) -> Option<Queue> {
        let mut from = Numbers(record);
        let mut next = || from.next();
        if next()? != FORMAT {
            return None;
        }
        let mut queue = Queue::new(next()?);
        (queue.incarnation, queue.other) = (next()?, next()?);
        queue.paused = u8::try_from(next()?).ok()?;
        queue.receipt = Receipt::from_number(next()?)?;
        queue.saved = Stamp { last: next()?, id: next()? };
        (queue.node, queue.number, queue.added) = (next()?, next()?, next()?);
        if from.0.is_empty() {
            return Some(queue);
        }
        let batch = from.batch()??;
        let node = from.next()?;
        let refusal = match (from.next()?, from.next()?) {
            (0, _) => None,
            (1, _) => Some(Refusal::Other),
            (2, _) => Some(Refusal::Superseded),
            (3, document) => Some(Refusal::Conflict(document)),
            _ => return None,
        };
        let fence = from.batch()?;
        queue.flight = Some(Flight { batch, node, members: from.0.to_vec(), refusal, fence });
        Some(queue)
    }

    /// Reads a queue. `user`: its user, in case that its record is damaged. The records of changes are in any order.
    pub fn restore<'a>(user: u32, record: &[u32], changes: impl IntoIterator<Item = &'a [u32]>) -> Restored {
        let mut damage = Damage::default();
        let mut effects = Vec::new();
        let mut queue = Queue::read_record(record).unwrap_or_else(|| {
            damage.queue = true;
            Queue::new(user)
        });
        for (at, record) in changes.into_iter().enumerate() {
            match Change::read_record(record) {
                Some(change) => queue.changes.push(change),
                None => damage.changes.push(at),
            }
        }
        queue.changes.sort_unstable_by_key(|change| change.number);
        queue.changes.dedup_by_key(|change| change.number);
        queue.added = queue.changes.last().map_or(0, |change| change.number).max(queue.added);
        if damage.queue {
            queue.renounce(Regression::ReceiptLost, false, &mut effects);
            // A device that has stored nothing yet does not know whether the database is sharded.
            if queue.changes.is_empty() {
                queue.receipt = Receipt::Unread;
            }
        }
        Restored { queue, damage, effects }
    }
}

impl Change {
    /// The record of the change.
    pub fn record(&self) -> Vec<u32> {
        let state = self.state.number();
        let flags = u32::from(self.alone) | u32::from(self.discarded) << 1 | u32::from(self.sent) << 2;
        let mut record = Vec::from([FORMAT, self.number, self.version, self.bytes, state, flags]);
        for part in &self.parts {
            record.extend([part.document, part.bits()]);
        }
        record
    }

    fn read_record(record: &[u32]) -> Option<Change> {
        let [FORMAT, number, version, bytes, state, flags, rest @ ..] = record else { return None };
        let state = State::from_number(*state)?;
        let (pairs, []) = rest.as_chunks() else { return None };
        let parts: Option<Vec<Part>> = pairs.iter().map(|[document, bits]| Part::from_bits(*document, *bits)).collect();
        let parts = parts.filter(|parts| !parts.is_empty() && *flags < 8 && *number > 0)?;
        let [alone, discarded, sent] = [1, 2, 4].map(|flag| flags & flag > 0);
        Some(Change { number: *number, version: *version, bytes: *bytes, state, alone, sent, discarded, parts })
    }
}
