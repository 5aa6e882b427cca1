//! Returns: which numbers in memory go back to the server, under which lease's fence, and which are burnt.

use alloc::vec::Vec;

use super::{Effect, FlightKind, Held, Lease, Ledger, Phase, Range};

impl Ledger {
    pub(super) fn give_back(&mut self, refence: bool, out: &mut Vec<Effect>) {
        if self.handed.is_some() {
            return;
        }
        // A client that stays open (it only returns what it holds) goes on to use results of earlier requests: they are other numbers.
        if self.phase != Phase::Open {
            self.begin_generation();
        }
        let mut tail = core::mem::take(&mut self.tail);
        let mut sent = Vec::new();
        while let Some(top) = pop_highest(&mut tail, |_| true) {
            let Some(lease) = self.lease_of(top.lease).copied() else { continue };
            // Numbers below the end of a lease cannot be returned while its end is in use: `Max` is above them. Numbers without a
            // fence cannot be returned after a return from above them, because that return has changed the counter document.
            let ends = top.range.high() == lease.range.high();
            if !(lease.fenced && ends || refence && !lease.fenced && !sent.contains(&lease.node)) {
                out.push(Effect::Burnt { range: top.range, lease: lease.id });
                continue;
            }
            sent.push(lease.node);
            let mut low = top.range.low();
            while let Some(below) = pop_highest(&mut tail, |held| self.follows(held, low, &lease)) {
                low = below.range.low();
            }
            if lease.fenced {
                out.push(Effect::Return { lease: lease.id, high: lease.range.high(), last: low - 1 });
            } else {
                self.leases.iter_mut().filter(|known| known.id == lease.id).for_each(|known| {
                    known.range = Range::new(low, top.range.high()).unwrap_or(top.range);
                });
                let request = self.start_flight(FlightKind::Fence { lease: lease.id, low });
                out.push(Effect::Refence { request, lease: lease.id });
            }
        }
        if self.phase == Phase::Closing {
            self.phase = Phase::Closed;
        }
    }

    /// Whether the numbers in `below` end directly before `low` and may be returned under the fence of `lease`: they are part of
    /// that lease, or a single node grants all numbers.
    fn follows(&self, below: &Held, low: u64, lease: &Lease) -> bool {
        let node = self.lease_of(below.lease).map(|known| known.node);
        let adjacent = below.range.high() + 1 == low && node == Some(lease.node);
        // A fence that is read again is used only if its change vector names a single node.
        adjacent && (below.range.low() >= lease.range.low() || lease.merges || !lease.fenced)
    }

    pub(super) fn refenced(&mut self, request: u32, found: Option<(u64, bool)>, out: &mut Vec<Effect>) {
        let Some(at) = self.flights.iter().position(|flight| flight.request == request) else { return };
        let FlightKind::Fence { lease, low } = self.flights.remove(at).kind else { return };
        let Some(known) = self.lease_of(lease) else { return };
        let high = known.range.high();
        out.push(match found {
            Some((max, true)) if max == high => Effect::Return { lease, high, last: low - 1 },
            _ => Effect::Burnt { range: known.range, lease },
        });
    }
}

/// Removes the highest entry that qualifies. A tail has only a few entries, so sorting would add code for nothing.
fn pop_highest(tail: &mut Vec<Held>, qualifies: impl Fn(&Held) -> bool) -> Option<Held> {
    let highest = tail.iter().filter(|held| qualifies(held)).max_by_key(|held| held.range).copied()?;
    tail.retain(|held| *held != highest);
    Some(highest)
}
