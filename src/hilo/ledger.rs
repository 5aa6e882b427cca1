//! Records where every number of one tag is: a state machine without I/O, clock or text.
//!
//! A number is in one place: the tail (in memory), the block that was handed out for issuing, or a request in flight (a grant that the
//! pool has not admitted yet, or numbers whose return waits for a fence). A move takes a number out of its old place before it enters the
//! new one. If the step in between fails, the number is burnt: no client will ever use it.

mod canonical;
mod generation;
mod give_back;
mod grants;
mod leave_and_come_back;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use super::{Effect, Event, Hand, Lease, Range};
use crate::pool;
use generation::{Flight, FlightKind};
use leave_and_come_back::Phase;

/// Numbers held in memory, with the lease they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Held {
    range: Range,
    lease: u32,
}

/// The ledger of one tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ledger {
    phase: Phase,
    /// Incremented each time memory is emptied. Results of requests of an older generation are not used.
    generation: u32,
    requests: u32,
    flights: Vec<Flight>,
    leases: Vec<Lease>,
    /// In ascending order, in which they will be used.
    tail: Vec<Held>,
    /// The block that the counter owns until it is dry or surrenders.
    handed: Option<Held>,
    /// The highest number issued, per node tag.
    issued: Vec<(u32, u64)>,
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger {
            phase: Phase::Open,
            generation: 0,
            requests: 0,
            flights: Vec::new(),
            leases: Vec::new(),
            tail: Vec::new(),
            handed: None,
            issued: Vec::new(),
        }
    }
}

impl Ledger {
    /// Processes an event and returns the effects to carry out.
    pub fn on(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        let out = &mut effects;
        match event {
            // Events of a pool. The arm removes the code of the following ones from modules without a pool.
            Event::Claim
            | Event::TakeOut
            | Event::Claimed { .. }
            | Event::Admitted { .. }
            | Event::Regressed { .. }
            | Event::Share { .. }
                if !pool::PRESENT => {}
            Event::Dry(hand) => {
                self.close_block(None);
                if self.held() <= hand.low_water && !self.tail.is_empty() {
                    self.lease(0, 0, out);
                }
                self.hand(hand, out);
            }
            Event::Wanted { group } => self.lease(group, 0, out),
            Event::Claim => {
                let claiming =
                    |flight: &Flight| flight.generation == self.generation && flight.kind == FlightKind::Claim;
                if self.phase == Phase::Open && !self.flights.iter().any(claiming) {
                    let request = self.start_flight(FlightKind::Claim);
                    out.push(Effect::Claim { request, all: false });
                }
            }
            Event::TakeOut if self.phase != Phase::Closed => {
                let request = self.start_flight(FlightKind::Claim);
                out.push(Effect::Claim { request, all: true });
            }
            Event::TakeOut => {}
            Event::Claimed { request, leases, hand } => {
                let usable = self.finish_flight(request).is_some();
                for (lease, range) in leases {
                    if usable { self.hold(lease, range) } else { out.push(Effect::Burnt { range, lease: lease.id }) }
                }
                self.hand(hand, out);
            }
            Event::Granted { request, lease, admit, hand } => self.granted(request, lease, admit, hand, out),
            Event::Admitted { request, parked, hand } => self.admitted(request, parked, hand, out),
            Event::Regressed { request, highest, overtaken } => {
                if let Some(FlightKind::Admission { lease, group, .. }) = self.finish_flight(request) {
                    self.regressed(&lease, highest, overtaken, group, out);
                }
            }
            Event::Failed { request } => self.flights.retain(|flight| flight.request != request),
            Event::Surrendered { next } => self.close_block(Some(next)),
            Event::Share { count } => self.share(count, out),
            Event::Leaving => self.stop(Phase::Away, out),
            Event::Back => self.come_back(),
            Event::Closing => self.stop(Phase::Closing, out),
            Event::GiveBack { refence } => self.give_back(refence, out),
            Event::Forget => self.forget(),
            Event::Refenced { request, found } => self.refenced(request, found, out),
        }
        self.forget_leases();
        effects
    }

    /// How many numbers the tail holds, without the counter's block.
    pub fn held(&self) -> u64 {
        self.tail().map(|(range, _)| range.len()).sum()
    }

