//! Timestamps as RavenDB writes them: ticks of 100 ns, seven fraction digits, always UTC.

use core::fmt;

const TICKS_PER_SECOND: u64 = 10_000_000;
const SECONDS_PER_DAY: u64 = 86_400;
/// Ticks from 0001-01-01 to 1970-01-01.
const UNIX_EPOCH: u64 = 719_162 * SECONDS_PER_DAY * TICKS_PER_SECOND;

/// A timestamp: ticks of 100 ns since 0001-01-01T00:00:00Z.
///
/// The library never reads a clock; the caller passes the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// From milliseconds since 1970 (`Date.now()`).
    #[must_use]
    pub fn from_unix_millis(millis: u64) -> Self {
        Self(UNIX_EPOCH.saturating_add(millis.saturating_mul(TICKS_PER_SECOND / 1000)))
    }

    /// From nanoseconds since 1970.
    #[must_use]
    pub fn from_unix_nanos(nanos: u128) -> Self {
        Self(UNIX_EPOCH.saturating_add(u64::try_from(nanos / 100).unwrap_or(u64::MAX / 2)))
    }

    /// From ticks since year 1, as stored.
    #[must_use]
    pub const fn from_ticks(ticks: u64) -> Self {
        Self(ticks)
    }

    /// Ticks since year 1.
    #[must_use]
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// Converts seconds to ticks, for arithmetic on [`Self::ticks`].
    #[must_use]
    pub const fn seconds(seconds: u64) -> u64 {
        seconds * TICKS_PER_SECOND
    }

    /// Parses `2026-11-21T01:30:36.7546027`, followed by nothing, `Z` or `±hh:mm`.
    ///
    /// It needs exactly seven fraction digits, as `hilo/next` does for `lastRangeAt`: any other number, such as the
    /// three of `toISOString()`, is invalid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (moment, zone) = (text.get(..27)?, text.get(27..)?);
        let field = |from: usize, to: usize| -> Option<u64> {
            let digits = moment.get(from..to)?;
            digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.')];
        if separators.iter().any(|&(at, wanted)| moment.as_bytes().get(at) != Some(&wanted)) {
            return None;
        }
        let (year, month, day) = (field(0, 4)?, field(5, 7)?, field(8, 10)?);
        let (hour, minute, second) = (field(11, 13)?, field(14, 16)?, field(17, 19)?);
        if year == 0 || day == 0 || day > days_in_month(year, month)? || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let seconds = days_before(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
        let local = seconds * TICKS_PER_SECOND + field(20, 27)?;
        zone_to_utc(local, zone).map(Self)
    }
}

/// Year 1 without a `Z`: RavenDB writes this if a patch changed nothing.
pub(crate) const NEVER: &str = "0001-01-01T00:00:00.0000000";

fn zone_to_utc(local: u64, zone: &str) -> Option<u64> {
    if zone.is_empty() || zone == "Z" {
        return Some(local);
    }
    let bytes = zone.as_bytes();
    if bytes.len() != 6 || bytes.get(3) != Some(&b':') {
        return None;
    }
    let digits = |range| zone.get(range).filter(|d: &&str| d.bytes().all(|b| b.is_ascii_digit()))?.parse::<u64>().ok();
    let (hours, minutes) = (digits(1..3)?, digits(4..6)?);
    if hours > 14 || minutes > 59 {
        return None;
    }
    let offset = (hours * 3600 + minutes * 60) * TICKS_PER_SECOND;
    match bytes.first() {
        Some(b'+') => Some(local.saturating_sub(offset)),
        Some(b'-') => local.checked_add(offset),
        _ => None,
    }
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in_month(year: u64, month: u64) -> Option<u64> {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if is_leap(year) { 29 } else { 28 }),
        _ => None,
    }
}

/// Days from 0001-01-01 to this day. Years are counted from March, which makes the leap day the last of its year.
fn days_before(year: u64, month: u64, day: u64) -> u64 {
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 306
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, fraction) = (self.0 / TICKS_PER_SECOND, self.0 % TICKS_PER_SECOND);
        let (days, second_of_day) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
        let days = days + 306;
        let era = days / 146_097;
        let day_of_era = days % 146_097;
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let m = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * m + 2) / 5 + 1;
        let (month, carry) = if m < 10 { (m + 3, 0) } else { (m - 9, 1) };
        let year = era * 400 + year_of_era + carry;
        let (hour, minute, second) = (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:07}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_unix_epoch_and_year_one_are_converted() {
        assert_eq!(Timestamp::from_unix_millis(0).to_string(), "1970-01-01T00:00:00.0000000Z");
        assert_eq!(Timestamp::default().to_string(), "0001-01-01T00:00:00.0000000Z");
        assert_eq!(Timestamp::from_unix_millis(1_795_224_636_754).to_string(), "2026-11-21T01:30:36.7540000Z");
        assert_eq!(Timestamp::from_unix_nanos(1_795_224_636_754_602_799).to_string(), "2026-11-21T01:30:36.7546027Z");
    }

    #[test]
    fn only_seven_fraction_digits_are_accepted() {
        for text in [
            "2026-11-21T01:30:36Z",
            "2026-11-21T01:30:36.754Z",
            "2026-11-21T01:30:36.75460271Z",
            "2026-11-21 01:30:36.7546027Z",
            "2026-11-21T01:30:36.7546027z",
            " 2026-11-21T01:30:36.7546027Z",
            "2026-11-21T01:30:36.7546027Zx",
            "2026-02-30T00:00:00.0000000Z",
            "2099-02-29T00:00:00.0000000Z",
            "2026-13-01T00:00:00.0000000Z",
            "2026-11-21T24:00:00.0000000Z",
            "2026-11-21T23:59:60.0000000Z",
            "0000-01-01T00:00:00.0000000Z",
            "+026-11-21T01:30:36.7546027Z",
            "garbage",
            "",
            "2026-11-21T01:30:36.754602é",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
        let z = Timestamp::parse("2026-11-21T01:30:36.7546027Z");
        assert_eq!(Timestamp::parse("2026-11-21T01:30:36.7546027"), z);
        assert_eq!(Timestamp::parse("2026-11-21T03:30:36.7546027+02:00"), z);
        assert_eq!(Timestamp::parse("2026-11-20T23:30:36.7546027-02:00"), z);
        assert!(Timestamp::parse("2096-02-29T00:00:00.0000000Z").is_some());
        assert!(Timestamp::parse("9999-12-31T23:59:59.9999999Z").is_some());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(ticks in 0u64..3_155_378_976_000_000_000) {
            let moment = Timestamp::from_ticks(ticks);
            prop_assert_eq!(Timestamp::parse(&moment.to_string()), Some(moment));
        }

        #[test]
        fn reading_never_panics(text in "\\PC{0,40}") {
            let _ = Timestamp::parse(&text);
        }
    }
}
