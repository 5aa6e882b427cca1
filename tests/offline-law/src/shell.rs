//! The shell around the core, like `pkg/src/offline`: transactions, requests, and merges of documents that were read.

use crate::configurations::Configuration;
use crate::network::{Batch, Command, Message, Request, Response, When};
use crate::shell_variants::ShellVariant;
use crate::world::{Kept, PartText, Store, Text, World};
use raven_edge::offline::{Action, Change, Effect, Event, Expects, Found, Outcome, Part, Queue, Receipt, Stamp, State};

/// What the transaction of an event writes beside what the core decides.
#[derive(Clone, Debug)]
pub(crate) enum Writes {
    Nothing,
    /// The texts of a new change.
    New(Text),
    /// The change vectors of a response: the receipt's, and those of documents.
    Vectors(u8, Vec<(u8, u8)>),
    /// The texts of a change that was made anew.
    Remade(Text),
}

/// A tab: its device, its number, which is its user.
pub(crate) type Tab = (u8, u8);

impl World {
    /// Handles an event in a strict transaction on what the device has stored for a user, and returns what to do after it.
    pub(crate) fn report(
        &mut self,
        (d, u): (u8, u8),
        event: Event<'_>,
        writes: Writes,
        configuration: &Configuration,
    ) -> Result<Vec<Effect>, String> {
        let (disaster, disturbed) = (self.is_disaster(), self.disturbed);
        let settles = matches!(event, Event::Outcome { .. } | Event::Receipt { .. });
        let store = &mut self.devices[d as usize].stores[u as usize];
        let unsure = store.queue.changes().iter().filter(|change| change.state == State::Unsure);
        let unsure: Vec<u32> = unsure.map(|change| change.number).collect();
        if let Event::Discard(change) = event {
            store.mark_corrections(change);
        }
        let reply = store.queue.on(event);
        if !reply.accepted {
            return Ok(Vec::new());
        }
        if let Event::Outcome { incarnation, .. } | Event::Receipt { incarnation, .. } | Event::Incarnation(incarnation) =
            event
            && incarnation > 0
        {
            store.seen_incarnation = incarnation as u8;
        }
        if event == Event::Resume {
            // The app has accepted what the queue knows now.
            store.seen_incarnation = store.queue.incarnation().max(1) as u8;
        }
        if let Writes::Remade(text) = &writes {
            store.texts.iter_mut().filter(|old| old.change == text.change).for_each(|old| *old = text.clone());
        }
        let mut removed = Vec::new();
        for effect in &reply.effects {
            match effect {
                Effect::Added(change) => {
                    if let Writes::New(text) = &writes {
                        store.queued |= text.mark;
                        store.texts.push(Text { change: *change, ..text.clone() });
                    }
                }
                Effect::Remove(change) => {
                    let gone = store.texts.iter().find(|text| text.change == *change);
                    removed.extend(gone.map(|text| (*change, text.mark)));
                    store.texts.retain(|text| text.change != *change);
                }
                Effect::Pass { to, document, .. } => {
                    let Writes::Vectors(_, results) = &writes else { return Err("nothing to pass on".into()) };
                    let id = (document - 1) as u8;
                    let vector = results.iter().find(|(document, _)| *document == id).map_or(0, |(_, vector)| *vector);
                    let part = store.texts.iter_mut().find(|text| text.change == *to);
                    if let Some(part) = part.and_then(|text| text.parts.iter_mut().find(|part| part.document == id))
                        && configuration.shell_variant != Some(ShellVariant::VectorNotStored)
                    {
                        part.vector = vector;
                    }
                }
                Effect::Inherit { from, to, document } => {
                    let id = (document - 1) as u8;
                    let part = |of: u32| {
                        let text = store.texts.iter().position(|text| text.change == of)?;
                        Some((text, store.texts[text].parts.iter().position(|part| part.document == id)?))
                    };
                    if let (Some((a, b)), Some((c, d))) = (part(*from), part(*to)) {
                        let PartText { base, vector, seen, .. } = store.texts[a].parts[b];
                        let follower = &mut store.texts[c].parts[d];
                        (follower.base, follower.vector, follower.seen) = (base, vector, seen);
                    }
                }
                Effect::Rename { change, document, to } => {
                    let text = store.texts.iter_mut().find(|text| text.change == *change);
                    let (from, to) = ((document - 1) as u8, (to - 1) as u8);
                    text.into_iter().flat_map(|text| &mut text.parts).for_each(|part| {
                        if part.document == from {
                            part.document = to;
                        }
                    });
                }
                Effect::KeepVector => {
                    if let Writes::Vectors(vector, _) = writes {
                        store.vector = vector;
                    }
                }
                Effect::NewReceipt => {
                    store.receipt = self.receipts;
                    store.vector = 0;
                    self.receipts += 1;
                }
                Effect::Saved { change, .. } => {
                    let mark = removed.iter().find(|(number, _)| number == change).map_or(0, |(_, mark)| *mark);
                    if settles && self.server.ever & mark == 0 {
                        return Err(format!("change {change} is reported as saved, but it is not"));
                    }
                    store.told |= mark;
                }
                Effect::Discarded(change) => {
                    let mark = removed.iter().find(|(number, _)| number == change).map_or(0, |(_, mark)| *mark);
                    store.told |= mark;
                    if !matches!(event, Event::Clear) && !unsure.contains(change) {
                        store.given_up |= mark;
                    }
                }
                Effect::Unsure(change) if !disaster && !matches!(event, Event::Clear) => {
                    return Err(format!(
                        "the outcome of change {change} is reported as unknown, but nothing has gone back"
                    ));
                }
                // What an own patch has made of a document before its delete is for the app to see.
                Effect::Conflict(change) if !disaster && !disturbed && !deletes_unseen(&store.queue, *change) => {
                    return Err(format!("change {change} conflicts with the device's own changes"));
                }
                _ => {}
            }
        }
        self.restart((d, u), configuration)?;
        Ok(reply.effects)
    }

