//! What moves numbers: from the source to the hub, to a client, back, back to the source.
//!
//! Every number has one home. Each function is part of one transaction, and what it gives may be told to others only
//! after that.

use super::book::{Book, Chunk, Granted, Loan};
use super::shelf::{Result, Shelf};
use super::sizes::Share;
use raven_edge::hilo::Range;
use raven_edge::source::Grant;

/// So many loans can come back; the ends of older ones are burnt. A client that has not given back by then is gone.
const REMEMBERED: u64 = 20_000;
/// Old loans are forgotten so many at a time.
const SWEEP: u64 = 256;
/// So many pieces are held at most: where no new clients come, those that came back are of use to nobody.
const PIECES: u64 = 1_000;

/// Proof that numbers are the caller's: what came with the loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proof {
    pub(super) loan: u64,
    pub(super) secret: String,
}

/// What became of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// The hub holds it.
    Held,
    /// The source has gone back: it granted what the hub holds or has lent. Nothing of it is used; the next range must
    /// lie above this number.
    Again(u64),
}

/// What is known of the client that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Client {
    /// It has no numbers yet.
    New,
    /// It got its last ones at this time, in ticks.
    Known(u64),
    /// Nothing, or its device may have numbers of others.
    Unknown,
}

/// A wish for numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Want {
    pub(super) share: Share,
    pub(super) client: Client,
    /// All of them must be above this one.
    pub(super) above: u64,
    pub(super) secret: String,
    /// The time, in ticks.
    pub(super) now: u64,
}

/// Lends numbers to a client; none where the hub has none for it.
///
/// A client takes a number below one that it has issued for the word of a server that went back. So it gets only what
/// lies above all that it can have; what others gave back goes to those who have nothing.
pub(super) fn lend(shelf: &mut impl Shelf, book: &mut Book, want: Want) -> Result<Option<Loan>> {
    let had = match want.client {
        Client::Known(at) => shelf.loan_at(at)?,
        _ => None,
    };
    let had_tag = match &had {
        Some(loan) => shelf.grant(loan.grant)?.map(|granted| granted.tag),
        None => None,
    };
    for tag in book.marks.keys().cloned().collect::<Vec<_>>() {
        let known = had.as_ref().filter(|_| had_tag.as_ref() == Some(&tag)).map(|loan| loan.high);
        let floor = match want.client {
            Client::New => 0,
            _ => known.unwrap_or_else(|| top(book, &tag)),
        };
        let floor = floor.max(want.above);
        let count = want.share.count;
        let chunk = if want.share.exact { shelf.fitting(&tag, count, floor)? } else { shelf.first(&tag, floor)? };
        if let Some(chunk) = chunk {
            return lend_of(shelf, book, chunk, floor, &tag, want);
        }
    }
    Ok(None)
}

/// The highest number of a node tag that may be with somebody.
pub(super) fn top(book: &Book, tag: &str) -> u64 {
    book.tops.get(tag).copied().unwrap_or_default()
}

fn lend_of(
    shelf: &mut impl Shelf,
    book: &mut Book,
    chunk: Chunk,
    floor: u64,
    tag: &str,
    want: Want,
) -> Result<Option<Loan>> {
    let Some(usable) = chunk.range.from(floor.saturating_add(1)) else { return Ok(None) };
    let (Some(range), rest) = usable.split(want.share.count) else { return Ok(None) };
    shelf.remove(chunk)?;
    let below = chunk.range.split(usable.low() - chunk.range.low()).0;
    for range in [below, rest].into_iter().flatten() {
        shelf.put(Chunk { range, ..chunk })?;
    }
    book.loans += 1;
    book.last_at = want.now.max(book.last_at + 1);
    book.tops.insert(tag.to_owned(), range.high().max(top(book, tag)));
    let (low, high) = (range.low(), range.high());
    let loan = Loan { id: book.loans, secret: Some(want.secret), grant: chunk.grant, low, high, at: book.last_at };
    shelf.set_loan(&loan)?;
    if book.loans.is_multiple_of(SWEEP) {
        shelf.forget(book.loans.saturating_sub(REMEMBERED), PIECES)?;
    }
    Ok(Some(loan))
}

