//! How many numbers a client gets, and how many the source is asked for.

use raven_edge_authority::Timestamp;
use serde::Deserialize;

/// RavenDB's smallest range: whoever asks for so many wants "some".
const SOME: u64 = 32;
/// A range from the source that lasts shorter than this (milliseconds) was too small.
const SHORT: u64 = 60_000;
/// One that lasts longer than this was too large.
const LONG: u64 = 600_000;
/// How fast ranges from the source grow: 1,024 to 65,536 in four.
const GROWTH: u64 = 4;

/// Two sizes between which something moves.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Span {
    /// The first and smallest.
    pub(super) first: u64,
    /// The largest.
    pub(super) largest: u64,
}

impl Span {
    fn clamp(self, size: u64) -> u64 {
        size.clamp(self.first, self.largest.max(self.first))
    }
}

/// What a client said about the size of its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wish {
    /// The size of its last range, or the one that it wants.
    pub(super) last: u64,
    /// When it got the last one; without it `last` is what it wants.
    pub(super) at: Option<Timestamp>,
}

/// How many a client gets, and whether fewer will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// So many at most.
    pub(super) count: u64,
    /// Whether it named a number that it needs, beyond "some".
    pub(super) exact: bool,
}

/// Twice as many to whoever comes back soon, half to whoever comes late, as RavenDB does, within `span`: a client that
/// dies takes half of its last range along. One that names a number gets it, up to `most`.
pub(super) fn share(wish: Wish, now: Timestamp, span: Span, most: u64) -> Share {
    let Some(at) = wish.at else {
        let exact = wish.last > SOME;
        return Share { count: if exact { wish.last.min(most) } else { span.first }, exact };
    };
    let age = now.ticks().saturating_sub(at.ticks());
    let count = if age < Timestamp::seconds(30) {
        wish.last.saturating_mul(2)
    } else if age <= Timestamp::seconds(60) {
        wish.last
    } else {
        wish.last / 2
    };
    Share { count: span.clamp(count), exact: false }
}

/// How many the source is asked for: more where the last range was gone within a minute, fewer where it lasted ten.
pub(super) fn range(last: u64, since: u64, wanted: u64, span: Span) -> u64 {
    let size = match since {
        _ if last == 0 => span.first,
        ..SHORT => last.saturating_mul(GROWTH),
        SHORT..=LONG => last,
        _ => last / GROWTH,
    };
    span.clamp(size).max(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOANS: Span = Span { first: 8, largest: 16 };
    const RANGES: Span = Span { first: 1_024, largest: 65_536 };

    #[test]
    fn shares() {
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
            assert_eq!(share(Wish { last, at }, now, LOANS, 1_000), Share { count, exact }, "{last} {at:?}");
        }
    }

    #[test]
    fn ranges() {
        for (last, since, wanted, expected) in [
            (0, 0, 8, 1_024),
            (0, u64::MAX, 5_000, 5_000),
            (1_024, 59_999, 8, 4_096),
            (4_096, 60_000, 8, 4_096),
            (4_096, 600_001, 8, 1_024),
            (1_024, 600_001, 8, 1_024),
            (65_536, 1, 8, 65_536),
        ] {
            assert_eq!(range(last, since, wanted, RANGES), expected, "{last} {since}");
        }
    }
}
