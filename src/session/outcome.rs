//! What became of a save: what its response means, what is read back, what the app is told.

use alloc::vec::Vec;

use super::plan::{Advice, Plan};
use super::slots::Proof;
use super::{Saves, Variant};
use crate::protocol::next;

/// Where a session is with a save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// No save is under way.
    #[default]
    Idle,
    /// Documents with an unknown outcome are read before the next batch is planned.
    ReadingBeforePlan,
    /// The batch is on its way.
    Sent,
    /// No response came: its documents are read.
    ReadingAfterLoss,
    /// It is saved, but the response did not say what the server has now: its documents are read.
    ReadingAfterWait,
    /// The server refused a new document under an id of ours ([`Suspect`]): an earlier copy may be what it has.
    ReadingAfterConflict,
}

/// The document about which a batch was refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Suspect {
    /// If the server said so.
    slot: Option<u32>,
    /// Something of the batch, or of an earlier one that holds the document, may have been carried out.
    unknown: bool,
}

/// What was found under the id of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finding {
    /// No document. This settles nothing: a request may still be on its way, and a node may lag behind.
    Absent,
    /// What this version said; the newest one, if several said the same.
    Version(u32),
    /// Something else.
    Other,
}

/// What was found under the id of the document in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seen {
    /// The document.
    pub slot: u32,
    /// What is there.
    pub finding: Finding,
}

/// What the façade reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The server has carried out the batch, and each result fits its command.
    Applied,
    /// The server has carried out the batch and has waited too long for copies or indexes (408).
    Waited,
    /// The server refused the batch.
    Refused {
        /// Whether a change vector did not fit, and of which document, if the server said so.
        conflict: Option<Option<u32>>,
        /// Whether the database is sharded, and commands on other shards may have been carried out.
        sharded: bool,
    },
    /// The platform says that nothing was sent.
    Unsent,
    /// No response came, or one that is not RavenDB's.
    Lost,
    /// Documents were read back; those that are not mentioned could not be.
    Seen(&'a [Seen]),
    /// Documents could not be read back.
    Unread,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// The save has succeeded.
    Done,
    /// Read [`Saves::readable`] documents, and report what was found.
    Read,
    /// Plan a batch and send it.
    Plan,
    /// The batch is saved; the app is told that it was waited for in vain.
    Saved,
    /// Nothing is saved, and everything is as it was; the app is told why.
    NotSaved,
    /// The server has something else under the id of a document, and nothing is saved. `unknown`: it may be what an earlier
    /// save of this session wrote, of which the app is to be told that the outcome is unknown.
    Conflict {
        /// Whether the app must look at the document before it stores it anew.
        unknown: bool,
    },
    /// Whether it is saved is unknown; what the app should do.
    Unknown(Advice),
    /// The event does not fit; nothing has changed.
    Nothing,
}

impl Next {
    /// The number by which the façade knows it, one of [`next`].
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

/// What an event means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What follows.
    pub next: Next,
    /// Documents that are saved as this version of them.
    pub confirmed: Vec<(u32, u32)>,
    /// What the batch wrote may be found later: the façade keeps the texts of [`Saves::readable`] documents as versions of them.
    pub keep: bool,
}

impl Saves {
    /// Begins a save: [`Next::Read`] while there are documents whose outcome can be found out, else [`Next::Plan`].
    pub fn begin(&mut self) -> Next {
        if self.phase != Phase::Idle {
            return Next::Nothing;
        }
        if self.unknown.readable(false).next().is_none() {
            return Next::Plan;
        }
        self.phase = Phase::ReadingBeforePlan;
        Next::Read
    }

    /// Documents that can be confirmed by what is found under their ids. Of these the façade keeps the text of every version
    /// until they are confirmed or forgotten.
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

    /// The session is done with documents, or has just read them: `evict`, `clear`, `refresh`. Nothing has to be found out
    /// about them.
    pub fn forget(&mut self, gone: &[u32]) {
        self.unknown.remove_all(|slot| gone.contains(&slot));
        let before = self.plan.commands.len();
        self.plan.commands.retain(|command| !gone.contains(&command.slot));
        self.plan.shrunk |= self.plan.commands.len() < before;
    }