/// Takes back the numbers of a loan above `last`; whether that was done. Once, because the loan is over then, and only
/// from whoever has it.
pub(super) fn take_back(shelf: &mut impl Shelf, book: &mut Book, proof: &Proof, high: u64, last: u64) -> Result<bool> {
    let Some(loan) = shelf.loan(proof.loan)? else { return Ok(false) };
    // Below the loan's own numbers are those of others.
    if loan.secret.as_ref() != Some(&proof.secret) || loan.high != high || last < loan.low - 1 {
        return Ok(false);
    }
    let Some(mut range) = Range::new(last.saturating_add(1), high) else { return Ok(false) };
    shelf.set_loan(&Loan { secret: None, high: last, ..loan })?;
    let tag = shelf.grant(loan.grant)?.map(|granted| granted.tag).unwrap_or_default();
    // All that others have lies below.
    if top(book, &tag) == high {
        book.tops.insert(tag, last);
    }
    for beside in shelf.beside(loan.grant, range.low(), range.high())? {
        shelf.remove(beside)?;
        let (low, high) = (range.low().min(beside.range.low()), range.high().max(beside.range.high()));
        range = Range::new(low, high).unwrap_or(range);
    }
    shelf.put(Chunk { grant: loan.grant, range })?;
    Ok(true)
}

/// Takes in what the source granted.
pub(super) fn admit(shelf: &mut impl Shelf, book: &mut Book, grant: &Grant, url: String) -> Result<Admission> {
    if book.grants > 0 && book.incarnation != grant.incarnation {
        burn(shelf, book)?;
    }
    book.incarnation.clone_from(&grant.incarnation);
    let mark = book.marks.get(&grant.tag).copied().unwrap_or_default();
    if grant.range.low() <= mark {
        return Ok(Admission::Again(mark));
    }
    book.marks.insert(grant.tag.clone(), grant.range.high());
    book.grants += 1;
    book.size = grant.range.len();
    let granted =
        Granted { id: book.grants, high: grant.range.high(), tag: grant.tag.clone(), fence: grant.fence.clone(), url };
    shelf.set_grant(&granted)?;
    shelf.put(Chunk { grant: book.grants, range: grant.range })?;
    Ok(Admission::Held)
}

/// The end of the newest grant that could go back to the source: what is held up to its highest number.
pub(super) fn rest(shelf: &impl Shelf, book: &Book) -> Result<Option<(Granted, Chunk)>> {
    let Some(granted) = shelf.grant(book.grants)?.filter(|granted| granted.fence.is_some()) else { return Ok(None) };
    let ending = shelf.beside(granted.id, granted.high + 1, granted.high)?;
    Ok(ending.first().map(|chunk| (granted, *chunk)))
}

/// The rest leaves the hub: it may be sent once this is written, and is nobody's if that fails.
pub(super) fn part_with(shelf: &mut impl Shelf, book: &mut Book, granted: &Granted, chunk: Chunk) -> Result<()> {
    shelf.remove(chunk)?;
    shelf.set_grant(&Granted { fence: None, ..granted.clone() })?;
    // The source may grant these again, and rightly so.
    if book.marks.get(&granted.tag) == Some(&granted.high) {
        book.marks.insert(granted.tag.clone(), chunk.range.low() - 1);
    }
    Ok(())
}

/// Everything here is burnt, what clients have included: it never comes back.
pub(super) fn burn(shelf: &mut impl Shelf, book: &mut Book) -> Result<()> {
    book.marks.clear();
    book.tops.clear();
    book.refuted = None;
    shelf.clear()
}

#[cfg(test)]
mod tests {
    use super::super::shelf::MemoryShelf;
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

    struct Hub(MemoryShelf, Book);

    impl Hub {
        fn new(grants: &[Grant]) -> Hub {
            let mut hub = Hub(MemoryShelf::default(), Book::default());
            grants.iter().for_each(|grant| assert_eq!(hub.admit(grant), Admission::Held));
            hub
        }

        fn admit(&mut self, grant: &Grant) -> Admission {
            admit(&mut self.0, &mut self.1, grant, "http://a".into()).unwrap()
        }

        fn lend(&mut self, count: u64, exact: bool, above: u64) -> Option<(u64, u64)> {
            self.lend_to(Client::New, count, exact, above).map(|loan| (loan.low, loan.high))
        }

        fn lend_to(&mut self, client: Client, count: u64, exact: bool, above: u64) -> Option<Loan> {
            let want = Want { share: Share { count, exact }, client, above, secret: "s".into(), now: 5 };
            lend(&mut self.0, &mut self.1, want).unwrap()
        }

        fn take_back(&mut self, loan: u64, high: u64, last: u64) -> bool {
            take_back(&mut self.0, &mut self.1, &Proof { loan, secret: "s".into() }, high, last).unwrap()
        }
    }

