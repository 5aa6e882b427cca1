//! The actions of apps, and the advice of the documentation after an error
//! (`docs/failed-saves.md`).

use crate::configurations::Configuration;
use crate::network::{Deferred, Kind};
use crate::other_writers::FOREIGN;
use crate::server::Content;
use crate::world::{AppError, Slot, Stage, World};
use raven_edge::session::{Advice, Facts};

impl World {
    /// A new change of this session.
    fn mark(&mut self, s: usize, guarded: bool) -> u16 {
        let session = &mut self.sessions[s];
        let mark = 1 << (s as u16 * 7 + u16::from(session.marks));
        session.marks += 1;
        session.made |= mark;
        if guarded {
            session.owed |= mark;
            session.guarded |= mark;
        }
        mark
    }

    /// `store(entity)`; `id`: `None` if the server generates it.
    pub(crate) fn store(&mut self, s: usize, id: Option<u8>, facts: Facts, guarded: bool) {
        let mark = self.mark(s, guarded);
        self.track(s, id, facts, Content::of(mark));
    }

    fn track(&mut self, s: usize, id: Option<u8>, facts: Facts, entity: Content) {
        self.sessions[s].slots.push(Some(Slot {
            id,
            entity,
            snapshot: None,
            vector: None,
            facts,
            deleted: false,
            texts: Vec::new(),
            sent: false,
            delete_executed: false,
        }));
    }

    pub(crate) fn change(&mut self, s: usize, at: usize, configuration: &Configuration) {
        let Some(slot) = &self.sessions[s].slots[at] else { return };
        let guarded = slot.id.is_some() && (slot.facts.has(Facts::CHECKED) || configuration.strict);
        let mark = self.mark(s, guarded);
        if let Some(slot) = &mut self.sessions[s].slots[at] {
            slot.entity = slot.entity.with(mark);
        }
    }

    pub(crate) fn delete(&mut self, s: usize, at: usize) {
        let session = &mut self.sessions[s];
        if let Some(slot) = &mut session.slots[at] {
            slot.deleted = true;
            slot.delete_executed = false;
            session.owed &= !slot.entity.real;
            session.promised &= !slot.entity.real;
        }
    }

    /// `delete(id)` of a document that the app has not changed.
    pub(crate) fn delete_by_id(&mut self, s: usize, at: usize) {
        let Some(slot) = &self.sessions[s].slots[at] else { return };
        let (Some(id), real) = (slot.id, slot.entity.real) else { return };
        self.sessions[s].owed &= !real;
        self.drop_slot(s, at);
        self.defer(s, Kind::Delete, id);
    }

    /// The app discards its unsaved changes of a document.
    pub(crate) fn evict(&mut self, s: usize, at: usize) {
        let session = &mut self.sessions[s];
        if let Some(slot) = &session.slots[at] {
            session.owed &= !(slot.entity.real & !slot.snapshot.map_or(0, |snapshot| snapshot.real));
            let new = slot.id.filter(|_| slot.snapshot.is_none());
            // RavenDB refuses attachments of documents that do not exist: apps give them up, too.
            let is_given_up = |command: &Deferred| command.kind == Kind::Attach && Some(command.id) == new;
            for command in session.deferred.extract_if(.., |command| is_given_up(command)) {
                session.asked &= !command.mark;
            }
            self.drop_slot(s, at);
        }
    }

    pub(crate) fn clear(&mut self, s: usize) {
        for at in 0..self.sessions[s].slots.len() {
            self.evict(s, at);
        }
        self.sessions[s].deferred.clear();
        self.sessions[s].asked = 0;
    }

    /// `advanced.refresh(entity)`; returns whether the document exists. `keep`: the app repeats its changes if they
    /// are missing.
    pub(crate) fn refresh(&mut self, s: usize, at: usize, node: usize, keep: bool) -> bool {
        let Some(found) = self.found(s, at, node) else { return false };
        let session = &mut self.sessions[s];
        session.saves.forget(&[at as u32]);
        if let Some(slot) = &mut session.slots[at] {
            let missing = slot.entity.real & !found.content.real;
            if !keep {
                session.owed &= !missing;
            }
            slot.snapshot = Some(found.content);
            slot.entity = found.content.with(if keep { missing } else { 0 });
            slot.vector = Some(found.vector);
            slot.texts.clear();
        }
        true
    }

