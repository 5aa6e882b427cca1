//! The outcome of a save: what a response means, which documents to read back, and what to report to the app.

use alloc::vec::Vec;
use core::mem;

use super::plan::{Advice, Plan};
use super::slots::{Proof, Unknowns};
use super::{Saves, Variant};
use crate::protocol::next;

/// The state of a session's save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// No save is in progress.
    #[default]
    Idle,
    /// Documents with an unknown outcome are read before the next batch is planned.
    ReadingBeforePlan,
    /// The batch was sent and has no response yet.
    Sent,
    /// No response arrived: the documents of the batch are read.
    ReadingAfterLoss,
    /// The batch is saved, but its response had no results: its documents are read.
    ReadingAfterWait,
    /// The server refused a new document under an id of ours ([`Suspect`]) because the document exists: it may be a copy that we
    /// sent earlier.
    ReadingAfterConflict,
}

/// The document because of which a batch was refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Suspect {
    /// Its slot, if the server named the document.
    slot: Option<u32>,
    /// Whether part of the batch, or an earlier batch with the document, may have been carried out.
    unknown: bool,
}

/// What was found under the id of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finding {
    /// No document. This proves nothing: a request may still be in flight, and a node may lag behind.
    Absent,
    /// The content that this version sent; the newest version, if several sent the same.
    Version(u32),
    /// Other content.
    Other,
}

/// What was found under the id of the document in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seen {
    /// The document.
    pub slot: u32,
    /// What was found.
    pub finding: Finding,
}

/// What the façade reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The server has carried out the batch, and each result matches its command.
    Applied,
    /// The server has carried out the batch, but replication or indexing did not finish in time (408).
    Waited,
    /// The server refused the batch.
    Refused {
        /// `Some`: because a change vector did not match; the inner slot is the document, if the server named it.
        conflict: Option<Option<u32>>,
        /// Whether the database is sharded, so that commands on other shards may have been carried out.
        sharded: bool,
    },
    /// The platform reports that nothing was sent.
    Unsent,
    /// No response arrived, or one that is not from RavenDB.
    Lost,
    /// Documents were read back. Documents that are not listed could not be read.
    Seen(&'a [Seen]),
    /// Documents could not be read back.
    Unread,
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// The save has succeeded.
    Done,
    /// Read the documents in [`Saves::readable`], and report what was found.
    Read,
    /// Plan a batch and send it.
    Plan,
    /// The batch is saved; report to the app that waiting for replication or indexing timed out.
    Saved,
    /// Nothing is saved, and the session is unchanged; report the error to the app.
    NotSaved,
    /// The server has another version of a document, and nothing is saved. `unknown`: that version may come from an earlier save of
    /// this session; report its outcome as unknown.
    Conflict {
        /// Whether the app must check the document before it stores it again.
        unknown: bool,
    },
    /// It is unknown whether the batch is saved. The advice says what the app should do.
    Unknown(Advice),
    /// The event does not match the current state; nothing has changed.
    Nothing,
}

impl Next {
    /// Its number in [`next`].
    pub fn number(self) -> u32 {
        match self {
            Next::Done => next::DONE,
            Next::Read => next::READ,
            Next::Plan => next::PLAN,
            Next::Saved => next::SAVED,
            Next::NotSaved => next::NOT_SAVED,
            Next::Conflict { unknown: false } => next::CONFLICT,
            Next::Conflict { unknown: true } => next::CONFLICT_UNKNOWN,
            Next::Unknown(advice) => next::UNKNOWN + advice as u32,
            Next::Nothing => next::NOTHING,
        }
    }
}

/// The result of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The next step.
    pub next: Next,
    /// Documents found to be saved: slot and version.
    pub confirmed: Vec<(u32, u32)>,
    /// Whether the batch may be found on the server later. The façade then keeps the texts that it sent for the documents in
    /// [`Saves::readable`], to compare them with what is found.
    pub keep: bool,
}

impl Saves {
    /// Begins a save: [`Next::Read`] if reading can determine the outcome of earlier saves, else [`Next::Plan`].
    /// [`Next::Nothing`]: a save is in progress; planning another one will be refused.
    pub fn begin(&mut self) -> Next {
        if self.phase != Phase::Idle {
            return Next::Nothing;
        }
        self.plan = Plan::default();
        if self.unknown.readable(false).next().is_none() {
            return Next::Plan;
        }
        self.phase = Phase::ReadingBeforePlan;
        Next::Read
    }

