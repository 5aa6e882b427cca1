//! For checkers: a state that was seen before looks as it did then.

use alloc::vec::Vec;

use super::Ledger;

impl Ledger {
    /// Counts requests and generations anew, from the lowest numbers that keep them apart, and drops the marks of what
    /// was issued up to `settled`: no grant comes from there any more. The old numbers of the requests still awaited, in
    /// the order of the new ones, which begin with 1.
    pub fn renumber(&mut self, settled: u64) -> Vec<u32> {
        let mut old = Vec::new();
        for (flight, number) in self.flights.iter_mut().zip(1..) {
            old.push(core::mem::replace(&mut flight.request, number));
            flight.generation = u32::from(flight.generation == self.generation);
        }
        self.generation = 1;
        self.requests = old.len() as u32;
        self.issued.retain(|(_, highest)| *highest > settled);
        old
    }
}
