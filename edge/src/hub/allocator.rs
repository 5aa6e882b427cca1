//! Moves numbers: from the source to the hub, to a client, back to the hub, back to the source.
//!
//! Each number is in exactly one place. Each function is part of one transaction; its result may be sent to others
//! only after the transaction has been committed.

use super::lease_sizes::LoanSize;
use super::storage_trait::{HubStorage, Result};
use super::stored_records::{Chunk, GrantRecord, HubState, Loan};
use crate::prelude::*;
use raven_edge::hilo::Range;
use raven_edge::source::Grant;

/// How many of the newest loans can be returned. The unused ends of older loans are lost; their clients are assumed
/// to be dead.
const REMEMBERED: u64 = 20_000;
/// Old loans are deleted after every 256th loan.
const SWEEP: u64 = 256;
/// Maximum number of chunks. More pile up only if no new clients arrive, who alone can use returned numbers.
const PIECES: u64 = 1_000;

/// Proves that the caller holds a loan: the values that were sent with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proof {
    pub(super) loan: u64,
    pub(super) secret: String,
}

/// The result of [`admit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// The hub has stored the range.
    Admitted,
    /// The source has been rolled back: it granted numbers that the hub holds or has lent. The range was discarded;
    /// the next one must lie above this number.
    RetryAbove(u64),
}

/// What the hub knows about the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Client {
    /// The client has no numbers yet.
    New,
    /// The client received its last loan at this time, in ticks.
    Known(u64),
    /// Nothing is known, or other tabs of the client's device may have numbers.
    Unknown,
}

/// A client's request for numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoanRequest {
    pub(super) size: LoanSize,
    pub(super) client: Client,
    /// All numbers must lie above this one.
    pub(super) above: u64,
    pub(super) secret: String,
    /// The current time, in ticks.
    pub(super) now: u64,
}

/// Lends numbers to a client; `None` if the hub has none that are suitable.
///
/// A client that receives a number below one that it has already issued concludes that the server was rolled back. It
/// therefore gets only numbers above all that it can have; returned numbers go to clients that have none.
pub(super) fn lend(storage: &mut impl HubStorage, state: &mut HubState, request: LoanRequest) -> Result<Option<Loan>> {
    let previous = match request.client {
        Client::Known(at) => storage.loan_at(at)?,
        _ => None,
    };
    let previous_tag = match &previous {
        Some(loan) => storage.grant(loan.grant)?.map(|granted| granted.tag),
        None => None,
    };
    for tag in state.highest_granted.keys().cloned().collect::<Vec<_>>() {
        let previous_high = previous.as_ref().filter(|_| previous_tag.as_ref() == Some(&tag)).map(|loan| loan.high);
        let floor = match request.client {
            Client::New => 0,
            _ => previous_high.unwrap_or_else(|| highest_lent(state, &tag)),
        };
        let floor = floor.max(request.above);
        let count = request.size.count;
        let chunk = if request.size.exact {
            storage.fitting_chunk(&tag, count, floor)?
        } else {
            storage.first_chunk(&tag, floor)?
        };
        if let Some(chunk) = chunk {
            return lend_from_chunk(storage, state, chunk, floor, &tag, request);
        }
    }
    Ok(None)
}

/// The highest number of a node tag that any client may have.
pub(super) fn highest_lent(state: &HubState, tag: &str) -> u64 {
    state.highest_lent.get(tag).copied().unwrap_or_default()
}

fn lend_from_chunk(
    storage: &mut impl HubStorage,
    state: &mut HubState,
    chunk: Chunk,
    floor: u64,
    tag: &str,
    request: LoanRequest,
) -> Result<Option<Loan>> {
    let Some(usable) = chunk.range.from(floor.saturating_add(1)) else { return Ok(None) };
    let (Some(range), rest) = usable.split(request.size.count) else { return Ok(None) };
    storage.remove(chunk)?;
    let below = chunk.range.split(usable.low() - chunk.range.low()).0;
    for range in [below, rest].into_iter().flatten() {
        storage.put(Chunk { range, ..chunk })?;
    }
    state.loans += 1;
    state.last_at = request.now.max(state.last_at + 1);
    state.highest_lent.insert(tag.to_owned(), range.high().max(highest_lent(state, tag)));
    let (low, high) = (range.low(), range.high());
    let loan = Loan { id: state.loans, secret: Some(request.secret), grant: chunk.grant, low, high, at: state.last_at };
    storage.set_loan(&loan)?;
    if state.loans.is_multiple_of(SWEEP) {
        storage.prune(state.loans.saturating_sub(REMEMBERED), PIECES)?;
    }
    Ok(Some(loan))
}

