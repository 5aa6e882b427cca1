//! The documents of a session, as numbers: what the façade reports about each document, and which documents have an unknown outcome.
//!
//! A *slot* is the number that the façade assigns to a document when the session begins to track it; no slot is used twice. A
//! *version* is the number of the save that sent a text. Entities, ids, change vectors and texts stay in JavaScript.

use alloc::vec::Vec;

use crate::protocol::{command, expects, facts};

/// What the façade knows about a document, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Facts(u8);

impl Facts {
    /// Its change vector is always checked, whatever the mode of the session: it is a new document under an id of this client, or
    /// the app stored it with a change vector.
    pub const CHECKED: Facts = Facts(facts::CHECKED);
    /// Its change vector is never checked (`changeVector: null`).
    pub const UNCHECKED: Facts = Facts(facts::UNCHECKED);
    /// The façade has a change vector for it: from the server, or from the app (`""` included).
    pub const KNOWN: Facts = Facts(facts::KNOWN);
    /// Its id is from a range leased by this client. While it is not [`KNOWN`](Facts::KNOWN), no other client can have written it.
    pub const OURS: Facts = Facts(facts::OURS);
    /// The server will generate its id.
    pub const PENDING: Facts = Facts(facts::PENDING);

    /// The union of both.
    #[must_use]
    pub const fn with(self, other: Facts) -> Facts {
        Facts(self.0 | other.0)
    }

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Facts) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it is a new document that no other client can have written.
    pub(super) fn is_fresh(self) -> bool {
        self.has(Facts::OURS) && !self.has(Facts::KNOWN) && !self.has(Facts::PENDING)
    }
}

/// What the session does with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Writes it: it is new or has changed.
    Put,
    /// Deletes it.
    Delete,
    /// Checks that it is unchanged since it was read (cluster-wide transactions).
    Read,
}

impl Action {
    /// Its number in [`command`].
    pub(super) fn number(self) -> u32 {
        match self {
            Action::Put => command::PUT,
            Action::Delete => command::DELETE,
            Action::Read => command::CHECK,
        }
    }
}

/// A document that takes part in a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Document {
    /// Its slot.
    pub slot: u32,
    /// What to do with it.
    pub action: Action,
    /// What is known about it.
    pub facts: Facts,
}

impl Document {
    /// Decodes a report of the façade: the slot in the upper 24 bits, then [`Facts`], and in the lowest two bits the number of the
    /// [`Action`] in [`command`].
    pub fn from_bits(bits: u32) -> Document {
        let action = match bits & 3 {
            command::PUT => Action::Put,
            command::DELETE => Action::Delete,
            _ => Action::Read,
        };
        Document { slot: bits >> 8, action, facts: Facts((bits >> 2) as u8 & 31) }
    }
}

/// The state of the document on the server that a command requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expectation {
    /// Any state. The change vector is sent as `null`.
    Any,
    /// The document must not exist. The change vector is sent as `""`.
    Absent,
    /// The change vector that the façade has for the document.
    Known,
}

impl Expectation {
    /// Its number in [`expects`].
    pub(super) fn number(self) -> u32 {
        match self {
            Expectation::Any => expects::ANY,
            Expectation::Absent => expects::ABSENT,
            Expectation::Known => expects::KNOWN,
        }
    }
}

/// How the outcome of earlier saves of a document can be determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Proof {
    /// By reading it: it is a new document under an id of ours, so a document with the content that was sent is ours.
    Finding,
    /// Not at all: another writer may have written the same. A later conflict may be caused by our own earlier save.
    Nothing,
    /// Not at all, and the id is unknown too: the server generated it.
    NoId,
}

/// A document with saves that may have been carried out, or may still be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Unknown {
    pub(super) slot: u32,
    pub(super) proof: Proof,
    /// The versions that these saves sent, in order.
    pub(super) versions: Vec<u32>,
}

/// The documents with an unknown outcome, sorted by slot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Unknowns(Vec<Unknown>);

impl Unknowns {
    /// Its position; as an error, the position at which to insert it.
    fn find(&self, slot: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&slot, |unknown| unknown.slot)
    }

    pub(super) fn get(&self, slot: u32) -> Option<&Unknown> {
        let at = self.find(slot).ok()?;
        self.0.get(at)
    }

    /// Records that a version of a document may have been written, or may still be.
    pub(super) fn add(&mut self, slot: u32, proof: Proof, version: u32) {
        match self.find(slot) {
            Err(at) => self.0.insert(at, Unknown { slot, proof, versions: Vec::from([version]) }),
            Ok(at) => {
                if let Some(known) = self.0.get_mut(at) {
                    known.proof = proof;
                    if !known.versions.contains(&version) {
                        known.versions.push(version);
                    }
                }
            }
        }
    }

    /// Removes a document: its outcome is known, or no longer matters.
    pub(super) fn remove(&mut self, slot: u32) {
        if let Ok(at) = self.find(slot) {
            self.0.remove(at);
        }
    }

    /// Removes several documents.
    pub(super) fn remove_each(&mut self, slots: &[u32]) {
        // From the end: slots are mostly ascending, and removing the last element moves nothing.
        for slot in slots.iter().rev() {
            self.remove(*slot);
        }
    }

    /// Slots whose outcome can be determined by reading the documents. `all` is for a broken variant of the model.
    pub(super) fn readable(&self, all: bool) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().filter(move |unknown| all || unknown.proof == Proof::Finding).map(|unknown| unknown.slot)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
