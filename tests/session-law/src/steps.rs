//! The possible steps.

use crate::configurations::{Budget, Configuration};
use crate::facade::Kept;
use crate::network::{Kind, Outgoing, Response, When};
use crate::other_writers::FOREIGN;
use crate::server::{Content, DOCUMENTS};
use crate::world::{Stage, World};
use raven_edge::session::{Event, Facts};

/// A step of a session, a request, a node or another writer. Numbers are indexes: of a session or a request, then of a slot, a document
/// or a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Store(usize),
    StorePending(usize),
    StoreChosen(usize),
    Change(usize, usize),
    Delete(usize, usize),
    Evict(usize, usize),
    Refresh(usize, usize, usize),
    Clear(usize),
    Patch(usize, u8),
    Attach(usize, u8),
    DeleteById(usize, usize),
    Load(usize, u8, usize),
    Save(usize),
    /// The request of a sealed batch is sent.
    Send(usize),
    /// Documents are read back from a node.
    ReadBack(usize, usize),
    ReadFails(usize),
    /// The server executes a request.
    Execute(usize),
    /// The response arrives.
    Receive(usize),
    /// No response arrives in time.
    GiveUp(usize),
    Unsent(usize),
    /// The server refuses a request, whatever its conditions.
    Refuse(usize),
    /// A request is executed twice, and the second response counts.
    Twice(usize),
    /// A request will be executed once more, at any later time.
    Copy(usize),
    /// A request is executed, and its wait times out.
    Wait(usize),
    /// The app follows the advice, and reads from a node.
    Follow(usize, usize),
    Replicate,
    /// Another writer changes a part of a document.
    Add(u8),
    /// Another writer overwrites or creates a document.
    Replace(u8),
    /// Another writer deletes a document.
    Remove(u8),
    /// Another writer writes the same content that a request is about to write.
    Echo(usize),
}

/// Uses up one unit of a budget.
fn spend(of: &mut u8) {
    *of = of.saturating_sub(1);
}

impl World {
    pub(crate) fn steps(&self, configuration: &Configuration) -> Vec<Step> {
        let mut out = Vec::new();
        let nodes = if configuration.lags && self.server.nodes[0] != self.server.nodes[1] { 2 } else { 1 };
        for s in 0..self.sessions.len() {
            self.steps_of_app(s, nodes, configuration, &mut out);
            match self.sessions[s].stage {
                Stage::Idle => {}
                Stage::Ready => {
                    out.push(Step::Send(s));
                    // Code that the request needs cannot be loaded.
                    if self.budget.unsent > 0 {
                        out.push(Step::Unsent(s));
                    }
                }
                Stage::Reads => {
                    out.extend((0..nodes).map(|node| Step::ReadBack(s, node)));
                    if self.budget.unread > 0 {
                        out.push(Step::ReadFails(s));
                    }
                }
                Stage::Waits => {
                    if self.budget.lost > 0 {
                        out.push(Step::GiveUp(s));
                    }
                    let sent = self
                        .network
                        .iter()
                        .any(|request| request.session == s && request.awaited && request.response.is_none());
                    if self.budget.unsent > 0 && sent {
                        out.push(Step::Unsent(s));
                    }
                }
                Stage::Failed(_) => out.extend((0..nodes).map(|node| Step::Follow(s, node))),
            }
        }
        for (r, request) in self.network.iter().enumerate() {
            self.steps_of_request(r, request, &mut out);
        }
        if nodes > 1 {
            out.push(Step::Replicate);
        }
        self.steps_of_other_writers(&mut out);
        out
    }

