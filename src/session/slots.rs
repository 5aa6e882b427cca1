//! The documents of a session, as numbers: what the façade reports of each one, and which ones have an unknown outcome.
//!
//! A slot is the number that the façade gives a document when the session begins to track it; no slot is used twice. Entities,
//! ids, change vectors and texts stay in JavaScript. A *version* is the number of the save that sent a text.

use alloc::vec::Vec;

use crate::protocol::{command, expects, facts};

/// What the façade knows of a document, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Facts(u8);

impl Facts {
    /// Its change vector is checked whatever the session does: a new document under an id of this client, or one that the
    /// app stored with a change vector.
    pub const CHECKED: Facts = Facts(facts::CHECKED);
    /// Its change vector is never checked (`changeVector: null`).
    pub const UNCHECKED: Facts = Facts(facts::UNCHECKED);
    /// The façade has a change vector of it: from the server, or from the app (`""` included).
    pub const KNOWN: Facts = Facts(facts::KNOWN);
    /// Its id is of a range leased by this client. While it is not [`KNOWN`](Facts::KNOWN), nobody else can have written it.
    pub const OURS: Facts = Facts(facts::OURS);
    /// The server will make its id.
    pub const PENDING: Facts = Facts(facts::PENDING);

    /// Both together.
    #[must_use]
    pub const fn with(self, other: Facts) -> Facts {
        Facts(self.0 | other.0)
    }

    /// Whether it has these bits.
    pub const fn has(self, other: Facts) -> bool {
        self.0 & other.0 == other.0
    }

    /// A new document that nobody else can have written.
    pub(super) fn is_fresh(self) -> bool {
        self.has(Facts::OURS) && !self.has(Facts::KNOWN) && !self.has(Facts::PENDING)
    }
}

/// What the session actions to do with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It is new or has changed.
    Put,
    /// The app has deleted it.
    Delete,
    /// It was only read, and the session checks what it has read.
    Read,
}

impl Action {
    /// The number by which the façade knows it, one of [`command`].
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
    /// Its number.
    pub slot: u32,
    /// What is to be done.
    pub action: Action,
    /// What is known of it.
    pub facts: Facts,
}

impl Document {
    /// Reads what the façade reports: the slot in the upper 24 bits, below them [`Facts`], and in the lowest two bits
    /// [`Action`] by its number in [`command`].
    pub fn from_bits(bits: u32) -> Document {
        let action = match bits & 3 {
            command::PUT => Action::Put,
            command::DELETE => Action::Delete,
            _ => Action::Read,
        };
        Document { slot: bits >> 8, action, facts: Facts((bits >> 2) as u8 & 31) }
    }
}

/// What the server must have for a command to be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expectation {
    /// Anything: `null`.
    Any,
    /// No document: `""`.
    Absent,
    /// The change vector that the façade has of the document.
    Known,
}

impl Expectation {
    /// The number by which the façade knows it, one of [`expects`].
    pub(super) fn number(self) -> u32 {
        match self {
            Expectation::Any => expects::ANY,
            Expectation::Absent => expects::ABSENT,
            Expectation::Known => expects::KNOWN,
        }
    }
}

/// How the outcome of a document's earlier saves can be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Proof {
    /// A new document under an id of ours: what is there and says what was sent is ours.
    Finding,
    /// None: another writer may have written the same. A later conflict may be about our own earlier save.
    Nothing,
    /// None, and the id is not known either: the server made it.
    NoId,
}

/// A document some of whose saves may have been carried out, or may yet be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Unknown {
    pub(super) slot: u32,
    pub(super) proof: Proof,
    /// Of those saves, in their order.
    pub(super) versions: Vec<u32>,
}

/// The documents with an unknown outcome, in the order of their slots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Unknowns(Vec<Unknown>);

impl Unknowns {
    /// Where it is, or would be.
    fn find(&self, slot: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&slot, |unknown| unknown.slot)
    }

    pub(super) fn get(&self, slot: u32) -> Option<&Unknown> {
        let at = self.find(slot).ok()?;
        self.0.get(at)
    }

    /// Notes that a version of a document may have been written, or may yet be.
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

    /// The outcome is known, or nobody actions to know it any more.
    pub(super) fn remove(&mut self, slot: u32) {
        if let Ok(at) = self.find(slot) {
            self.0.remove(at);
        }
    }

    /// Forgets all of these; the function says which.
    pub(super) fn remove_all(&mut self, is_known: impl Fn(u32) -> bool) {
        self.0.retain(|unknown| !is_known(unknown.slot));
    }

    /// Slots that can be confirmed by reading them back; all of them, where a mistake is to be found.
    pub(super) fn readable(&self, all: bool) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().filter(move |unknown| all || unknown.proof == Proof::Finding).map(|unknown| unknown.slot)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