    /// What is not durable does not count: the queue is read back from its records.
    fn restart(&mut self, (d, u): (u8, u8), configuration: &Configuration) -> Kept {
        let store = &mut self.devices[d as usize].stores[u as usize];
        let records: Vec<Vec<u32>> = store.queue.changes().iter().map(Change::record).collect();
        let restored = Queue::restore(99, &store.queue.record(), records.iter().map(Vec::as_slice));
        if restored.damage.queue || !restored.damage.changes.is_empty() {
            return Err("records cannot be read back".into());
        }
        store.queue = restored.queue.with_variant(configuration.variant);
        Ok(())
    }

    /// A tab drains a queue and acts on the effects. `dies`: it dies before it can.
    pub(crate) fn drain(&mut self, tab: Tab, owner: u8, node: u8, dies: bool, configuration: &Configuration) -> Kept {
        let (d, user) = tab;
        let id = self.ids + 1;
        let (changes, bytes) = (configuration.batch, 1000);
        let event = Event::Drain { user: u32::from(user), node: u32::from(node), id, changes, bytes };
        let before = self.devices[d as usize].stores[owner as usize].clone();
        let effects = self.report((d, owner), event, Writes::Nothing, configuration)?;
        let store = &self.devices[d as usize].stores[owner as usize];
        if store.queue.ids().any(|used| used == id) {
            self.ids = id;
        }
        let early = dies && configuration.shell_variant == Some(ShellVariant::SentBeforeSealed);
        if !dies || early {
            self.act(tab, owner, &effects, configuration)?;
        }
        if early {
            self.devices[d as usize].stores[owner as usize] = before;
            self.abandon(tab);
        }
        Ok(())
    }

    /// The tab dies, or its requests time out.
    pub(crate) fn abandon(&mut self, tab: Tab) {
        self.network.iter_mut().filter(|message| message.by == Some(tab)).for_each(|message| message.by = None);
    }

