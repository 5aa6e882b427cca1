//! The record of one scope, as numbers. Its text is the host's: `record_text` writes and reads it for hosts in Rust.

use alloc::vec::Vec;

use crate::hilo::Range;

/// Numbers parked on the device, with the prefix and node tag that belong to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parked {
    /// The numbers.
    pub range: Range,
    /// As in [`Grant`](crate::hilo::Grant).
    pub affixes: u32,
    /// As in [`Grant`](crate::hilo::Grant): equal for all spellings of a node tag.
    pub node_tag: u32,
}

/// What a device stores for one scope: source, server, database, tag and separator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// The incarnation of the database that granted the numbers.
    pub incarnation: u32,
    /// Parked numbers, in the order in which they will be used.
    pub parked: Vec<Parked>,
    /// The highest number known to be issued, per node tag.
    pub issued: Vec<(u32, u64)>,
    /// How many numbers the device has used. More usage means more parked numbers.
    pub used: u64,
}

impl Record {
    /// How many numbers are parked.
    pub fn count(&self) -> u64 {
        self.parked.iter().map(|parked| parked.range.len()).sum()
    }

    /// Whether one of these numbers is parked.
    pub fn holds(&self, numbers: &Parked) -> bool {
        self.parked.iter().any(|parked| parked.node_tag == numbers.node_tag && parked.range.overlaps(numbers.range))
    }

    /// Marks all numbers of a node tag up to `number` as issued.
    pub fn mark(&mut self, node_tag: u32, number: u64) {
        match self.issued.iter_mut().find(|(of, _)| *of == node_tag) {
            Some((_, highest)) => *highest = number.max(*highest),
            None => self.issued.push((node_tag, number)),
        }
    }

    /// Withdraws the marks of numbers that were handed out for issuing and are returned unused: the server may grant them again
    /// without having gone back in time. `taken`: parked numbers between them that are returned too.
    pub fn unmark(&mut self, unused: &[Parked], taken: &[Parked]) {
        for (node_tag, highest) in &mut self.issued {
            let ends = |unused: &&Parked, highest| unused.range.high() == highest && unused.node_tag == *node_tag;
            while let Some(top) = unused.iter().chain(taken).find(|unused| ends(unused, *highest)) {
                *highest = top.range.low() - 1;
            }
        }
    }
}
