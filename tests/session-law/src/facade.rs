//! The façade around the core, like `pkg/src/saving/save`: serializes, sends, compares documents that were read back,
//! and applies decisions.

use crate::configurations::Configuration;
use crate::facade_variants::FacadeVariant;
use crate::network::{Command, Deferred, Kind, Outgoing, Response, Results, When};
use crate::server::{Content, Stored};
use crate::world::{AppError, Batch, Session, Slot, Stage, World};
use raven_edge::session::{self, Action, Document, Event, Expectation, Finding, Next, Refusal, Seen};
use std::mem;

/// An error describes the broken law.
pub(crate) type Kept = Result<(), String>;

impl World {
    /// The document that a node has under the id of a slot. The batch knows the ids of documents that the app has evicted meanwhile.
    pub(crate) fn found(&self, s: usize, slot: usize, node: usize) -> Option<Stored> {
        self.server.nodes[node][self.id(s, slot)? as usize]
    }

    fn id(&self, s: usize, slot: usize) -> Option<u8> {
        let session = &self.sessions[s];
        session.slots[slot].as_ref().map_or_else(|| session.sealed.id(slot), |slot| slot.id)
    }

    /// Slots in use.
    pub(crate) fn slots(&self, s: usize) -> impl Iterator<Item = (usize, &Slot)> {
        self.sessions[s].slots.iter().enumerate().filter_map(|(at, slot)| slot.as_ref().map(|slot| (at, slot)))
    }

    /// Whether a save has something to send.
    pub(crate) fn has_changes(&self, s: usize) -> bool {
        !self.sessions[s].deferred.is_empty() || self.slots(s).any(|(_, slot)| slot.deleted || slot.is_changed())
    }

    /// `saveChanges()`.
    pub(crate) fn save(&mut self, s: usize, configuration: &Configuration) -> Kept {
        let session = &mut self.sessions[s];
        (session.once, session.given_up, session.promised) = (0, false, 0);
        match session.saves.begin() {
            Next::Read => session.stage = Stage::Reads,
            Next::Plan => return self.seal(s, configuration),
            next => return Err(format!("a save begins with {next:?}")),
        }
        Ok(())
    }

    /// Plans the batch, makes its request, and seals it.
    fn seal(&mut self, s: usize, configuration: &Configuration) -> Kept {
        let mut documents = Vec::new();
        for (at, slot) in self.slots(s) {
            let action = match slot {
                Slot { deleted: true, .. } => Action::Delete,
                slot if slot.is_changed() => Action::Put,
                _ if configuration.reads => Action::Read,
                _ => continue,
            };
            documents.push(Document { slot: at as u32, action, facts: slot.reported() });
        }
        let deletes = documents.iter().filter(|document| document.action == Action::Delete);
        let deletes = deletes.map(|document| document.slot as usize).collect();
        let session = &mut self.sessions[s];
        session.waited = false;
        session.batch.clear();
        session.sealed = Batch { deletes, deferred: session.deferred.clone(), ..Batch::default() };
        let plan = match session.saves.plan(configuration.strict, &documents) {
            Ok(commands) => commands.to_vec(),
            Err(Refusal::NoId(slot)) => {
                session.stage = Stage::Failed(AppError::NoId(slot as usize));
                session.end();
                return Ok(());
            }
            Err(Refusal::Busy) => return Err("a save begins while another one is in progress".into()),
        };
        let mut commands = Vec::new();
        for command in plan {
            let at = command.slot as usize;
            let Some(slot) = &mut session.slots[at] else { return Err("a plan for a slot that is not in use".into()) };
            let kind = match command.action {
                Action::Put => Kind::Put,
                Action::Delete => Kind::Delete,
                Action::Read => Kind::Read,
            };
            let when = match (command.expects, slot.vector) {
                (Expectation::Any, _) => When::Any,
                (Expectation::Absent, _) => When::Absent,
                (Expectation::Known, Some(vector)) => When::Vector(vector),
                (Expectation::Known, None) => {
                    return Err("a change vector is expected that the façade does not have".into());
                }
            };
            if kind == Kind::Put {
                session.sealed.puts.push((at, slot.id, slot.entity));
                session.promised |= slot.entity.real;
            }
            session.batch.push(at);
            commands.push(Command { kind, slot: Some(at), id: slot.id, when, content: slot.entity });
        }
        for Deferred { kind, id, mark } in &session.deferred {
            let slot =
                session.sealed.puts.iter().find(|(_, written, _)| *kind == Kind::Attach && *written == Some(*id));
            let (slot, content) = (slot.map(|(slot, ..)| *slot), Content::of(*mark));
            commands.push(Command { kind: *kind, slot, id: Some(*id), when: When::Any, content });
            session.promised |= mark;
        }
        session.patches = session.deferred.iter().fold(0, |all, command| all | command.mark);
        session.sealed.must_run = commands.iter().any(|command| matches!(command.kind, Kind::Delete | Kind::Patch));
        session.sealed.request = Some(Outgoing { session: s, version: 0, commands, awaited: true, response: None });
        let is_late = configuration.facade_variant == Some(FacadeVariant::SealedLate);
        if !is_late && !self.seal_core(s)? {
            return self.finish(s, configuration);
        }
        self.sessions[s].stage = Stage::Ready;
        if configuration.pauses { Ok(()) } else { self.send(s, configuration) }
    }

