//! A queued change: its documents, and what each expects on the server.

use alloc::vec::Vec;

/// A command about a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Writes the whole document.
    Put,
    /// Deletes it.
    Delete,
    /// Runs a script, or changes attachments or counters. Its result contains what others have written.
    Patch,
}

/// The state of a document that a part expects on the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expects {
    /// Any state (change vector `null`).
    Any,
    /// The document does not exist (change vector `""`).
    Absent,
    /// The change vector that the shell keeps for this part.
    Known,
    /// The state that the previous change of the document leaves.
    Previous,
    /// Unknown: the part must be made anew from the server's document.
    Stale {
        /// Whether another writer has changed the document; else only a result of this device's own change is unknown.
        conflict: bool,
    },
}

/// A document of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The document: a number of the shell, one for each case-folded id.
    pub document: u32,
    /// What happens to it.
    pub action: Action,
    /// What the server must have. In [`Event::Add`](super::Event::Add): `Any`, `Absent`, `Known`, or `Stale` if the app began with a
    /// text whose change vector is unknown.
    pub expects: Expects,
    /// Whether it began with exactly what the previous pending change of the document leaves: that change writes this text, or
    /// deletes the document and this part creates it.
    pub continues: bool,
}

/// What a change waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Its turn.
    #[default]
    Queued,
    /// The outcome of its batch: it is a member of the flight.
    Sealed,
    /// The app, because of a conflict.
    Conflict,
    /// The app, because the server refuses it.
    Parked,
    /// The app, because its outcome is unknown.
    Unsure,
}

/// What one call of `queueChanges` recorded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// Its number. A greater one was queued later.
    pub number: u32,
    /// Counts the modifications of its texts and expectations.
    pub version: u32,
    /// The size of its text.
    pub bytes: u32,
    /// What it waits for.
    pub state: State,
    /// Whether it is sent in a batch of its own, because a batch with it was refused.
    pub alone: bool,
    /// Whether it was a member of a batch that was refused. In a database that is restored, a copy of that batch may be carried out.
    pub sent: bool,
    /// Whether the app has given it up while its outcome is unknown.
    pub discarded: bool,
    /// Its documents.
    pub parts: Vec<Part>,
}

impl Change {
    /// The part about a document.
    pub fn part(&self, document: u32) -> Option<&Part> {
        self.parts.iter().find(|part| part.document == document)
    }

    pub(super) fn part_mut(&mut self, document: u32) -> Option<&mut Part> {
        self.parts.iter_mut().find(|part| part.document == document)
    }

    /// Whether the server may carry it out twice. A change vector never comes back, but a document may be absent again.
    pub(super) fn may_repeat(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.expects, Expects::Any | Expects::Absent))
    }

    /// The server's documents of these parts have changed.
    pub(super) fn outdate(&mut self, is_it: impl Fn(&Part) -> bool) {
        self.version += 1;
        for part in self.parts.iter_mut().filter(|part| is_it(part)) {
            part.expects = Expects::Stale { conflict: true };
        }
    }

    /// Whether a part must be made anew.
    pub fn is_stale(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.expects, Expects::Stale { .. }))
    }
}

/// A part that was made anew from the server's document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Remade {
    /// The document.
    pub document: u32,
    /// The result.
    pub how: How,
}

/// How a part was made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// It is sent with the server's change vector, which the shell keeps for this part.
    Write {
        /// Whether the document does not exist on the server.
        absent: bool,
        /// Whether its text is what it was before.
        same: bool,
    },
    /// Nothing is left to do: both have deleted the document, the server has the change, or the app prefers the server's document.
    Drop,
    /// It gets a new id, because another writer's document has its id: the number of the document with the new id.
    Rename(u32),
    /// Both have changed the same: the app must decide.
    Ask,
}
