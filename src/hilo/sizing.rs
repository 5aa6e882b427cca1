//! Decides how many numbers to lease and when, from measured rates. It has no clock: `now` is passed in.

use super::{Echo, Size};

/// At the measured rate, a range must not last longer than this, in microseconds.
const LONGEST: u64 = 60_000_000;

/// Measurements of one tag. Times are in microseconds and count from the last response of the source, because in workerd the clock
/// stands still between I/O.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizing {
    /// When the response to the last lease arrived.
    responded: Option<u64>,
    /// Numbers issued since then.
    used: u64,
    rate: Option<Rate>,
    round_trip: u64,
}

/// `count` numbers in `elapsed` microseconds (never 0). Kept as a pair, because a division would lose precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rate {
    count: u64,
    elapsed: u64,
}

impl Rate {
    /// How many numbers are used in a time at this rate.
    fn over(self, micros: u64) -> u64 {
        // A rate is an estimate, so floating point is exact enough; 128-bit integers would add code to the module.
        (self.count as f64 * micros as f64 / self.elapsed.max(1) as f64) as u64
    }
}

impl Sizing {
    /// Numbers were issued.
    pub fn used(&mut self, count: u64) {
        self.used = self.used.saturating_add(count);
    }

    /// The response to a lease arrived after this round trip.
    pub fn responded(&mut self, now: u64, round_trip: u64) {
        self.rate = self.rate(now);
        self.responded = Some(now);
        self.used = 0;
        self.round_trip = if self.round_trip == 0 { round_trip } else { (self.round_trip * 3 + round_trip) / 4 };
    }

    /// The rate since the last response, if there was one. If no time has elapsed, the rate before that.
    fn rate(&self, now: u64) -> Option<Rate> {
        let elapsed = now.saturating_sub(self.responded?);
        if elapsed == 0 {
            return self.rate;
        }
        Some(Rate { count: self.used, elapsed })
    }

    /// The next lease is requested when this many numbers are left: two round trips use them up.
    ///
    /// 0 before the second lease: a client that stores only thirty documents needs no second range.
    pub fn low_water(&self) -> u64 {
        self.rate.map_or(0, |rate| rate.over(self.round_trip.saturating_mul(2)))
    }

    /// How many numbers to request while `waiting` callers wait for one. `capacity`: the size that the app has chosen; 0: the size
    /// follows demand.
    pub fn size(&self, echo: Option<Echo>, waiting: u64, capacity: u64, now: u64) -> Size {
        if capacity > 0 {
            return Size::Exact(waiting.max(capacity));
        }
        let Some(echo) = echo else {
            // The server's first range has 32 numbers unless the request names a size.
            return if waiting > 32 { Size::Exact(waiting) } else { Size::Adaptive(None) };
        };
        let doubled = echo.size.saturating_mul(2);
        if waiting > doubled {
            return Size::Exact(waiting);
        }
        let Some(rate) = self.rate(now) else { return Size::Exact(echo.size) };
        let minute = rate.over(LONGEST);
        if doubled > minute.max(32) {
            return Size::Exact(echo.size.min(minute).max(waiting).max(32));
        }
        Size::Adaptive(Some(echo))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(size: u64) -> Option<Echo> {
        Some(Echo { size, texts: 1 })
    }

    /// 32 numbers used since the first response, `elapsed` ago.
    fn after(elapsed: u64) -> Sizing {
        let mut sizing = Sizing::default();
        sizing.responded(1_000, 2_000);
        sizing.used(32);
        assert_eq!(sizing.low_water(), 0, "there is no rate before the second lease");
        assert_eq!(sizing.rate(1_000 + elapsed).is_some(), elapsed > 0);
        sizing
    }

    #[test]
    fn the_first_lease_is_the_servers_choice() {
        assert_eq!(Sizing::default().size(None, 1, 0, 0), Size::Adaptive(None));
        assert_eq!(Sizing::default().size(None, 1_000, 0, 0), Size::Exact(1_000));
    }

    #[test]
    fn within_thirty_seconds_the_server_doubles() {
        for elapsed in [1, 1_000_000, 29_999_999] {
            assert_eq!(after(elapsed).size(echo(32), 1, 0, 1_000 + elapsed), Size::Adaptive(echo(32)));
        }
    }

    #[test]
    fn a_slow_writer_gets_no_more_than_a_minute_holds() {
        assert_eq!(after(40_000_000).size(echo(32), 1, 0, 40_001_000), Size::Exact(32));
        let mut sizing = after(1_000_000);
        sizing.responded(1_001_000, 2_000);
        sizing.used(100);
        assert_eq!(sizing.size(echo(512), 1, 0, 61_001_000), Size::Exact(100));
    }

    #[test]
    fn no_elapsed_time_enlarges_nothing() {
        assert_eq!(after(0).size(echo(64), 1, 0, 1_000), Size::Exact(64));
    }

    #[test]
    fn a_chosen_capacity_is_kept_unless_more_wait() {
        assert_eq!(Sizing::default().size(None, 1, 3, 0), Size::Exact(3));
        assert_eq!(after(1_000_000).size(echo(3), 5, 3, 1_001_000), Size::Exact(5));
    }

    #[test]
    fn low_water_is_what_two_round_trips_use() {
        let mut sizing = after(1_000_000);
        sizing.responded(1_001_000, 2_000);
        // 32 per second and twice 2 ms: less than one number; 2,000,000 per second: 8,000.
        assert_eq!(sizing.low_water(), 0);
        sizing.used(2_000_000);
        sizing.responded(2_001_000, 2_000);
        assert_eq!(sizing.low_water(), 8_000);
    }
}