    /// Reports the deferred commands to the core; returns whether there is anything to send.
    fn seal_core(&mut self, s: usize) -> Result<bool, String> {
        let session = &mut self.sessions[s];
        let reported = |command: &Deferred| {
            let has_id = |slot: &Slot| slot.id == Some(command.id) && slot.snapshot.is_none();
            let new = session.slots.iter().position(|slot| slot.as_ref().is_some_and(has_id));
            match (command.kind, new) {
                (Kind::Attach, Some(slot)) => session::Deferred::part_of(slot as u32),
                (Kind::Patch, _) => session::Deferred::ONCE,
                _ => session::Deferred::default(),
            }
        };
        let deferred: Vec<session::Deferred> = session.deferred.iter().map(reported).collect();
        session.saves.seal(&deferred).map_err(|refusal| format!("a batch is not sealed: {refusal:?}"))
    }

    /// Sends the sealed batch.
    pub(crate) fn send(&mut self, s: usize, configuration: &Configuration) -> Kept {
        if configuration.facade_variant == Some(FacadeVariant::SealedLate) && !self.seal_core(s)? {
            return self.finish(s, configuration);
        }
        let session = &mut self.sessions[s];
        let Some(mut request) = session.sealed.request.take() else { return Err("there is no request to send".into()) };
        request.version = session.saves.version() as u8;
        self.push(request)
    }

    /// A request is sent.
    pub(crate) fn push(&mut self, request: Outgoing) -> Kept {
        let session = &mut self.sessions[request.session];
        let once = request.commands.iter().any(|command| command.kind == Kind::Patch || command.id.is_none());
        if once {
            if session.once & session.executed != 0 || session.once != 0 && session.given_up {
                return Err(
                    "a patch, or a document with a server-generated id, is sent again although it may have been carried out"
                        .into(),
                );
            }
            session.once |= 1 << request.version;
        }
        session.stage = Stage::Waits;
        self.network.push(request);
        Ok(())
    }

    /// The response to a request arrives.
    pub(crate) fn receive(&mut self, r: usize, configuration: &Configuration) -> Kept {
        let request = self.network.remove(r);
        let s = request.session;
        match request.response {
            Some(Response::Applied(results)) => {
                self.take_over(s, &results);
                self.on(s, Event::Applied, 0, configuration)
            }
            Some(Response::Waited) => {
                self.sessions[s].waited = true;
                self.on(s, Event::Waited, 0, configuration)
            }
            Some(Response::Conflict(slot)) => {
                // The session finds it by its id, unless the app has evicted it meanwhile.
                let slot = slot.filter(|slot| self.sessions[s].slots[*slot].is_some());
                self.sessions[s].refused = slot;
                let conflict = Some(slot.map(|slot| slot as u32));
                self.on(s, Event::Refused { conflict, sharded: configuration.sharded }, 0, configuration)
            }
            Some(Response::Refused) => {
                self.on(s, Event::Refused { conflict: None, sharded: configuration.sharded }, 0, configuration)
            }
            None => Err("there is no response".into()),
        }
    }

    /// The response does not arrive, or is abandoned.
    pub(crate) fn give_up(&mut self, s: usize, configuration: &Configuration) -> Kept {
        let session = &mut self.sessions[s];
        session.given_up = true;
        for request in &mut self.network {
            if request.session == s && request.awaited {
                request.awaited = false;
                let written = request.commands.iter().filter(|command| command.kind == Kind::Put);
                for at in written.filter_map(|command| command.slot) {
                    session.slots[at].iter_mut().for_each(|slot| slot.sent = true);
                }
                if configuration.facade_variant == Some(FacadeVariant::SentAgain) {
                    let again = Outgoing { awaited: true, response: None, ..request.clone() };
                    return self.push(again);
                }
            }
        }
        let event =
            if configuration.facade_variant == Some(FacadeVariant::UnsentByText) { Event::Unsent } else { Event::Lost };
        self.on(s, event, 0, configuration)
    }

