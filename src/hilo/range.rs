//! An inclusive range of numbers.

/// The numbers `low..=high`: never empty, and never above [`Range::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Range {
    low: u64,
    high: u64,
}

impl Range {
    /// 2^53 − 1: above it, incrementing a JavaScript number does not change it, and ids would repeat.
    pub const MAX: u64 = (1 << 53) - 1;

    /// The range, if 1 ≤ low ≤ high ≤ [`Range::MAX`].
    pub fn new(low: u64, high: u64) -> Option<Range> {
        (1 <= low && low <= high && high <= Range::MAX).then_some(Range { low, high })
    }

    /// The lowest number.
    pub fn low(self) -> u64 {
        self.low
    }

    /// The highest number.
    pub fn high(self) -> u64 {
        self.high
    }

    /// The number of numbers in the range, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a range is never empty")]
    pub fn len(self) -> u64 {
        self.high - self.low + 1
    }

    /// Whether the ranges have a number in common.
    pub fn overlaps(self, other: Range) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Splits off the first `count` numbers.
    pub fn split(self, count: u64) -> (Option<Range>, Option<Range>) {
        let cut = self.low.saturating_add(count);
        (Range::new(self.low, cut.saturating_sub(1).min(self.high)), Range::new(cut.max(self.low), self.high))
    }

    /// The numbers from `next` on.
    pub fn from(self, next: u64) -> Option<Range> {
        Range::new(next.max(self.low), self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert!(Range::new(0, 5).is_none());
        assert!(Range::new(6, 5).is_none());
        assert!(Range::new(1, Range::MAX + 1).is_none());
        assert_eq!(Range::new(1, Range::MAX).unwrap().len(), Range::MAX);
    }

    proptest::proptest! {
        #[test]
        fn a_split_keeps_every_number_once(low in 1..1000u64, len in 1..100u64, count in 0..200u64) {
            let range = Range::new(low, low + len - 1).unwrap();
            let (a, b) = range.split(count);
            let sum = a.map_or(0, Range::len) + b.map_or(0, Range::len);
            proptest::prop_assert_eq!(sum, range.len());
            if let (Some(a), Some(b)) = (a, b) {
                proptest::prop_assert_eq!((a.low(), a.high() + 1, b.high()), (low, b.low(), range.high()));
            }
        }
    }
}
