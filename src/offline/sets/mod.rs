//! Decides how a set stays up to date: documents that are all on the device, those of a named query or of a collection.
//!
//! RavenDB has no log that a client could follow, so state is compared. A **run** sends [`Sums`] of what the device has; the server lists
//! ids and change vectors of the buckets that differ. What is **listed** and missing, or has another version, is loaded by its id, and so
//! is what the device has and the server did not list. Every response goes through [`kept::take`](super::kept::take); this module has no
//! second rule for which of two versions is newer. Texts, ids and the ETag stay in JavaScript (`pkg/src/offline/sets`).
//!
//! # The law
//!
//! 1. A document that was removed was, at a moment after the run began, not on the server that was asked, not the caller's, or not in the
//!    results of the query.
//! 2. A set that is shown as complete contains every document that was the caller's and in the results since its last run began.
//! 3. Pending changes are never touched: they are the queue's.
//!
//! # Why these rules
//!
//! - A comparison lists a moment, and the device may have got a document since. So only a load by id that begins after the comparison
//!   removes one.
//! - A load that finds an unlisted document proves nothing about this version: it may have come after the comparison, or from a node that
//!   lags behind. The next comparison decides: if it does not list the document, and a load finds it in the version in which the load
//!   before the comparison has found it, then this version has left the query.
//! - A stale index lacks documents: nothing is removed then, and the set is not complete.
//! - The ETag is the server's state from *before* it read. So it never covers a change that the comparison has not seen.
//! - Others may change which documents the device has while a run goes on (*disturbances*): another response takes one away
//!   ([`take::FORGET`]), the run of another tab adds one that the server has deleted since. The comparison knows nothing of it, so its ETag
//!   does not hold; else the server would say "nothing has changed" for ever. For the same reason the set has no ETag from the first
//!   document that a run writes until its end, and none after a session has found one of its documents absent. Such a set
//!   is not shown as complete until its next run: a node that lags behind, or one that is ahead, may have the document.

mod sip_hash;
mod sums;
mod variants;

pub use sip_hash::SipHash;
pub use sums::{BUCKETS, Hashes, Key, Sums, key};
#[cfg(feature = "variants")]
pub use variants::Variant;

#[cfg(not(feature = "variants"))]
use variants::Variant;

use super::kept::{State, compare};
use crate::protocol::{entry, plan, round, settle, take};
use core::cmp::Ordering;

/// A change vector: pairs of a database id (as a number that JavaScript assigns) and its etag.
type Vector = [[u32; 3]];

/// Most comparisons of a run. What still differs then waits for the next run.
const ROUNDS: u32 = 3;

/// A run that brings a set up to date.
///
/// ```
/// use raven_edge::offline::{kept::State, sets::Run};
/// use raven_edge::protocol::{plan, round, settle, take};
///
/// let mut run = Run::new(0);
/// run.compared(false);
/// let (old, new) = ([[1, 0, 5]], [[1, 0, 7]]);
/// assert_eq!(run.compare(Some(&new), Some(State::There(&old))), plan::LOAD);
/// assert_eq!(run.settle(true, Some(&old), State::There(&new), take::REPLACE, true), settle::JOIN);
/// assert_eq!(run.end(0), round::COMPLETE);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// Disturbances of the set when the sums were read, and documents that this run has added since.
    disturbed: u32,
    /// Comparisons of this run.
    rounds: u32,
    /// Whether the index of the comparison was stale.
    is_stale: bool,
    /// Whether the next comparison has to decide about a document.
    is_open: bool,
    /// Whether the server has listed or given an older version than the device has.
    lags: bool,
    #[cfg(feature = "variants")]
    variant: Option<Variant>,
}

impl Run {
    /// `disturbed`: disturbances of the set when its sums are read. They count documents that were lost or found absent, and those that
    /// any run has added.
    #[must_use]
    pub fn new(disturbed: u32) -> Run {
        Run {
            disturbed,
            rounds: 0,
            is_stale: false,
            is_open: false,
            lags: false,
            #[cfg(feature = "variants")]
            variant: None,
        }
    }

    /// The sums are read for another comparison.
    pub fn again(&mut self, disturbed: u32) {
        self.disturbed = disturbed;
    }

    /// This run has added so many documents to the set, or removed them because they are absent.
    pub fn added(&mut self, count: u32) {
        self.disturbed += count;
    }

    /// A comparison has come.
    pub fn compared(&mut self, is_stale: bool) {
        self.rounds += 1;
        (self.is_stale, self.is_open, self.lags) = (is_stale, false, false);
    }

