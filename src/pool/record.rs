//! The record of one scope, as numbers. Its text is the host's: `record_text` writes and reads it for hosts in Rust.

use alloc::vec::Vec;

use crate::hilo::Range;

/// What a gateway gave with a lease in place of the fence. Only under it can parked numbers of the lease be returned: a fence that
/// pages could have read again through a gateway would let a copied page lower `Max` below issued ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token {
    /// The whole lease.
    pub lease: Range,
    /// The host's number for the text, which only the gateway can read. Above 0; equal texts have the same number, which stays theirs.
    pub text: u32,
}

/// Numbers parked on the device, with the prefix and node tag that belong to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parked {
    /// The numbers.
    pub range: Range,
    /// As in [`Grant`](crate::hilo::Grant).
    pub affixes: u32,
    /// As in [`Grant`](crate::hilo::Grant): equal for all spellings of a node tag.
    pub node_tag: u32,
    /// For numbers that a gateway has leased.
    pub token: Option<Token>,
}

impl Parked {
    /// Whether the other numbers follow these, and nothing else distinguishes them.
    fn continues_in(&self, next: &Parked) -> bool {
        self.range.high() + 1 == next.range.low() && *next == Parked { range: next.range, ..*self }
    }
}

/// What a device stores for one scope: source, server, database, tag and separator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// The incarnation of the database that granted the numbers.
    pub incarnation: u32,
    /// Parked numbers in ascending order, in which they will be used.
    pub parked: Vec<Parked>,
    /// The highest number known to be issued, per node tag.
    pub issued: Vec<(u32, u64)>,
    /// How many numbers the device has used. More usage means more parked numbers.
    pub used: u64,
}

impl Record {
    /// Puts numbers in: in ascending order, and in one entry with those that they continue.
    pub fn park(&mut self, numbers: Parked) {
        let mut at = 0;
        while self.parked.get(at).is_some_and(|known| known.range <= numbers.range) {
            at += 1;
        }
        self.parked.insert(at, numbers);
        self.join(at);
        self.join(at.wrapping_sub(1));
    }

    /// Joins an entry with the next one, if that continues it.
    fn join(&mut self, at: usize) {
        let (Some(this), Some(next)) = (self.parked.get(at), self.parked.get(at.wrapping_add(1))) else { return };
        if !this.continues_in(next) {
            return;
        }
        let high = self.parked.remove(at + 1).range.high();
        if let Some(this) = self.parked.get_mut(at)
            && let Some(range) = Range::new(this.range.low(), high)
        {
            this.range = range;
        }
    }

    /// How many numbers are parked.
    pub fn count(&self) -> u64 {
        self.parked.iter().map(|parked| parked.range.len()).sum()
    }

    /// Whether one of these numbers is parked.
    pub fn holds(&self, numbers: &Parked) -> bool {
        self.parked.iter().any(|parked| parked.node_tag == numbers.node_tag && parked.range.overlaps(numbers.range))
    }

    /// The highest number of a node tag that is marked as issued; 0: none.
    pub fn issued_up_to(&self, node_tag: u32) -> u64 {
        self.issued.iter().find(|(of, _)| *of == node_tag).map_or(0, |(_, highest)| *highest)
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
            let has = |unused: &&Parked, highest| {
                unused.node_tag == *node_tag && unused.range.low() <= highest && highest <= unused.range.high()
            };
            while let Some(top) = unused.iter().chain(taken).find(|unused| has(unused, *highest)) {
                *highest = top.range.low() - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(low: u64, high: u64, text: u32) -> Parked {
        let token = Some(Token { lease: Range::new(1, 9).unwrap(), text });
        Parked { range: Range::new(low, high).unwrap(), affixes: 0, node_tag: 0, token }
    }

    #[test]
    fn numbers_are_used_in_ascending_order_in_whatever_order_they_were_parked() {
        let mut record = Record::default();
        for (low, high) in [(40, 41), (10, 12), (2, 9)] {
            record.park(part(low, high, 1));
        }
        assert_eq!(record.parked, [part(2, 12, 1), part(40, 41, 1)]);
    }

    #[test]
    fn numbers_that_continue_others_are_one_entry_unless_they_are_of_another_lease() {
        let mut parts = Record::default();
        for entry in [part(4, 5, 1), part(8, 9, 2), part(2, 3, 1), part(6, 7, 1)] {
            parts.park(entry);
        }
        assert_eq!(parts.parked, [part(2, 7, 1), part(8, 9, 2)]);
    }
}
