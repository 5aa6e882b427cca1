//! What becomes of the members of a flight: they are saved, refused, queued again, or their outcome is unknown.

use alloc::vec::Vec;

use super::change::{Expects, Part, State};
use super::flight::Refusal;
use super::next_change_expects::Leaves;
use super::receipt::{Receipt, Stamp};
use super::{Effect, Queue, Regression, Variant};

impl Queue {
    /// The flight's batch is saved. `results`: its response is known.
    pub(super) fn settle(&mut self, results: bool, out: &mut Vec<Effect>) {
        let Some(flight) = self.flight.take() else { return };
        let leaves = if results { Leaves::Response } else { Leaves::Unknown };
        for change in flight.members {
            self.remove(change, leaves, out);
            out.push(Effect::Saved { change, results });
        }
    }

    /// The server refuses the batch: nothing but its fence is sent until that is saved.
    pub(super) fn refused(&mut self, refusal: Refusal, out: &mut Vec<Effect>) {
        let Some(flight) = &mut self.flight else { return };
        flight.refusal = Some(refusal);
        let members = flight.members.clone();
        let blamed = match refusal {
            Refusal::Conflict(document) if document > 0 => {
                let concerned =
                    |number: &&u32| self.change(**number).is_some_and(|change| change.part(document).is_some());
                members.iter().find(concerned)
            }
            _ => members.first().filter(|_| members.len() == 1),
        };
        out.extend(blamed.map(|change| Effect::KeepError(*change)));
        if self.breaks(Variant::NoFence) {
            self.release(out);
        }
    }

    /// No copy of the refused batch can be carried out any more: its members wait for the app, or for their turn.
    pub(super) fn release(&mut self, out: &mut Vec<Effect>) {
        let Some(flight) = self.flight.take() else { return };
        let apart = flight.members.len() > 1;
        let refusal = flight.refusal.unwrap_or(Refusal::Superseded);
        let guarded = |part: &Part| part.expects != Expects::Any;
        let is_culprit = |part: &Part, document: u32| part.document == document && guarded(part);
        let named = |queue: &Queue, document: u32| {
            let mut members = flight.members.iter().filter_map(|number| queue.change(*number));
            members.any(|change| change.parts.iter().any(|part| is_culprit(part, document)))
        };
        let refusal = match refusal {
            Refusal::Conflict(document) if !named(self, document) => Refusal::Conflict(0),
            other => other,
        };
        let forgets = self.breaks(Variant::RefusedIsForgotten);
        for number in &flight.members {
            let Some(change) = self.change_mut(*number) else { continue };
            if change.discarded {
                self.give_up(*number, out);
                continue;
            }
            let before = change.sent && !forgets;
            change.state = State::Queued;
            change.sent = true;
            match refusal {
                Refusal::Superseded if before && change.may_repeat() => {
                    change.state = State::Unsure;
                    out.push(Effect::Unsure(*number));
                }
                Refusal::Superseded => {}
                Refusal::Conflict(document) if document > 0 => {
                    change.outdate(|part| is_culprit(part, document));
                }
                Refusal::Conflict(_) | Refusal::Other if apart => change.alone = true,
                Refusal::Conflict(_) if change.parts.iter().any(guarded) => change.outdate(guarded),
                Refusal::Conflict(_) | Refusal::Other => {
                    change.state = State::Parked;
                    out.push(Effect::Parked(*number));
                }
            }
            out.push(Effect::Store(*number));
        }
    }

    /// The receipt cannot tell whether the flight is saved, or not what another device did under it. `all`: another device may have
    /// carried out any change of this queue.
    pub(super) fn renounce(&mut self, why: Regression, all: bool, out: &mut Vec<Effect>) {
        self.flight = None;
        self.receipt = Receipt::Absent;
        self.saved = Stamp::default();
        out.extend([Effect::NewReceipt, Effect::Regression(why)]);
        let again = self.breaks(Variant::UnknownIsSentAgain);
        for change in &mut self.changes {
            let sealed = change.state == State::Sealed;
            let unsure = (sealed || all && change.state != State::Unsure) && !again && change.may_repeat();
            if !sealed && !unsure {
                continue;
            }
            change.discarded = false;
            change.sent |= sealed;
            change.state = if unsure { State::Unsure } else { State::Queued };
            out.push(Effect::Store(change.number));
            if unsure {
                out.push(Effect::Unsure(change.number));
            }
        }
    }

    /// The database was restored, perhaps to a state before a refused batch was fenced: a copy of that batch may be carried out.
    pub(super) fn mark_unsure(&mut self, out: &mut Vec<Effect>) {
        if self.breaks(Variant::RefusedIsForgotten) {
            return;
        }
        for change in self.changes.iter_mut().filter(|change| change.sent && change.may_repeat()) {
            if !matches!(change.state, State::Sealed | State::Unsure) {
                change.state = State::Unsure;
                out.extend([Effect::Store(change.number), Effect::Unsure(change.number)]);
            }
        }
    }

    /// Removes a change that the app has given up.
    pub(super) fn give_up(&mut self, number: u32, out: &mut Vec<Effect>) {
        self.remove(number, Leaves::Unknown, out);
        out.push(Effect::Discarded(number));
    }

    /// Removes a change that has nothing left to do.
    pub(super) fn finish(&mut self, number: u32, out: &mut Vec<Effect>) {
        self.remove(number, Leaves::Unknown, out);
        out.push(Effect::Saved { change: number, results: false });
    }

    fn remove(&mut self, number: u32, leaves: Leaves, out: &mut Vec<Effect>) {
        let Ok(at) = self.changes.binary_search_by_key(&number, |change| change.number) else { return };
        let change = self.changes.remove(at);
        for part in &change.parts {
            self.update_next_change(number, *part, leaves, out);
        }
        out.push(Effect::Remove(number));
    }
}