    /// What the comparison says of a document: a number of [`mod@plan`]. `listed`: its version, if the server has listed it; `has`: what
    /// the device has of it, if that is a member of the set or kept otherwise. Documents that are neither listed nor members are not
    /// asked about.
    #[must_use]
    pub fn compare(&mut self, listed: Option<&Vector>, has: Option<State<'_>>) -> u32 {
        let Some(listed) = listed else {
            if self.is_stale && !self.breaks(Variant::DropsWhileStale) {
                return plan::NOTHING;
            }
            return plan::LOAD;
        };
        match has {
            Some(State::There([])) => plan::LOAD,
            Some(State::There(has)) => match compare(listed, has) {
                Some(Ordering::Equal) => plan::HAVE,
                Some(Ordering::Less) => {
                    self.lags = true;
                    plan::HAVE
                }
                Some(Ordering::Greater) | None => plan::LOAD,
            },
            Some(State::Forgotten) if self.breaks(Variant::ForgottenIsEnough) => plan::HAVE,
            Some(State::Absent | State::Forgotten | State::Touched) | None => plan::LOAD,
        }
    }

    /// What becomes of a document that was loaded: a number of [`mod@settle`]. `had`: the version in which a load of this run has found it
    /// before the comparison; `found`: what the load says; `verdict`: what [`kept::take`](super::kept::take) says of that; `is_there`:
    /// whether the device has the document afterwards, in a version that the server has told: a text that the device has sent may lack a
    /// later change.
    #[must_use]
    pub fn settle(
        &mut self,
        is_listed: bool,
        had: Option<&Vector>,
        found: State<'_>,
        verdict: u32,
        is_there: bool,
    ) -> u32 {
        let is_taken = verdict == take::REPLACE || verdict == take::CONFIRM;
        match found {
            State::Absent if is_taken => settle::DROP,
            State::There(_) if is_listed && is_there => {
                self.lags |= verdict == take::LEAVE;
                settle::JOIN
            }
            State::There(found) if !is_listed && is_taken => {
                let is_same = had.is_some_and(|had| !had.is_empty() && compare(found, had) == Some(Ordering::Equal));
                if is_same || self.breaks(Variant::DropsAnotherVersion) {
                    return settle::DROP;
                }
                self.is_open |= !self.breaks(Variant::KeepsWhatLeft);
                settle::STAY
            }
            _ => {
                self.is_open = true;
                settle::STAY
            }
        }
    }

    /// What follows when everything is loaded: a number of [`mod@round`]. `disturbed`: disturbances of the set now.
    #[must_use]
    pub fn end(&mut self, disturbed: u32) -> u32 {
        let is_disturbed = disturbed != self.disturbed && !self.breaks(Variant::DisturbanceIsIgnored);
        let is_stale = self.is_stale && !self.breaks(Variant::CompleteWhileStale);
        let is_open = (self.is_open || is_disturbed) && !self.breaks(Variant::CompleteWhileOpen);
        match () {
            () if self.rounds < ROUNDS && !is_stale && (is_open || self.lags) => round::AGAIN,
            () if is_stale || is_open => round::OPEN,
            () if self.lags => round::LAGS,
            () => round::COMPLETE,
        }
    }

    /// The server says that nothing has changed since the set's ETag: what follows, as [`Run::end`].
    #[must_use]
    pub fn same(&self, disturbed: u32) -> u32 {
        if disturbed == self.disturbed { round::COMPLETE } else { round::OPEN }
    }

    /// [`Run::compare`] for numbers: bits (1: it is listed), the kind of what the device has (of [`entry`]; 0: nothing), the length of the
    /// first vector, both vectors.
    #[must_use]
    pub fn compare_words(&mut self, words: &[u32]) -> u32 {
        let [bits, kind, length, rest @ ..] = words else { return plan::NOTHING };
        let Some((listed, has)) = vectors(rest, *length) else { return plan::NOTHING };
        self.compare((bits & 1 != 0).then_some(listed), state(*kind, has))
    }

    /// [`Run::settle`] for numbers: bits (1: it is listed, 2: the device has it), the kind of what was found, the verdict, the length of
    /// the first vector, what was found, what was found before.
    #[must_use]
    pub fn settle_words(&mut self, words: &[u32]) -> u32 {
        let [bits, kind, verdict, length, rest @ ..] = words else { return settle::STAY };
        let Some((found, had)) = vectors(rest, *length) else { return settle::STAY };
        let Some(found) = state(*kind, found) else { return settle::STAY };
        let had = (!had.is_empty()).then_some(had);
        self.settle(bits & 1 != 0, had, found, *verdict, bits & 2 != 0)
    }
}