    #[test]
    fn what_comes_back_is_joined_with_what_it_touches() {
        let mut hub = Hub::new(&[grant(1, 32, "A", "i")]);
        assert_eq!([hub.lend(8, false, 0), hub.lend(8, false, 0)], [Some((1, 8)), Some((9, 16))]);
        assert!(hub.take_back(1, 8, 3));
        assert!(hub.take_back(2, 16, 8));
        assert!(!hub.take_back(2, 16, 8), "a loan is over when it came back");
        assert_eq!(hub.lend(100, false, 0), Some((4, 32)));
    }

    #[test]
    fn who_names_a_number_gets_it_in_one_piece_if_there_is_one() {
        let mut hub = Hub::new(&[grant(1, 10, "A", "i"), grant(20, 60, "A", "i")]);
        assert_eq!(hub.lend(40, true, 0), Some((20, 59)));
        assert_eq!(hub.lend(40, true, 0), Some((1, 10)), "else what there is");
        assert_eq!(hub.lend(40, true, 0), Some((60, 60)));
        assert_eq!(hub.lend(1, true, 0), None);
    }

    #[test]
    fn what_came_back_goes_to_whoever_has_nothing_above_it() {
        let mut hub = Hub::new(&[grant(1, 64, "A", "i")]);
        let first = hub.lend_to(Client::New, 8, false, 0).unwrap();
        let second = hub.lend_to(Client::New, 8, false, 0).unwrap();
        let third = hub.lend_to(Client::Known(first.at), 8, false, 0).unwrap();
        assert_eq!([second.low, third.low], [9, 17]);
        assert!(hub.take_back(2, 16, 12));
        let low = |loan: Option<Loan>| loan.map(|loan| loan.low);
        assert_eq!(low(hub.lend_to(Client::Unknown, 4, false, 0)), Some(25));
        assert_eq!(low(hub.lend_to(Client::Known(third.at), 4, false, 0)), Some(29));
        assert_eq!(low(hub.lend_to(Client::Known(second.at), 2, false, 0)), Some(13), "it has nothing above 12");
        assert_eq!(low(hub.lend_to(Client::Known(1), 4, false, 0)), Some(33), "a time that the hub does not know");
        assert_eq!(low(hub.lend_to(Client::New, 2, false, 0)), Some(15));
        let last = hub.lend_to(Client::Unknown, 8, false, 0).unwrap();
        assert!(hub.take_back(last.id, last.high, last.low));
        assert_eq!(low(hub.lend_to(Client::Unknown, 8, false, 0)), Some(last.low + 1), "the last one's end");
    }

    #[test]
    fn numbers_are_above_what_the_client_knows() {
        let mut hub = Hub::new(&[grant(1, 32, "A", "i")]);
        assert_eq!(hub.lend(8, false, 20), Some((21, 28)));
        assert_eq!(hub.lend(8, false, 32), None);
        assert_eq!(hub.lend(100, false, 0), Some((1, 20)), "what lies below stays");
    }

    #[test]
    fn a_server_that_went_back_is_asked_again_above_all_that_is_known() {
        let mut hub = Hub::new(&[grant(1, 32, "A", "i")]);
        hub.lend(8, false, 0);
        assert_eq!(hub.admit(&grant(30, 60, "A", "i")), Admission::Again(32));
        assert_eq!(hub.admit(&grant(30, 60, "B", "i")), Admission::Held, "another node's numbers are others");
    }

    #[test]
    fn another_incarnation_burns_everything() {
        let mut hub = Hub::new(&[grant(1, 32, "A", "i")]);
        hub.lend(8, false, 0);
        assert_eq!(hub.admit(&grant(1, 16, "A", "j")), Admission::Held);
        assert!(!hub.take_back(1, 8, 3), "what was lent does not come back");
        assert_eq!(hub.lend(100, false, 0), Some((1, 16)));
        assert_eq!(hub.lend(100, false, 0), None, "what was held is gone");
    }

    #[test]
    fn the_rest_of_the_newest_range_goes_back_once() {
        let mut hub = Hub::new(&[grant(1, 32, "A", "i"), grant(33, 64, "A", "i")]);
        hub.lend(40, false, 0);
        hub.lend(10, false, 0);
        let (granted, chunk) = rest(&hub.0, &hub.1).unwrap().unwrap();
        assert_eq!((granted.high, chunk.range), (64, Range::new(43, 64).unwrap()));
        part_with(&mut hub.0, &mut hub.1, &granted, chunk).unwrap();
        assert_eq!(rest(&hub.0, &hub.1).unwrap(), None);
        assert_eq!(hub.lend(8, false, 0), None);
        assert_eq!(hub.admit(&grant(43, 60, "A", "i")), Admission::Held, "the server may grant them again");
    }
}
