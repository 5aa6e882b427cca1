//! How many numbers a client gets, and how many the source is asked for.

use raven_edge_authority::Timestamp;

/// RavenDB's smallest range. A client that asks for exactly this many does not need a particular number.
const UNSPECIFIED: u64 = 32;
/// In milliseconds: a range from the source that is used up sooner was too small.
const TOO_SHORT: u64 = 60_000;
/// In milliseconds: a range from the source that lasts longer was too large.
const TOO_LONG: u64 = 600_000;
/// Growth factor of ranges from the source: 1,024, 4,096, 16,384, 65,536.
const GROWTH: u64 = 4;

/// Bounds of an adaptive size.
#[derive(Clone, Copy, Debug)]
pub(super) struct SizeBounds {
    /// The first size, which is also the smallest.
    pub(super) first: u64,
    /// The largest.
    pub(super) largest: u64,
}

impl SizeBounds {
    fn clamp(self, size: u64) -> u64 {
        size.clamp(self.first, self.largest.max(self.first))
    }
}

/// What a client's request says about the size that it wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SizeHint {
    /// The size of its last range; without `at`, the size that it wants now.
    pub(super) last: u64,
    /// When the client received its last range.
    pub(super) at: Option<Timestamp>,
}

/// How many numbers a client gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoanSize {
    /// The maximum.
    pub(super) count: u64,
    /// Whether the client named a number that it needs. Then the hub prefers a chunk with that many.
    pub(super) exact: bool,
}

/// The size doubles for a client that comes back within 30 s and halves for one that comes back after 60 s, as in
/// RavenDB, within `bounds`: a client that dies loses half of its last range on average. A client that names a number
/// gets it, up to `most`.
pub(super) fn loan_size(size_hint: SizeHint, now: Timestamp, bounds: SizeBounds, most: u64) -> LoanSize {
    let Some(at) = size_hint.at else {
        let exact = size_hint.last > UNSPECIFIED;
        return LoanSize { count: if exact { size_hint.last.min(most) } else { bounds.first }, exact };
    };
    let age = now.ticks().saturating_sub(at.ticks());
    let count = if age < Timestamp::seconds(30) {
        size_hint.last.saturating_mul(2)
    } else if age <= Timestamp::seconds(60) {
        size_hint.last
    } else {
        size_hint.last / 2
    };
    LoanSize { count: bounds.clamp(count), exact: false }
}

/// How many numbers to request from the source: four times as many if the last range was used up within a minute, a
/// quarter if it lasted longer than ten minutes.
pub(super) fn source_range(last: u64, since: u64, wanted: u64, bounds: SizeBounds) -> u64 {
    let size = match since {
        _ if last == 0 => bounds.first,
        ..TOO_SHORT => last.saturating_mul(GROWTH),
        TOO_SHORT..=TOO_LONG => last,
        _ => last / GROWTH,
    };
    bounds.clamp(size).max(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOANS: SizeBounds = SizeBounds { first: 8, largest: 16 };
    const RANGES: SizeBounds = SizeBounds { first: 1_024, largest: 65_536 };

    #[test]
    fn loan_sizes_follow_the_time_between_requests() {
        let now = Timestamp::from_unix_millis(1_795_224_636_754);
        let ago = |seconds: u64| Some(Timestamp::from_ticks(now.ticks() - Timestamp::seconds(seconds)));
        let far = Timestamp::parse("9999-12-31T23:59:59.9999999Z");
        for (last, at, count, exact) in [
            (0, None, 8, false),
            (32, None, 8, false),
            (33, None, 33, true),
            (5_000_000, None, 1_000, true),
            (8, ago(1), 16, false),
            (16, ago(29), 16, false),
            (16, ago(60), 16, false),
            (16, ago(61), 8, false),
            (1, ago(1), 8, false),
            (u64::MAX, ago(1), 16, false),
            (12, far, 16, false),
        ] {
            assert_eq!(loan_size(SizeHint { last, at }, now, LOANS, 1_000), LoanSize { count, exact }, "{last} {at:?}");
        }
    }

    #[test]
    fn source_ranges_follow_how_long_the_last_one_lasted() {
        for (last, since, wanted, expected) in [
            (0, 0, 8, 1_024),
            (0, u64::MAX, 5_000, 5_000),
            (1_024, 59_999, 8, 4_096),
            (4_096, 60_000, 8, 4_096),
            (4_096, 600_001, 8, 1_024),
            (1_024, 600_001, 8, 1_024),
            (65_536, 1, 8, 65_536),
        ] {
            assert_eq!(source_range(last, since, wanted, RANGES), expected, "{last} {since}");
        }
    }
}
