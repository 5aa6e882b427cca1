//! What the app does with its changes.

use alloc::vec::Vec;

use super::change::{Change, Expects, How, Part, Remade, State};
use super::next_change_expects::Leaves;
use super::receipt::{Receipt, Stamp};
use super::{Effect, Queue, Variant};
use crate::protocol::pause;

impl Queue {
    pub(super) fn add(&mut self, bytes: u32, parts: &[Part], out: &mut Vec<Effect>) -> bool {
        if parts.is_empty() {
            return false;
        }
        let expects = |part: &Part| match part.expects {
            Expects::Any => Expects::Any,
            _ if self.pending(part.document).is_some() => Expects::Previous,
            Expects::Previous => Expects::Stale { conflict: false },
            other => other,
        };
        let parts = parts.iter().map(|part| Part { expects: expects(part), ..*part }).collect();
        self.added += 1;
        let number = self.added;
        let state = State::Queued;
        self.changes.push(Change {
            number,
            version: 0,
            bytes,
            state,
            alone: false,
            sent: false,
            discarded: false,
            parts,
        });
        out.extend([Effect::Added(number), Effect::Store(number)]);
        true
    }

    pub(super) fn remake(&mut self, number: u32, version: u32, remade: &[Remade], out: &mut Vec<Effect>) -> bool {
        if self.paused & pause::INCARNATION > 0 {
            return false;
        }
        let Some(change) = self.change(number) else { return false };
        let waits = matches!(change.state, State::Queued | State::Conflict);
        let is_stale = |part: &Part| matches!(part.expects, Expects::Stale { .. });
        let is_new = |at: usize, how: How| match how {
            How::Rename(to) => self.pending(to).is_none() && remade.iter().take(at).all(|made| made.how != how),
            _ => true,
        };
        let fits =
            |(at, made): (usize, &Remade)| change.part(made.document).is_some_and(is_stale) && is_new(at, made.how);
        if change.version != version || !waits || !change.is_stale() || !remade.iter().enumerate().all(fits) {
            return false;
        }
        let mut asks = change.state == State::Conflict;
        for Remade { document, how } in remade {
            let Some(part) = self.change_mut(number).and_then(|change| change.part_mut(*document)) else { continue };
            match how {
                How::Write { absent, same } => {
                    part.expects = if *absent { Expects::Absent } else { Expects::Known };
                    if !same && !self.breaks(Variant::WholeTextKept) {
                        self.interrupt(number, *document, out);
                    }
                }
                How::Drop => {
                    let part = *part;
                    if let Some(change) = self.change_mut(number) {
                        change.parts.retain(|other| other.document != *document);
                    }
                    self.update_next_change(number, part, Leaves::Unknown, out);
                }
                How::Rename(to) => {
                    part.expects = Expects::Absent;
                    self.rename(number, *document, *to, out);
                }
                How::Ask => asks = true,
            }
        }
        let Some(change) = self.change_mut(number) else { return false };
        change.version += 1;
        if change.parts.is_empty() {
            self.finish(number, out);
            return true;
        }
        change.state = if asks && change.is_stale() { State::Conflict } else { State::Queued };
        let asks = change.state == State::Conflict;
        out.push(Effect::Store(number));
        if asks {
            out.push(Effect::Conflict(number));
        }
        true
    }

    /// The document of a change, and of all later ones, gets another id.
    fn rename(&mut self, from: u32, document: u32, to: u32, out: &mut Vec<Effect>) {
        for change in self.changes.iter_mut().filter(|change| change.number >= from) {
            let number = change.number;
            let Some(part) = change.part_mut(document) else { continue };
            part.document = to;
            if number > from {
                change.version += 1;
                out.push(Effect::Store(number));
            }
            out.push(Effect::Rename { change: number, document, to });
        }
    }

    pub(super) fn retry(&mut self, number: u32, out: &mut Vec<Effect>) -> bool {
        let parked = self.change(number).is_some_and(|change| matches!(change.state, State::Parked | State::Unsure));
        if parked {
            self.set(number, State::Queued, out);
        }
        parked
    }

    /// Nothing can be sent to this database: what is queued waits for the app.
    pub(super) fn sharded(&mut self, out: &mut Vec<Effect>) -> bool {
        if self.receipt != Receipt::Unread {
            return false;
        }
        // A batch that was sealed for an earlier incarnation may still be carried out there.
        if self.flight.is_some() {
            self.attempts = self.attempts.saturating_add(1);
            out.push(Effect::Wait(self.attempts));
        }
        let queued = self.changes.iter().filter(|change| change.state == State::Queued);
        let queued: Vec<u32> = queued.map(|change| change.number).collect();
        for number in queued {
            out.extend([Effect::KeepError(number), Effect::Parked(number)]);
            self.set(number, State::Parked, out);
        }
        true
    }

    pub(super) fn discard(&mut self, number: u32, out: &mut Vec<Effect>) -> bool {
        let Some(change) = self.change_mut(number) else { return false };
        if change.state == State::Sealed {
            change.discarded = true;
            out.push(Effect::Store(number));
        } else {
            if change.state == State::Parked {
                self.inherit(number, out);
            }
            self.give_up(number, out);
        }
        true
    }

    pub(super) fn pause(&mut self, why: u8, out: &mut Vec<Effect>) {
        self.paused |= why;
        out.push(Effect::Paused(self.paused));
    }

    pub(super) fn signed_in(&mut self) -> bool {
        let waits = self.paused & pause::AUTH > 0;
        if waits {
            self.attempts = 0;
            self.paused &= !pause::AUTH;
        }
        waits
    }

    pub(super) fn resume(&mut self) {
        if self.paused & pause::INCARNATION > 0 {
            self.incarnation = self.other;
            self.other = 0;
            // The receipt may be missing there, or older.
            self.receipt = Receipt::Unread;
        }
        self.attempts = 0;
        self.paused = 0;
    }

    pub(super) fn clear(&mut self, out: &mut Vec<Effect>) -> bool {
        for change in core::mem::take(&mut self.changes) {
            if change.state == State::Sealed {
                out.push(Effect::Unsure(change.number));
            }
            out.extend([Effect::Remove(change.number), Effect::Discarded(change.number)]);
        }
        if self.flight.take().is_some() {
            // A copy of what was in flight may still arrive: no later batch is compared with it.
            self.receipt = Receipt::Absent;
            self.saved = Stamp::default();
            out.push(Effect::NewReceipt);
        }
        true
    }
}