/// Takes back the numbers of a loan above `last`. Returns whether it did: only the holder of the loan can return it,
/// and only once, because a return ends the loan.
pub(super) fn take_back(
    storage: &mut impl HubStorage,
    state: &mut HubState,
    proof: &Proof,
    high: u64,
    last: u64,
) -> Result<bool> {
    let Some(loan) = storage.loan(proof.loan)? else { return Ok(false) };
    // Numbers below the loan's own belong to others.
    if loan.secret.as_ref() != Some(&proof.secret) || loan.high != high || last < loan.low - 1 {
        return Ok(false);
    }
    let Some(mut range) = Range::new(last.saturating_add(1), high) else { return Ok(false) };
    storage.set_loan(&Loan { secret: None, high: last, ..loan })?;
    let tag = storage.grant(loan.grant)?.map(|granted| granted.tag).unwrap_or_default();
    // This loan was the highest: all numbers of other clients lie below it.
    if highest_lent(state, &tag) == high {
        state.highest_lent.insert(tag, last);
    }
    for adjacent in storage.adjacent(loan.grant, range.low(), range.high())? {
        storage.remove(adjacent)?;
        let (low, high) = (range.low().min(adjacent.range.low()), range.high().max(adjacent.range.high()));
        range = Range::new(low, high).unwrap_or(range);
    }
    storage.put(Chunk { grant: loan.grant, range })?;
    Ok(true)
}

/// Stores a range that the source granted.
pub(super) fn admit(
    storage: &mut impl HubStorage,
    state: &mut HubState,
    grant: &Grant,
    url: String,
) -> Result<Admission> {
    if state.grants > 0 && state.incarnation != grant.incarnation {
        burn(storage, state)?;
    }
    state.incarnation.clone_from(&grant.incarnation);
    let mark = state.highest_granted.get(&grant.tag).copied().unwrap_or_default();
    if grant.range.low() <= mark {
        return Ok(Admission::RetryAbove(mark));
    }
    state.highest_granted.insert(grant.tag.clone(), grant.range.high());
    state.grants += 1;
    state.size = grant.range.len();
    let granted = GrantRecord {
        id: state.grants,
        high: grant.range.high(),
        tag: grant.tag.clone(),
        fence: grant.fence.clone(),
        url,
    };
    storage.set_grant(&granted)?;
    storage.put(Chunk { grant: state.grants, range: grant.range })?;
    Ok(Admission::Admitted)
}

/// The end of the newest grant that could be returned to the source: the free numbers up to its highest.
pub(super) fn unused_end(storage: &impl HubStorage, state: &HubState) -> Result<Option<(GrantRecord, Chunk)>> {
    let Some(granted) = storage.grant(state.grants)?.filter(|granted| granted.fence.is_some()) else { return Ok(None) };
    let ending = storage.adjacent(granted.id, granted.high + 1, granted.high)?;
    Ok(ending.first().map(|chunk| (granted, *chunk)))
}

/// Removes the end of a grant from the hub. The return may be sent once this is committed; if sending fails, the
/// numbers are lost.
pub(super) fn remove_unused_end(
    storage: &mut impl HubStorage,
    state: &mut HubState,
    granted: &GrantRecord,
    chunk: Chunk,
) -> Result<()> {
    storage.remove(chunk)?;
    storage.set_grant(&GrantRecord { fence: None, ..granted.clone() })?;
    // The source may grant these numbers again, so they must not look like a rollback.
    if state.highest_granted.get(&granted.tag) == Some(&granted.high) {
        state.highest_granted.insert(granted.tag.clone(), chunk.range.low() - 1);
    }
    Ok(())
}

/// Discards all numbers, including those that clients have: none can be returned any more.
pub(super) fn burn(storage: &mut impl HubStorage, state: &mut HubState) -> Result<()> {
    state.highest_granted.clear();
    state.highest_lent.clear();
    state.refuted = None;
    storage.clear()
}

#[cfg(test)]
mod tests {
    use super::super::storage_trait::MemoryHubStorage;
    use super::*;
    use raven_edge::http::NodeId;

    fn grant(low: u64, high: u64, tag: &str, incarnation: &str) -> Grant {
        Grant {
            range: Range::new(low, high).unwrap(),
            prefix: "orders/".into(),
            tag: tag.into(),
            fence: Some("fence".into()),
            node: NodeId(0),
            echo: None,
            incarnation: Some(incarnation.into()),
        }
    }

    struct TestHub(MemoryHubStorage, HubState);

    impl TestHub {
        fn new(grants: &[Grant]) -> TestHub {
            let mut hub = TestHub(MemoryHubStorage::default(), HubState::default());
            grants.iter().for_each(|grant| assert_eq!(hub.admit(grant), Admission::Admitted));
            hub
        }

        fn admit(&mut self, grant: &Grant) -> Admission {
            admit(&mut self.0, &mut self.1, grant, "http://a".into()).unwrap()
        }

        fn lend(&mut self, count: u64, exact: bool, above: u64) -> Option<(u64, u64)> {
            self.lend_to(Client::New, count, exact, above).map(|loan| (loan.low, loan.high))
        }

        fn lend_to(&mut self, client: Client, count: u64, exact: bool, above: u64) -> Option<Loan> {
            let request = LoanRequest { size: LoanSize { count, exact }, client, above, secret: "s".into(), now: 5 };
            lend(&mut self.0, &mut self.1, request).unwrap()
        }

        fn take_back(&mut self, loan: u64, high: u64, last: u64) -> bool {
            take_back(&mut self.0, &mut self.1, &Proof { loan, secret: "s".into() }, high, last).unwrap()
        }
    }

