//! Plans a batch: its commands, their order, and the state that each one expects on the server; and seals it.

use alloc::vec::Vec;

use super::outcome::Phase;
use super::slots::{Action, Document, Expectation, Facts, Proof};
use super::{Saves, Variant};
use crate::protocol::deferred as bits;

/// A command of a batch beside those about documents of the session: the app or a capability has deferred it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Deferred(u32);

impl Deferred {
    /// It must not be carried out twice: a patch, or a document whose id the server generates.
    pub const ONCE: Deferred = Deferred(bits::ONCE);
    /// It expects a change vector.
    pub const GUARDED: Deferred = Deferred(bits::GUARDED);

    /// It adds something to the new document in this slot, such as an attachment. If the batch writes the document, both are in one
    /// transaction, also in a sharded database: finding the document proves the command.
    pub const fn part_of(slot: u32) -> Deferred {
        Deferred(slot << 8 | bits::PART)
    }

    /// Decodes a report of the façade: bits of [`crate::protocol::deferred`], and a slot in the upper 24 bits.
    pub const fn from_bits(of: u32) -> Deferred {
        Deferred(of)
    }

    fn document(self) -> Option<u32> {
        (self.0 & bits::PART != 0).then_some(self.0 >> 8)
    }
}

/// A command about a document of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Command {
    /// The document.
    pub slot: u32,
    /// What to do with it.
    pub action: Action,
    /// The state that it requires on the server.
    pub expects: Expectation,
    /// Whether it is a new document that no other client can have written.
    pub(super) fresh: bool,
    /// Whether the server generates its id.
    pub(super) pending: bool,
}

impl Command {
    /// Encodes the command for the façade: the slot in the upper 24 bits, then two bits each for [`Expectation`] and [`Action`],
    /// as numbered in [`crate::protocol`].
    pub fn bits(self) -> u32 {
        self.slot << 8 | self.expects.number() << 2 | self.action.number()
    }

    fn is_guarded(self) -> bool {
        !self.fresh && self.action != Action::Read && self.expects != Expectation::Any
    }

    /// How its outcome can be determined if no response arrives. `None`: repeating the command is harmless, so its outcome does
    /// not matter.
    pub(super) fn proof(self) -> Option<Proof> {
        match self {
            Command { action: Action::Read, .. } => None,
            Command { pending: true, .. } => Some(Proof::NoId),
            Command { fresh: true, action: Action::Put, .. } => Some(Proof::Finding),
            Command { expects: Expectation::Any, .. } => None,
            _ => Some(Proof::Nothing),
        }
    }
}

/// What the app should do after a save whose outcome is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Advice {
    /// Save again: new documents under our ids are read first, everything else is written once more.
    #[default]
    SaveAgain,
    /// `refresh` the documents that were written with an expected change vector, repeat the missing changes, then save. Saving
    /// again at once would be a conflict.
    Refresh,
    /// Check what the batch did before saving again. It contains a patch or a server-generated id, which saving again would repeat.
    CheckFirst,
}

/// A batch. What follows its commands is derived when it is sealed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Plan {
    /// Commands for documents of the session, in order: deletes, writes, then checks of documents that were only read. Deferred
    /// commands follow them in the request.
    pub(super) commands: Vec<Command>,
    pub(super) advice: Advice,
    /// Whether it contains only new documents under ids of ours, so that reading them back resolves the whole batch.
    pub(super) provable: bool,
    /// Whether it contains a command that must not be carried out twice.
    pub(super) once: bool,
    /// Whether it contains deferred commands that are not part of its new documents.
    pub(super) deferred: bool,
}

/// Why a batch cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The document in this slot cannot be deleted: a save with an unknown outcome may have stored it under an id that the server
    /// generated and this client does not know.
    NoId(u32),
    /// A save is in progress.
    Busy,
}

