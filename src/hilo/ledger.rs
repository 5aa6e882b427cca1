//! Records where every number of one tag is: a state machine without I/O, clock or text.
//!
//! A number is in one place: the tail (memory), the counter (a block handed out for issuing), or a request in flight (a grant that
//! the pool has not admitted yet, numbers that wait for a fence). A move takes a number out of its old place before it enters the
//! new one. If the step in between fails, the number is burnt: no client will ever use it.

use alloc::vec::Vec;

use super::{Effect, Event, Hand, Lease, Range};

/// Numbers held in memory, with the lease they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Held {
    range: Range,
    lease: u32,
}

/// A request in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Flight {
    request: u32,
    generation: u32,
    kind: FlightKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FlightKind {
    /// `overtaken`: another grant has arrived since it was requested, so this one may have lower numbers.
    Lease {
        group: u32,
        above: u64,
        overtaken: bool,
    },
    Claim,
    Admission {
        lease: Lease,
        group: u32,
        above: u64,
    },
    Fence {
        lease: u32,
        low: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Open,
    /// The page has left and may be restored.
    Away,
    Closing,
    Closed,
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
    /// In the order in which they will be used.
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
                for lease in leases {
                    if usable {
                        self.hold(lease, lease.range)
                    } else {
                        out.push(Effect::Burnt { range: lease.range, lease: lease.id })
                    }
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
            Event::Back => {
                if self.phase == Phase::Away {
                    self.phase = Phase::Open;
                }
            }
            Event::Closing => self.stop(Phase::Closing, out),
            Event::GiveBack { refence } => self.give_back(refence, out),
            Event::Forget => self.forget(),
            Event::Refenced { request, found } => self.refenced(request, found, out),
        }
        self.forget_leases();
        effects
    }

    /// Later grants than this request's have arrived, so lower numbers in its grant do not mean that the server went back.
    pub fn overtake(&mut self, request: u32) {
        for flight in &mut self.flights {
            if let FlightKind::Lease { overtaken, .. } = &mut flight.kind {
                *overtaken |= flight.request == request;
            }
        }
    }

    /// How many numbers the tail holds, without the counter's block.
    pub fn held(&self) -> u64 {
        self.tail().map(|(range, _)| range.len()).sum()
    }

    /// Whether the counter may be given numbers.
    pub fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// Whether a lease is in flight for the group.
    pub fn is_leasing(&self, group: u32) -> bool {
        // Requests of an older generation have no effect and must not block a new one.
        let current = self.flights.iter().filter(|flight| flight.generation == self.generation);
        current.into_iter().any(|flight| match flight.kind {
            FlightKind::Lease { group: of, .. } | FlightKind::Admission { group: of, .. } => of == group,
            _ => false,
        })
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

    fn start_flight(&mut self, kind: FlightKind) -> u32 {
        self.requests = self.requests.wrapping_add(1);
        self.flights.push(Flight { request: self.requests, generation: self.generation, kind });
        self.requests
    }

    /// Removes the request from those in flight, and returns what it was for if its result may still be used.
    fn finish_flight(&mut self, request: u32) -> Option<FlightKind> {
        let at = self.flights.iter().position(|flight| flight.request == request)?;
        let flight = self.flights.remove(at);
        (flight.generation == self.generation && self.phase != Phase::Closed).then_some(flight.kind)
    }

    fn stop(&mut self, phase: Phase, out: &mut Vec<Effect>) {
        if self.phase == Phase::Open || (self.phase == Phase::Away && phase == Phase::Closing) {
            self.phase = phase;
            out.push(Effect::Surrender);
        }
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
            self.tail.insert(0, Held { range: rest, lease: held.lease });
        }
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
        self.tail.push(Held { range, lease: lease.id });
    }

    /// Gives the counter its next block, cut so that the counter is dry when the low water mark is reached.
    fn hand(&mut self, hand: Hand, out: &mut Vec<Effect>) {
        if self.phase != Phase::Open || self.handed.is_some() || self.tail.is_empty() {
            return;
        }
        let total = self.held();
        let count = if total <= hand.low_water { total } else { total - hand.low_water };
        let first = self.tail.remove(0);
        let (block, rest) = first.range.split(if hand.block > 0 { count.min(hand.block) } else { count });
        if let Some(rest) = rest {
            self.tail.insert(0, Held { range: rest, lease: first.lease });
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

    fn granted(&mut self, request: u32, lease: Lease, admit: bool, hand: Hand, out: &mut Vec<Effect>) {
        let Some(FlightKind::Lease { group, above, overtaken }) = self.finish_flight(request) else {
            out.push(Effect::Burnt { range: lease.range, lease: lease.id });
            return;
        };
        for flight in &mut self.flights {
            if let FlightKind::Lease { overtaken, .. } = &mut flight.kind {
                *overtaken = true;
            }
        }
        if let Some(highest) = self.conflict(&lease) {
            self.regressed(&lease, highest, overtaken, group, out);
        } else if admit {
            // Even if the grant will only be returned: among siblings it is parked instead, and parking does not compare.
            let request = self.start_flight(FlightKind::Admission { lease, group, above });
            out.push(Effect::Admit { request, lease: lease.id });
        } else {
            self.hold(lease, lease.range);
            self.hand(hand, out);
        }
    }

    fn admitted(&mut self, request: u32, parked: Option<Range>, hand: Hand, out: &mut Vec<Effect>) {
        let lease = self.flights.iter().find_map(|flight| match flight.kind {
            FlightKind::Admission { lease, .. } if flight.request == request => Some(lease),
            _ => None,
        });
        let Some(lease) = lease else { return };
        let usable = self.finish_flight(request).is_some();
        let (below, above) = match parked {
            Some(parked) => (
                lease.range.split(parked.low().saturating_sub(lease.range.low())).0,
                lease.range.from(parked.high() + 1),
            ),
            None => (Some(lease.range), None),
        };
        for range in [below, above].into_iter().flatten() {
            if usable { self.hold(lease, range) } else { out.push(Effect::Burnt { range, lease: lease.id }) }
        }
        self.hand(hand, out);
    }

    fn regressed(&mut self, lease: &Lease, highest: u64, overtaken: bool, group: u32, out: &mut Vec<Effect>) {
        let range = lease.range;
        out.push(if overtaken {
            Effect::Burnt { range, lease: lease.id }
        } else {
            Effect::Regression { range, highest }
        });
        // A grant starts above the requested number, so `highest` grows with each attempt and the loop ends.
        self.lease(group, highest, out);
    }

    /// If the grant overlaps numbers that are held or issued: the highest number known under its node tag.
    fn conflict(&self, lease: &Lease) -> Option<u64> {
        let node_of = |id| self.lease_of(id).map(|known| known.node);
        let held = || self.tail.iter().chain(&self.handed).filter(|held| node_of(held.lease) == Some(lease.node));
        let waiting = || {
            self.flights.iter().filter_map(|flight| match flight.kind {
                FlightKind::Admission { lease: other, .. } if other.node == lease.node => Some(other.range),
                _ => None,
            })
        };
        let issued = self.issued.iter().find(|(node, _)| *node == lease.node).map_or(0, |(_, highest)| *highest);
        let ranges = || held().map(|held| held.range).chain(waiting());
        let collides = lease.range.low() <= issued || ranges().any(|range| range.overlaps(lease.range));
        collides.then(|| ranges().map(Range::high).fold(issued, u64::max))
    }

    /// Parks the lowest numbers of the tail: its end can still be returned under the lease's fence.
    fn share(&mut self, mut count: u64, out: &mut Vec<Effect>) {
        while count > 0 && !self.tail.is_empty() {
            let first = self.tail.remove(0);
            let (parked, rest) = first.range.split(count);
            if let Some(rest) = rest {
                self.tail.insert(0, Held { range: rest, lease: first.lease });
            }
            if let Some(range) = parked {
                count -= range.len();
                out.push(Effect::Park { range, lease: first.lease });
            }
        }
    }

    fn give_back(&mut self, refence: bool, out: &mut Vec<Effect>) {
        if self.handed.is_some() {
            return;
        }
        // From here on, results of earlier requests must not be issued. A client that stays open (it only returns what it holds)
        // goes on to use them: they are other numbers.
        if self.phase != Phase::Open {
            self.generation = self.generation.wrapping_add(1);
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

    /// The database was replaced. Numbers of the old one must not stay, not even to wait for a fence: a fence read now would belong
    /// to a counter of the new database.
    fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        self.handed = None;
        self.tail.clear();
        self.issued.clear();
        self.flights.retain(|flight| matches!(flight.kind, FlightKind::Lease { .. } | FlightKind::Claim));
    }

    fn refenced(&mut self, request: u32, found: Option<(u64, bool)>, out: &mut Vec<Effect>) {
        let Some(at) = self.flights.iter().position(|flight| flight.request == request) else { return };
        let FlightKind::Fence { lease, low } = self.flights.remove(at).kind else { return };
        let Some(known) = self.lease_of(lease) else { return };
        let high = known.range.high();
        out.push(match found {
            Some((max, true)) if max == high => Effect::Return { lease, high, last: low - 1 },
            _ => Effect::Burnt { range: known.range, lease },
        });
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

/// Removes the highest entry that qualifies. A tail has only a few entries, so sorting would add code for nothing.
fn pop_highest(tail: &mut Vec<Held>, qualifies: impl Fn(&Held) -> bool) -> Option<Held> {
    let highest = tail.iter().filter(|held| qualifies(held)).max_by_key(|held| held.range).copied()?;
    tail.retain(|held| *held != highest);
    Some(highest)
}

#[path = "canonical.rs"]
mod canonical;
#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
