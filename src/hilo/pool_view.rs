//! What a tag's driver knows about the pool, and what the pool knows about the driver's counter.

use super::Range;
use crate::pool::Outcome;

/// Reports to the pool stop while this many reported numbers are not confirmed by a finished move: on a slow device, moves would
/// queue up behind a fast writer, and a move that exceeds its time limit counts as a failure of the device.
const MAX_UNCONFIRMED: u64 = 128;

/// The pool, as the driver of one tag knows it.
#[derive(Default)]
pub(super) struct PoolView {
    /// How many numbers this store has issued.
    used: u64,
    /// How many of these were reported to the pool.
    reported: u64,
    /// How many numbers are parked, according to the last finished move.
    confirmed: u64,
    /// The lowest of them; 0: none.
    lowest_confirmed: u64,
    /// How many numbers are being parked by moves that have not finished.
    parking: u64,
    /// The lowest of these; 0: none.
    lowest_parking: u64,
    /// How many numbers the device has used in total, according to the last finished move.
    total_used: u64,
    /// The highest number that the pool's record marks as issued, according to the last finished move.
    marked: u64,
    /// The highest issued number known when the last lease was requested.
    known_at_lease: u64,
    /// The highest number that a move has reported as issued because callers were getting it; the outcome of that move may be unknown.
    announced: u64,
}

impl PoolView {
    /// Numbers were issued.
    pub(super) fn use_up(&mut self, count: u64) {
        self.used += count;
    }

    /// How many numbers this store has issued.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// How many numbers are parked, with those that are being parked.
    pub(super) fn parked(&self) -> u64 {
        self.confirmed + self.parking
    }

    /// How many numbers are parked for certain.
    pub(super) fn confirmed(&self) -> u64 {
        self.confirmed
    }

    /// The lowest of the numbers that are parked or being parked; 0: none.
    pub(super) fn lowest(&self) -> u64 {
        lower(self.lowest_confirmed, self.lowest_parking)
    }

    /// Counts numbers that are being parked now, before the move has finished.
    pub(super) fn park(&mut self, range: Range) {
        self.parking += range.len();
        self.lowest_parking = lower(self.lowest_parking, range.low());
    }

    /// A move that parks `count` numbers has finished. If its outcome is known, [`PoolView::update`] is called next.
    pub(super) fn parked_or_lost(&mut self, count: u64) {
        self.parking = self.parking.saturating_sub(count);
        if self.parking == 0 {
            self.lowest_parking = 0;
        }
    }

    /// How many numbers the device will have used in total after `more` further ones.
    pub(super) fn total_used(&self, more: u64) -> u64 {
        self.total_used.saturating_add(self.used - self.reported).saturating_add(more)
    }

    /// A move reports everything up to `highest` (what callers get at once of the counter's block, if it has one) as issued. Returns
    /// how many numbers were used since the last report.
    pub(super) fn report(&mut self, highest: Option<u64>) -> u64 {
        self.announced = self.announced.max(highest.unwrap_or(0));
        let unreported = self.used - self.reported;
        self.reported = self.used;
        unreported
    }

    /// Whether a report is due: there is something to report, and the device keeps up ([`MAX_UNCONFIRMED`]).
    pub(super) fn is_report_due(&self) -> bool {
        self.used > self.reported && self.announced.saturating_sub(self.marked) < MAX_UNCONFIRMED
    }

    /// A lease is requested while the counter holds a block up to `handed`.
    pub(super) fn leasing(&mut self, handed: u64) {
        self.known_at_lease = self.highest().max(handed);
    }

    /// The highest issued number known when the last lease was requested.
    pub(super) fn known_at_lease(&self) -> u64 {
        self.known_at_lease
    }

    /// The highest number that the pool marks as issued, or will mark.
    pub(super) fn highest(&self) -> u64 {
        self.marked.max(self.announced)
    }

    /// Withdraws what was announced as issued: everything on the device is being taken out to be returned.
    pub(super) fn withdraw(&mut self) {
        self.announced = 0;
    }

    /// A move has finished.
    pub(super) fn update(&mut self, outcome: &Outcome) {
        // Moves are carried out in the order in which they began: this one has not seen what is still being parked.
        (self.confirmed, self.lowest_confirmed) = (outcome.parked, outcome.lowest);
        self.total_used = outcome.used;
        self.marked = outcome.highest;
    }

    /// A move was lost: how many numbers are parked is unknown.
    pub(super) fn lost(&mut self) {
        (self.confirmed, self.lowest_confirmed, self.parking, self.lowest_parking) = (0, 0, 0, 0);
    }

    /// The database was replaced: usage counts stay valid, marks do not. `known_at_lease` stays: the lease in flight was
    /// requested before.
    pub(super) fn forget(&mut self) {
        *self =
            Self { used: self.used, reported: self.reported, known_at_lease: self.known_at_lease, ..Self::default() };
    }
}

/// The lower one of two numbers; 0: none.
fn lower(one: u64, other: u64) -> u64 {
    if one == 0 || other != 0 && other < one { other } else { one }
}
