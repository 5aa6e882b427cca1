//! Requests in flight and their generation. Each time memory is emptied a new generation begins: a result of an older one comes too
//! late, and its numbers are burnt.

use super::{Lease, Ledger, Phase};

/// A request in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Flight {
    pub(super) request: u32,
    pub(super) generation: u32,
    pub(super) kind: FlightKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FlightKind {
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

impl Ledger {
    /// Whether a lease is in flight for the group.
    pub fn is_leasing(&self, group: u32) -> bool {
        // Requests of an older generation have no effect and must not block a new one.
        let current = self.flights.iter().filter(|flight| flight.generation == self.generation);
        current.into_iter().any(|flight| match flight.kind {
            FlightKind::Lease { group: of, .. } | FlightKind::Admission { group: of, .. } => of == group,
            _ => false,
        })
    }

    pub(super) fn start_flight(&mut self, kind: FlightKind) -> u32 {
        self.requests = self.requests.wrapping_add(1);
        self.flights.push(Flight { request: self.requests, generation: self.generation, kind });
        self.requests
    }

    /// Removes the request from those in flight, and returns what it was for if its result may still be used.
    pub(super) fn finish_flight(&mut self, request: u32) -> Option<FlightKind> {
        let at = self.flights.iter().position(|flight| flight.request == request)?;
        let flight = self.flights.remove(at);
        (flight.generation == self.generation && self.phase != Phase::Closed).then_some(flight.kind)
    }

    /// Memory is emptied: results of requests in flight must not be issued.
    pub(super) fn begin_generation(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// The database was replaced. Numbers of the old one must not stay, not even to wait for a fence: a fence read now would belong
    /// to a counter of the new database.
    pub(super) fn forget(&mut self) {
        self.begin_generation();
        self.handed = None;
        self.tail.clear();
        self.issued.clear();
        self.flights.retain(|flight| matches!(flight.kind, FlightKind::Lease { .. } | FlightKind::Claim));
    }
}
