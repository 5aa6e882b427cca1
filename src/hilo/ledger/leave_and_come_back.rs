//! The page leaves, comes back from the back/forward cache, or closes: whether the counter has numbers meanwhile.

use alloc::vec::Vec;

use super::{Effect, Ledger};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Open,
    /// The page has left and may be restored.
    Away,
    Closing,
    Closed,
}

impl Ledger {
    /// Whether the counter may be given numbers.
    pub fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// The page leaves or closes: the counter surrenders its block, and gets no other one.
    pub(super) fn stop(&mut self, phase: Phase, out: &mut Vec<Effect>) {
        if self.phase == Phase::Open || (self.phase == Phase::Away && phase == Phase::Closing) {
            self.phase = phase;
            out.push(Effect::Surrender);
        }
    }

    /// The page was restored after it had left. A ledger that is closing stays so.
    pub(super) fn come_back(&mut self) {
        if self.phase == Phase::Away {
            self.phase = Phase::Open;
        }
    }
}