fn vectors(words: &[u32], length: u32) -> Option<(&Vector, &Vector)> {
    let (entries, []) = words.as_chunks() else { return None };
    entries.split_at_checked(length as usize)
}

fn state(kind: u32, vector: &Vector) -> Option<State<'_>> {
    match kind {
        entry::THERE => Some(State::There(vector)),
        entry::ABSENT => Some(State::Absent),
        entry::FORGOTTEN => Some(State::Forgotten),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &Vector = &[[1, 0, 5]];
    const NEW: &Vector = &[[1, 0, 7]];
    const OTHER: &Vector = &[[2, 0, 1]];

    fn run(is_stale: bool) -> Run {
        let mut run = Run::new(0);
        run.compared(is_stale);
        run
    }

    #[test]
    fn what_is_missing_or_has_another_version_is_loaded() {
        for (has, expected) in [
            (None, plan::LOAD),
            (Some(State::Absent), plan::LOAD),
            (Some(State::Forgotten), plan::LOAD),
            (Some(State::There(&[])), plan::LOAD),
            (Some(State::There(OLD)), plan::LOAD),
            (Some(State::There(OTHER)), plan::LOAD),
            (Some(State::There(NEW)), plan::HAVE),
        ] {
            assert_eq!(run(false).compare(Some(NEW), has), expected, "{has:?}");
        }
        assert_eq!(run(false).compare(None, Some(State::There(OLD))), plan::LOAD, "only a load removes");
        assert_eq!(run(true).compare(None, Some(State::There(OLD))), plan::NOTHING, "a stale index lacks documents");
    }

    #[test]
    fn only_a_load_that_is_not_older_removes_a_document() {
        let mut run = run(false);
        assert_eq!(run.settle(false, Some(OLD), State::Absent, take::REPLACE, false), settle::DROP);
        assert_eq!(run.settle(true, Some(OLD), State::Absent, take::REPLACE, false), settle::DROP);
        assert_eq!(
            run.settle(false, Some(OLD), State::There(OLD), take::CONFIRM, true),
            settle::DROP,
            "it left the query"
        );
        assert_eq!(run.end(0), round::COMPLETE);
        for (found, verdict) in [
            (State::Absent, take::LEAVE),
            (State::Absent, take::FORGET),
            (State::There(NEW), take::REPLACE),
            (State::There(NEW), take::CONFIRM),
            (State::There(OLD), take::LEAVE),
        ] {
            run.compared(false);
            assert_eq!(run.settle(false, Some(OLD), found, verdict, true), settle::STAY, "{found:?} {verdict}");
            assert_ne!(run.end(0), round::COMPLETE, "{found:?} {verdict}");
        }
    }

    #[test]
    fn a_server_that_stays_older_ends_in_an_event_and_not_in_a_loop() {
        let mut run = Run::new(0);
        for expected in [round::AGAIN, round::AGAIN, round::LAGS] {
            run.compared(false);
            assert_eq!(run.compare(Some(OLD), Some(State::There(NEW))), plan::HAVE);
            assert_eq!(run.end(0), expected);
        }
    }

    #[test]
    fn disturbances_and_a_stale_index_leave_the_set_open() {
        let mut lost = run(false);
        assert_eq!((lost.end(1), lost.same(1), lost.same(0)), (round::AGAIN, round::OPEN, round::COMPLETE));
        lost.again(1);
        lost.compared(false);
        lost.added(2);
        assert_eq!((lost.end(3), lost.end(4)), (round::COMPLETE, round::AGAIN), "its own documents are none");
        assert_eq!(run(true).end(0), round::OPEN);
    }

    #[test]
    fn numbers_that_are_no_documents_change_nothing() {
        for words in [&[][..], &[1], &[1, 16, 0, 7], &[1, 16, 2, 1, 0, 1]] {
            assert_eq!(run(false).compare_words(words), plan::NOTHING, "{words:?}");
            assert_eq!(run(false).settle_words(words), settle::STAY, "{words:?}");
        }
        assert_eq!(run(false).compare_words(&[1, entry::THERE, 1, 1, 0, 7, 1, 0, 7]), plan::HAVE);
        assert_eq!(run(false).compare_words(&[0, entry::THERE, 0, 1, 0, 7]), plan::LOAD);
        assert_eq!(run(false).settle_words(&[0, entry::ABSENT, take::REPLACE, 0, 1, 0, 5]), settle::DROP);
        assert_eq!(run(false).settle_words(&[3, entry::THERE, take::REPLACE, 1, 1, 0, 7, 1, 0, 5]), settle::JOIN);
    }
}
