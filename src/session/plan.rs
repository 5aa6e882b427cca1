//! Plans a batch: its commands, their order, and the state that each one expects on the server.

use alloc::vec::Vec;

use super::outcome::Phase;
use super::slots::{Action, Document, Expectation, Facts, Proof};
use super::{Saves, Variant};
use crate::protocol::mode;

/// How a session saves, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode(u8);

impl Mode {
    /// Every write expects the version that the session knows: optimistic concurrency, or a cluster-wide transaction.
    pub const STRICT: Mode = Mode(mode::STRICT);
    /// There are deferred commands. Attachments of documents that the batch creates need not count: finding the document proves them.
    pub const DEFERRED: Mode = Mode(mode::DEFERRED);
    /// A deferred command must not be carried out twice: a patch, or a document whose id the server generates.
    pub const ONCE: Mode = Mode(mode::ONCE);
    /// A deferred command expects a change vector.
    pub const GUARDED: Mode = Mode(mode::GUARDED);

    /// Decodes a mode; unknown bits are ignored.
    pub const fn from_bits(bits: u8) -> Mode {
        Mode(bits & 15)
    }

    /// The union of both.
    #[must_use]
    pub const fn with(self, other: Mode) -> Mode {
        Mode(self.0 | other.0)
    }

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Mode) -> bool {
        self.0 & other.0 == other.0
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

/// A batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Commands for documents of the session, in order: deletes, writes, then checks of documents that were only read. Deferred
    /// commands follow them in the request.
    pub commands: Vec<Command>,
    pub(super) advice: Advice,
    /// Whether it contains only new documents under ids of ours, so that reading them back resolves the whole batch.
    pub(super) provable: bool,
    /// Whether it contains a command that must not be carried out twice.
    pub(super) once: bool,
    pub(super) deferred: bool,
    /// Whether the session has forgotten documents of this batch since it was sent.
    pub(super) shrunk: bool,
}

impl Plan {
    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && !self.deferred
    }
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
    /// Plans the next save. `documents` lists all documents that differ from the server's, in the order in which to write them.
    ///
    /// - A new document under an id of ours must not exist. For other documents, [`Facts`] and [`Mode`] decide what is checked.
    ///   Where the server generates the id nothing is expected, because RavenDB refuses such a command.
    /// - A document that was never sent is not deleted: if its id exists on the server, it belongs to another client. A document
    ///   with an unknown outcome *is* deleted.
    ///
    /// # Errors
    ///
    /// See [`Refusal`]. The state is unchanged then.
    pub fn plan(&mut self, mode: Mode, documents: &[Document]) -> Result<&Plan, Refusal> {
        if self.phase != Phase::Idle {
            return Err(Refusal::Busy);
        }
        let mut commands = Vec::with_capacity(documents.len());
        for action in [Action::Delete, Action::Put, Action::Read] {
            for document in documents {
                if document.action == action
                    && let Some(command) = self.command(mode, *document)?
                {
                    commands.push(command);
                }
            }
        }
        self.plan = Plan { commands, ..Plan::default() };
        self.judge(mode);
        if self.plan.is_empty() {
            self.plan = Plan::default();
        } else {
            self.version += 1;
            self.phase = Phase::Sent;
        }
        Ok(&self.plan)
    }

    /// Adds commands that the app's code deferred while the façade serialized the batch; they are sent with it. `mode` describes all
    /// deferred commands of the batch.
    pub fn defer(&mut self, mode: Mode) {
        if self.phase == Phase::Sent {
            self.judge(mode);
        }
    }

    /// Derives from the whole batch what a lost response would mean.
    fn judge(&mut self, mode: Mode) {
        let (always, repeated) = (self.breaks(Variant::AlwaysSaveAgain), self.breaks(Variant::PatchesAreRepeated));
        let plan = &mut self.plan;
        let guarded = mode.has(Mode::GUARDED) || plan.commands.iter().any(|command| command.is_guarded());
        plan.once = mode.has(Mode::ONCE) || plan.commands.iter().any(|command| command.pending);
        plan.deferred = mode.has(Mode::DEFERRED);
        plan.provable = !plan.deferred && plan.commands.iter().all(|command| command.proof() == Some(Proof::Finding));
        plan.advice = if plan.once && !repeated {
            Advice::CheckFirst
        } else if guarded && !always {
            Advice::Refresh
        } else {
            Advice::SaveAgain
        };
    }

    fn command(&self, mode: Mode, document: Document) -> Result<Option<Command>, Refusal> {
        let Document { slot, action, facts } = document;
        let pending = facts.has(Facts::PENDING);
        let fresh = facts.is_fresh();
        let expects = match action {
            Action::Put => self.expected(mode, facts),
            Action::Delete if pending => {
                return if self.unknown.get(slot).is_some() { Err(Refusal::NoId(slot)) } else { Ok(None) };
            }
            Action::Delete if fresh && !self.was_sent(slot) => return Ok(None),
            // Optimistic concurrency covers deletes too.
            Action::Delete if mode.has(Mode::STRICT) && facts.has(Facts::KNOWN) => Expectation::Known,
            Action::Delete => Expectation::Any,
            Action::Read => Expectation::Known,
        };
        Ok(Some(Command { slot, action, expects, fresh, pending }))
    }

    /// Whether the new document may exist on the server, or may still arrive there.
    fn was_sent(&self, slot: u32) -> bool {
        self.unknown.get(slot).is_some() && !self.breaks(Variant::UnknownIsNotDeleted)
    }

    fn expected(&self, mode: Mode, facts: Facts) -> Expectation {
        let checked = facts.has(Facts::CHECKED) || mode.has(Mode::STRICT) && !facts.has(Facts::UNCHECKED);
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
    use super::*;

    /// The expectation for a document, in a session without and in one with optimistic concurrency.
    fn expected(facts: Facts) -> [Expectation; 2] {
        [Mode::default(), Mode::STRICT].map(|mode| {
            let document = Document { slot: 7, action: Action::Put, facts };
            Saves::default().plan(mode, &[document]).unwrap().commands[0].expects
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
        let plan = saves.plan(Mode::STRICT, &documents.collect::<Vec<_>>()).unwrap();
        assert_eq!(plan.commands.iter().map(|command| command.slot).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn bits_are_decoded_and_encoded_as_the_facade_writes_and_reads_them() {
        let document = Document::from_bits(300 << 8 | (1 | 8) << 2 | 1);
        let facts = Facts::CHECKED.with(Facts::OURS);
        assert_eq!(document, Document { slot: 300, action: Action::Delete, facts });
        let put = Document { slot: 300, action: Action::Put, facts };
        let mut saves = Saves::default();
        let plan = saves.plan(Mode::default(), &[put]).unwrap();
        assert_eq!(plan.commands[0].bits(), 300 << 8 | 1 << 2);
    }
}
