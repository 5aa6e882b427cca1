//! The batch in flight: what a drain sends, and what its outcome means.

use alloc::vec::Vec;

use super::change::State;
use super::receipt::{Receipt, Stamp};
use super::{Effect, Outcome, Queue, Variant};
use crate::protocol::pause;

/// What identifies a batch or fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    /// Its number: the receipt's `Last`. No other text is ever sent under it.
    pub number: u32,
    /// The number of its random id, whose text the shell keeps: the receipt's `Batch`.
    pub id: u32,
}

/// Why a batch was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// Another writer has changed a document; 0 if it is not known which one.
    Conflict(u32),
    /// For another reason.
    Other,
    /// It is not refused: it was sealed under an earlier incarnation, and the server does not have it.
    Superseded,
}

/// A sealed batch whose outcome is not settled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flight {
    /// The batch.
    pub batch: Batch,
    /// The only node that it is sent to.
    pub node: u32,
    /// Its changes, in order.
    pub members: Vec<u32>,
    /// Why it was refused, if it was. From then on nothing is sent but its fence.
    pub refusal: Option<Refusal>,
    /// The fence, once it is sealed.
    pub fence: Option<Batch>,
}

impl Queue {
    pub(super) fn drain(&mut self, user: u32, node: u32, id: u32, limits: (u32, u32), out: &mut Vec<Effect>) -> bool {
        if user != self.user && !self.breaks(Variant::AnyUserDrains) {
            return false;
        }
        if self.paused > 0 {
            out.push(Effect::Paused(self.paused));
            return true;
        }
        if self.receipt == Receipt::Unread {
            if self.flight.is_some() || self.changes.iter().any(|change| change.state == State::Queued) {
                let node = self.flight.as_ref().map_or(node, |flight| flight.node);
                out.push(Effect::ReadReceipt { number: self.number, node });
            } else {
                out.push(Effect::Idle);
            }
            return true;
        }
        if self.flight.is_none() {
            self.fetch_stale(out);
            self.seal(node, id, limits, out);
        }
        if !self.send(node, id, out) && out.is_empty() {
            out.push(Effect::Idle);
        }
        true
    }

    /// Sends what is in flight. Returns whether anything is.
    fn send(&mut self, new_node: u32, id: u32, out: &mut Vec<Effect>) -> bool {
        let (elsewhere, reused) = (self.breaks(Variant::AnyNode), self.breaks(Variant::FenceReusesNumber));
        let Some(flight) = &mut self.flight else { return false };
        if elsewhere {
            flight.node = new_node;
        }
        let node = flight.node;
        if flight.refusal.is_some() && flight.fence.is_none() {
            self.number += u32::from(!reused);
            flight.fence = Some(Batch { number: self.number, id });
        }
        let Batch { number, id } = flight.fence.unwrap_or(flight.batch);
        out.push(Effect::Send { number, id, node, fence: flight.fence.is_some() });
        true
    }

    pub(super) fn set(&mut self, number: u32, state: State, out: &mut Vec<Effect>) {
        if let Some(change) = self.change_mut(number) {
            change.state = state;
            out.push(Effect::Store(number));
        }
    }

    pub(super) fn batch_outcome(
        &mut self,
        number: u32,
        outcome: Outcome,
        incarnation: u32,
        out: &mut Vec<Effect>,
    ) -> bool {
        let Some(flight) = &self.flight else { return false };
        let (sent, is_fence, node) = (flight.fence.unwrap_or(flight.batch), flight.fence.is_some(), flight.node);
        if sent.number != number {
            return false;
        }
        let is_new = !self.admits(incarnation, out);
        if outcome == Outcome::Applied {
            self.saved = Stamp { last: number, id: sent.id };
            self.node = node;
            self.receipt = Receipt::Known;
            self.attempts = 0;
            out.push(Effect::KeepVector);
            if is_fence { self.release(out) } else { self.settle(true, out) }
        } else if is_new {
            // What the other database refuses says nothing. The app decides whether the queue belongs there.
        } else {
            self.failed(outcome, is_fence, out);
        }
        true
    }

    fn failed(&mut self, outcome: Outcome, is_fence: bool, out: &mut Vec<Effect>) {
        match outcome {
            Outcome::ReceiptConflict => self.read_receipt(out),
            Outcome::Unauthorized => self.pause(pause::AUTH, out),
            Outcome::Conflict(_) | Outcome::Refused | Outcome::TooLarge if is_fence => self.pause(pause::RECEIPT, out),
            Outcome::Conflict(document) => self.refused(Refusal::Conflict(document), out),
            Outcome::Refused | Outcome::TooLarge => self.refused(Refusal::Other, out),
            Outcome::Applied | Outcome::Again => {
                self.attempts = self.attempts.saturating_add(1);
                out.push(Effect::Wait(self.attempts));
            }
        }
    }
}