    /// The platform reports that a request was not sent.
    pub(crate) fn unsent(&mut self, s: usize, configuration: &Configuration) -> Kept {
        self.network.retain(|request| request.session != s || !request.awaited);
        self.on(s, Event::Unsent, 0, configuration)
    }

    /// Documents are read back from a node.
    pub(crate) fn read_back(&mut self, s: usize, node: usize, configuration: &Configuration) -> Kept {
        let session = &self.sessions[s];
        let mut wanted: Vec<usize> = session.saves.readable().into_iter().map(|slot| slot as usize).collect();
        if session.waited {
            wanted.extend(session.sealed.puts.iter().map(|(slot, ..)| *slot));
            wanted.sort_unstable();
            wanted.dedup();
        }
        let version = session.saves.version();
        let mut seen = Vec::new();
        for at in wanted {
            if self.id(s, at).is_none() {
                continue;
            }
            let sent = session.sealed.text(at).map(|text| (version, text)).into_iter();
            let kept = session.slots[at].iter().flat_map(|slot| slot.texts.iter().rev());
            let texts = sent.chain(kept.map(|(version, text)| (u32::from(*version), *text)));
            let finding = match self.found(s, at, node) {
                None => Finding::Absent,
                Some(found) => texts
                    .filter(|(_, text)| text.text == found.content.text)
                    .map(|(version, _)| Finding::Version(version))
                    .next()
                    .unwrap_or(Finding::Other),
            };
            seen.push(Seen { slot: at as u32, finding });
        }
        self.on(s, Event::Seen(&seen), node, configuration)
    }

    /// Passes an event to the core and executes its decision. `node`: where documents were read.
    pub(crate) fn on(&mut self, s: usize, event: Event<'_>, node: usize, configuration: &Configuration) -> Kept {
        let refused = matches!(event, Event::Refused { .. } | Event::Unsent);
        let session = &mut self.sessions[s];
        let readable = refused.then(|| session.saves.readable());
        let outcome = session.saves.on(event);
        let version = session.saves.version() as u8;
        let kept = if outcome.keep { session.saves.readable() } else { Vec::new() };
        for slot in kept {
            let at = slot as usize;
            if let (Some(text), Some(slot)) = (session.sealed.text(at), &mut session.slots[at])
                && slot.texts.last().is_none_or(|(last, _)| *last != version)
            {
                slot.texts.push((version, text));
            }
        }
        for (slot, version) in outcome.confirmed {
            self.confirm_slot(s, slot as usize, version as u8, node)?;
        }
        let session = &mut self.sessions[s];
        if outcome.next == Next::NotSaved
            && let Some(mut before) = readable
        {
            before.retain(|slot| session.slots[*slot as usize].is_some());
            if before != session.saves.readable() {
                return Err("a refused save changes what is known".into());
            }
        }
        match outcome.next {
            Next::Read => session.stage = Stage::Reads,
            Next::Plan => self.seal(s, configuration)?,
            Next::Done => self.finish(s, configuration)?,
            Next::Saved => self.finish_waited(s, node, configuration)?,
            Next::NotSaved => {
                session.reported_not_saved |= 1 << version;
                session.stage = Stage::Failed(AppError::NotSaved);
                session.end();
            }
            Next::Conflict { unknown } => {
                if !unknown {
                    session.reported_not_saved |= 1 << version;
                }
                let slot = session.refused.filter(|slot| session.slots[*slot].is_some());
                session.stage = Stage::Failed(AppError::Conflict { slot, unknown });
                self.assert_safe(s, slot, configuration)?;
                self.sessions[s].end();
            }
            Next::Unknown(advice) => {
                session.stage = Stage::Failed(AppError::Unknown(advice));
                session.end();
            }
            Next::Nothing => return Err(format!("the core does not expect {event:?}")),
        }
        Ok(())
    }

