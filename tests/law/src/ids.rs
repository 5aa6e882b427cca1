//! Sets of ids: each number of a node tag is one bit.

use raven_edge::hilo::Range;
use std::fmt;

/// The node tags; a node is an index into this list.
pub(crate) const TAGS: [&str; 2] = ["A", "B"];

/// Maximum number per node tag; configurations stay far below.
const NUMBERS: u64 = 32;

/// A set of ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ids(u64);

impl Ids {
    /// A range's numbers under the tag of the node.
    pub(crate) fn of(node: u32, range: Range) -> Ids {
        let run = ((1 << range.len()) - 1) << range.low();
        Ids(run << (u64::from(node) * NUMBERS))
    }

    /// One id.
    pub(crate) fn one(node: u32, number: u64) -> Ids {
        Ids(1 << (u64::from(node) * NUMBERS + number))
    }

    /// The numbers `low..=high` of the tag; the set may be empty.
    pub(crate) fn run(node: u32, low: u64, high: u64) -> Ids {
        Range::new(low, high).map_or(Ids::default(), |range| Ids::of(node, range))
    }

    pub(crate) fn and(self, other: Ids) -> Ids {
        Ids(self.0 & other.0)
    }

    pub(crate) fn with(self, other: Ids) -> Ids {
        Ids(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Ids) -> Ids {
        Ids(self.0 & !other.0)
    }

    pub(crate) fn meets(self, other: Ids) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn covers(self, other: Ids) -> bool {
        other.0 & !self.0 == 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The lowest number under a node's tag.
    pub(crate) fn lowest(self, node: u32) -> Option<u64> {
        let own = self.0 >> (u64::from(node) * NUMBERS) & ((1 << NUMBERS) - 1);
        (own != 0).then(|| own.trailing_zeros().into())
    }

    pub(crate) fn count(self) -> u64 {
        u64::from(self.0.count_ones())
    }
}

impl fmt::Display for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = (0..u64::BITS.into()).filter(|bit| self.0 >> bit & 1 == 1);
        let names: Vec<String> =
            bits.map(|bit| format!("{}-{}", bit % NUMBERS, TAGS[(bit / NUMBERS) as usize])).collect();
        f.write_str(&if names.is_empty() { "nothing".into() } else { names.join(" ") })
    }
}
