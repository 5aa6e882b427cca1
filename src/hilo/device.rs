//! What a tag's driver and the device have told each other: how many numbers were used and are parked, which were issued.

use crate::pool::Outcome;

/// So many numbers are told to the device before it has heard of the first: a slow one falls behind a writer who is not, and what
/// it cannot do in time counts as a failure.
const UNHEARD: u64 = 128;

/// The device, as the driver of one tag knows it.
#[derive(Default)]
pub(super) struct Device {
    /// Numbers issued here, and how many of them the device was told of.
    used: u64,
    told: u64,
    /// What the last move said: numbers parked, numbers used, the highest number that is known to be issued.
    parked: u64,
    uses: u64,
    known: u64,
    /// The highest number that was issued when the last lease was sent, as far as was known.
    known_before: u64,
    /// The highest number that moves have said to be issued while the counter had it, whether or not their outcome is known.
    said: u64,
}

impl Device {
    /// Numbers were issued.
    pub(super) fn use_up(&mut self, count: u64) {
        self.used += count;
    }

    /// Numbers issued here.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// Numbers parked.
    pub(super) fn parked(&self) -> u64 {
        self.parked
    }

    /// Numbers were parked, or soon will be.
    pub(super) fn park(&mut self, count: u64) {
        self.parked += count;
    }

    /// How many numbers the device will have used when `soon` more are.
    pub(super) fn uses(&self, soon: u64) -> u64 {
        self.uses.saturating_add(self.used - self.told).saturating_add(soon)
    }

    /// A move tells the device that everything up to `highest` is issued, where the counter has a block, and how many numbers were
    /// used since the last move: gives those.
    pub(super) fn tell(&mut self, highest: Option<u64>) -> u64 {
        self.said = self.said.max(highest.unwrap_or(0));
        let news = self.used - self.told;
        self.told = self.used;
        news
    }

    /// Whether there is something to tell, and the device has not fallen behind.
    pub(super) fn is_behind(&self) -> bool {
        self.used > self.told && self.said.saturating_sub(self.known) < UNHEARD
    }

    /// A lease is sent while the counter has a block up to `handed`.
    pub(super) fn leasing(&mut self, handed: u64) {
        self.known_before = self.highest().max(handed);
    }

    /// The highest number that was known to be issued when the last lease was sent.
    pub(super) fn known_before(&self) -> u64 {
        self.known_before
    }

    /// The highest number that the device takes for issued, or is about to.
    pub(super) fn highest(&self) -> u64 {
        self.known.max(self.said)
    }

    /// What was said to be issued is taken back: all of it is on its way back from the device.
    pub(super) fn unsay(&mut self) {
        self.said = 0;
    }

    /// What a move said.
    pub(super) fn noted(&mut self, outcome: &Outcome) {
        self.parked = outcome.parked;
        self.uses = outcome.used;
        self.known = outcome.highest;
    }

    /// A move was lost: what is parked is not known any more.
    pub(super) fn lost(&mut self) {
        self.parked = 0;
    }

    /// The database is another one than before: what was used counts, of numbers nothing is known.
    pub(super) fn forget(&mut self) {
        *self = Self { used: self.used, told: self.told, known_before: self.known_before, ..Self::default() };
    }
}
