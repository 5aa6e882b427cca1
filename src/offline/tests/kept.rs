//! Documents on the device: which response wins, what is evicted, what a session is shown.

use alloc::vec::Vec;

use crate::offline::kept::{Kept, State, compare, evict, show, take, take_words};
use crate::protocol::{connection, device, entry, reading, show, take};

fn vector(etags: &[u32]) -> Vec<[u32; 3]> {
    etags.iter().enumerate().filter(|(_, etag)| **etag > 0).map(|(node, etag)| [node as u32, 0, *etag]).collect()
}

#[test]
fn change_vectors_are_compared_by_node() {
    use core::cmp::Ordering::{Equal, Greater, Less};
    for (a, b, order) in [
        (&[1][..], &[2][..], Some(Less)),
        (&[2, 1], &[2], Some(Greater)),
        (&[2, 1], &[2, 1], Some(Equal)),
        (&[3, 1], &[2, 2], None),
        (&[], &[1], Some(Less)),
    ] {
        assert_eq!(compare(&vector(a), &vector(b)), order, "{a:?} and {b:?}");
    }
    assert_eq!(compare(&[[0, 1, 0]], &[[0, 0, u32::MAX]]), Some(Greater), "etags have 64 bits");
    assert_eq!(compare(&[[0, 0, 5], [1, 0, 2]], &[[1, 0, 2], [0, 0, 5]]), Some(Equal), "in any order");
}

/// A server with one document, and every order in which two responses can arrive: what is kept in the end is what the server said last, or
/// nothing. A response says what the server had at a moment between its request and its arrival.
#[test]
fn what_is_kept_is_never_older_than_what_was_kept_before() {
    // Versions of the document in time: present with an etag, or absent (0).
    for history in [[1, 0, 2], [1, 2, 3], [0, 1, 0], [1, 0, 0], [0, 0, 1]] {
        for first in 0..3 {
            for second in 0..3 {
                for overlap in [false, true] {
                    if !overlap && second < first {
                        continue;
                    }
                    let vectors = [vector(&[history[first]]), vector(&[history[second]])];
                    let state = |at: usize| match vectors[at].is_empty() {
                        true => State::Absent,
                        false => State::There(&vectors[at]),
                    };
                    let kept = Kept { at: 1, state: state(0) };
                    let verdict = take(Some(kept), state(1), if overlap { 0 } else { 1 }, 0);
                    let is_same = history[first] == history[second];
                    let allowed: &[u32] = match (overlap, is_same) {
                        (_, true) => &[take::CONFIRM],
                        (false, false) => &[take::REPLACE],
                        (true, false) if second > first => &[take::REPLACE, take::FORGET],
                        (true, false) => &[take::LEAVE, take::FORGET],
                    };
                    assert!(allowed.contains(&verdict), "{history:?} {first} {second} {overlap}: {verdict}");
                }
            }
        }
    }
}

#[test]
fn a_lagging_node_and_an_evicted_version_take_nothing_back() {
    let (old, new, other) = (vector(&[1]), vector(&[2]), vector(&[0, 1]));
    let kept = |state| Some(Kept { at: 3, state });
    assert_eq!(take(kept(State::There(&new)), State::There(&old), 9, 0), take::LEAVE);
    assert_eq!(take(kept(State::There(&new)), State::There(&other), 9, 0), take::REPLACE);
    assert_eq!(take(kept(State::There(&new)), State::There(&other), 2, 0), take::FORGET);
    assert_eq!(take(kept(State::Forgotten), State::There(&old), 2, 0), take::LEAVE);
    assert_eq!(take(kept(State::Forgotten), State::There(&old), 3, 0), take::REPLACE);
    assert_eq!(take(None, State::There(&old), 4, 5), take::LEAVE);
    assert_eq!(take(None, State::There(&old), 5, 5), take::REPLACE);
}

