//! What became of a save: what its response means, what is read back, what the app is told.

use alloc::vec::Vec;

use super::plan::{Advice, Plan};
use super::slots::Proof;
use super::{Saves, Variant};

/// Where a session is with a save.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// No save is under way.
    #[default]
    Idle,
    /// Documents with an unknown outcome are read before the next batch is planned.
    LooksBefore,
    /// The batch is on its way.
    Sent(Plan),
    /// No response came: its documents are read.
    LooksAfter(Plan),
    /// It is saved, but the response did not say what the server has now: its documents are read.
    LooksAfterWait(Plan),
    /// The server refused a new document under an id of ours, in this slot if it said so: an earlier copy may be what it has.
    /// `unknown`: something of the batch, or of an earlier one that holds the document, may have been carried out.
    LooksForConflict { plan: Plan, slot: Option<u32>, unknown: bool },
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
    /// The number by which the façade knows it: [`Next::Done`] 0, and so on in the order of this list, with 6 for a conflict that
    /// may be about an earlier save, and 7 to 9 for the three kinds of [`Advice`]; [`Next::Nothing`] is 10.
    pub fn number(self) -> u32 {
        match self {
            Next::Done => 0,
            Next::Read => 1,
            Next::Plan => 2,
            Next::Saved => 3,
            Next::NotSaved => 4,
            Next::Conflict { unknown } => 5 + u32::from(unknown),
            Next::Unknown(advice) => 7 + advice as u32,
            Next::Nothing => 10,
        }
    }
}

/// What an event means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What follows.
    pub next: Next,
    /// Documents that are saved as this version of them.
    pub settled: Vec<(u32, u32)>,
    /// What the batch wrote may be found later: the façade keeps the texts of [`Saves::readable`] documents as versions of them.
    pub keep: bool,
}