    pub(crate) fn load(&mut self, s: usize, id: u8, node: usize) {
        if let Some(found) = self.server.nodes[node][id as usize] {
            self.track(s, Some(id), Facts::default(), found.content);
            if let Some(Some(slot)) = self.sessions[s].slots.last_mut() {
                slot.snapshot = Some(found.content);
                slot.vector = Some(found.vector);
                slot.sent = true;
            }
        }
    }

    /// `advanced.defer(command)`.
    pub(crate) fn defer(&mut self, s: usize, kind: Kind, id: u8) {
        let mark = self.mark(s, false);
        self.sessions[s].asked |= mark;
        self.sessions[s].deferred.push(Deferred { kind, id, mark });
    }

    /// The app follows the documented advice, and reads from this node.
    pub(crate) fn follow(&mut self, s: usize, node: usize, configuration: &Configuration) {
        let Stage::Failed(error) = self.sessions[s].stage else { return };
        self.sessions[s].stage = Stage::Idle;
        match error {
            AppError::NotSaved => {}
            AppError::Unknown(Advice::SaveAgain) => {
                let session = &mut self.sessions[s];
                session.safe = session.batch.clone();
                session.safe_patches |= session.patches;
            }
            AppError::Unknown(Advice::Refresh) => self.refresh_guarded(s, node, configuration),
            AppError::Unknown(Advice::CheckFirst) => {
                self.check_first(s, node);
                self.refresh_guarded(s, node, configuration);
            }
            AppError::Conflict { slot, unknown } => {
                if unknown {
                    self.check_first(s, node);
                }
                if let Some(slot) = slot {
                    self.after_conflict(s, slot, unknown, node);
                }
            }
            // The app looks for the document, and deletes it by its id.
            AppError::NoId(slot) => self.drop_slot(s, slot),
        }
    }

    /// Documents with guarded changes are refreshed.
    fn refresh_guarded(&mut self, s: usize, node: usize, configuration: &Configuration) {
        for at in 0..self.sessions[s].slots.len() {
            let Some(slot) = &self.sessions[s].slots[at] else { continue };
            let guarded = configuration.strict || slot.facts.has(Facts::CHECKED);
            if guarded && !slot.is_fresh() && (slot.deleted || slot.is_changed()) {
                let deleted = slot.deleted;
                if !self.refresh(s, at, node, true) && deleted && node == 0 {
                    self.drop_slot(s, at);
                }
            }
        }
    }

    /// Checks what must not be repeated: patches that have run are not deferred again, and documents for which the server has
    /// generated an id are evicted.
    fn check_first(&mut self, s: usize, node: usize) {
        let documents = self.server.nodes[node];
        let ran = |id: u8, mark: u16| documents[id as usize].is_some_and(|stored| stored.content.real & mark != 0);
        self.sessions[s].deferred.retain(|command| command.kind != Kind::Patch || !ran(command.id, command.mark));
        for at in 0..self.sessions[s].slots.len() {
            let Some(slot) = &self.sessions[s].slots[at] else { continue };
            let made = documents.iter().flatten().any(|stored| stored.content.real & slot.entity.real != 0);
            if slot.is_pending() && made {
                self.drop_slot(s, at);
            }
        }
    }

    fn after_conflict(&mut self, s: usize, at: usize, unknown: bool, node: usize) {
        let Some(slot) = &self.sessions[s].slots[at] else { return };
        let is_ours = |real: u16| real & slot.entity.real != 0;
        let found = self.found(s, at, node);
        if slot.is_fresh() && !slot.deleted {
            match found {
                // It may still arrive, or the node lags behind: save again.
                None if unknown => {}
                Some(found) if unknown && is_ours(found.content.real) => {
                    self.refresh(s, at, node, true);
                }
                _ => self.store_anew(s, at),
            }
        } else if !self.refresh(s, at, node, true) && node == 0 {
            // Another writer has deleted it.
            self.evict(s, at);
        }
    }

    /// `evict(entity)`, another id, `store(entity)`.
    fn store_anew(&mut self, s: usize, at: usize) {
        let Some(entity) = self.sessions[s].slots[at].as_ref().map(|slot| slot.entity) else { return };
        match self.new_id() {
            None => self.evict(s, at),
            Some(id) => {
                self.drop_slot(s, at);
                self.track(s, Some(id), Facts::CHECKED.with(Facts::OURS), Content::of(entity.real & !FOREIGN));
            }
        }
    }
}
