//! Decides which documents of the server a device keeps, and what a session without a connection is shown of them.
//!
//! Texts and ids stay in JavaScript (`pkg/src/offline/documents`). A device has a **clock**: it counts the transactions that keep
//! something. A request **begins** at the clock that its page knows, which may be behind the device's, never before it.
//!
//! # The law
//!
//! What a session is shown from the device is what the server said last, as far as the device knows the order of what it said, and
//! never older than what was shown before. Where the order of two responses is unknown and they differ, neither is shown: the
//! document is *forgotten* until it is read again.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::protocol::{connection, device, entry, reading, show, take};

/// A change vector: pairs of a database id (as a number that JavaScript assigns) and its etag.
type Vector = [[u32; 3]];

/// What is kept of a document, or what a response says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State<'a> {
    /// It does not exist.
    Absent,
    /// It exists, with this change vector. It is empty if the device has only sent a text that the server has taken: another writer
    /// may have changed the document since.
    There(&'a Vector),
    /// Responses whose order is unknown said different things.
    Forgotten,
    /// Of a response only: it exists with the text that it had before, in another version. An attachment or a counter of it was saved.
    Touched,
}

/// What is kept of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept<'a> {
    /// The clock when it was kept or confirmed.
    pub at: u32,
    /// What it says.
    pub state: State<'a>,
}

/// Compares change vectors; `None` if each has something that the other lacks.
pub fn compare(a: &Vector, b: &Vector) -> Option<Ordering> {
    let (newer, older) = (exceeds(a, b), exceeds(b, a));
    match (newer, older) {
        (true, true) => None,
        (true, false) => Some(Ordering::Greater),
        (false, true) => Some(Ordering::Less),
        (false, false) => Some(Ordering::Equal),
    }
}

/// Whether `a` has a change that `b` lacks.
fn exceeds(a: &Vector, b: &Vector) -> bool {
    let etag = |[_, high, low]: &[u32; 3]| u64::from(*high) << 32 | u64::from(*low);
    a.iter().any(|entry| {
        let known = b.iter().filter(|other| other[0] == entry[0]).map(etag).max();
        etag(entry) > known.unwrap_or(0)
    })
}

/// What becomes of what is kept when a response says `seen` of a document: a number of [`mod@take`]. `began`: the clock when the request
/// began; for a batch of the queue, whichever page learns what became of it, the clock when it was sealed. `evicted`: the clock when documents were evicted last, whose versions are not known any more.
pub fn take(kept: Option<Kept<'_>>, seen: State<'_>, began: u32, evicted: u32) -> u32 {
    let Some(Kept { at, state }) = kept else {
        // It may have been evicted in a newer version.
        return if began >= evicted && seen != State::Touched { take::REPLACE } else { take::LEAVE };
    };
    let follows = began >= at;
    if seen == State::Touched {
        return match state {
            State::There(_) if follows => take::OUTDATE,
            State::Absent => take::FORGET,
            // What was read while it was saved is a version of the server, with its text.
            _ => take::LEAVE,
        };
    }
    let order = match (seen, state) {
        (State::There([]), _) | (_, State::There([])) => None,
        (State::There(seen), State::There(kept)) => compare(seen, kept),
        (State::Absent, State::Absent) => Some(Ordering::Equal),
        _ => None,
    };
    match order {
        Some(Ordering::Greater) => take::REPLACE,
        Some(Ordering::Equal) => take::CONFIRM,
        // A node that lags behind.
        Some(Ordering::Less) => take::LEAVE,
        None if follows => take::REPLACE,
        None if state == State::Forgotten || state == State::There(&[]) => take::LEAVE,
        None => take::FORGET,
    }
}

/// Positions of the entries to evict, so that the others take at most seven eighths of `limit` bytes: those that were not used for the
/// longest time go first, results of queries before documents of the same time, and what pending changes need stays.
/// `entries`: for each the clock when it was used last, its bytes, and the bits of [`entry`].
pub fn evict(limit: u32, entries: &[[u32; 3]]) -> Vec<u32> {
    let mut total: u64 = entries.iter().map(|[_, bytes, _]| u64::from(*bytes)).sum();
    if total <= u64::from(limit) {
        return Vec::new();
    }
    let goal = u64::from(limit - limit / 8);
    let mut order: Vec<(u32, u32, usize)> = Vec::new();
    for (at, [used, _, flags]) in entries.iter().enumerate() {
        if flags & entry::NEEDED == 0 {
            order.push((*used, flags & entry::DOCUMENT, at));
        }
    }
    order.sort_unstable();
    let mut evicted = Vec::new();
    for (_, _, at) in order {
        if total <= goal {
            break;
        }
        total -= entries.get(at).map_or(0, |[_, bytes, _]| u64::from(*bytes));
        evicted.push(at as u32);
    }
    evicted
}

/// What a session does next to answer a read, a number of [`mod@show`]. `mode`: that of the session ([`reading`]). `connection`: what is known
/// of the server ([`connection`]). `kept`: whether everything that is read is kept ([`device`]).
pub fn show(mode: u32, connection: u32, kept: u32) -> u32 {
    let from_device = |otherwise| match kept {
        device::UNREAD => show::LOOK,
        device::KEPT => show::KEPT,
        _ => otherwise,
    };
    let at_once = || match kept {
        device::KEPT => show::KEPT_AND_ASK,
        device::UNREAD => show::LOOK,
        _ => show::ASK,
    };
    match (mode, connection) {
        (reading::ONLY, _) => from_device(show::REJECT),
        (reading::NEVER, connection::DOWN) => show::REJECT,
        (reading::NEVER, _) => show::ASK,
        (_, connection::DOWN) => from_device(show::REJECT),
        (_, connection::SLOW) => from_device(show::ASK),
        (reading::FIRST, _) | (_, connection::SILENT) => at_once(),
        _ => show::ASK,
    }
}

/// [`mod@take`] for numbers: began, evicted, the kind of what the response says (of [`entry`]), the kind of what is kept, its clock, the
/// length of the first vector, and both vectors.
pub fn take_words(words: &[u32]) -> u32 {
    let [began, evicted, seen, kept, at, length, rest @ ..] = words else { return take::LEAVE };
    let (entries, []) = rest.as_chunks() else { return take::LEAVE };
    let Some((first, second)) = entries.split_at_checked(*length as usize) else { return take::LEAVE };
    let state = |kind: u32, vector| match kind {
        entry::THERE => Some(State::There(vector)),
        entry::ABSENT => Some(State::Absent),
        entry::FORGOTTEN => Some(State::Forgotten),
        entry::TOUCHED => Some(State::Touched),
        _ => None,
    };
    let Some(seen) = state(*seen, first) else { return take::LEAVE };
    take(state(*kept, second).map(|state| Kept { at: *at, state }), seen, *began, *evicted)
}

/// [`evict`] for numbers: the limit, then three for each entry.
pub fn evict_words(words: &[u32]) -> Vec<u32> {
    let [limit, rest @ ..] = words else { return Vec::new() };
    let (entries, []) = rest.as_chunks() else { return Vec::new() };
    evict(*limit, entries)
}