#[test]
fn a_text_that_the_device_has_sent_gives_way_to_what_was_read_later_and_not_before() {
    let (sent, read) = (State::There(&[]), vector(&[1]));
    let kept = |state| Some(Kept { at: 3, state });
    assert_eq!(take(None, sent, 0, 0), take::REPLACE);
    assert_eq!(take(kept(State::Absent), sent, 3, 0), take::REPLACE);
    assert_eq!(take(kept(State::There(&read)), sent, 3, 0), take::REPLACE);
    assert_eq!(take(kept(State::There(&read)), sent, 2, 0), take::FORGET, "it was read while the text was sent");
    assert_eq!(take(kept(sent), State::There(&read), 3, 0), take::REPLACE);
    assert_eq!(take(kept(sent), State::Absent, 3, 0), take::REPLACE);
    assert_eq!(take(kept(sent), State::There(&read), 2, 0), take::LEAVE);
    assert_eq!(take(kept(sent), State::Absent, 2, 0), take::LEAVE);
}

#[test]
fn an_attachment_leaves_the_text_and_takes_the_version() {
    let read = vector(&[1]);
    for (state, began, verdict) in [
        (Some(State::There(&read)), 3, take::OUTDATE),
        (Some(State::There(&[])), 3, take::OUTDATE),
        (Some(State::There(&read)), 2, take::LEAVE),
        (Some(State::Absent), 3, take::FORGET),
        (Some(State::Forgotten), 3, take::LEAVE),
        (None, 3, take::LEAVE),
    ] {
        assert_eq!(
            take(state.map(|state| Kept { at: 3, state }), State::Touched, began, 0),
            verdict,
            "{state:?} {began}"
        );
    }
}

#[test]
fn the_least_recently_used_are_evicted_results_before_their_documents() {
    let entries = [
        [3, 40, entry::DOCUMENT],
        [1, 40, entry::DOCUMENT],
        [1, 10, 0],
        [0, 40, entry::DOCUMENT | entry::NEEDED],
        [2, 40, entry::DOCUMENT],
    ];
    assert!(evict(170, &entries).is_empty(), "they fit");
    assert_eq!(evict(169, &entries), [2, 1], "down to seven eighths");
    assert_eq!(evict(1, &entries), [2, 1, 4, 0], "what changes need stays");
    assert_eq!(evict(u32::MAX, &[[0, u32::MAX, 0], [1, 1, 0]]), [0], "sums have 64 bits");
}

#[test]
fn a_session_asks_shows_or_rejects_and_never_looks_twice() {
    for mode in [reading::FALLBACK, reading::FIRST, reading::ONLY, reading::NEVER] {
        for connection in [connection::UNKNOWN, connection::SILENT, connection::SLOW, connection::DOWN] {
            for kept in [device::UNREAD, device::KEPT, device::MISSING] {
                let next = show(mode, connection, kept);
                let case = (mode, connection, kept, next);
                assert!(next != show::LOOK || kept == device::UNREAD, "{case:?}");
                let shows = next == show::KEPT || next == show::KEPT_AND_ASK;
                assert!(!shows || kept == device::KEPT, "only what is kept is shown: {case:?}");
                assert!(!shows || mode != reading::NEVER, "{case:?}");
                let asks = next == show::ASK || next == show::KEPT_AND_ASK;
                assert!(!asks || mode != reading::ONLY, "{case:?}");
                assert!(!asks || connection != connection::DOWN, "{case:?}");
                let must_reject = kept == device::MISSING && (mode == reading::ONLY || connection == connection::DOWN);
                assert!(!must_reject || next == show::REJECT, "{case:?}");
            }
        }
    }
    assert_eq!(show(reading::FALLBACK, connection::UNKNOWN, device::UNREAD), show::ASK, "the device is not read first");
}

#[test]
fn numbers_that_are_no_entries_keep_nothing() {
    for words in [&[][..], &[1], &[1, 1, 9, 0, 0, 0], &[1, 1, entry::THERE, 0, 0, 7], &[1, 1, entry::THERE, 0, 0, 0, 4]]
    {
        assert_eq!(take_words(words), take::LEAVE, "{words:?}");
    }
    let there = [5, 0, entry::THERE, entry::THERE, 1, 1, 0, 0, 2, 0, 0, 1];
    assert_eq!(take_words(&there), take::REPLACE);
}
