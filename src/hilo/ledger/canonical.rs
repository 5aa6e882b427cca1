//! For model checkers: maps equivalent states of a ledger to the same value.

use alloc::vec::Vec;

use super::Ledger;

impl Ledger {
    /// Renumbers pending requests from 1 on and generations to the lowest distinct values, and drops the marks of issued numbers up
    /// to `unreachable`, from which no grant can come any more. Returns the old numbers of the pending requests, in the order of
    /// the new ones.
    pub fn renumber(&mut self, unreachable: u64) -> Vec<u32> {
        let mut old = Vec::new();
        for (flight, number) in self.flights.iter_mut().zip(1..) {
            old.push(core::mem::replace(&mut flight.request, number));
            flight.generation = u32::from(flight.generation == self.generation);
        }
        self.generation = 1;
        self.requests = old.len() as u32;
        self.issued.retain(|(_, highest)| *highest > unreachable);
        old
    }
}