    #[test]
    fn returned_numbers_are_joined_with_adjacent_chunks() {
        let mut hub = TestHub::new(&[grant(1, 32, "A", "i")]);
        assert_eq!([hub.lend(8, false, 0), hub.lend(8, false, 0)], [Some((1, 8)), Some((9, 16))]);
        assert!(hub.take_back(1, 8, 3));
        assert!(hub.take_back(2, 16, 8));
        assert!(!hub.take_back(2, 16, 8), "a loan can be returned only once");
        assert_eq!(hub.lend(100, false, 0), Some((4, 32)));
    }

    #[test]
    fn a_client_that_names_a_number_gets_a_chunk_that_large_if_there_is_one() {
        let mut hub = TestHub::new(&[grant(1, 10, "A", "i"), grant(20, 60, "A", "i")]);
        assert_eq!(hub.lend(40, true, 0), Some((20, 59)));
        assert_eq!(hub.lend(40, true, 0), Some((1, 10)), "otherwise what is there");
        assert_eq!(hub.lend(40, true, 0), Some((60, 60)));
        assert_eq!(hub.lend(1, true, 0), None);
    }

    #[test]
    fn returned_numbers_go_to_clients_that_have_none_above_them() {
        let mut hub = TestHub::new(&[grant(1, 64, "A", "i")]);
        let first = hub.lend_to(Client::New, 8, false, 0).unwrap();
        let second = hub.lend_to(Client::New, 8, false, 0).unwrap();
        let third = hub.lend_to(Client::Known(first.at), 8, false, 0).unwrap();
        assert_eq!([second.low, third.low], [9, 17]);
        assert!(hub.take_back(2, 16, 12));
        let low = |loan: Option<Loan>| loan.map(|loan| loan.low);
        assert_eq!(low(hub.lend_to(Client::Unknown, 4, false, 0)), Some(25));
        assert_eq!(low(hub.lend_to(Client::Known(third.at), 4, false, 0)), Some(29));
        assert_eq!(
            low(hub.lend_to(Client::Known(second.at), 2, false, 0)),
            Some(13),
            "the client has nothing above 12"
        );
        assert_eq!(low(hub.lend_to(Client::Known(1), 4, false, 0)), Some(33), "the hub does not know this time");
        assert_eq!(low(hub.lend_to(Client::New, 2, false, 0)), Some(15));
        let last = hub.lend_to(Client::Unknown, 8, false, 0).unwrap();
        assert!(hub.take_back(last.id, last.high, last.low));
        assert_eq!(low(hub.lend_to(Client::Unknown, 8, false, 0)), Some(last.low + 1), "the end of the last loan");
    }

    #[test]
    fn a_loan_lies_above_the_number_that_the_client_names() {
        let mut hub = TestHub::new(&[grant(1, 32, "A", "i")]);
        assert_eq!(hub.lend(8, false, 20), Some((21, 28)));
        assert_eq!(hub.lend(8, false, 32), None);
        assert_eq!(hub.lend(100, false, 0), Some((1, 20)), "the numbers below stay in the hub");
    }

    #[test]
    fn a_server_that_was_rolled_back_is_asked_again_above_all_known_numbers() {
        let mut hub = TestHub::new(&[grant(1, 32, "A", "i")]);
        hub.lend(8, false, 0);
        assert_eq!(hub.admit(&grant(30, 60, "A", "i")), Admission::RetryAbove(32));
        assert_eq!(
            hub.admit(&grant(30, 60, "B", "i")),
            Admission::Admitted,
            "numbers of different nodes are different ids"
        );
    }

    #[test]
    fn another_incarnation_discards_all_numbers() {
        let mut hub = TestHub::new(&[grant(1, 32, "A", "i")]);
        hub.lend(8, false, 0);
        assert_eq!(hub.admit(&grant(1, 16, "A", "j")), Admission::Admitted);
        assert!(!hub.take_back(1, 8, 3), "a loan of the old incarnation cannot be returned");
        assert_eq!(hub.lend(100, false, 0), Some((1, 16)));
        assert_eq!(hub.lend(100, false, 0), None, "the free numbers of the old incarnation are discarded");
    }

    #[test]
    fn the_unused_end_of_the_newest_range_is_returned_once() {
        let mut hub = TestHub::new(&[grant(1, 32, "A", "i"), grant(33, 64, "A", "i")]);
        hub.lend(40, false, 0);
        hub.lend(10, false, 0);
        let (granted, chunk) = unused_end(&hub.0, &hub.1).unwrap().unwrap();
        assert_eq!((granted.high, chunk.range), (64, Range::new(43, 64).unwrap()));
        remove_unused_end(&mut hub.0, &mut hub.1, &granted, chunk).unwrap();
        assert_eq!(unused_end(&hub.0, &hub.1).unwrap(), None);
        assert_eq!(hub.lend(8, false, 0), None);
        assert_eq!(hub.admit(&grant(43, 60, "A", "i")), Admission::Admitted, "the server may grant them again");
    }
}