    fn steps_of_app(&self, s: usize, nodes: usize, configuration: &Configuration, out: &mut Vec<Step>) {
        let session = &self.sessions[s];
        let Budget {
            saves,
            stores,
            pending,
            chosen,
            changes,
            deletes,
            ids_deleted,
            evicts,
            refreshes,
            clears,
            patches,
            attachments,
            loads,
            ..
        } = session.budget;
        if matches!(session.stage, Stage::Failed(_)) {
            return;
        }
        let idle = session.stage == Stage::Idle;
        // A session makes some calls wait for the save; that they do no harm during it is more than it needs.
        let open = idle || configuration.pauses;
        let room = (self.server.ids as usize) < DOCUMENTS;
        let steps = [
            (open && stores > 0 && room, Step::Store(s)),
            (open && pending > 0, Step::StorePending(s)),
            (open && chosen > 0 && room, Step::StoreChosen(s)),
            (idle && saves > 0 && self.has_changes(s), Step::Save(s)),
        ];
        out.extend(steps.into_iter().filter_map(|(may, step)| may.then_some(step)));
        if clears > 0 {
            out.push(Step::Clear(s));
        }
        let is_about = |id: Option<u8>| session.deferred.iter().any(|command| Some(command.id) == id);
        let patched = |id: Option<u8>| session.deferred.iter().any(|of| of.kind != Kind::Attach && Some(of.id) == id);
        for (at, slot) in self.slots(s) {
            if changes > 0 && !slot.deleted && !patched(slot.id) {
                out.push(Step::Change(s, at));
            }
            if evicts > 0 {
                out.push(Step::Evict(s, at));
            }
            if open && deletes > 0 && !slot.deleted && !is_about(slot.id) {
                out.push(Step::Delete(s, at));
            }
            let clean = slot.id.is_some() && !slot.deleted && !slot.is_changed();
            if open && ids_deleted > 0 && clean && !is_about(slot.id) {
                out.push(Step::DeleteById(s, at));
            }
            if let Some(id) = slot.id.filter(|id| attachments > 0 && !slot.deleted && !patched(Some(*id))) {
                out.push(Step::Attach(s, id));
            }
            if idle && refreshes > 0 && !slot.deleted {
                out.extend((0..nodes).map(|node| Step::Refresh(s, at, node)));
            }
        }
        for id in 0..DOCUMENTS as u8 {
            let slot = self.slots(s).find(|(_, slot)| slot.id == Some(id));
            let there = self.server.nodes[0][id as usize].is_some();
            let apart = slot.is_none_or(|(_, slot)| !slot.deleted && !slot.is_changed());
            if there && patches > 0 && apart {
                out.push(Step::Patch(s, id));
            }
            if there && idle && loads > 0 && slot.is_none() {
                out.extend((0..nodes).map(|node| Step::Load(s, id, node)));
            }
        }
    }

    fn steps_of_request(&self, r: usize, request: &Outgoing, out: &mut Vec<Step>) {
        if request.response.is_some() {
            out.push(Step::Receive(r));
            return;
        }
        out.push(Step::Execute(r));
        let awaited = request.awaited;
        // A write with a change vector that is executed twice is refused the second time, which cannot be
        // distinguished from another writer's change.
        let vectors = request.commands.iter().any(|command| matches!(command.when, When::Vector(_)));
        let steps = [
            (awaited && self.budget.refused > 0, Step::Refuse(r)),
            (awaited && !vectors && self.budget.twice > 0, Step::Twice(r)),
            (awaited && !vectors && self.budget.copies > 0, Step::Copy(r)),
            (awaited && self.budget.waits > 0, Step::Wait(r)),
            (self.budget.echoes > 0, Step::Echo(r)),
        ];
        out.extend(steps.into_iter().filter_map(|(may, step)| may.then_some(step)));
    }