impl Saves {
    /// Plans the next save, and returns its commands. `documents` lists all documents that differ from the server's, in the order in
    /// which to write them. `strict`: every write expects the version that the session knows (optimistic concurrency, or a
    /// cluster-wide transaction).
    ///
    /// - A new document under an id of ours must not exist. For other documents, [`Facts`] and `strict` decide what is checked.
    ///   Where the server generates the id nothing is expected, because RavenDB refuses such a command.
    /// - A document that was never sent is not deleted: if its id exists on the server, it belongs to another client. A document
    ///   with an unknown outcome *is* deleted.
    ///
    /// A plan has no effect before it is sealed.
    ///
    /// # Errors
    ///
    /// See [`Refusal`]. The state is unchanged then.
    pub fn plan(&mut self, strict: bool, documents: &[Document]) -> Result<&[Command], Refusal> {
        self.assert_idle()?;
        let mut commands = Vec::with_capacity(documents.len());
        for action in [Action::Delete, Action::Put, Action::Read] {
            for document in documents {
                if document.action == action
                    && let Some(command) = self.command(strict, *document)?
                {
                    commands.push(command);
                }
            }
        }
        self.plan = Plan { commands, ..Plan::default() };
        Ok(&self.plan.commands)
    }

    /// Fixes what the batch contains, and derives what the loss of its response would mean. `deferred`: the commands that are sent
    /// with the planned ones. Returns whether there is anything to send; if not, the save is done.
    ///
    /// # Errors
    ///
    /// [`Refusal::Busy`]. The state is unchanged then.
    pub fn seal(&mut self, deferred: &[Deferred]) -> Result<bool, Refusal> {
        self.assert_idle()?;
        if self.plan.commands.is_empty() && deferred.is_empty() {
            return Ok(false);
        }
        let is_apart = deferred.iter().any(|command| !self.is_part(*command));
        let (always, repeated) = (self.breaks(Variant::AlwaysSaveAgain), self.breaks(Variant::PatchesAreRepeated));
        let facts = deferred.iter().fold(0, |all, command| all | command.0);
        let mut guarded = facts & bits::GUARDED != 0;
        let plan = &mut self.plan;
        plan.once = facts & bits::ONCE != 0;
        plan.deferred = is_apart;
        plan.provable = !is_apart;
        for command in &plan.commands {
            guarded |= command.is_guarded();
            plan.once |= command.pending;
            plan.provable &= command.proof() == Some(Proof::Finding);
        }
        plan.advice = if plan.once && !repeated {
            Advice::CheckFirst
        } else if guarded && !always {
            Advice::Refresh
        } else {
            Advice::SaveAgain
        };
        self.version += 1;
        self.phase = Phase::Sent;
        Ok(true)
    }

    fn assert_idle(&self) -> Result<(), Refusal> {
        if self.phase == Phase::Idle { Ok(()) } else { Err(Refusal::Busy) }
    }

    /// Whether the batch writes the document to which the command adds something. An earlier save may have written the same document
    /// without it.
    fn is_part(&self, command: Deferred) -> bool {
        command.document().is_some_and(|slot| {
            let is_written = |of: &Command| of.slot == slot && of.action == Action::Put;
            let is_known = self.unknown.get(slot).is_none() || self.breaks(Variant::PartsAreAlwaysProven);
            is_known && self.plan.commands.iter().any(is_written)
        })
    }

    fn command(&self, strict: bool, document: Document) -> Result<Option<Command>, Refusal> {
        let Document { slot, action, facts } = document;
        let pending = facts.has(Facts::PENDING);
        let fresh = facts.is_fresh();
        let expects = match action {
            Action::Put => self.expected(strict, facts),
            Action::Delete if pending => {
                return if self.unknown.get(slot).is_some() { Err(Refusal::NoId(slot)) } else { Ok(None) };
            }
            Action::Delete if fresh && !self.was_sent(slot) => return Ok(None),
            // Optimistic concurrency covers deletes too.
            Action::Delete if strict && facts.has(Facts::KNOWN) => Expectation::Known,
            Action::Delete => Expectation::Any,
            Action::Read => Expectation::Known,
        };
        Ok(Some(Command { slot, action, expects, fresh, pending }))
    }

    /// Whether the new document may exist on the server, or may still arrive there.
    fn was_sent(&self, slot: u32) -> bool {
        self.unknown.get(slot).is_some() && !self.breaks(Variant::UnknownIsNotDeleted)
    }

