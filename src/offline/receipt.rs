//! The receipt: what it proves about the batch in flight.

use alloc::vec::Vec;

use super::flight::Refusal;
use super::{Effect, Queue, Regression, Variant};
use crate::protocol::pause;

/// After this many failures in a row, a node with no receipt, or an older one, counts as a server that has gone back.
const PATIENCE: u32 = 12;

/// What this device knows about its receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Receipt {
    /// It must be read before anything is sent.
    Unread,
    /// It does not exist.
    Absent,
    /// The shell keeps its change vector.
    Known,
}

/// The contents of a receipt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The number of the last saved batch; 0 for none.
    pub last: u32,
    /// The number of its random id; 0 if this device does not know it.
    pub id: u32,
}

/// A receipt that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Found {
    /// Its contents.
    pub stamp: Stamp,
    /// Whether its change vector is the one that the shell keeps.
    pub current: bool,
}

/// What a receipt that was read proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// The batch is saved.
    Batch,
    /// The fence is saved.
    Fence,
    /// Neither is saved, and the receipt is the one that this device has written last; its change vector may differ from the
    /// one that the shell keeps.
    Neither,
    /// The node does not have the last batch yet.
    Behind,
    /// The server has gone back.
    Lost,
    /// Another device has written it.
    Cloned,
}

impl Queue {
    pub(super) fn read_receipt(&self, out: &mut Vec<Effect>) {
        if let Some(flight) = &self.flight {
            let number = flight.fence.unwrap_or(flight.batch).number;
            out.push(Effect::ReadReceipt { number, node: flight.node });
        }
    }

    pub(super) fn read(
        &mut self,
        number: u32,
        node: u32,
        found: Option<Found>,
        incarnation: u32,
        out: &mut Vec<Effect>,
    ) -> bool {
        let expected = self.flight.as_ref().map_or(self.number, |flight| flight.fence.unwrap_or(flight.batch).number);
        let wanted = self.flight.is_some() || self.receipt == Receipt::Unread;
        if number != expected && self.receipt != Receipt::Unread || !wanted || self.paused & pause::INCARNATION > 0 {
            return false;
        }
        if !self.admits(incarnation, out) {
            return true;
        }
        let proof = self.judge(node, found);
        let stamp = found.map(|found| found.stamp).unwrap_or_default();
        match proof {
            Proof::Batch | Proof::Fence => {
                self.saved = stamp;
                self.node = node;
                self.receipt = Receipt::Known;
                out.push(Effect::KeepVector);
                if proof == Proof::Batch { self.settle(false, out) } else { self.release(out) }
            }
            Proof::Neither if self.receipt != Receipt::Unread && found.is_none_or(|found| found.current) => {
                // The receipt is as the batch expects it, so the conflict was about an earlier state: the same text is sent again.
                self.attempts = self.attempts.saturating_add(1);
                out.push(Effect::Wait(self.attempts));
                return true;
            }
            Proof::Neither => self.adopt(node, found, stamp, out),
            Proof::Behind => {
                self.attempts = self.attempts.saturating_add(1);
                out.push(Effect::Wait(self.attempts));
                return true;
            }
            Proof::Lost => self.renounce(Regression::ReceiptLost, false, out),
            Proof::Cloned => self.renounce(Regression::Cloned, true, out),
        }
        self.attempts = 0;
        true
    }

    /// What is sent from now on expects the receipt that was found. A sealed batch or fence expects an older one: it is not saved,
    /// and needs another number.
    fn adopt(&mut self, node: u32, found: Option<Found>, stamp: Stamp, out: &mut Vec<Effect>) {
        if self.receipt == Receipt::Unread {
            self.mark_unsure(out);
            if let Some(flight) = &mut self.flight {
                flight.refusal = None;
            }
        }
        self.saved = stamp;
        self.node = node;
        self.receipt = if found.is_some() { Receipt::Known } else { Receipt::Absent };
        self.number = self.number.max(stamp.last);
        if found.is_some() {
            out.push(Effect::KeepVector);
        }
        if let Some(flight) = &mut self.flight {
            flight.refusal.get_or_insert(Refusal::Superseded);
            flight.fence = None;
        }
    }

    fn judge(&self, node: u32, found: Option<Found>) -> Proof {
        let Some(Found { stamp, .. }) = found else {
            return match self.receipt {
                Receipt::Unread | Receipt::Absent => Proof::Neither,
                Receipt::Known => self.behind(node),
            };
        };
        let by_number = self.breaks(Variant::ReceiptWithoutId);
        let names = |batch: super::Batch| stamp.last == batch.number && (stamp.id == batch.id || by_number);
        if let Some(flight) = &self.flight {
            if flight.fence.is_some_and(names) {
                return Proof::Fence;
            }
            if names(flight.batch) {
                return Proof::Batch;
            }
        }
        if stamp.last < self.saved.last {
            return if self.receipt == Receipt::Unread { Proof::Neither } else { self.behind(node) };
        }
        if stamp == self.saved || by_number && stamp.last == self.saved.last { Proof::Neither } else { Proof::Cloned }
    }

    /// A node has an older receipt than this device.
    fn behind(&self, node: u32) -> Proof {
        if node == self.node || self.attempts >= PATIENCE { Proof::Lost } else { Proof::Behind }
    }

    /// The node of the flight no longer exists, so its outcome cannot be determined.
    pub(super) fn node_gone(&mut self, number: u32, out: &mut Vec<Effect>) -> bool {
        let is_it = |flight: &super::Flight| flight.fence.unwrap_or(flight.batch).number == number;
        if !self.flight.as_ref().is_some_and(is_it) {
            return false;
        }
        self.renounce(Regression::ReceiptLost, false, out);
        true
    }

    /// Compares the incarnation of a response. Returns whether it is the incarnation of the queue; if not, pauses the queue.
    pub(super) fn admits(&mut self, incarnation: u32, out: &mut Vec<Effect>) -> bool {
        if self.incarnation == 0 {
            self.incarnation = incarnation;
        }
        if incarnation == 0 || incarnation == self.incarnation || self.breaks(Variant::IncarnationIsIgnored) {
            return true;
        }
        if self.other != incarnation {
            self.other = incarnation;
            out.push(Effect::Regression(Regression::Incarnation));
            self.pause(pause::INCARNATION, out);
        }
        false
    }

    pub(super) fn compare(&mut self, incarnation: u32, out: &mut Vec<Effect>) -> bool {
        let before = (self.incarnation, self.other);
        self.admits(incarnation, out);
        (self.incarnation, self.other) != before
    }
}