impl From<Next> for Outcome {
    fn from(next: Next) -> Outcome {
        Outcome { next, settled: Vec::new(), keep: false }
    }
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
        self.phase = Phase::LooksBefore;
        Next::Read
    }

    /// Documents that can be settled by what is found under their ids. Of these the façade keeps the text of every version
    /// until they are settled or forgotten.
    pub fn readable(&self) -> Vec<u32> {
        let mut slots: Vec<u32> = self.unknown.readable(self.breaks(Variant::AnythingIsReadBack)).collect();
        if let Phase::LooksForConflict { plan, .. } = &self.phase {
            slots.extend(plan.provable_slots().filter(|slot| self.unknown.get(*slot).is_none()));
        }
        slots
    }

    /// The session is done with documents, or has just read them: `evict`, `clear`, `refresh`. Nothing has to be found out
    /// about them.
    pub fn forget(&mut self, is_done: impl Fn(u32) -> bool) {
        self.unknown.remove_all(&is_done);
        if let Phase::Sent(plan)
        | Phase::LooksAfter(plan)
        | Phase::LooksAfterWait(plan)
        | Phase::LooksForConflict { plan, .. } = &mut self.phase
        {
            let before = plan.commands.len();
            plan.commands.retain(|command| !is_done(command.slot));
            plan.shrunk |= plan.commands.len() < before;
        }
    }

    /// Takes in what has happened and says what follows.
    pub fn on(&mut self, event: Event<'_>) -> Outcome {
        match (core::mem::take(&mut self.phase), event) {
            (Phase::Sent(plan), Event::Applied) => self.applied(&plan),
            (Phase::Sent(plan), Event::Waited) => {
                // A document that is not found now must be found before it is written again.
                self.note(&plan);
                if self.breaks(Variant::WaitIsForgotten) {
                    self.unknown.remove_all(|_| true);
                }
                self.phase = Phase::LooksAfterWait(plan);
                Outcome { keep: true, ..Next::Read.into() }
            }
            (Phase::LooksAfterWait(plan), Event::Seen(seen)) => {
                let settled = self.settle(seen, Some(&plan));
                Outcome { next: Next::Saved, settled, keep: false }
            }
            (Phase::LooksAfterWait(_), Event::Unread) => Next::Saved.into(),
            (Phase::Sent(_), Event::Unsent) => Next::NotSaved.into(),
            (Phase::Sent(plan), Event::Lost) if self.breaks(Variant::LostIsNotSaved) => {
                drop(plan);
                Next::NotSaved.into()
            }
            (Phase::Sent(plan), Event::Lost) => self.lost(plan),
            (Phase::Sent(plan), Event::Refused { conflict, sharded }) => self.refused(plan, conflict, sharded),
            (Phase::LooksBefore, Event::Seen(seen)) => {
                Outcome { next: Next::Plan, settled: self.settle(seen, None), keep: false }
            }
            (Phase::LooksBefore, Event::Unread) => self.advise(self.advice).into(),
            (Phase::LooksAfter(plan), Event::Seen(seen)) => {
                let settled = self.settle(seen, Some(&plan));
                let all = plan.commands.iter().all(|command| self.unknown.get(command.slot).is_none());
                let next = if all { Next::Done } else { self.advise(plan.advice) };
                Outcome { next, settled, keep: false }
            }
            (Phase::LooksAfter(plan), Event::Unread) => self.advise(plan.advice).into(),
            (Phase::LooksForConflict { plan, slot, unknown }, Event::Seen(seen)) => {
                self.seen_after_conflict(&plan, slot, unknown, seen)
            }
            (Phase::LooksForConflict { plan, .. }, Event::Unread) => {
                self.note(&plan);
                Outcome { keep: true, ..self.advise(plan.advice).into() }
            }
            (phase, _) => {
                self.phase = phase;
                Next::Nothing.into()
            }
        }
    }

    fn applied(&mut self, plan: &Plan) -> Outcome {
        for command in &plan.commands {
            self.unknown.remove(command.slot);
        }
        self.advice = Advice::SaveAgain;
        Next::Done.into()
    }

    /// Notes what the batch may have done, or may yet do.
    fn note(&mut self, plan: &Plan) {
        for command in &plan.commands {
            let Some(proof) = command.proof() else { continue };
            if self.breaks(Variant::OneVersionIsRemembered) && proof == Proof::Finding {
                self.unknown.remove(command.slot);
            }
            self.unknown.add(command.slot, proof, self.version);
        }
    }

    fn lost(&mut self, plan: Plan) -> Outcome {
        if self.breaks(Variant::UnknownIsForgotten) && plan.provable_slots().next().is_none() {
            self.unknown.remove_all(|_| true);
        }
        self.note(&plan);
        if plan.provable || self.breaks(Variant::AnythingIsReadBack) {
            self.phase = Phase::LooksAfter(plan);
            return Outcome { keep: true, ..Next::Read.into() };
        }
        Outcome { keep: true, ..self.advise(plan.advice).into() }
    }

    fn advise(&mut self, advice: Advice) -> Next {
        self.advice = advice;
        Next::Unknown(advice)
    }

    fn refused(&mut self, plan: Plan, conflict: Option<Option<u32>>, sharded: bool) -> Outcome {
        // What other shards were to do they may have done.
        let partial = sharded && (plan.commands.len() > 1 || plan.deferred) && !self.breaks(Variant::ShardsAreAtomic);
        let Some(slot) = conflict else { return if partial { self.lost(plan) } else { Next::NotSaved.into() } };
        let is_ours = |slot| plan.provable_slots().any(|fresh| fresh == slot);
        // The server does not always say which document it is.
        if !slot.map_or_else(|| plan.provable_slots().next().is_some(), is_ours) {
            let unknown = slot.is_some_and(|slot| self.unknown.get(slot).is_some());
            // About a document that the session is done with: whether it was this request's own is not looked into.
            let open = plan.shrunk && slot.is_none_or(|slot| !plan.commands.iter().any(|command| command.slot == slot));
            return if partial || open { self.lost(plan) } else { Next::Conflict { unknown }.into() };
        }
        if self.breaks(Variant::ConflictIsBelieved) {
            return Next::Conflict { unknown: false }.into();
        }
        let unknown = partial || slot.is_some_and(|slot| self.unknown.get(slot).is_some());
        if partial {
            self.note(&plan);
        }
        self.phase = Phase::LooksForConflict { plan, slot, unknown };
        Outcome { keep: partial, ..Next::Read.into() }
    }

    /// A new document of ours was refused. If what is there is ours, an earlier request has arrived meanwhile, or this one was
    /// carried out twice and the second response came.
    fn seen_after_conflict(&mut self, plan: &Plan, slot: Option<u32>, unknown: bool, seen: &[Seen]) -> Outcome {
        let this = Finding::Version(self.version);
        let found = |finding| seen.iter().any(|seen| seen.finding == finding);
        // The server has just said that it has one: this is a node that lags behind.
        let lags = seen.iter().any(|seen| seen.finding == Finding::Absent && slot.is_none_or(|slot| slot == seen.slot));
        let carried_out = found(this);
        let unknown = unknown || lags || plan.shrunk;
        let keep = carried_out || lags || plan.shrunk;
        if keep {
            self.note(plan);
        }
        let settled = self.settle(seen, Some(plan));
        let next = if settled.is_empty() {
            Next::Conflict { unknown }
        } else if plan.once && (carried_out || unknown) {
            self.advise(plan.advice)
        } else {
            // What is left is sent again: it was refused, or writes the same once more.
            Next::Plan
        };
        Outcome { next, settled, keep }
    }

    /// Settles what was found. `plan`: of the batch that was sent last.
    fn settle(&mut self, seen: &[Seen], plan: Option<&Plan>) -> Vec<(u32, u32)> {
        let mut settled = Vec::new();
        for Seen { slot, finding } in seen {
            match finding {
                Finding::Version(version) => {
                    let was_unknown = self.unknown.get(*slot).is_some_and(|known| known.versions.contains(version));
                    let was_sent = || plan.is_some_and(|plan| plan.provable_slots().any(|fresh| fresh == *slot));
                    if was_unknown || *version == self.version && was_sent() {
                        settled.push((*slot, *version));
                    }
                }
                Finding::Absent if self.breaks(Variant::AbsenceSettles) => self.unknown.remove(*slot),
                Finding::Other if self.breaks(Variant::AnyDocumentIsOurs) => settled.push((*slot, self.version)),
                Finding::Absent | Finding::Other => {}
            }
        }
        // From the end, because most are in the order of slots.
        for (slot, _) in settled.iter().rev() {
            self.unknown.remove(*slot);
        }
        settled
    }
}

impl Plan {
    /// New documents under ids of ours, as far as they are written.
    fn provable_slots(&self) -> impl Iterator<Item = u32> + '_ {
        let provable = self.commands.iter().filter(|command| command.proof() == Some(Proof::Finding));
        provable.map(|command| command.slot)
    }
}
