//! What a save sends, in which order, and what the server must have for it.

use alloc::vec::Vec;

use super::outcome::Phase;
use super::slots::{Action, Document, Expectation, Facts, Proof};
use super::{Saves, Variant};
use crate::protocol::mode;

/// How a session saves, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode(u8);

impl Mode {
    /// Whatever is written must be as the session knows it: optimistic concurrency, or a transaction of the whole cluster.
    pub const STRICT: Mode = Mode(mode::STRICT);
    /// There are deferred commands.
    pub const DEFERRED: Mode = Mode(mode::DEFERRED);
    /// A deferred command has another effect when it is carried out twice: a patch, or a document whose id the server makes.
    pub const ONCE: Mode = Mode(mode::ONCE);
    /// A deferred command expects a change vector.
    pub const GUARDED: Mode = Mode(mode::GUARDED);

    /// The mode of these bits; others have no meaning.
    pub const fn from_bits(bits: u8) -> Mode {
        Mode(bits & 15)
    }

    /// Both together.
    #[must_use]
    pub const fn with(self, other: Mode) -> Mode {
        Mode(self.0 | other.0)
    }

    /// Whether it has these bits.
    pub const fn has(self, other: Mode) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A command about a document of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Command {
    /// The document.
    pub slot: u32,
    /// What is done.
    pub action: Action,
    /// What the server must have.
    pub expects: Expectation,
    /// Nobody else can have written this document.
    pub(super) fresh: bool,
    /// The server makes its id.
    pub(super) pending: bool,
}

impl Command {
    /// The command as the façade reads it: the slot in the upper 24 bits, then two of [`Expectation`] and two of [`Action`], by
    /// their numbers in [`crate::protocol`].
    pub fn bits(self) -> u32 {
        self.slot << 8 | self.expects.number() << 2 | self.action.number()
    }

    fn is_guarded(self) -> bool {
        !self.fresh && self.action != Action::Read && self.expects != Expectation::Any
    }

    /// How its outcome can be found out if no response comes; `None` where there is nothing to find out.
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
    /// Save again: new documents under our ids are looked for first, everything else is written once more.
    #[default]
    SaveAgain,
    /// `refresh` what was to be written on condition, repeat what is missing, save: saving again would be a conflict.
    Refresh,
    /// Look for what it did before saving again, which would do it twice: patches, ids that the server makes.
    CheckFirst,
}

/// A batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plan {
    /// About documents of the session, in their order: deletions, documents to be written, and those that were only read. Deferred
    /// commands follow them.
    pub commands: Vec<Command>,
    pub(super) advice: Advice,
    /// It holds nothing but new documents under ids of ours, so that reading them back says everything.
    pub(super) provable: bool,
    /// It holds something that must not be carried out twice.
    pub(super) once: bool,
    pub(super) deferred: bool,
    /// The session is done with documents that it holds.
    pub(super) shrunk: bool,
}

impl Plan {
    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && !self.deferred
    }
}

/// Why a batch cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The document in this slot is to be deleted. The server may have made an id for it in a save of unknown outcome, and
    /// nobody knows which.
    NoId(u32),
    /// A save is under way.
    Busy,
}

impl Saves {
    /// Plans the next save. `documents` are all those that differ from what the server has, in the order in which they shall be
    /// written.
    ///
    /// - A new document under an id of ours must not exist. Other documents are checked as [`Facts`] and [`Mode`] say; nothing is
    ///   expected where the server makes the id, because RavenDB refuses that.
    /// - A document that was never sent is not deleted: if its id exists on the server, it belongs to another client. One whose
    ///   outcome is unknown *is* deleted.
    ///
    /// # Errors
    ///
    /// See [`Refusal`]; nothing has changed then.
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

    /// The app's code has deferred commands while the texts of a batch were made: they travel along. `mode`: of all that do.
    pub fn defer(&mut self, mode: Mode) {
        if self.phase == Phase::Sent {
            self.judge(mode);
        }
    }

    /// What follows from the whole batch for a loss of its response.
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
            // What a session checks it checks when it deletes, too.
            Action::Delete if mode.has(Mode::STRICT) && facts.has(Facts::KNOWN) => Expectation::Known,
            Action::Delete => Expectation::Any,
            Action::Read => Expectation::Known,
        };
        Ok(Some(Command { slot, action, expects, fresh, pending }))
    }

    /// Whether the server may have, or may get, a new document of ours.
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

    /// What is expected of a document, in a session that checks nothing and in one that checks everything.
    fn expected(facts: Facts) -> [Expectation; 2] {
        [Mode::default(), Mode::STRICT].map(|mode| {
            let document = Document { slot: 7, action: Action::Put, facts };
            Saves::default().plan(mode, &[document]).unwrap().commands[0].expects
        })
    }

    #[test]
    fn a_change_vector_is_expected_where_the_document_or_the_session_says_so() {
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
    fn deletions_come_first_and_checks_of_what_was_read_last() {
        let actions = [Action::Read, Action::Put, Action::Delete];
        let documents = (0..).zip(actions).map(|(slot, action)| Document { slot, action, facts: Facts::KNOWN });
        let mut saves = Saves::default();
        let plan = saves.plan(Mode::STRICT, &documents.collect::<Vec<_>>()).unwrap();
        assert_eq!(plan.commands.iter().map(|command| command.slot).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn bits_say_what_the_facade_means() {
        let document = Document::from_bits(300 << 8 | (1 | 8) << 2 | 1);
        let facts = Facts::CHECKED.with(Facts::OURS);
        assert_eq!(document, Document { slot: 300, action: Action::Delete, facts });
        let put = Document { slot: 300, action: Action::Put, facts };
        let mut saves = Saves::default();
        let plan = saves.plan(Mode::default(), &[put]).unwrap();
        assert_eq!(plan.commands[0].bits(), 300 << 8 | 1 << 2);
    }
}
