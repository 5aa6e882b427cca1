//! Where a hub's rows are.
//!
//! The hub's caller makes all that one request does one transaction. So nothing here has to care for an order of
//! writes, and a crash is before all of them or after all of them.

use super::book::{Book, Chunk, Granted, Loan};
use raven_edge_authority::StorageError;

pub(super) type Result<T> = std::result::Result<T, StorageError>;

/// The rows of one hub.
pub(super) trait Shelf {
    /// The facts, if the hub was ever used.
    fn book(&self) -> Result<Option<Book>>;
    /// Writes the facts.
    fn keep(&mut self, book: &Book) -> Result<()>;

    /// The first chunk of a node tag, by grant and number, that has something above a number.
    fn first(&self, tag: &str, above: u64) -> Result<Option<Chunk>>;
    /// The first chunk of a node tag that has so many numbers, all above another one; where none has, the one with the
    /// most.
    fn fitting(&self, tag: &str, count: u64, above: u64) -> Result<Option<Chunk>>;
    /// The chunks of a grant that end right before a number or begin right after another one.
    fn beside(&self, grant: u64, before: u64, after: u64) -> Result<Vec<Chunk>>;
    /// How many numbers of a node tag there are above a number.
    fn held(&self, tag: &str, above: u64) -> Result<u64>;
    /// Puts a chunk there.
    fn put(&mut self, chunk: Chunk) -> Result<()>;
    /// Takes a chunk away.
    fn remove(&mut self, chunk: Chunk) -> Result<()>;

    /// A grant.
    fn grant(&self, id: u64) -> Result<Option<Granted>>;
    /// Writes a grant.
    fn set_grant(&mut self, granted: &Granted) -> Result<()>;

    /// A loan.
    fn loan(&self, id: u64) -> Result<Option<Loan>>;
    /// The loan that was made at a time.
    fn loan_at(&self, at: u64) -> Result<Option<Loan>>;
    /// Writes a loan.
    fn set_loan(&mut self, loan: &Loan) -> Result<()>;
    /// Forgets all loans before one, all but so many of the newest chunks, and the grants of which nothing is left.
    fn forget(&mut self, before: u64, chunks: u64) -> Result<()>;

    /// Forgets everything but the facts.
    fn clear(&mut self) -> Result<()>;
}

#[cfg(test)]
pub(super) use memory::MemoryShelf;

#[cfg(test)]
mod memory {
    use super::{Book, Chunk, Granted, Loan, Result, Shelf};
    use raven_edge::hilo::Range;
    use std::collections::BTreeMap;

    /// Rows in memory: a simulation copies them to go back to.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct MemoryShelf {
        book: Option<Book>,
        chunks: BTreeMap<(u64, u64), u64>,
        grants: BTreeMap<u64, Granted>,
        loans: BTreeMap<u64, Loan>,
    }

    impl MemoryShelf {
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

    impl Shelf for MemoryShelf {
        fn book(&self) -> Result<Option<Book>> {
            Ok(self.book.clone())
        }

        fn keep(&mut self, book: &Book) -> Result<()> {
            self.book = Some(book.clone());
            Ok(())
        }

        fn first(&self, tag: &str, number: u64) -> Result<Option<Chunk>> {
            Ok(self.of(tag).find(|chunk| above(chunk, number) > 0))
        }

        fn fitting(&self, tag: &str, count: u64, number: u64) -> Result<Option<Chunk>> {
            let largest = || self.of(tag).with_most(|chunk| above(chunk, number));
            Ok(self.of(tag).find(|chunk| above(chunk, number) >= count).or_else(largest))
        }

        fn beside(&self, grant: u64, before: u64, after: u64) -> Result<Vec<Chunk>> {
            let beside = |chunk: &Chunk| {
                chunk.grant == grant && (chunk.range.high() + 1 == before || chunk.range.low() == after + 1)
            };
            Ok(self.chunks().filter(beside).collect())
        }

        fn held(&self, tag: &str, number: u64) -> Result<u64> {
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

        fn grant(&self, id: u64) -> Result<Option<Granted>> {
            Ok(self.grants.get(&id).cloned())
        }

        fn set_grant(&mut self, granted: &Granted) -> Result<()> {
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

        fn forget(&mut self, before: u64, chunks: u64) -> Result<()> {
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
        /// The first of those with the most, if that is anything.
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
