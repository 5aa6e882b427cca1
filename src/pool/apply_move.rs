//! Applies a move to a record. A pure function, so that it can run inside a storage transaction and under a model checker.

use alloc::vec::Vec;

use super::{Parked, Record};
use crate::hilo::Range;

/// A move between the pool and this client's memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The database's incarnation that this client knew when it requested the move; 0: it had not reached the server yet.
    pub incarnation: u32,
    /// The highest number that this client has issued, per node tag.
    pub issued: Vec<(u32, u64)>,
    /// Numbers that were handed out for issuing and are returned unused.
    pub unused: Vec<Parked>,
    /// How many numbers this client has issued since its last move.
    pub used: u64,
    /// The kind of move.
    pub kind: MoveKind,
}

/// The kind of a move.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// Take out the lowest numbers, to issue them.
    Claim {
        /// How many, at most.
        count: u64,
        /// How many callers wait: this many of them are issued as soon as the move is durable, and are marked as issued.
        demand: u64,
    },
    /// Take out what exceeds `keep`, to return it. The numbers that would be used first stay, and so does what cannot be returned
    /// under its [`Token`](super::Token).
    TakeOut {
        /// How many numbers stay.
        keep: u64,
    },
    /// Put numbers in, after they left memory.
    Park(Vec<Parked>),
    /// Compare a grant with the record, and park some of it.
    Admit {
        /// The grant.
        grant: Parked,
        /// How many callers wait: this many of the lowest numbers are issued at once, and are marked as issued.
        demand: u64,
        /// How many of the next numbers stay in memory.
        spare: u64,
        /// How many numbers should be parked in total.
        target: u64,
        /// The highest number known to be issued on this device when the lease was requested.
        known: u64,
    },
}

impl MoveKind {
    /// Whether numbers leave the pool, or may be used afterwards: then nothing is used or sent before the move is durable.
    pub fn is_take_out(&self) -> bool {
        !matches!(self, MoveKind::Park(_))
    }
}

/// The result of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The numbers taken out.
    pub taken: Vec<Parked>,
    /// The numbers that an admission parked.
    pub put: Option<Range>,
    /// If an admission was refused: the highest number known under the grant's node tag.
    pub conflict: Option<u64>,
    /// Whether the refused grant was only overtaken by a later grant of the device, so the server did not go back in time.
    pub overtaken: bool,
    /// The highest number that the record marks as issued, under any node tag.
    pub highest: u64,
    /// The parked numbers that a take-out has left because they cannot be returned.
    pub left: Vec<Parked>,
    /// How many numbers are parked now.
    pub parked: u64,
    /// The lowest of them; 0: none.
    pub lowest: u64,
    /// How many numbers the device has used in total.
    pub used: u64,
}