    /// Documents whose outcome can be determined by reading them. For these the façade keeps the text of every version until they
    /// are confirmed or forgotten.
    pub fn readable(&self) -> Vec<u32> {
        let mut slots = Vec::new();
        for slot in self.unknown.readable(self.breaks(Variant::AnythingIsReadBack)) {
            slots.push(slot);
        }
        if self.phase == Phase::ReadingAfterConflict {
            for slot in self.plan.provable_slots() {
                if self.unknown.get(slot).is_none() {
                    slots.push(slot);
                }
            }
        }
        slots
    }

    /// Forgets documents whose outcome no longer matters: the session no longer tracks them (`evict`, `clear`) or has just read
    /// them (`refresh`). A sealed batch keeps them until it is settled: what is reported about it holds for them, too.
    pub fn forget(&mut self, slots: &[u32]) {
        if matches!(self.phase, Phase::Idle | Phase::ReadingBeforePlan) {
            self.unknown.remove_each(slots);
            return;
        }
        if self.breaks(Variant::ForgottenLeaveTheBatch) {
            self.plan.commands.retain(|command| !slots.contains(&command.slot));
        }
        self.forgotten.extend_from_slice(slots);
    }

    /// Processes an event and returns the next step.
    pub fn on(&mut self, event: Event<'_>) -> Outcome {
        let mut confirmed = Vec::new();
        let mut keep = false;
        let next = match (self.phase, event) {
            (Phase::Sent, Event::Applied) => self.applied(),
            (Phase::Sent, Event::Waited) => {
                // A document that the read does not find (a lagging node) must be read again before it is written again.
                keep = self.remember();
                if self.breaks(Variant::WaitIsForgotten) {
                    self.unknown = Unknowns::default();
                }
                self.start_reading(Phase::ReadingAfterWait)
            }
            (Phase::Sent, Event::Lost) if self.breaks(Variant::LostIsNotSaved) => Next::NotSaved,
            (Phase::Sent, Event::Lost) => self.lost(&mut keep),
            (Phase::Sent, Event::Unsent) => Next::NotSaved,
            (Phase::Sent, Event::Refused { conflict, sharded }) => self.refused(conflict, sharded, &mut keep),
            (Phase::ReadingAfterWait, Event::Unread) => Next::Saved,
            (Phase::ReadingAfterWait, Event::Seen(seen)) => {
                confirmed = self.confirm(seen);
                Next::Saved
            }
            (Phase::ReadingBeforePlan, Event::Seen(seen)) => {
                confirmed = self.confirm(seen);
                Next::Plan
            }
            (Phase::ReadingBeforePlan, Event::Unread) => Next::Unknown(self.advice),
            (Phase::ReadingAfterLoss, Event::Seen(seen)) => {
                confirmed = self.confirm(seen);
                let any = self.breaks(Variant::AnyVersionProves);
                let proven = confirmed.iter().filter(|(_, version)| any || *version == self.version).count();
                if proven == self.plan.commands.len() { Next::Done } else { self.advise() }
            }
            (Phase::ReadingAfterLoss, Event::Unread) => self.advise(),
            (Phase::ReadingAfterConflict, Event::Seen(seen)) => {
                let Suspect { slot, unknown } = self.suspect;
                let carried_out = seen.iter().any(|seen| seen.finding == Finding::Version(self.version));
                // The conflict says that the document exists, so a node that does not have it lags behind.
                let is_it = |seen: &Seen| slot.is_none_or(|slot| slot == seen.slot);
                let lags = seen.iter().any(|seen| seen.finding == Finding::Absent && is_it(seen));
                let unknown = unknown || lags;
                if carried_out || lags {
                    keep = self.remember();
                }
                confirmed = self.confirm(seen);
                // Without documents that the session has forgotten the next plan would lack commands of this one.
                let has_shrunk = !self.forgotten.is_empty() && !self.breaks(Variant::PlannedAgainWithout);
                if confirmed.is_empty() {
                    Next::Conflict { unknown }
                } else if has_shrunk || self.plan.once && (carried_out || unknown) {
                    self.advise()
                } else {
                    // Plan the remaining commands again: they were refused, or writing them twice changes nothing.
                    Next::Plan
                }
            }
            (Phase::ReadingAfterConflict, Event::Unread) => {
                keep = self.remember();
                self.advise()
            }
            _ => return Outcome { next: Next::Nothing, confirmed, keep },
        };
        if next != Next::Read {
            self.phase = Phase::Idle;
            self.plan = Plan::default();
            self.suspect = Suspect::default();
            self.unknown.remove_each(&mem::take(&mut self.forgotten));
        }
        Outcome { next, confirmed, keep }
    }

