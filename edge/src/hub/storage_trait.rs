//! The storage of a hub.
//!
//! The hub's caller runs each request in one transaction: a crash leaves all of its writes or none, so their order
//! does not matter here.

use super::stored_records::{Chunk, GrantRecord, HubState, Loan};
use crate::prelude::*;
use raven_edge_authority::StorageError;

pub(super) type Result<T> = core::result::Result<T, StorageError>;

/// The storage of one hub.
pub(super) trait HubStorage {
    /// The state; `None` if the hub was never used.
    fn state(&self) -> Result<Option<HubState>>;
    /// Writes the state.
    fn set_state(&mut self, state: &HubState) -> Result<()>;

    /// The first chunk of a node tag, by grant and number, that has numbers above `above`.
    fn first_chunk(&self, tag: &str, above: u64) -> Result<Option<Chunk>>;
    /// The first chunk of a node tag with at least `count` numbers above `above`; if there is none, the chunk with
    /// the most.
    fn fitting_chunk(&self, tag: &str, count: u64, above: u64) -> Result<Option<Chunk>>;
    /// The chunks of a grant that end right before `before` or begin right after `after`.
    fn adjacent(&self, grant: u64, before: u64, after: u64) -> Result<Vec<Chunk>>;
    /// How many free numbers of a node tag lie above `above`.
    fn available(&self, tag: &str, above: u64) -> Result<u64>;
    /// Adds a chunk.
    fn put(&mut self, chunk: Chunk) -> Result<()>;
    /// Removes a chunk.
    fn remove(&mut self, chunk: Chunk) -> Result<()>;

    /// A grant.
    fn grant(&self, id: u64) -> Result<Option<GrantRecord>>;
    /// Writes a grant.
    fn set_grant(&mut self, granted: &GrantRecord) -> Result<()>;

    /// A loan.
    fn loan(&self, id: u64) -> Result<Option<Loan>>;
    /// The loan that was made at this time, in ticks.
    fn loan_at(&self, at: u64) -> Result<Option<Loan>>;
    /// Writes a loan.
    fn set_loan(&mut self, loan: &Loan) -> Result<()>;
    /// Deletes all loans before `before`, all but the newest `chunks` chunks, and grants that nothing refers to any
    /// more.
    fn prune(&mut self, before: u64, chunks: u64) -> Result<()>;

    /// Deletes everything but the state.
    fn clear(&mut self) -> Result<()>;
}

#[cfg(test)]
pub(super) use memory::MemoryHubStorage;

#[cfg(test)]
mod memory {
    use super::{Chunk, GrantRecord, HubState, HubStorage, Loan, Result};
    use raven_edge::hilo::Range;
    use std::collections::BTreeMap;

    /// In memory; the simulation clones it to roll back.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct MemoryHubStorage {
        state: Option<HubState>,
        chunks: BTreeMap<(u64, u64), u64>,
        grants: BTreeMap<u64, GrantRecord>,
        loans: BTreeMap<u64, Loan>,
    }

    impl MemoryHubStorage {
        fn of(&self, tag: &str) -> impl Iterator<Item = Chunk> {
            self.chunks().filter(move |chunk| self.grants.get(&chunk.grant).is_some_and(|grant| grant.tag == tag))
        }

        fn chunks(&self) -> impl Iterator<Item = Chunk> {
            self.chunks
                .iter()
                .filter_map(|((grant, low), high)| Some(Chunk { grant: *grant, range: Range::new(*low, *high)? }))
        }
    }

    fn above(chunk: &Chunk, above: u64) -> u64 {
        chunk.range.from(above + 1).map_or(0, Range::len)
    }

    impl HubStorage for MemoryHubStorage {
        fn state(&self) -> Result<Option<HubState>> {
            Ok(self.state.clone())
        }

        fn set_state(&mut self, state: &HubState) -> Result<()> {
            self.state = Some(state.clone());
            Ok(())
        }

        fn first_chunk(&self, tag: &str, number: u64) -> Result<Option<Chunk>> {
            Ok(self.of(tag).find(|chunk| above(chunk, number) > 0))
        }

        fn fitting_chunk(&self, tag: &str, count: u64, number: u64) -> Result<Option<Chunk>> {
            let largest = || self.of(tag).with_most(|chunk| above(chunk, number));
            Ok(self.of(tag).find(|chunk| above(chunk, number) >= count).or_else(largest))
        }

        fn adjacent(&self, grant: u64, before: u64, after: u64) -> Result<Vec<Chunk>> {
            let adjacent = |chunk: &Chunk| {
                chunk.grant == grant && (chunk.range.high() + 1 == before || chunk.range.low() == after + 1)
            };
            Ok(self.chunks().filter(adjacent).collect())
        }

        fn available(&self, tag: &str, number: u64) -> Result<u64> {
            Ok(self.of(tag).map(|chunk| above(&chunk, number)).sum())
        }

        fn put(&mut self, chunk: Chunk) -> Result<()> {
            self.chunks.insert((chunk.grant, chunk.range.low()), chunk.range.high());
            Ok(())
        }

        fn remove(&mut self, chunk: Chunk) -> Result<()> {
            self.chunks.remove(&(chunk.grant, chunk.range.low()));
            Ok(())
        }

        fn grant(&self, id: u64) -> Result<Option<GrantRecord>> {
            Ok(self.grants.get(&id).cloned())
        }

        fn set_grant(&mut self, granted: &GrantRecord) -> Result<()> {
            self.grants.insert(granted.id, granted.clone());
            Ok(())
        }

        fn loan(&self, id: u64) -> Result<Option<Loan>> {
            Ok(self.loans.get(&id).cloned())
        }

        fn loan_at(&self, at: u64) -> Result<Option<Loan>> {
            Ok(self.loans.values().find(|loan| loan.at == at).cloned())
        }

        fn set_loan(&mut self, loan: &Loan) -> Result<()> {
            self.loans.insert(loan.id, loan.clone());
            Ok(())
        }

        fn prune(&mut self, before: u64, chunks: u64) -> Result<()> {
            self.loans = self.loans.split_off(&before);
            while self.chunks.len() as u64 > chunks {
                self.chunks.pop_first();
            }
            let used: Vec<u64> =
                self.chunks().map(|chunk| chunk.grant).chain(self.loans.values().map(|loan| loan.grant)).collect();
            self.grants.retain(|id, _| used.contains(id));
            Ok(())
        }

        fn clear(&mut self) -> Result<()> {
            self.chunks.clear();
            self.grants.clear();
            self.loans.clear();
            Ok(())
        }
    }

    trait Most: Iterator<Item = Chunk> + Sized {
        /// The first of the chunks with the highest count, unless the count is 0.
        fn with_most(self, count: impl Fn(&Chunk) -> u64) -> Option<Chunk> {
            self.fold(None, |best: Option<Chunk>, chunk| match best {
                Some(best) if count(&best) >= count(&chunk) => Some(best),
                best if count(&chunk) == 0 => best,
                _ => Some(chunk),
            })
        }
    }

    impl<I: Iterator<Item = Chunk>> Most for I {}
}
