//! Events and effects as numbers, for the package's JavaScript: one call for each event, as `crate::protocol` numbers them.

use alloc::vec::Vec;

use super::change::{Action, Expects, How, Part, Remade, State};
use super::receipt::{Found, Receipt, Stamp};
use super::{Effect, Event, Outcome, Queue, Regression};
use crate::protocol::{action, deed, outcome, part, queued, receipt, regression, remade, state};

/// The numbers of an effect.
const WIDTH: usize = 5;

impl Queue {
    /// Processes an event: its number in [`queued`] and its members. Returns whether it was accepted, and five numbers for each effect:
    /// its number in [`deed`] and its members.
    pub fn dispatch(&mut self, event: &[u32]) -> Vec<u32> {
        let mut parts = Vec::new();
        let mut made = Vec::new();
        let reply = read(event, &mut parts, &mut made).map(|event| self.on(event));
        let mut words = Vec::from([u32::from(reply.as_ref().is_some_and(|reply| reply.accepted))]);
        for effect in reply.iter().flat_map(|reply| &reply.effects) {
            words.extend(effect.words());
        }
        words
    }
}

/// Decodes an event; `None` if it is none.
fn read<'a>(event: &[u32], parts: &'a mut Vec<Part>, made: &'a mut Vec<Remade>) -> Option<Event<'a>> {
    let (code, of) = event.split_first()?;
    Some(match (*code, of) {
        (queued::ADD, [bytes, rest @ ..]) => {
            let (pairs, []) = rest.as_chunks() else { return None };
            for [document, bits] in pairs {
                parts.push(Part::from_bits(*document, *bits)?);
            }
            Event::Add { bytes: *bytes, parts }
        }
        (queued::DRAIN, [user, node, id, changes, bytes]) => {
            Event::Drain { user: *user, node: *node, id: *id, changes: *changes, bytes: *bytes }
        }
        (queued::OUTCOME, [number, outcome, document, incarnation]) => {
            let outcome = Outcome::from_number(*outcome, *document);
            Event::Outcome { number: *number, outcome, incarnation: *incarnation }
        }
        (queued::RECEIPT, [number, node, incarnation, rest @ ..]) => {
            let found = match rest {
                [last, id, current] => Some(Found { stamp: Stamp { last: *last, id: *id }, current: *current > 0 }),
                _ => None,
            };
            Event::Receipt { number: *number, node: *node, found, incarnation: *incarnation }
        }
        (queued::INCARNATION, [incarnation]) => Event::Incarnation(*incarnation),
        (queued::REMAKE, [change, version, rest @ ..]) => {
            let (triples, []) = rest.as_chunks() else { return None };
            for [document, how, to] in triples {
                made.push(Remade { document: *document, how: How::from_number(*how, *to)? });
            }
            Event::Remake { change: *change, version: *version, parts: made }
        }
        (queued::RETRY, [change]) => Event::Retry(*change),
        (queued::DISCARD, [change]) => Event::Discard(*change),
        (queued::PAUSE, []) => Event::Pause,
        (queued::RESUME, []) => Event::Resume,
        (queued::NODE_GONE, [number]) => Event::NodeGone { number: *number },
        (queued::CLEAR, []) => Event::Clear,
        (queued::NOT_SIGNED_IN, []) => Event::NotSignedIn,
        (queued::SIGNED_IN, []) => Event::SignedIn,
        (queued::SHARDED, []) => Event::Sharded,
        _ => return None,
    })
}

impl Outcome {
    /// Decodes a number of [`outcome`]. Unknown ones leave the outcome open.
    pub fn from_number(number: u32, document: u32) -> Outcome {
        match number {
            outcome::APPLIED => Outcome::Applied,
            outcome::RECEIPT_CONFLICT => Outcome::ReceiptConflict,
            outcome::CONFLICT => Outcome::Conflict(document),
            outcome::REFUSED => Outcome::Refused,
            outcome::TOO_LARGE => Outcome::TooLarge,
            outcome::UNAUTHORIZED => Outcome::Unauthorized,
            _ => Outcome::Again,
        }
    }
}

impl How {
    fn from_number(number: u32, to: u32) -> Option<How> {
        Some(match number {
            remade::SAME => How::Write { absent: false, same: true },
            remade::MERGED => How::Write { absent: false, same: false },
            remade::SAME_ABSENT => How::Write { absent: true, same: true },
            remade::MERGED_ABSENT => How::Write { absent: true, same: false },
            remade::DROP => How::Drop,
            remade::RENAME => How::Rename(to),
            remade::ASK => How::Ask,
            _ => return None,
        })
    }
}

impl State {
    /// Its number in [`state`].
    pub fn number(self) -> u32 {
        match self {
            State::Queued => state::QUEUED,
            State::Sealed => state::SEALED,
            State::Conflict => state::CONFLICT,
            State::Parked => state::PARKED,
            State::Unsure => state::UNSURE,
        }
    }