    fn start_reading(&mut self, phase: Phase) -> Next {
        self.phase = phase;
        Next::Read
    }

    fn applied(&mut self) -> Next {
        for command in &self.plan.commands {
            self.unknown.remove(command.slot);
        }
        self.advice = Advice::SaveAgain;
        Next::Done
    }

    /// Records what the batch may have written, or may still write. Returns true: its texts must be kept.
    fn remember(&mut self) -> bool {
        for command in &self.plan.commands {
            let Some(proof) = command.proof() else { continue };
            if self.breaks(Variant::OneVersionIsRemembered) && proof == Proof::Finding {
                self.unknown.remove(command.slot);
            }
            self.unknown.add(command.slot, proof, self.version);
        }
        true
    }

    fn advise(&mut self) -> Next {
        self.advice = self.plan.advice;
        Next::Unknown(self.advice)
    }

    fn lost(&mut self, keep: &mut bool) -> Next {
        if self.breaks(Variant::UnknownIsForgotten) && self.plan.provable_slots().next().is_none() {
            self.unknown = Unknowns::default();
        }
        *keep = self.remember();
        if self.plan.provable || self.breaks(Variant::AnythingIsReadBack) {
            return self.start_reading(Phase::ReadingAfterLoss);
        }
        self.advise()
    }

    fn refused(&mut self, conflict: Option<Option<u32>>, sharded: bool, keep: &mut bool) -> Next {
        let plan = &self.plan;
        // Commands on other shards may have been carried out.
        let partial = sharded && (plan.commands.len() > 1 || plan.deferred) && !self.breaks(Variant::ShardsAreAtomic);
        let Some(slot) = conflict else { return if partial { self.lost(keep) } else { Next::NotSaved } };
        let unknown = slot.is_some_and(|slot| self.unknown.get(slot).is_some());
        // The server does not always name the document.
        if !slot.map_or_else(|| plan.provable_slots().next().is_some(), |slot| plan.proves(slot)) {
            return if partial { self.lost(keep) } else { Next::Conflict { unknown } };
        }
        // An earlier request may have arrived in the meantime, or this one was delivered twice and the second response arrived.
        if self.breaks(Variant::ConflictIsBelieved) {
            return Next::Conflict { unknown: false };
        }
        *keep = partial && self.remember();
        self.suspect = Suspect { slot, unknown: partial || unknown };
        self.start_reading(Phase::ReadingAfterConflict)
    }

    /// Removes the documents that were found to be saved, and returns them with their versions.
    fn confirm(&mut self, seen: &[Seen]) -> Vec<(u32, u32)> {
        let mut confirmed = Vec::new();
        for Seen { slot, finding } in seen {
            match finding {
                Finding::Version(version) => {
                    let was_unknown = self.unknown.get(*slot).is_some_and(|known| known.versions.contains(version));
                    if was_unknown || *version == self.version && self.plan.proves(*slot) {
                        confirmed.push((*slot, *version));
                    }
                }
                Finding::Absent if self.breaks(Variant::AbsenceMeansNotSaved) => self.unknown.remove(*slot),
                Finding::Other if self.breaks(Variant::AnyDocumentIsOurs) => confirmed.push((*slot, self.version)),
                Finding::Absent | Finding::Other => {}
            }
        }
        // In the order of `remove_each`.
        for (slot, _) in confirmed.iter().rev() {
            self.unknown.remove(*slot);
        }
        confirmed
    }
}

impl Plan {
    /// The slots of new documents under ids of ours that the batch writes.
    fn provable_slots(&self) -> impl Iterator<Item = u32> + '_ {
        let provable = self.commands.iter().filter(|command| command.proof() == Some(Proof::Finding));
        provable.map(|command| command.slot)
    }

    /// Whether the batch writes a new document under an id of ours in this slot.
    fn proves(&self, slot: u32) -> bool {
        self.provable_slots().any(|provable| provable == slot)
    }
}