    /// The document that was read back is the one that was sent.
    fn confirm_slot(&mut self, s: usize, at: usize, version: u8, node: usize) -> Kept {
        let found = self.found(s, at, node);
        let ever = self.server.ever;
        let session = &mut self.sessions[s];
        let current = version == session.saves.version() as u8;
        let sent = session.sealed.text(at).filter(|_| current);
        let kept = session.slots[at].iter().flat_map(|slot| &slot.texts).find(|(known, _)| *known == version);
        let Some(text) = kept.map(|(_, text)| *text).or(sent) else {
            return Err("the text of a version was not kept".into());
        };
        if text.real & !ever != 0 {
            return Err(format!("changes {:#b} are reported as saved, but were never written", text.real & !ever));
        }
        let Some(slot) = &mut session.slots[at] else { return Ok(()) };
        slot.snapshot = Some(text);
        slot.vector = found.map(|found| found.vector);
        slot.texts.clear();
        Ok(())
    }

    /// Applies the response's results.
    fn take_over(&mut self, s: usize, results: &Results) {
        let session = &mut self.sessions[s];
        for (at, id, vector) in &results.puts {
            if let (Some(text), Some(slot)) = (session.sealed.text(*at), &mut session.slots[*at]) {
                slot.id = Some(*id);
                slot.vector = Some(*vector);
                slot.snapshot = Some(text);
                slot.texts.clear();
            }
        }
        for (id, vector, content) in &results.patches {
            let patched = session.slots.iter_mut().flatten().find(|slot| slot.id == Some(*id));
            patched.into_iter().for_each(|slot| slot.follow(*content, *vector));
        }
    }

    /// The save has succeeded.
    fn finish(&mut self, s: usize, configuration: &Configuration) -> Kept {
        let session = &mut self.sessions[s];
        let Batch { deletes, deferred, must_run, .. } = mem::take(&mut session.sealed);
        let missing = session.promised & !self.server.ever;
        let has_run = session.executed & 1 << session.saves.version() != 0;
        if missing != 0 || must_run && !has_run {
            return Err(format!("a save succeeds, but its changes {missing:#b} or deletions were never carried out"));
        }
        let all = configuration.facade_variant == Some(FacadeVariant::AllDeferredRemoved);
        session.deferred.retain(|command| !all && !deferred.contains(command));
        session.end();
        session.stage = Stage::Idle;
        for at in deletes {
            let Some(slot) = &self.sessions[s].slots[at] else { continue };
            if slot.sent && !slot.delete_executed {
                return Err(format!("a deletion of slot {at} is reported as saved, but was never carried out"));
            }
            self.drop_slot(s, at);
        }
        Ok(())
    }

    /// The save has succeeded, without the server's results.
    fn finish_waited(&mut self, s: usize, node: usize, configuration: &Configuration) -> Kept {
        for (at, _, text) in self.sessions[s].sealed.puts.clone() {
            let found = self.found(s, at, node);
            let Some(slot) = &mut self.sessions[s].slots[at] else { continue };
            if slot.is_pending() {
                // The ids that the server generated are unknown: these entities are saved, but the session does not
                // track them any more.
                self.drop_slot(s, at);
                continue;
            }
            slot.snapshot = Some(text);
            // Changes of other writers were never loaded, so their change vector does not belong to what the session
            // knows.
            if let Some(found) = found
                && (found.content.text == text.text
                    || configuration.facade_variant == Some(FacadeVariant::VectorOfOthers))
            {
                slot.vector = Some(found.vector);
            }
        }
        let session = &mut self.sessions[s];
        for Deferred { id, .. } in session.sealed.deferred.iter().filter(|command| command.kind == Kind::Patch) {
            let found = self.server.nodes[node][*id as usize];
            let patched = session.slots.iter_mut().flatten().find(|slot| slot.id == Some(*id));
            if let (Some(slot), Some(found)) = (patched, found) {
                slot.follow(found.content, found.vector);
            }
        }
        self.finish(s, configuration)
    }

    /// Stops tracking a document.
    pub(crate) fn drop_slot(&mut self, s: usize, at: usize) {
        self.sessions[s].saves.forget(&[at as u32]);
        self.sessions[s].slots[at] = None;
    }
}

impl Session {
    /// A save ends, whatever its result: its batch is not compared any more.
    fn end(&mut self) {
        self.sealed = Batch::default();
        self.safe.clear();
        self.refused = None;
        self.waited = false;
    }
}

impl Slot {
    /// The entity follows a patch of its document; later changes of the app stay changes.
    fn follow(&mut self, content: Content, vector: u8) {
        let own = self.entity.real & !self.snapshot.map_or(0, |snapshot| snapshot.real);
        self.snapshot = Some(content);
        self.entity = content.with(own);
        self.vector = Some(vector);
    }
}