/// Applies a move. Returns the new record (`None`: unchanged) and the result. The database's incarnation: `stored` is the newest one
/// that the device has stored, `known` the one that the client knows by now; 0: none.
pub fn apply_move(record: Option<Record>, stored: u32, known: u32, wanted: &Move) -> (Option<Record>, Outcome) {
    // The database was replaced while the move waited for its turn: its numbers are void.
    if wanted.incarnation > 0 && wanted.incarnation != known {
        return Default::default();
    }
    // A grant has just been made, so its incarnation is the newest. Any other move gives up if the two incarnations differ; the
    // server's next response shows which one is current.
    let fresh = matches!(wanted.kind, MoveKind::Admit { .. });
    let current = if known > 0 { known } else { stored };
    if current == 0 || stored > 0 && stored != current && !fresh {
        return Default::default();
    }
    let mut record = match record {
        Some(record) if record.incarnation == current => record,
        Some(_) if !fresh => return Default::default(),
        _ => Record { incarnation: current, ..Record::default() },
    };
    let mut outcome = Outcome::default();
    for (node_tag, highest) in &wanted.issued {
        record.mark(*node_tag, *highest);
    }
    record.used = record.used.saturating_add(wanted.used);
    match &wanted.kind {
        MoveKind::Claim { count, demand } => {
            outcome.taken = take(&mut record.parked, *count);
            let mut demand = *demand;
            for taken in &outcome.taken {
                if let Some(now) = taken.range.split(demand).0 {
                    record.mark(taken.node_tag, now.high());
                    demand -= now.len();
                }
            }
        }
        MoveKind::TakeOut { keep } => {
            let stays = take(&mut record.parked, *keep);
            let surplus = core::mem::replace(&mut record.parked, stays);
            let mut all = wanted.unused.clone();
            all.extend_from_slice(&surplus);
            for entry in surplus {
                if is_returnable(&record, &entry, &all) {
                    outcome.taken.push(entry);
                } else {
                    record.park(entry);
                    outcome.left.push(entry);
                }
            }
            record.unmark(&wanted.unused, &outcome.taken);
        }
        MoveKind::Park(numbers) => {
            for parked in numbers {
                // If numbers of this range are parked already, a server that went back has granted them again, to a sibling. They
                // must not be parked twice.
                if !record.holds(parked) {
                    record.park(*parked);
                }
            }
        }
        MoveKind::Admit { grant, demand, spare, target, known } => match conflict(&record, grant) {
            Some(highest) => {
                outcome.conflict = Some(highest);
                outcome.overtaken = grant.range.low() > *known;
                record.parked.retain(|parked| parked.node_tag != grant.node_tag || !parked.range.overlaps(grant.range));
            }
            None => outcome.put = admit(&mut record, grant, *demand, *spare, *target),
        },
    }
    outcome.parked = record.count();
    outcome.lowest = record.parked.first().map_or(0, |parked| parked.range.low());
    outcome.used = record.used;
    outcome.highest = record.issued.iter().map(|(_, highest)| *highest).fold(0, u64::max);
    (Some(record), outcome)
}

/// Takes out the first `count` numbers.
fn take(parked: &mut Vec<Parked>, mut count: u64) -> Vec<Parked> {
    let mut taken = Vec::new();
    let mut rest = Vec::new();
    for entry in parked.drain(..) {
        let (claimed, left) = entry.range.split(count);
        if let Some(range) = left {
            rest.push(Parked { range, ..entry });
        }
        if let Some(range) = claimed {
            count -= range.len();
            taken.push(Parked { range, ..entry });
        }
    }
    *parked = rest;
    taken
}

/// Whether an entry of the numbers to return goes back under its token: only the newest lease does, and only from its end on down to the
/// entry, with all numbers between. Without a token the counter is read again, and the server compares.
fn is_returnable(record: &Record, entry: &Parked, all: &[Parked]) -> bool {
    let Some(token) = &entry.token else { return true };
    let end = token.lease.high();
    let (mut low, mut before) = (end + 1, 0);
    while low != before {
        before = low;
        for other in all {
            // Numbers above the lease are of a newer one. Nodes share the counter.
            if other.range.low() > end {
                return false;
            }
            if other.node_tag == entry.node_tag && other.range.high() + 1 == low {
                low = other.range.low();
            }
        }
    }
    record.issued.iter().all(|(_, highest)| *highest <= end) && low <= entry.range.low()
}

/// If the grant contains numbers that were issued or are parked: the highest number known under its node tag.
fn conflict(record: &Record, grant: &Parked) -> Option<u64> {
    let issued = record.issued_up_to(grant.node_tag);
    let parked = || record.parked.iter().filter(|parked| parked.node_tag == grant.node_tag).map(|parked| parked.range);
    let collides = grant.range.low() <= issued || parked().any(|range| range.overlaps(grant.range));
    collides.then(|| parked().map(Range::high).fold(issued, u64::max))
}

/// Parks what is missing, directly above the numbers that stay in memory.
fn admit(record: &mut Record, grant: &Parked, demand: u64, spare: u64, target: u64) -> Option<Range> {
    if let Some(now) = grant.range.split(demand).0 {
        record.mark(grant.node_tag, now.high());
    }
    let rest = grant.range.split(demand.saturating_add(spare)).1?;
    let put = rest.split(target.saturating_sub(record.count())).0?;
    record.park(Parked { range: put, ..*grant });
    Some(put)
}

#[cfg(test)]
#[path = "apply_move_tests.rs"]
mod tests;