    pub(crate) fn take(&mut self, step: Step, configuration: &Configuration) -> Kept {
        match step {
            Step::Store(s) => {
                spend(&mut self.sessions[s].budget.stores);
                let id = self.new_id();
                self.store(s, id, Facts::CHECKED.with(Facts::OURS), true);
            }
            Step::StorePending(s) => {
                spend(&mut self.sessions[s].budget.pending);
                self.store(s, None, Facts::default(), false);
            }
            Step::StoreChosen(s) => {
                spend(&mut self.sessions[s].budget.chosen);
                let id = self.new_id();
                self.store(s, id, Facts::default(), configuration.strict);
            }
            Step::Change(s, at) => {
                spend(&mut self.sessions[s].budget.changes);
                self.change(s, at, configuration);
            }
            Step::Delete(s, at) => {
                spend(&mut self.sessions[s].budget.deletes);
                self.delete(s, at);
            }
            Step::Evict(s, at) => {
                spend(&mut self.sessions[s].budget.evicts);
                self.evict(s, at);
            }
            Step::Refresh(s, at, node) => {
                spend(&mut self.sessions[s].budget.refreshes);
                self.refresh(s, at, node, false);
            }
            Step::Clear(s) => {
                spend(&mut self.sessions[s].budget.clears);
                self.clear(s);
            }
            Step::Patch(s, id) => {
                spend(&mut self.sessions[s].budget.patches);
                self.defer(s, Kind::Patch, id);
            }
            Step::Attach(s, id) => {
                spend(&mut self.sessions[s].budget.attachments);
                self.defer(s, Kind::Attach, id);
            }
            Step::DeleteById(s, at) => {
                spend(&mut self.sessions[s].budget.ids_deleted);
                self.delete_by_id(s, at);
            }
            Step::Load(s, id, node) => {
                spend(&mut self.sessions[s].budget.loads);
                self.load(s, id, node);
            }
            Step::Save(s) => {
                spend(&mut self.sessions[s].budget.saves);
                self.save(s, configuration)?;
            }
            Step::Send(s) => self.send(s, configuration)?,
            Step::ReadBack(s, node) => self.read_back(s, node, configuration)?,
            Step::ReadFails(s) => {
                spend(&mut self.budget.unread);
                self.on(s, Event::Unread, 0, configuration)?;
            }
            Step::Execute(r) => self.carry(r, configuration)?,
            Step::Receive(r) => self.receive(r, configuration)?,
            Step::GiveUp(s) => {
                spend(&mut self.budget.lost);
                self.give_up(s, configuration)?;
            }
            Step::Unsent(s) => {
                spend(&mut self.budget.unsent);
                self.unsent(s, configuration)?;
            }
            Step::Refuse(r) => {
                spend(&mut self.budget.refused);
                self.network[r].response = Some(Response::Refused);
            }
            Step::Twice(r) => {
                spend(&mut self.budget.twice);
                let request = self.network[r].clone();
                self.execute(&request, configuration.sharded)?;
                self.carry(r, configuration)?;
            }
            Step::Copy(r) => {
                spend(&mut self.budget.copies);
                let copy = Outgoing { awaited: false, ..self.network[r].clone() };
                self.network.push(copy);
            }
            Step::Wait(r) => {
                spend(&mut self.budget.waits);
                self.carry(r, configuration)?;
                if matches!(self.network[r].response, Some(Response::Applied(_))) {
                    self.network[r].response = Some(Response::Waited);
                }
            }
            Step::Follow(s, node) => self.follow(s, node, configuration),
            Step::Replicate => self.replicate(),
            Step::Add(id) => {
                spend(&mut self.budget.adds);
                self.add(id);
            }
            Step::Replace(id) => {
                spend(&mut self.budget.replaces);
                self.foreign(id, Some(Content::of(FOREIGN)));
            }
            Step::Remove(id) => {
                spend(&mut self.budget.removes);
                self.foreign(id, None);
            }
            Step::Echo(r) => {
                spend(&mut self.budget.echoes);
                self.echo(r);
            }
        }
        self.laws()?;
        self.normalise();
        Ok(())
    }

    /// The server executes a request.
    pub(crate) fn carry(&mut self, r: usize, configuration: &Configuration) -> Kept {
        let request = self.network[r].clone();
        self.network[r].response = Some(self.execute(&request, configuration.sharded)?);
        Ok(())
    }
}