    /// Whether numbers of the lease are in the tail, in the counter, or in flight.
    pub fn knows(&self, lease: u32) -> bool {
        self.lease_of(lease).is_some()
            || self
                .flights
                .iter()
                .any(|flight| matches!(flight.kind, FlightKind::Admission { lease: of, .. } if of.id == lease))
    }

    /// The numbers in the tail, with their leases.
    pub fn tail(&self) -> impl Iterator<Item = (Range, u32)> {
        self.tail.iter().map(|held| (held.range, held.lease))
    }

    /// The highest number issued, per node tag.
    pub fn issued(&self) -> &[(u32, u64)] {
        &self.issued
    }

    fn lease_of(&self, id: u32) -> Option<&Lease> {
        self.leases.iter().find(|known| known.id == id)
    }

    /// Takes the block back from the counter, which has issued all of it, or everything below `next`.
    fn close_block(&mut self, next: Option<u64>) {
        let Some(held) = self.handed.take() else { return };
        let next = next.unwrap_or(held.range.high() + 1);
        let issued = next.saturating_sub(1).min(held.range.high());
        if issued >= held.range.low() {
            self.mark_issued(held.lease, issued);
        }
        if let Some(rest) = held.range.from(next) {
            self.insert(Held { range: rest, lease: held.lease });
        }
    }

    /// Keeps the tail in ascending order, whatever the node tags are.
    fn insert(&mut self, held: Held) {
        let at = self.tail.iter().take_while(|known| known.range < held.range).count();
        self.tail.insert(at, held);
    }

    fn mark_issued(&mut self, lease: u32, number: u64) {
        let Some(node) = self.lease_of(lease).map(|lease| lease.node) else { return };
        match self.issued.iter_mut().find(|(of, _)| *of == node) {
            Some((_, highest)) => *highest = number.max(*highest),
            None => self.issued.push((node, number)),
        }
    }

    fn hold(&mut self, lease: Lease, range: Range) {
        if self.lease_of(lease.id).is_none() {
            self.leases.push(lease);
        }
        self.insert(Held { range, lease: lease.id });
    }

    /// Gives the counter its next block, cut so that the counter is dry when the low water mark is reached.
    fn hand(&mut self, hand: Hand, out: &mut Vec<Effect>) {
        if self.phase != Phase::Open || self.handed.is_some() || self.tail.is_empty() {
            return;
        }
        let total = self.held();
        let mut count = if total <= hand.low_water { total } else { total - hand.low_water };
        let low = self.tail.first().map_or(0, |first| first.range.low());
        if hand.parked > 0 {
            // Parked numbers that are lower come first.
            count = count.min(hand.parked.saturating_sub(low));
        }
        if count == 0 {
            return;
        }
        let first = self.tail.remove(0);
        let (block, rest) = first.range.split(if hand.block > 0 { count.min(hand.block) } else { count });
        if let Some(rest) = rest {
            self.insert(Held { range: rest, lease: first.lease });
        }
        if let Some(range) = block {
            self.handed = Some(Held { range, lease: first.lease });
            out.push(Effect::Hand { range, lease: first.lease });
        }
    }

    fn lease(&mut self, group: u32, above: u64, out: &mut Vec<Effect>) {
        if self.phase != Phase::Open || self.is_leasing(group) {
            return;
        }
        let request = self.start_flight(FlightKind::Lease { group, above, overtaken: false });
        out.push(Effect::Lease { request, group, above });
    }

    /// Parks the lowest numbers of the tail, because only the highest ones can still be returned under the lease's fence.
    fn share(&mut self, mut count: u64, out: &mut Vec<Effect>) {
        while count > 0 && !self.tail.is_empty() {
            let first = self.tail.remove(0);
            let (parked, rest) = first.range.split(count);
            if let Some(rest) = rest {
                self.insert(Held { range: rest, lease: first.lease });
            }
            if let Some(range) = parked {
                count -= range.len();
                out.push(Effect::Park { range, lease: first.lease });
            }
        }
    }

    fn forget_leases(&mut self) {
        let (tail, handed, flights) = (&self.tail, &self.handed, &self.flights);
        self.leases.retain(|lease| {
            tail.iter().chain(handed).any(|held| held.lease == lease.id)
                || flights
                    .iter()
                    .any(|flight| matches!(flight.kind, FlightKind::Fence { lease: id, .. } if id == lease.id))
        });
    }
}
