//! What a session knows of its documents: the values that the server has, those that the app wants, versions, and texts of lost saves.

use std::collections::{BTreeMap, HashMap, HashSet};

use raven_edge::ids::key::key;
use raven_edge::protocol::metadata;
use raven_edge::session::{Action, Document as Planned, Facts, Saves};
use serde_json::Value;

use super::json::{Members, own_metadata, same_members};
use super::patch::Deferred;
use crate::{Error, Result};

/// What a save has sent of a document, or what the server has of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Content {
    pub(crate) members: Members,
    /// The metadata that are not the server's.
    pub(crate) metadata: Members,
}

impl Content {
    pub(crate) fn of(members: Members, metadata: &Members) -> Content {
        Content { members, metadata: own_metadata(metadata) }
    }

    pub(crate) fn is(&self, other: &Content) -> bool {
        same_members(&self.members, &other.members) && same_members(&self.metadata, &other.metadata)
    }
}

/// A document of a session.
#[derive(Debug)]
pub(crate) struct Tracked {
    /// The id; if the server makes it, what was sent in its place.
    pub(crate) id: String,
    /// Whether the server will make the id.
    pub(crate) is_pending: bool,
    /// How its change vector is checked, whatever the mode of the session.
    check: Facts,
    pub(crate) change_vector: Option<String>,
    /// All metadata that the server has reported.
    pub(crate) reported: Members,
    /// What the server has; `None`: the document is new.
    saved: Option<Content>,
    /// What the app wants.
    pub(crate) wanted: Content,
    /// Counts the changes of `wanted`, for entities that have an older one.
    pub(crate) revision: u64,
    pub(crate) is_deleted: bool,
    /// Sent contents with an unknown outcome, by the version of their save.
    pub(crate) unknown: BTreeMap<u32, Content>,
}

impl Tracked {
    fn new(id: String, is_pending: bool, check: Facts, wanted: Content) -> Tracked {
        Tracked {
            id,
            is_pending,
            check,
            change_vector: None,
            reported: Members::new(),
            saved: None,
            wanted,
            revision: 0,
            is_deleted: false,
            unknown: BTreeMap::new(),
        }
    }

    pub(crate) fn is_changed(&self) -> bool {
        !self.is_deleted && self.saved.as_ref() != Some(&self.wanted)
    }

    fn facts(&self) -> Facts {
        let mut facts = self.check;
        if self.is_pending {
            facts = facts.with(Facts::PENDING);
        } else if facts == Facts::CHECKED && self.change_vector.is_none() {
            facts = facts.with(Facts::OURS);
        }
        if self.change_vector.is_some() { facts.with(Facts::KNOWN) } else { facts }
    }

    /// The server has this content.
    pub(crate) fn is_saved_as(&mut self, content: Content) {
        self.saved = Some(content);
    }

    /// The server has reported this version.
    pub(crate) fn is_reported(&mut self, reported: &Members) {
        if let Some(vector) = reported.get(metadata::CHANGE_VECTOR).and_then(Value::as_str) {
            self.change_vector = Some(vector.to_owned());
        }
        let known = [metadata::CHANGE_VECTOR, metadata::LAST_MODIFIED, metadata::COLLECTION, metadata::FLAGS];
        for name in known {
            if let Some(value) = reported.get(name) {
                self.reported.insert(name.to_owned(), value.clone());
            }
        }
    }

    /// The server has this document: what the app has changed is lost.
    pub(crate) fn is_read(&mut self, members: Members, reported: Members) {
        let content = Content::of(members, &reported);
        self.change_vector = reported.get(metadata::CHANGE_VECTOR).and_then(Value::as_str).map(str::to_owned);
        self.reported = reported;
        self.saved = Some(content.clone());
        self.wanted = content;
        self.revision += 1;
        self.is_deleted = false;
        self.unknown.clear();
    }
}

#[derive(Default)]
pub(crate) struct Unit {
    /// In the order in which they came.
    documents: BTreeMap<u32, Tracked>,
    /// Slots by the keys of ids that are final.
    by_id: HashMap<String, u32>,
    next: u32,
    /// Keys of ids that have no document.
    absent: HashSet<String>,
    pub(crate) deferred: Vec<Deferred>,
    pub(crate) saves: Saves,
    pub(crate) is_optimistic: bool,
    pub(crate) requests: u32,
}

