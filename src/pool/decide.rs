//! What a move does to a record: pure, so that it can run inside a storage transaction and under a model checker.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Parked, Record};

/// A move between the pool and this client's memory. Take-outs have to be durable before anything is used or sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Take out up to this many numbers, to issue them.
    Claim(u64),
    /// Put numbers in, after they left memory.
    Park(Vec<Parked>),
    /// Take everything out, to give it back or to burn it.
    TakeOut,
}

/// The record after the move, and what was taken out. Numbers of another incarnation of the database are burnt first.
pub fn decide(record: Option<Record>, incarnation: &str, wanted: Move) -> (Record, Vec<Parked>) {
    let mut record = record
        .filter(|record| record.incarnation == incarnation)
        .unwrap_or_else(|| Record { incarnation: String::from(incarnation), ..Record::default() });
    let taken = match wanted {
        Move::Claim(count) => claim(&mut record.parked, count),
        Move::Park(numbers) => {
            record.parked.extend(numbers);
            Vec::new()
        }
        Move::TakeOut => core::mem::take(&mut record.parked),
    };
    (record, taken)
}

fn claim(parked: &mut Vec<Parked>, mut count: u64) -> Vec<Parked> {
    let mut taken = Vec::new();
    let mut rest = Vec::new();
    for entry in parked.drain(..) {
        let (claimed, left) = entry.range.split(count);
        if let Some(range) = claimed {
            count -= range.len();
            taken.push(Parked { range, ..entry.clone() });
        }
        if let Some(range) = left {
            rest.push(Parked { range, ..entry });
        }
    }
    *parked = rest;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hilo::Range;
    use alloc::vec;
    use proptest::prelude::*;

    fn parked(low: u64, high: u64) -> Parked {
        Parked { range: Range::new(low, high).unwrap(), prefix: "orders/".into(), tag: "A".into() }
    }

    fn numbers(entries: &[Parked]) -> Vec<u64> {
        entries.iter().flat_map(|entry| entry.range.low()..=entry.range.high()).collect()
    }

    #[test]
    fn another_incarnation_burns_what_is_there() {
        let (record, _) = decide(None, "one", Move::Park(vec![parked(1, 8)]));
        assert_eq!(decide(Some(record.clone()), "one", Move::Claim(3)).1, vec![parked(1, 3)]);
        let (empty, taken) = decide(Some(record), "two", Move::TakeOut);
        assert_eq!((empty.incarnation.as_str(), empty.parked, taken), ("two", vec![], vec![]));
    }

    proptest! {
        #[test]
        fn a_number_is_in_the_record_or_taken_never_both(
            lens in proptest::collection::vec(1..9u64, 0..5), count in 0..40u64, all: bool,
        ) {
            let mut low = 1;
            let mut entries = Vec::new();
            for len in lens {
                entries.push(parked(low, low + len - 1));
                low += len + 1;
            }
            let (before, _) = decide(None, "i", Move::Park(entries.clone()));
            let (after, taken) = decide(Some(before), "i", if all { Move::TakeOut } else { Move::Claim(count) });
            let mut both = numbers(&taken);
            prop_assert!(all || both.len() as u64 == count.min(numbers(&entries).len() as u64));
            both.extend(numbers(&after.parked));
            both.sort_unstable();
            prop_assert_eq!(both, numbers(&entries));
        }
    }
}
