//! Where every number of one tag lives: a state machine without I/O, clock or text.
//!
//! Homes here are the tail (numbers in memory) and the counter (a block handed out for issuing). A move takes
//! a number out of its old home before it enters the new one; whatever fails in between burns the number.

use alloc::vec::Vec;

use super::{Effect, Event, Lease, Range};

/// Numbers held in memory, with the lease they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Held {
    range: Range,
    lease: u32,
}

/// A lease on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Flight {
    request: u32,
    group: u32,
    generation: u32,
    above: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Open,
    Closing,
    Closed,
}

/// The ledger of one tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ledger {
    phase: Phase,
    /// Counts the times that memory was emptied; a lease asked for before that may not be used after it.
    generation: u32,
    requests: u32,
    flights: Vec<Flight>,
    leases: Vec<Lease>,
    /// In the order in which they will be used.
    tail: Vec<Held>,
    /// What the counter has; the numbers are its own until it is dry or surrenders.
    handed: Option<Held>,
    /// Highest number issued, per node tag.
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
    /// Takes an event in and says what is to be done about it.
    pub fn on(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Dry { low_water } => {
                self.settle(None);
                if self.held() <= low_water && !self.tail.is_empty() {
                    self.lease(0, 0, &mut effects);
                }
                self.hand(low_water, &mut effects);
            }
            Event::Wanted { group } => self.lease(group, 0, &mut effects),
            Event::Granted { request, lease, low_water } => self.granted(request, lease, low_water, &mut effects),
            Event::Failed { request } => self.flights.retain(|flight| flight.request != request),
            Event::Surrendered { next } => self.settle(Some(next)),
            Event::Closing => {
                if self.phase == Phase::Open {
                    self.phase = Phase::Closing;
                    effects.push(Effect::Surrender);
                }
            }
            Event::GiveBack => self.give_back(&mut effects),
        }
        self.forget_leases();
        effects
    }

    /// Numbers held in the tail; what the counter has is not among them.
    pub fn held(&self) -> u64 {
        self.tail.iter().map(|held| held.range.len()).sum()
    }

    /// Whether a lease is on its way for the group.
    pub fn is_leasing(&self, group: u32) -> bool {
        self.flights.iter().any(|flight| flight.group == group)
    }

    /// Whether the lease's numbers are still held or handed out.
    pub fn knows(&self, lease: u32) -> bool {
        self.leases.iter().any(|known| known.id == lease)
    }

    /// The counter is done with its block: it issued all of it, or everything below `next`.
    fn settle(&mut self, next: Option<u64>) {
        let Some(held) = self.handed.take() else { return };
        let next = next.unwrap_or(held.range.high() + 1);
        let issued = next.saturating_sub(1).min(held.range.high());
        if issued >= held.range.low() {
            self.mark(held.lease, issued);
        }
        if let Some(rest) = held.range.from(next) {
            self.tail.insert(0, Held { range: rest, lease: held.lease });
        }
    }

    fn mark(&mut self, lease: u32, number: u64) {
        let Some(node) = self.leases.iter().find(|known| known.id == lease).map(|lease| lease.node) else { return };
        match self.issued.iter_mut().find(|(of, _)| *of == node) {
            Some((_, highest)) => *highest = number.max(*highest),
            None => self.issued.push((node, number)),
        }
    }

    /// Gives the counter its next block, cut so that it is dry when the low water is reached.
    fn hand(&mut self, low_water: u64, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Open || self.handed.is_some() {
            return;
        }
        let Some(first) = self.tail.first().copied() else { return };
        let total = self.held();
        let count = if total <= low_water { total } else { total - low_water };
        self.tail.remove(0);
        let (block, rest) = first.range.split(count);
        if let Some(rest) = rest {
            self.tail.insert(0, Held { range: rest, lease: first.lease });
        }
        if let Some(range) = block {
            let held = Held { range, lease: first.lease };
            self.handed = Some(held);
            effects.push(Effect::Hand { range, lease: first.lease });
        }
    }

    fn lease(&mut self, group: u32, above: u64, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Open || self.is_leasing(group) {
            return;
        }
        self.requests = self.requests.wrapping_add(1);
        let request = self.requests;
        self.flights.push(Flight { request, group, generation: self.generation, above });
        effects.push(Effect::Lease { request, group, above });
    }

    fn granted(&mut self, request: u32, lease: Lease, low_water: u64, effects: &mut Vec<Effect>) {
        let flight = self.flights.iter().position(|flight| flight.request == request).map(|at| self.flights.remove(at));
        let usable = flight.filter(|flight| flight.generation == self.generation && self.phase != Phase::Closed);
        let Some(flight) = usable else {
            effects.push(Effect::Burnt { range: lease.range });
            return;
        };
        if let Some(highest) = self.conflict(&lease) {
            effects.push(Effect::Regression { range: lease.range, highest });
            // Asked to go above everything known, a sane source does; one that does not is not asked a third time.
            if flight.above > 0 {
                effects.push(Effect::Refused);
            } else {
                self.lease(flight.group, highest, effects);
            }
            return;
        }
        self.leases.push(lease);
        self.tail.push(Held { range: lease.range, lease: lease.id });
        self.hand(low_water, effects);
    }

    /// The highest number known under the grant's node tag, if the grant collides with what is held or issued.
    fn conflict(&self, lease: &Lease) -> Option<u64> {
        let node_of = |id| self.leases.iter().find(|known| known.id == id).map(|known| known.node);
        let held = || self.tail.iter().chain(&self.handed).filter(|held| node_of(held.lease) == Some(lease.node));
        let issued = self.issued.iter().find(|(node, _)| *node == lease.node).map_or(0, |(_, highest)| *highest);
        let collides = lease.range.low() <= issued || held().any(|held| held.range.overlaps(lease.range));
        collides.then(|| held().map(|held| held.range.high()).fold(issued, u64::max))
    }

    fn give_back(&mut self, effects: &mut Vec<Effect>) {
        if self.handed.is_some() {
            return;
        }
        // From here on no continuation of what was asked for before may issue.
        self.generation = self.generation.wrapping_add(1);
        if self.phase == Phase::Closing {
            self.phase = Phase::Closed;
        }
        let mut tail = core::mem::take(&mut self.tail);
        while let Some(top) = pop_highest(&mut tail, |_| true) {
            let Some(lease) = self.leases.iter().find(|known| known.id == top.lease).copied() else { continue };
            // Numbers below the end of a lease whose end is in use cannot go back: `Max` is above them.
            if !lease.fenced || top.range.high() != lease.range.high() {
                effects.push(Effect::Burnt { range: top.range });
                continue;
            }
            let mut low = top.range.low();
            while let Some(below) = pop_highest(&mut tail, |held| self.follows(held, low, &lease)) {
                low = below.range.low();
            }
            effects.push(Effect::Return { lease: lease.id, high: lease.range.high(), last: low - 1 });
        }
    }

    /// Whether the numbers below end right before `low` and may go back under the fence of `lease`.
    fn follows(&self, below: &Held, low: u64, lease: &Lease) -> bool {
        let adjacent = below.range.high() + 1 == low;
        let node = self.leases.iter().find(|known| known.id == below.lease).map(|known| known.node);
        adjacent && (below.lease == lease.id || (lease.merges && node == Some(lease.node)))
    }

    fn forget_leases(&mut self) {
        let (tail, handed) = (&self.tail, &self.handed);
        self.leases.retain(|lease| tail.iter().chain(handed).any(|held| held.lease == lease.id));
    }
}

/// Takes out the highest of those that qualify; a tail has a handful of entries, for which a sort is too much code.
fn pop_highest(tail: &mut Vec<Held>, qualifies: impl Fn(&Held) -> bool) -> Option<Held> {
    let highest = tail.iter().filter(|held| qualifies(held)).max_by_key(|held| held.range).copied()?;
    tail.retain(|held| *held != highest);
    Some(highest)
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