    fn expected(&self, strict: bool, facts: Facts) -> Expectation {
        let checked = facts.has(Facts::CHECKED) || strict && !facts.has(Facts::UNCHECKED);
        if facts.has(Facts::PENDING) || !checked {
            Expectation::Any
        } else if facts.has(Facts::KNOWN) {
            Expectation::Known
        } else if self.breaks(Variant::NewOverwrites) {
            Expectation::Any
        } else {
            Expectation::Absent
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Next;
    use super::*;

    /// The expectation for a document, in a session without and in one with optimistic concurrency.
    fn expected(facts: Facts) -> [Expectation; 2] {
        [false, true].map(|strict| {
            let document = Document { slot: 7, action: Action::Put, facts };
            Saves::default().plan(strict, &[document]).unwrap()[0].expects
        })
    }

    #[test]
    fn the_facts_of_a_document_and_the_mode_of_the_session_decide_which_change_vector_is_expected() {
        use Expectation::{Absent, Any, Known};
        let plain = Facts::default();
        assert_eq!(expected(plain), [Any, Absent]);
        assert_eq!(expected(Facts::KNOWN), [Any, Known]);
        assert_eq!(expected(Facts::CHECKED), [Absent, Absent]);
        assert_eq!(expected(Facts::CHECKED.with(Facts::KNOWN)), [Known, Known]);
        assert_eq!(expected(Facts::UNCHECKED), [Any, Any]);
        assert_eq!(expected(Facts::UNCHECKED.with(Facts::KNOWN)), [Any, Any]);
        assert_eq!(expected(Facts::PENDING.with(Facts::CHECKED)), [Any, Any]);
    }

    #[test]
    fn deletes_come_first_and_checks_of_read_documents_last() {
        let actions = [Action::Read, Action::Put, Action::Delete];
        let documents = (0..).zip(actions).map(|(slot, action)| Document { slot, action, facts: Facts::KNOWN });
        let mut saves = Saves::default();
        let commands = saves.plan(true, &documents.collect::<Vec<_>>()).unwrap();
        assert_eq!(commands.iter().map(|command| command.slot).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn bits_are_decoded_and_encoded_as_the_facade_writes_and_reads_them() {
        let document = Document::from_bits(300 << 8 | (1 | 8) << 2 | 1);
        let facts = Facts::CHECKED.with(Facts::OURS);
        assert_eq!(document, Document { slot: 300, action: Action::Delete, facts });
        let put = Document { slot: 300, action: Action::Put, facts };
        let mut saves = Saves::default();
        let commands = saves.plan(false, &[put]).unwrap();
        assert_eq!(commands[0].bits(), 300 << 8 | 1 << 2);
        assert_eq!(Deferred::from_bits(300 << 8 | bits::PART).document(), Some(300));
        assert_eq!(Deferred::part_of(300), Deferred::from_bits(300 << 8 | bits::PART));
        assert_eq!(Deferred::ONCE.document(), None);
    }

    const NEW: Document = Document { slot: 0, action: Action::Put, facts: Facts::CHECKED.with(Facts::OURS) };

    #[test]
    fn while_a_save_is_in_progress_another_one_is_refused() {
        let mut saves = Saves::default();
        saves.plan(false, &[NEW]).unwrap();
        assert_eq!(saves.seal(&[]), Ok(true));
        let sealed = saves.clone();
        assert_eq!(saves.begin(), Next::Nothing);
        assert_eq!(saves.plan(false, &[]), Err(Refusal::Busy));
        assert_eq!(saves.seal(&[]), Err(Refusal::Busy));
        assert_eq!(saves, sealed);
    }

    #[test]
    fn a_plan_that_was_not_sealed_leaves_nothing_to_send() {
        let mut saves = Saves::default();
        saves.plan(false, &[NEW]).unwrap();
        assert_eq!(saves.begin(), Next::Plan);
        assert_eq!(saves.seal(&[]), Ok(false));
        assert_eq!(saves, Saves::default());
    }
}