    /// Acts on effects after the transaction is complete.
    fn act(&mut self, tab: Tab, owner: u8, effects: &[Effect], configuration: &Configuration) -> Kept {
        for effect in effects {
            let request = match effect {
                Effect::Send { number, id, node, fence } => {
                    let batch = self.batch(tab, owner, (*number, *id), *node as u8, *fence)?;
                    self.assert_one_text(&batch)?;
                    if configuration.shell_variant == Some(ShellVariant::RemovedBeforeResponse) && !fence {
                        let event = Event::Outcome { number: *number, outcome: Outcome::Applied, incarnation: 0 };
                        let results = batch.commands.iter().map(|command| (command.document, 0)).collect();
                        self.report((tab.0, owner), event, Writes::Vectors(0, results), configuration)?;
                    }
                    Request::Batch(batch)
                }
                Effect::ReadReceipt { number, node } => Request::Receipt { number: *number, node: *node as u8 },
                Effect::Fetch { change, node } => {
                    let store = &self.devices[tab.0 as usize].stores[owner as usize];
                    let version = store.queue.change(*change).map_or(0, |change| change.version);
                    Request::Fetch { change: *change, version, node: *node as u8 }
                }
                _ => continue,
            };
            self.network.push(Message { by: Some(tab), owner, request, response: None, incarnation: 0 });
        }
        Ok(())
    }

    /// Invariant: a device never uses a number for another text.
    fn assert_one_text(&self, batch: &Batch) -> Kept {
        let differs = |message: &Message| match &message.request {
            Request::Batch(other) => {
                let same = (other.device, other.receipt, other.number) == (batch.device, batch.receipt, batch.number);
                same && (other.id, other.expects, &other.commands) != (batch.id, batch.expects, &batch.commands)
            }
            _ => false,
        };
        if self.network.iter().any(differs) {
            return Err(format!("number {} is used for two texts", batch.number));
        }
        Ok(())
    }

    /// The text of a batch.
    fn batch(&self, tab: Tab, owner: u8, (number, id): (u32, u32), node: u8, fence: bool) -> Result<Batch, String> {
        let device = &self.devices[tab.0 as usize];
        let store = &device.stores[owner as usize];
        if store.queue.incarnation() != 0 && store.queue.incarnation() != u32::from(store.seen_incarnation) {
            return Err("a batch is sent to a database that the app has not accepted".into());
        }
        let expects = match store.queue.receipt() {
            Receipt::Known => Some(store.vector),
            Receipt::Absent => None,
            Receipt::Unread => return Err("a batch is sent although the receipt was not read".into()),
        };
        let flight = store.queue.flight().ok_or("nothing is sealed")?;
        let members = if fence { &[][..] } else { &flight.members[..] };
        let mut commands = Vec::new();
        for number in members {
            let change = store.queue.change(*number).ok_or("a member is missing")?;
            let text = store.texts.iter().find(|text| text.change == *number).ok_or("a text is missing")?;
            for part in &change.parts {
                let id = (part.document - 1) as u8;
                let kept = text.parts.iter().find(|part| part.document == id).ok_or("a part is missing")?;
                let when = match part.expects {
                    Expects::Any => When::Any,
                    Expects::Absent => When::Absent,
                    Expects::Known => When::Vector(kept.vector),
                    Expects::Previous | Expects::Stale { .. } => return Err("a part is sent too early".into()),
                };
                commands.push(Command {
                    document: id,
                    action: part.action,
                    when,
                    text: kept.text.unwrap_or(0),
                    mark: text.mark,
                    owner,
                    decided: kept.decided,
                    seen: kept.base.unwrap_or(0) | kept.seen,
                    revives: kept.base.is_some() && !kept.revived && part.action == Action::Put,
                });
            }
        }
        let (receipt, cookie) = (store.receipt, device.signed_in);
        Ok(Batch { device: tab.0, user: tab.1, cookie, node, number, id, receipt, expects, commands })
    }