impl Unit {
    pub(crate) fn new(is_optimistic: bool) -> Unit {
        Unit { is_optimistic, ..Unit::default() }
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&Tracked> {
        self.documents.get(&slot)
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut Tracked> {
        self.documents.get_mut(&slot)
    }

    pub(crate) fn slot(&self, id: &str) -> Option<u32> {
        self.by_id.get(&key(id)).copied()
    }

    pub(crate) fn is_absent(&self, id: &str) -> bool {
        self.absent.contains(&key(id))
    }

    pub(crate) fn set_absent(&mut self, id: &str) {
        self.absent.insert(key(id));
    }

    fn add(&mut self, document: Tracked) -> Result<u32> {
        // A report to the core has 24 bits for it.
        if self.next >= 1 << 24 {
            return Err(Error::operation("a session has at most 16,777,216 documents"));
        }
        let slot = self.next;
        self.next += 1;
        if !document.is_pending {
            let id = key(&document.id);
            self.absent.remove(&id);
            self.by_id.insert(id, slot);
        }
        self.documents.insert(slot, document);
        Ok(slot)
    }

    /// A new document. `is_ours`: its id is from a lease of this client.
    pub(crate) fn store(&mut self, id: String, is_pending: bool, is_ours: bool, content: Content) -> Result<u32> {
        if let Some(slot) = self.slot(&id).filter(|_| !is_pending) {
            if self.get(slot).is_some_and(|document| document.is_deleted) {
                return Err(Error::operation(format!("the session deletes the document {id}: save that first")));
            }
            return Err(Error::non_unique(&id));
        }
        let check = if is_ours { Facts::CHECKED } else { Facts::default() };
        self.add(Tracked::new(id, is_pending, check, content))
    }

    /// A document of the server. One that the session has already stays as it is.
    pub(crate) fn load(&mut self, id: String, members: Members, reported: Members) -> Result<u32> {
        if let Some(slot) = self.slot(&id) {
            return Ok(slot);
        }
        let mut document = Tracked::new(id, false, Facts::default(), Content::default());
        document.is_read(members, reported);
        document.revision = 0;
        self.add(document)
    }

    /// The next save deletes a document that the session does not have.
    pub(crate) fn delete_id(&mut self, id: &str) -> Result<()> {
        let slot = match self.slot(id) {
            Some(slot) => slot,
            None => self.add(Tracked::new(id.to_owned(), false, Facts::default(), Content::default()))?,
        };
        if let Some(document) = self.get_mut(slot) {
            document.is_deleted = true;
        }
        Ok(())
    }

    /// Removes a document from the session.
    pub(crate) fn forget(&mut self, slot: u32) {
        if let Some(document) = self.documents.remove(&slot) {
            let id = key(&document.id);
            if self.by_id.get(&id) == Some(&slot) {
                self.by_id.remove(&id);
            }
            if !self.saves.is_idle() {
                self.saves.forget(&[slot]);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        let slots: Vec<u32> = self.documents.keys().copied().collect();
        slots.into_iter().for_each(|slot| self.forget(slot));
        self.absent.clear();
        self.deferred.clear();
    }

    /// The server has deleted it, or it was never sent.
    pub(crate) fn is_gone(&mut self, slot: u32) {
        let Some(document) = self.get(slot) else { return };
        let id = key(&document.id);
        self.forget(slot);
        self.absent.insert(id);
    }

    /// The server has made the id of a document.
    pub(crate) fn is_named(&mut self, slot: u32, id: &str) {
        if let Some(document) = self.documents.get_mut(&slot) {
            document.is_pending = false;
            id.clone_into(&mut document.id);
            self.by_id.insert(key(id), slot);
        }
    }

    /// What differs from the server.
    pub(crate) fn planned(&self) -> Vec<Planned> {
        let planned = self.documents.iter().filter_map(|(slot, document)| {
            let action = if document.is_deleted { Action::Delete } else { Action::Put };
            let is_part = document.is_deleted || document.is_changed();
            is_part.then(|| Planned { slot: *slot, action, facts: document.facts() })
        });
        planned.collect()
    }

    pub(crate) fn has_changes(&self) -> bool {
        let differs = |document: &Tracked| document.is_deleted || document.is_changed();
        !self.deferred.is_empty() || self.documents.values().any(differs)
    }

    /// Refuses a patch of a document that the session changes, and the reverse.
    pub(crate) fn assert_apart(&self) -> Result<()> {
        for command in &self.deferred {
            let changed = self.slot(&command.id).and_then(|slot| self.get(slot));
            if changed.is_some_and(|document| document.is_deleted || document.is_changed()) {
                return Err(Error::operation(format!(
                    "the session changes or deletes the document {}, and a patch is about it, too",
                    command.id
                )));
            }
        }
        Ok(())
    }
}
