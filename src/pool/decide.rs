//! What a move does to a record: pure, so that it can run inside a storage transaction and under a model checker.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Parked, Record};
use crate::hilo::Range;

/// A move between the pool and this client's memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The database's incarnation that this client had last heard of when it asked for the move; `None`: it had not reached
    /// the server yet.
    pub incarnation: Option<String>,
    /// The highest number that this client has issued, per node tag.
    pub issued: Vec<(String, u64)>,
    /// What it was given to issue and now gives back unused.
    pub unused: Vec<Parked>,
    /// How many it has issued since its last move.
    pub used: u64,
    /// What is to be moved.
    pub kind: MoveKind,
}

/// What a move is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// Take out up to this many numbers, to issue them.
    Claim(u64),
    /// Take out what exceeds `keep`, to give it back; what is used first stays.
    TakeOut {
        /// How many stay.
        keep: u64,
    },
    /// Put numbers in, after they left memory.
    Park(Vec<Parked>),
    /// Compare a grant with what the device knows, and park some of it.
    Admit {
        /// The grant.
        grant: Parked,
        /// Its first numbers stay in memory: that many callers wait.
        demand: u64,
        /// How many should be parked in all.
        target: u64,
        /// The highest number that the device was known to have issued when the lease was sent.
        known: u64,
    },
}

impl MoveKind {
    /// Whether numbers leave the pool: then nothing is used or sent before the move is durable.
    pub fn is_take_out(&self) -> bool {
        !matches!(self, MoveKind::Park(_))
    }
}

/// What came of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// What was taken out.
    pub taken: Vec<Parked>,
    /// What an admission put in.
    pub put: Option<Range>,
    /// An admission was refused: the highest number that the device knows under the grant's node tag.
    pub conflict: Option<u64>,
    /// The refused grant was only overtaken by a later one of the device; the server did not go back.
    pub overtaken: bool,
    /// The highest number issued as the device knows it, under whatever node tag.
    pub highest: u64,
    /// Numbers parked now.
    pub parked: u64,
    /// Numbers that the device has used.
    pub used: u64,
}

/// The record after the move (`None`: it stays as it is) and what came of it. The database's incarnation: `stored` is what
/// the device has last heard of, `known` what the client has by now.
pub fn decide(
    record: Option<Record>,
    stored: Option<&str>,
    known: Option<&str>,
    wanted: &Move,
) -> (Option<Record>, Outcome) {
    // While it waited for its turn the client has heard of another database: the numbers that it is about are void.
    if wanted.incarnation.is_some() && wanted.incarnation.as_deref() != known {
        return Default::default();
    }
    // A grant was made just now: what it says of the incarnation is the newest there is. Everyone else steps back where
    // two opinions meet, and the server's next response tells who was right.
    let fresh = matches!(wanted.kind, MoveKind::Admit { .. });
    let current = match (known, stored) {
        (Some(known), Some(stored)) if known != stored && !fresh => return Default::default(),
        (Some(current), _) | (None, Some(current)) => current,
        (None, None) => return Default::default(),
    };
    let mut record = match record {
        Some(record) if record.incarnation == current => record,
        Some(_) if !fresh => return Default::default(),
        _ => Record { incarnation: String::from(current), ..Record::default() },
    };
    let mut outcome = Outcome::default();
    for (tag, highest) in &wanted.issued {
        record.mark(tag, *highest);
    }
    record.used = record.used.saturating_add(wanted.used);
    match &wanted.kind {
        MoveKind::Claim(count) => {
            outcome.taken = take(&mut record.parked, *count);
            for taken in &outcome.taken {
                record.mark(&taken.tag, taken.range.high());
            }
        }
        MoveKind::TakeOut { keep } => {
            let stays = take(&mut record.parked, *keep);
            outcome.taken = core::mem::replace(&mut record.parked, stays);
            record.unmark(&wanted.unused, &outcome.taken);
        }
        MoveKind::Park(numbers) => {
            for parked in numbers {
                // A server that went back has granted it again, to a sibling: it stays where it can be used.
                if !record.holds(parked) {
                    record.parked.push(parked.clone());
                }
            }
        }
        MoveKind::Admit { grant, demand, target, known } => match conflict(&record, grant) {
            Some(highest) => {
                outcome.conflict = Some(highest);
                outcome.overtaken = grant.range.low() > *known;
                record.parked.retain(|parked| !parked.is_of(&grant.tag) || !parked.range.overlaps(grant.range));
            }
            None => outcome.put = admit(&mut record, grant, *demand, *target),
        },
    }
    outcome.parked = record.count();
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
            rest.push(Parked { range, ..entry.clone() });
        }
        if let Some(range) = claimed {
            count -= range.len();
            taken.push(Parked { range, ..entry });
        }
    }
    *parked = rest;
    taken
}

/// The highest number known under the grant's node tag, if the grant holds one that was issued or is parked.
fn conflict(record: &Record, grant: &Parked) -> Option<u64> {
    let issued = record.issued.iter().find(|(tag, _)| grant.is_of(tag)).map_or(0, |(_, highest)| *highest);
    let parked = || record.parked.iter().filter(|parked| parked.is_of(&grant.tag)).map(|parked| parked.range);
    let collides = grant.range.low() <= issued || parked().any(|range| range.overlaps(grant.range));
    collides.then(|| parked().map(Range::high).fold(issued, u64::max))
}

/// Parks what is missing, right above the numbers for those who wait.
fn admit(record: &mut Record, grant: &Parked, demand: u64, target: u64) -> Option<Range> {
    let (now, rest) = grant.range.split(demand);
    if let Some(now) = now {
        record.mark(&grant.tag, now.high());
    }
    let put = rest?.split(target.saturating_sub(record.count())).0?;
    record.parked.push(Parked { range: put, ..grant.clone() });
    Some(put)
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