    pub(super) fn from_number(number: u32) -> Option<State> {
        Some(match number {
            state::QUEUED => State::Queued,
            state::SEALED => State::Sealed,
            state::CONFLICT => State::Conflict,
            state::PARKED => State::Parked,
            state::UNSURE => State::Unsure,
            _ => return None,
        })
    }
}

impl Receipt {
    /// Its number in [`receipt`].
    pub fn number(self) -> u32 {
        match self {
            Receipt::Unread => receipt::UNREAD,
            Receipt::Absent => receipt::ABSENT,
            Receipt::Known => receipt::KNOWN,
        }
    }

    pub(super) fn from_number(number: u32) -> Option<Receipt> {
        Some(match number {
            receipt::UNREAD => Receipt::Unread,
            receipt::ABSENT => Receipt::Absent,
            receipt::KNOWN => Receipt::Known,
            _ => return None,
        })
    }
}

impl Part {
    /// Its action, what it expects, and whether it continues the previous one, as numbered in [`action`] and [`part`].
    pub fn bits(self) -> u32 {
        let action = match self.action {
            Action::Put => action::PUT,
            Action::Delete => action::DELETE,
            Action::Patch => action::PATCH,
        };
        let expects = match self.expects {
            Expects::Any => part::ANY,
            Expects::Absent => part::ABSENT,
            Expects::Known => part::KNOWN,
            Expects::Previous => part::PREVIOUS,
            Expects::Stale { conflict: false } => part::STALE,
            Expects::Stale { conflict: true } => part::CONFLICT,
        };
        action | expects << 2 | if self.continues { part::CONTINUES } else { 0 }
    }

    pub(super) fn from_bits(document: u32, bits: u32) -> Option<Part> {
        let action = match bits & 3 {
            action::PUT => Action::Put,
            action::DELETE => Action::Delete,
            action::PATCH => Action::Patch,
            _ => return None,
        };
        let expects = match bits >> 2 & 7 {
            part::ANY => Expects::Any,
            part::ABSENT => Expects::Absent,
            part::KNOWN => Expects::Known,
            part::PREVIOUS => Expects::Previous,
            part::STALE => Expects::Stale { conflict: false },
            part::CONFLICT => Expects::Stale { conflict: true },
            _ => return None,
        };
        (bits < part::CONTINUES * 2).then_some(Part {
            document,
            action,
            expects,
            continues: bits & part::CONTINUES > 0,
        })
    }
}

impl Effect {
    /// Its number in [`deed`] and its members.
    fn words(self) -> [u32; WIDTH] {
        let (code, members) = match self {
            Effect::Store(change) => (deed::STORE, [change, 0, 0, 0]),
            Effect::Remove(change) => (deed::REMOVE, [change, 0, 0, 0]),
            Effect::Pass { from, to, document } => (deed::PASS, [from, to, document, 0]),
            Effect::Inherit { from, to, document } => (deed::INHERIT, [from, to, document, 0]),
            Effect::Rename { change, document, to } => (deed::RENAME, [change, document, to, 0]),
            Effect::KeepVector => (deed::KEEP_VECTOR, [0; 4]),
            Effect::KeepError(change) => (deed::KEEP_ERROR, [change, 0, 0, 0]),
            Effect::NewReceipt => (deed::NEW_RECEIPT, [0; 4]),
            Effect::Send { number, id, node, fence } => (deed::SEND, [number, id, node, u32::from(fence)]),
            Effect::ReadReceipt { number, node } => (deed::READ_RECEIPT, [number, node, 0, 0]),
            Effect::Fetch { change, node } => (deed::FETCH, [change, node, 0, 0]),
            Effect::Wait(failures) => (deed::WAIT, [failures, 0, 0, 0]),
            Effect::Idle => (deed::IDLE, [0; 4]),
            Effect::Added(change) => (deed::ADDED, [change, 0, 0, 0]),
            Effect::Saved { change, results } => (deed::SAVED, [change, u32::from(results), 0, 0]),
            Effect::Conflict(change) => (deed::CONFLICT, [change, 0, 0, 0]),
            Effect::Parked(change) => (deed::PARKED, [change, 0, 0, 0]),
            Effect::Unsure(change) => (deed::UNSURE, [change, 0, 0, 0]),
            Effect::Discarded(change) => (deed::DISCARDED, [change, 0, 0, 0]),
            Effect::Regression(why) => {
                let why = match why {
                    Regression::Cloned => regression::CLONED,
                    Regression::ReceiptLost => regression::RECEIPT_LOST,
                    Regression::Incarnation => regression::INCARNATION,
                };
                (deed::REGRESSION, [why, 0, 0, 0])
            }
            Effect::Paused(bits) => (deed::PAUSED, [u32::from(bits), 0, 0, 0]),
        };
        let [a, b, c, d] = members;
        [code, a, b, c, d]
    }
}
