//! The possible steps.

use crate::configurations::Configuration;
use crate::merging::Choice;
use crate::network::{Message, Request, Response};
use crate::server::Node;
use crate::shell::{Tab, Writes};
use crate::world::{Kept, World};
use raven_edge::offline::{Event, State};
use raven_edge::protocol::pause;

/// A step. Numbers in pairs are a device and a user (whose tab it is), or a device and a tab.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// The app queues its next change.
    Queue((u8, u8)),
    /// A tab drains the queue of a user, with a preferred node.
    Drain(Tab, u8, u8),
    /// A tab dies after the transaction of a drain, before it sends.
    DrainDies(Tab, u8, u8),
    /// The server executes a request.
    Execute(usize),
    /// The server refuses a request, whatever its conditions.
    Refuse(usize),
    /// A response arrives, and its transaction is complete.
    Receive(usize),
    /// A node reads documents or the receipt.
    Read(usize),
    /// A device finds a sharded database when it reads its receipt for the first time.
    Sharded(usize),
    /// The tab dies, or waits no longer. Its requests may still arrive.
    Abandon(Tab),
    /// A batch is duplicated on its way.
    Copy(usize),
    Resolve((u8, u8), u32, Choice),
    Discard((u8, u8), u32),
    Retry((u8, u8), u32),
    Resume((u8, u8)),
    Clear((u8, u8)),
    Pause((u8, u8)),
    /// A read of documents was refused because the user is not signed in.
    NotSignedIn((u8, u8)),
    /// A page opens, perhaps with other credentials.
    Opens((u8, u8)),
    SignIn(u8, u8),
    /// Another writer adds to a document, deletes it, or creates it.
    Add(u8),
    Remove(u8),
    Create(u8),
    Replicate,
    Clone,
    Backup,
    Restore,
    Recreate,
}

impl World {
    pub(crate) fn steps(&self, configuration: &Configuration) -> Vec<Step> {
        let mut out = Vec::new();
        let lags = self.server.nodes[0] != self.server.nodes[1];
        let nodes = if configuration.lags { 2 } else { 1 };
        for d in 0..self.devices.len() as u8 {
            for u in 0..configuration.scripts.len() as u8 {
                self.steps_of_app((d, u), configuration, &mut out);
            }
            for tab in 0..configuration.tabs {
                self.steps_of_tab((d, tab), nodes, configuration, &mut out);
            }
        }
        for (at, message) in self.network.iter().enumerate() {
            match (&message.request, &message.response) {
                (Request::Batch(_), None) => {
                    out.push(Step::Execute(at));
                    if self.budget.refused > 0 && message.by.is_some() {
                        out.push(Step::Refuse(at));
                    }
                    if self.budget.copies > 0 && message.by.is_some() {
                        out.push(Step::Copy(at));
                    }
                }
                (_, Some(_)) => out.push(Step::Receive(at)),
                (Request::Receipt { .. } | Request::Fetch { .. }, None) => {
                    out.push(Step::Read(at));
                    if self.budget.shards > 0 && matches!(message.request, Request::Receipt { .. }) {
                        out.push(Step::Sharded(at));
                    }
                }
            }
        }
        if lags {
            out.push(Step::Replicate);
        }
        let others = (0..configuration.documents).flat_map(|document| {
            let there = self.server.nodes[0].documents[document as usize].is_some();
            let existed = document < configuration.existing;
            [
                (there && self.budget.adds > 0, Step::Add(document)),
                (there && self.budget.removes > 0, Step::Remove(document)),
                (!there && !existed && self.budget.creates > 0, Step::Create(document)),
            ]
        });
        out.extend(others.filter_map(|(may, step)| may.then_some(step)));
        let disasters = [
            (self.budget.clones, Step::Clone),
            (self.budget.backups, Step::Backup),
            (self.budget.recreates, Step::Recreate),
            (u8::from(self.server.backup.is_some()), Step::Restore),
        ];
        out.extend(disasters.into_iter().filter_map(|(left, step)| (left > 0).then_some(step)));
        out
    }

    fn steps_of_app(&self, of: (u8, u8), configuration: &Configuration, out: &mut Vec<Step>) {
        let (d, u) = of;
        let device = &self.devices[d as usize];
        let store = &device.stores[u as usize];
        if (store.taken as usize) < configuration.scripts[u as usize].len() {
            out.push(Step::Queue(of));
        }
        if store.queue.paused() > 0 {
            out.push(Step::Resume(of));
        }
        if store.queue.paused() & pause::AUTH > 0 {
            out.push(Step::Opens(of));
        }
        if self.budget.sign_ins > 0 && device.signed_in != u {
            out.push(Step::SignIn(d, u));
        }
        if self.budget.clears > 0 && !store.texts.is_empty() {
            out.push(Step::Clear(of));
        }
        if self.budget.pauses > 0 && store.queue.paused() == 0 {
            out.extend([Step::Pause(of), Step::NotSignedIn(of)]);
        }
        for change in store.queue.changes() {
            if self.budget.discards > 0 && !change.discarded {
                out.push(Step::Discard(of, change.number));
            }
            match change.state {
                State::Conflict => {
                    let is_new = store.texts.iter().any(|text| {
                        text.change == change.number
                            && text.parts.iter().any(|part| part.base.is_none() && part.theirs.is_some())
                    });
                    let mine = if is_new { Choice::Rename } else { Choice::Mine };
                    let choices = [mine, Choice::Theirs, Choice::Merged].into_iter();
                    out.extend(choices.map(|choice| Step::Resolve(of, change.number, choice)));
                }
                State::Parked if self.budget.retries > 0 => out.push(Step::Retry(of, change.number)),
                _ => {}
            }
        }
    }

