//! The façade around the core, like `pkg/src/saving/save`: serializes, sends, compares documents that were read back,
//! and applies decisions.

use crate::configurations::Configuration;
use crate::facade_variants::FacadeVariant;
use crate::network::{Command, Kind, Outgoing, Response, Results, When};
use crate::server::{Content, Stored};
use crate::world::{AppError, Session, Slot, Stage, World};
use raven_edge::session::{Action, Document, Event, Expectation, Finding, Mode, Next, Refusal, Seen};

/// An error describes the broken law.
pub(crate) type Kept = Result<(), String>;

impl World {
    /// The document that a node has under the id of a slot.
    pub(crate) fn found(&self, s: usize, slot: usize, node: usize) -> Option<Stored> {
        let id = self.sessions[s].slots[slot].as_ref()?.id?;
        self.server.nodes[node][id as usize]
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
        (session.once, session.given_up) = (0, false);
        match session.saves.begin() {
            Next::Read => session.stage = Stage::Reads,
            Next::Plan => return self.send(s, configuration),
            next => return Err(format!("a save begins with {next:?}")),
        }
        Ok(())
    }

    fn send(&mut self, s: usize, configuration: &Configuration) -> Kept {
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
        let mut mode = if configuration.strict { Mode::STRICT } else { Mode::default() };
        let session = &mut self.sessions[s];
        if !session.deferred.is_empty() {
            mode = mode.with(Mode::DEFERRED).with(Mode::ONCE);
        }
        session.waited = false;
        session.outgoing.clear();
        session.batch.clear();
        let plan = match session.saves.plan(mode, &documents) {
            Ok(plan) if plan.is_empty() => return self.finish(s),
            Ok(plan) => plan.commands.clone(),
            Err(Refusal::NoId(slot)) => {
                session.stage = Stage::Failed(AppError::NoId(slot as usize));
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
                session.outgoing.push((at, slot.entity));
            }
            session.batch.push(at);
            commands.push(Command { kind, slot: Some(at), id: slot.id, when, content: slot.entity });
        }
        for (id, mark) in &session.deferred {
            let content = Content::of(*mark);
            commands.push(Command { kind: Kind::Patch, slot: None, id: Some(*id), when: When::Any, content });
        }
        session.patches = session.deferred.len();
        let version = session.saves.version() as u8;
        let request = Outgoing { session: s, version, commands, awaited: true, response: None };
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
            wanted.extend(session.outgoing.iter().map(|(slot, _)| *slot));
            wanted.sort_unstable();
            wanted.dedup();
        }
        let version = session.saves.version();
        let mut seen = Vec::new();
        for at in wanted {
            let Some(slot) = session.slots[at].as_ref().filter(|slot| slot.id.is_some()) else { continue };
            let sent = session.outgoing.iter().filter(|(sent, _)| *sent == at).map(|(_, text)| (version, *text));
            let texts = sent.chain(slot.texts.iter().rev().map(|(version, text)| (u32::from(*version), *text)));
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
            let text = session.outgoing.iter().find(|(sent, _)| *sent == at).map(|(_, text)| *text);
            if let (Some(text), Some(slot)) = (text, &mut session.slots[at])
                && slot.texts.last().is_none_or(|(last, _)| *last != version)
            {
                slot.texts.push((version, text));
            }
        }
        for (slot, version) in outcome.confirmed {
            self.confirm_slot(s, slot as usize, version as u8, node)?;
        }
        let session = &mut self.sessions[s];
        if outcome.next == Next::NotSaved && readable.is_some_and(|before| before != session.saves.readable()) {
            return Err("a refused save changes what is known".into());
        }
        match outcome.next {
            Next::Read => session.stage = Stage::Reads,
            Next::Plan => self.send(s, configuration)?,
            Next::Done => self.finish(s)?,
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
        let sent = session.outgoing.iter().find(|(sent, _)| *sent == at && current).map(|(_, text)| *text);
        let Some(slot) = &mut session.slots[at] else { return Ok(()) };
        let kept = slot.texts.iter().find(|(known, _)| *known == version).map(|(_, text)| *text);
        let Some(text) = kept.or(sent) else { return Err("the text of a version was not kept".into()) };
        if text.real & !ever != 0 {
            return Err(format!("changes {:#b} are reported as saved, but were never written", text.real & !ever));
        }
        slot.snapshot = Some(text);
        slot.vector = found.map(|found| found.vector);
        slot.texts.clear();
        Ok(())
    }

    /// Applies the response's results.
    fn take_over(&mut self, s: usize, results: &Results) {
        let session = &mut self.sessions[s];
        for (at, id, vector) in &results.puts {
            let text = session.outgoing.iter().find(|(sent, _)| sent == at).map(|(_, text)| *text);
            if let (Some(slot), Some(text)) = (&mut session.slots[*at], text) {
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
    fn finish(&mut self, s: usize) -> Kept {
        for at in 0..self.sessions[s].slots.len() {
            let Some(slot) = &self.sessions[s].slots[at] else { continue };
            if slot.deleted {
                if slot.sent && !slot.delete_executed {
                    return Err(format!("a deletion of slot {at} is reported as saved, but was never carried out"));
                }
                self.drop_slot(s, at);
            }
        }
        let session = &mut self.sessions[s];
        session.deferred.drain(..session.patches.min(session.deferred.len()));
        session.patches = 0;
        session.end();
        session.stage = Stage::Idle;
        Ok(())
    }

    /// The same, but without the server's results.
    fn finish_waited(&mut self, s: usize, node: usize, configuration: &Configuration) -> Kept {
        for (at, text) in self.sessions[s].outgoing.clone() {
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
        for (id, _) in &session.deferred[..session.patches.min(session.deferred.len())] {
            let found = self.server.nodes[node][*id as usize];
            let patched = session.slots.iter_mut().flatten().find(|slot| slot.id == Some(*id));
            if let (Some(slot), Some(found)) = (patched, found) {
                slot.follow(found.content, found.vector);
            }
        }
        self.finish(s)
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
        self.outgoing.clear();
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
