//! The numbers of a tag that are in the app's reach: the only owner of its block.

use raven_edge::hilo::Range;
use raven_edge::source::Grant;

/// The lease that the numbers of a counter come from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CurrentLease {
    /// Its lowest number.
    pub low: u64,
    /// Its highest number.
    pub high: u64,
    /// The node that granted it.
    pub node_tag: String,
    /// Whether its rest can be returned.
    pub fenced: bool,
}

/// An id and its number.
pub(crate) struct Taken {
    pub(crate) id: String,
    number: u64,
    /// The count of blocks when it was taken.
    block: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counter {
    next: u64,
    last: u64,
    prefix: String,
    suffix: String,
    /// Counts blocks, and how often the counter was emptied.
    block: u64,
    pub(crate) lease: Option<CurrentLease>,
}

impl Counter {
    pub(crate) fn hand(&mut self, range: Range, grant: &Grant, fenced: bool) {
        (self.next, self.last) = (range.low(), range.high());
        self.block += 1;
        self.prefix.clone_from(&grant.prefix);
        self.suffix = if grant.tag.is_empty() { String::new() } else { format!("-{}", grant.tag) };
        let (low, high) = (grant.range.low(), grant.range.high());
        self.lease = Some(CurrentLease { low, high, node_tag: grant.tag.clone(), fenced });
    }

    /// The next id.
    pub(crate) fn take(&mut self) -> Option<Taken> {
        if self.rest() == 0 {
            return None;
        }
        let number = self.next;
        self.next += 1;
        Some(Taken { id: format!("{}{number}{}", self.prefix, self.suffix), number, block: self.block })
    }

    /// Takes back an id that its caller did not get, if no later one was taken. Else its number is a gap.
    pub(crate) fn undo(&mut self, taken: &Taken) {
        if taken.block == self.block && taken.number + 1 == self.next {
            self.next = taken.number;
        }
    }

    pub(crate) fn rest(&self) -> u64 {
        (self.last + 1).saturating_sub(self.next.max(1))
    }

    /// The numbers that are left, lowest and highest.
    pub(crate) fn left(&self) -> Option<(u64, u64)> {
        (self.rest() > 0).then_some((self.next, self.last))
    }

    /// Empties it; returns the first number that was not issued.
    pub(crate) fn surrender(&mut self) -> u64 {
        let next = self.next.max(1);
        self.next = self.last + 1;
        self.block += 1;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raven_edge::http::NodeId;

    fn counter(low: u64, high: u64) -> Counter {
        let range = Range::new(low, high).unwrap();
        let (prefix, tag) = ("orders/".to_owned(), "A".to_owned());
        let grant = Grant { range, prefix, tag, fence: None, node: NodeId(0), echo: None, incarnation: None };
        let mut counter = Counter::default();
        counter.hand(range, &grant, false);
        counter
    }

    #[test]
    fn an_id_that_its_caller_did_not_get_is_issued_next() {
        let mut counter = counter(7, 9);
        let first = counter.take().unwrap();
        assert_eq!(first.id, "orders/7-A");
        counter.undo(&first);
        let [again, other] = [counter.take().unwrap(), counter.take().unwrap()];
        assert_eq!([again.id.as_str(), &other.id], ["orders/7-A", "orders/8-A"]);
        counter.undo(&again);
        assert_eq!(counter.take().unwrap().id, "orders/9-A", "a later number was taken: a gap");
        assert!(counter.take().is_none());
    }

    #[test]
    fn a_number_of_an_emptied_counter_does_not_come_back() {
        let mut counter = counter(7, 9);
        let first = counter.take().unwrap();
        assert_eq!(counter.surrender(), 8);
        counter.undo(&first);
        assert!(counter.take().is_none());
        assert_eq!(counter.left(), None);
    }
}