    fn steps_of_tab(&self, tab: Tab, nodes: u8, configuration: &Configuration, out: &mut Vec<Step>) {
        if self.network.iter().any(|message| message.by == Some(tab)) {
            if self.budget.lost > 0 {
                out.push(Step::Abandon(tab));
            }
            return;
        }
        for owner in 0..configuration.scripts.len() as u8 {
            let mine = configuration.users_of_tabs() || owner == tab.1;
            let store = &self.devices[tab.0 as usize].stores[owner as usize];
            if !mine || store.texts.is_empty() && store.queue.flight().is_none() || store.queue.paused() > 0 {
                continue;
            }
            for node in 0..nodes {
                out.push(Step::Drain(tab, owner, node));
                if self.budget.deaths > 0 {
                    out.push(Step::DrainDies(tab, owner, node));
                }
            }
        }
    }

    pub(crate) fn take(&mut self, step: Step, configuration: &Configuration) -> Kept {
        let spend = |of: &mut u8| *of = of.saturating_sub(1);
        match step {
            Step::Queue(of) => self.queue(of, configuration)?,
            Step::Drain(tab, owner, node) => self.drain(tab, owner, node, false, configuration)?,
            Step::DrainDies(tab, owner, node) => {
                spend(&mut self.budget.deaths);
                self.drain(tab, owner, node, true, configuration)?;
            }
            Step::Execute(at) => {
                let Request::Batch(batch) = self.network[at].request.clone() else { return Ok(()) };
                let response = self.execute(&batch)?;
                let message = &mut self.network[at];
                // The gateway refuses a foreign user before it asks the server.
                message.incarnation = if response == Response::Unauthorized { 0 } else { self.server.incarnation };
                message.response = Some(response);
            }
            Step::Refuse(at) => {
                spend(&mut self.budget.refused);
                self.network[at].response = Some(Response::Refused);
                self.network[at].incarnation = self.server.incarnation;
            }
            Step::Receive(at) => self.receive(at, configuration)?,
            Step::Read(at) => self.read(at, configuration)?,
            Step::Sharded(at) => {
                spend(&mut self.budget.shards);
                let Message { by, owner, .. } = self.network.remove(at);
                if let Some((d, _)) = by {
                    self.report((d, owner), Event::Sharded, Writes::Nothing, configuration)?;
                }
            }
            Step::Abandon(tab) => {
                spend(&mut self.budget.lost);
                self.abandon(tab);
            }
            Step::Copy(at) => {
                spend(&mut self.budget.copies);
                let mut copy = self.network[at].clone();
                copy.by = None;
                self.network.push(copy);
            }
            Step::Resolve(of, change, choice) => self.resolve(of, change, choice, configuration)?,
            Step::Discard(of, change) => {
                spend(&mut self.budget.discards);
                // Later changes of the document miss it on the server.
                self.disturbed = true;
                self.report(of, Event::Discard(change), Writes::Nothing, configuration)?;
            }
            Step::Retry(of, change) => {
                spend(&mut self.budget.retries);
                self.report(of, Event::Retry(change), Writes::Nothing, configuration)?;
            }
            Step::Resume(of) => self.resume(of, configuration)?,
            Step::Clear(of) => {
                spend(&mut self.budget.clears);
                // What was in flight is from now on like a request of another writer.
                self.disturbed = true;
                self.report(of, Event::Clear, Writes::Nothing, configuration)?;
            }
            Step::Pause(of) => {
                spend(&mut self.budget.pauses);
                self.report(of, Event::Pause, Writes::Nothing, configuration)?;
            }
            Step::NotSignedIn(of) => {
                spend(&mut self.budget.pauses);
                self.report(of, Event::NotSignedIn, Writes::Nothing, configuration)?;
            }
            Step::Opens(of) => {
                self.report(of, Event::SignedIn, Writes::Nothing, configuration)?;
            }
            Step::SignIn(d, u) => {
                spend(&mut self.budget.sign_ins);
                self.devices[d as usize].signed_in = u;
            }
            Step::Add(document) => {
                spend(&mut self.budget.adds);
                self.disturbed = true;
                let mark = self.foreign_mark();
                let old = self.server.nodes[0].documents[document as usize].map_or(0, |stored| stored.marks);
                self.server.write(document as usize, Some(old | mark));
            }
            Step::Remove(document) => {
                spend(&mut self.budget.removes);
                self.disturbed = true;
                self.server.write(document as usize, None);
            }
            Step::Create(document) => {
                spend(&mut self.budget.creates);
                self.disturbed = true;
                let mark = self.foreign_mark();
                self.server.write(document as usize, Some(mark));
            }
            Step::Replicate => self.server.replicate(),
            Step::Clone => {
                spend(&mut self.budget.clones);
                self.cloned = true;
                let copy = self.devices[0].clone();
                self.devices.push(copy);
            }
            Step::Backup => {
                spend(&mut self.budget.backups);
                self.server.backup = Some(self.server.nodes[0]);
            }
            Step::Restore => {
                if let Some(backup) = self.server.backup.take() {
                    self.server.replace(backup);
                }
            }
            Step::Recreate => {
                spend(&mut self.budget.recreates);
                self.server.replace(Node::default());
            }
        }
        self.normalise();
        self.laws()
    }

    /// The app resumes the queue.
    pub(crate) fn resume(&mut self, (d, u): (u8, u8), configuration: &Configuration) -> Kept {
        self.report((d, u), Event::Resume, Writes::Nothing, configuration).map(drop)
    }
}