    /// Takes in what has happened and says what follows.
    pub fn on(&mut self, event: Event<'_>) -> Outcome {
        let mut confirmed = Vec::new();
        let mut keep = false;
        let next = match (self.phase, event) {
            (Phase::Sent, Event::Applied) => self.applied(),
            (Phase::Sent, Event::Waited) => {
                // A document that is not found now must be found before it is written again.
                keep = self.remember();
                if self.breaks(Variant::WaitIsForgotten) {
                    self.unknown.remove_all(|_| true);
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
                let all = self.plan.commands.iter().all(|command| self.unknown.get(command.slot).is_none());
                if all { Next::Done } else { self.advise() }
            }
            (Phase::ReadingAfterLoss, Event::Unread) => self.advise(),
            (Phase::ReadingAfterConflict, Event::Seen(seen)) => {
                let Suspect { slot, unknown } = self.suspect;
                let carried_out = seen.iter().any(|seen| seen.finding == Finding::Version(self.version));
                // The server has just said that it has one: this is a node that lags behind.
                let is_it = |seen: &Seen| slot.is_none_or(|slot| slot == seen.slot);
                let lags = seen.iter().any(|seen| seen.finding == Finding::Absent && is_it(seen));
                let unknown = unknown || lags || self.plan.shrunk;
                if carried_out || lags || self.plan.shrunk {
                    keep = self.remember();
                }
                confirmed = self.confirm(seen);
                if confirmed.is_empty() {
                    Next::Conflict { unknown }
                } else if self.plan.once && (carried_out || unknown) {
                    self.advise()
                } else {
                    // What is left is sent again: it was refused, or writes the same once more.
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

    /// Notes what the batch may have done, or may yet do: its texts are to be kept.
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
            self.unknown.remove_all(|_| true);
        }
        *keep = self.remember();
        if self.plan.provable || self.breaks(Variant::AnythingIsReadBack) {
            return self.start_reading(Phase::ReadingAfterLoss);
        }
        self.advise()
    }

    fn refused(&mut self, conflict: Option<Option<u32>>, sharded: bool, keep: &mut bool) -> Next {
        let plan = &self.plan;
        // What other shards were to do they may have done.
        let partial = sharded && (plan.commands.len() > 1 || plan.deferred) && !self.breaks(Variant::ShardsAreAtomic);
        let Some(slot) = conflict else { return if partial { self.lost(keep) } else { Next::NotSaved } };
        let unknown = slot.is_some_and(|slot| self.unknown.get(slot).is_some());
        // The server does not always say which document it is.
        if !slot.map_or_else(|| plan.provable_slots().next().is_some(), |slot| plan.proves(slot)) {
            // About a document that the session is done with: whether it was this request's own is not looked into.
            let open = plan.shrunk && slot.is_none_or(|slot| !plan.commands.iter().any(|command| command.slot == slot));
            return if partial || open { self.lost(keep) } else { Next::Conflict { unknown } };
        }
        // An earlier request may have arrived meanwhile, or this one was carried out twice and the second response came.
        if self.breaks(Variant::ConflictIsBelieved) {
            return Next::Conflict { unknown: false };
        }
        *keep = partial && self.remember();
        self.suspect = Suspect { slot, unknown: partial || unknown };
        self.start_reading(Phase::ReadingAfterConflict)
    }

    /// Settles what was found.
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
        // From the end, because most are in the order of slots.
        for (slot, _) in confirmed.iter().rev() {
            self.unknown.remove(*slot);
        }
        confirmed
    }
}

impl Plan {
    /// New documents under ids of ours, as far as they are written.
    fn provable_slots(&self) -> impl Iterator<Item = u32> + '_ {
        let provable = self.commands.iter().filter(|command| command.proof() == Some(Proof::Finding));
        provable.map(|command| command.slot)
    }

    /// Whether it holds a new document under an id of ours in this slot.
    fn proves(&self, slot: u32) -> bool {
        self.provable_slots().any(|provable| provable == slot)
    }
}