    /// A response to a batch arrives.
    pub(crate) fn receive(&mut self, at: usize, configuration: &Configuration) -> Kept {
        let message = self.network.remove(at);
        if !matches!(message.request, Request::Batch(_)) {
            return self.receive_read(message, configuration);
        }
        let Message { by, owner, request, response, incarnation } = message;
        let (Some(tab), Request::Batch(batch), Some(response)) = (by, request, response) else { return Ok(()) };
        let mut writes = Writes::Nothing;
        let outcome = match response {
            Response::Applied { receipt, results } => {
                writes = Writes::Vectors(receipt, results);
                Outcome::Applied
            }
            Response::ReceiptConflict => Outcome::ReceiptConflict,
            Response::Conflict(document) if configuration.named => Outcome::Conflict(u32::from(document) + 1),
            Response::Conflict(_) => Outcome::Conflict(0),
            Response::Refused => Outcome::Refused,
            Response::Unauthorized => Outcome::Unauthorized,
            Response::Receipt(_) | Response::Documents(_) => Outcome::Again,
        };
        let event = Event::Outcome { number: batch.number, outcome, incarnation: u32::from(incarnation) };
        let effects = self.report((tab.0, owner), event, writes, configuration)?;
        self.act(tab, owner, &effects, configuration)
    }

    /// A node reads documents or the receipt.
    pub(crate) fn read(&mut self, at: usize, configuration: &Configuration) -> Kept {
        let message = &mut self.network[at];
        let Some(tab) = message.by else { return Ok(()) };
        message.incarnation = self.server.incarnation;
        message.response = match message.request {
            Request::Batch(_) => return Ok(()),
            Request::Receipt { node, .. } => {
                let receipt = self.devices[tab.0 as usize].stores[message.owner as usize].receipt;
                Some(Response::Receipt(self.server.nodes[node as usize].receipts[receipt as usize]))
            }
            Request::Fetch { node, .. } => Some(Response::Documents(self.server.nodes[node as usize].documents)),
        };
        if configuration.late_reads { Ok(()) } else { self.receive(at, configuration) }
    }

    /// What was read is handled.
    fn receive_read(&mut self, message: Message, configuration: &Configuration) -> Kept {
        let Message { by, owner, request, response, incarnation } = message;
        let Some(tab) = by else { return Ok(()) };
        let of = (tab.0, owner);
        match (request, response) {
            (Request::Receipt { number, node }, Some(Response::Receipt(signed))) => {
                let store = &self.devices[tab.0 as usize].stores[owner as usize];
                let known = |id: u32| store.queue.receipt() == Receipt::Unread || store.queue.ids().any(|of| of == id);
                let found = signed.map(|signed| Found {
                    stamp: Stamp { last: signed.last, id: if known(signed.id) { signed.id } else { 0 } },
                    current: signed.vector == store.vector,
                });
                let writes = Writes::Vectors(signed.map_or(0, |signed| signed.vector), Vec::new());
                let (node, incarnation) = (u32::from(node), u32::from(incarnation));
                let event = Event::Receipt { number, node, found, incarnation };
                let effects = self.report(of, event, writes, configuration)?;
                self.act(tab, owner, &effects, configuration)
            }
            (Request::Fetch { change, version, .. }, Some(Response::Documents(documents))) => {
                let event = Event::Incarnation(u32::from(incarnation));
                self.report(of, event, Writes::Nothing, configuration)?;
                self.remake(of, (change, version), &documents, configuration)
            }
            _ => Ok(()),
        }
    }
}

impl Store {
    /// The parts that were made from the text of a change that is refused.
    fn mark_corrections(&mut self, refused: u32) {
        let Some(change) = self.queue.change(refused).filter(|change| change.state == State::Parked) else { return };
        for part in change.parts.iter().filter(|part| part.action == Action::Put) {
            let later = self.queue.changes().iter().filter(|change| change.number > refused);
            let next = later.filter_map(|change| Some((change.number, change.part(part.document)?))).next();
            let Some((number, _)) = next.filter(|(_, next)| next.continues && next.action == Action::Put) else {
                continue;
            };
            let text = self.texts.iter_mut().find(|text| text.change == number);
            let parts = text.into_iter().flat_map(|text| &mut text.parts);
            parts.filter(|own| u32::from(own.document) + 1 == part.document).for_each(|own| own.corrects = true);
        }
    }
}

/// Whether a change deletes a document whose content is unknown because of an own change.
fn deletes_unseen(queue: &Queue, change: u32) -> bool {
    let unseen = |part: &Part| part.action == Action::Delete && part.expects == Expects::Stale { conflict: false };
    queue.change(change).is_some_and(|change| change.parts.iter().any(unseen))
}
