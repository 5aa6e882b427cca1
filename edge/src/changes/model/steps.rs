//! What can happen in the small world, and what must hold after each step.

use super::super::fan_out::FanOut;
use super::Small;
use super::world::{Connection, Got, Message, TEXTS, UNWATCH, Watching, World, evict};
use foldhash::quality::FixedState;
use raven_edge_checker::Model;
use std::collections::VecDeque;
use std::hash::BuildHasher;

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Join(usize),
    Leave(usize),
    Watch(usize, usize),
    Unwatch(usize, usize),
    /// The client handles its next message.
    Read(usize),
    /// The hub gets an acknowledgement.
    Acknowledge(usize),
    /// RavenDB accepts the connection.
    Open,
    /// RavenDB does not accept the connection, or an open connection is lost.
    Lose,
    /// Nothing passes through the connection any more.
    Die,
    /// RavenDB handles the next command.
    Command,
    /// The hub gets RavenDB's next message.
    Hear,
    /// Something changes that one watched text is about, or (`TEXTS`) all of them.
    Change(usize),
    Tick,
    /// The hub's memory is lost; the connections of clients are not.
    Evict,
}

impl Model for Small {
    type State = World;
    type Step = Step;

    fn first(&self) -> World {
        World {
            hub: FanOut::new(self.limits),
            ids: [None; TEXTS],
            next_watch: 0,
            next_listener: 0,
            connecting: None,
            connection: None,
            clients: Default::default(),
            budget: self.budget,
        }
    }

    fn steps(&self, world: &World) -> Vec<Step> {
        let mut steps = vec![];
        let budget = &world.budget;
        for (at, client) in world.clients.iter().enumerate() {
            steps.extend((client.id.is_none() && budget.joins > 0).then_some(Step::Join(at)));
            steps.extend(client.id.is_some().then_some(Step::Leave(at)));
            steps.extend((!client.inbox.is_empty()).then_some(Step::Read(at)));
            steps.extend((client.acknowledged > 0).then_some(Step::Acknowledge(at)));
            for (text, watching) in client.watching.iter().enumerate().filter(|_| client.is_here) {
                steps.extend((*watching == Watching::No && budget.watches > 0).then_some(Step::Watch(at, text)));
                steps.extend((*watching != Watching::No && budget.unwatches > 0).then_some(Step::Unwatch(at, text)));
            }
        }
        steps.extend(world.connecting.map(|_| Step::Open));
        let can_be_lost = world.connecting.is_some() || world.connection.is_some();
        steps.extend((can_be_lost && budget.losses > 0).then_some(Step::Lose));
        if let Some(connection) = world.connection.as_ref().filter(|connection| !connection.is_dead) {
            steps.extend((budget.deaths > 0).then_some(Step::Die));
            steps.extend((!connection.commands.is_empty()).then_some(Step::Command));
            steps.extend((!connection.messages.is_empty()).then_some(Step::Hear));
        }
        if budget.changes > 0 {
            steps.extend((0..=TEXTS).map(Step::Change));
        }
        steps.extend((budget.ticks > 0 && world.hub.needs_ticks()).then_some(Step::Tick));
        let somebody = world.clients.iter().any(|client| client.is_here);
        steps.extend((budget.evictions > 0 && somebody).then_some(Step::Evict));
        steps
    }

    fn take(&self, world: &mut World, step: Step, trace: &mut Option<Vec<String>>) -> Result<(), String> {
        let mut changes = vec![];
        let effects = match step {
            Step::Join(at) => {
                world.budget.joins -= 1;
                world.next_listener += 1;
                world.clients[at].id = Some(world.next_listener);
                world.hub.join(world.next_listener)
            }
            Step::Leave(at) => match core::mem::take(&mut world.clients[at]).id {
                Some(id) => world.hub.leave(id),
                None => vec![],
            },
            Step::Watch(at, text) => {
                world.budget.watches -= 1;
                let watch = world.watch_id(text);
                let client = &mut world.clients[at];
                client.last_command += 1;
                client.watching[text] = Watching::Asked;
                client.commands[text] = client.last_command;
                world.hub.watch(client.id.unwrap_or_default(), client.last_command, watch)
            }
            Step::Unwatch(at, text) => {
                world.budget.unwatches -= 1;
                let client = &mut world.clients[at];
                client.watching[text] = Watching::No;
                client.stale[text] = false;
                world.hub.unwatch(client.id.unwrap_or_default(), UNWATCH, world.ids[text])
            }
            Step::Read(at) => {
                let client = &mut world.clients[at];
                let Some((got, asks)) = client.inbox.pop_front() else { return Ok(()) };
                client.acknowledged += u8::from(asks);
                match got {
                    // After a confirmation clients request what they watch, so they have the newest.
                    Got::Confirm(command) => {
                        if let Some(text) = client.text_of(command) {
                            client.watching[text] = Watching::Confirmed;
                            client.stale[text] = false;
                        }
                    }
                    Got::Changes(texts) => texts.into_iter().for_each(|text| client.stale[text] = false),
                    Got::Resync => client.stale = [false; TEXTS],
                }
                vec![]
            }
            Step::Acknowledge(at) => {
                world.clients[at].acknowledged -= 1;
                world.hub.acknowledge(world.clients[at].id.unwrap_or_default())
            }
            Step::Open => {
                let Some(socket) = world.connecting.take() else { return Ok(()) };
                let (commands, messages) = (VecDeque::new(), VecDeque::new());
                let watched = [false; TEXTS];
                world.connection = Some(Connection { socket, watched, commands, messages, is_dead: false });
                world.hub.opened(socket)
            }
            Step::Lose => {
                world.budget.losses -= 1;
                let open = world.connection.take().map(|connection| connection.socket);
                let Some(socket) = world.connecting.take().or(open) else { return Ok(()) };
                world.hub.lost(socket)
            }
            Step::Die => {
                world.budget.deaths -= 1;
                if let Some(connection) = &mut world.connection {
                    connection.is_dead = true;
                }
                vec![]
            }
            Step::Command => {
                let Some(connection) = &mut world.connection else { return Ok(()) };
                let Some((text, watch, begins)) = connection.commands.pop_front() else { return Ok(()) };
                connection.watched[text] = begins;
                connection.messages.extend(begins.then_some(Message::Confirm(watch)));
                vec![]
            }
            Step::Hear => {
                let Some(connection) = &mut world.connection else { return Ok(()) };
                let socket = connection.socket;
                match connection.messages.pop_front() {
                    Some(Message::Confirm(watch)) => world.hub.confirmed(socket, watch),
                    Some(Message::Changes(texts)) => {
                        let watches: Vec<_> =
                            texts.iter().map(|text| world.ids[*text].into_iter().collect::<Vec<_>>()).collect();
                        changes = texts;
                        world.hub.notified(socket, &watches)
                    }
                    None => vec![],
                }
            }
            Step::Change(text) => {
                world.budget.changes -= 1;
                let texts: Vec<_> = (0..TEXTS).filter(|other| [*other, TEXTS].contains(&text)).collect();
                for client in &mut world.clients {
                    for &text in texts.iter().filter(|text| client.watching[**text] == Watching::Confirmed) {
                        client.stale[text] = true;
                    }
                }
                if let Some(connection) = &mut world.connection {
                    let notified: Vec<_> = texts.into_iter().filter(|text| connection.watched[*text]).collect();
                    connection.messages.extend((!notified.is_empty()).then_some(Message::Changes(notified)));
                }
                vec![]
            }
            Step::Tick => {
                world.budget.ticks -= 1;
                world.hub.tick()
            }
            Step::Evict => return evict(world, self.limits),
        };
        if let Some(lines) = trace {
            lines.extend(effects.iter().map(|effect| format!("{effect:?}")));
        }
        world.perform(effects, &changes)
    }

    fn check(&self, world: &World) -> Result<(), String> {
        let is_needed = world.clients.iter().any(|client| client.id.is_some());
        if !is_needed && (world.connecting.is_some() || world.connection.is_some()) {
            return Err("a connection to RavenDB for nobody".into());
        }
        for client in &world.clients {
            let Some(id) = client.id else { continue };
            let most = 2 * self.limits.lag + 1;
            // A request to acknowledge may be alone in a message.
            if client.inbox.len() > most as usize + 1 {
                return Err(format!("{} messages wait for a client", client.inbox.len()));
            }
            let is_owed = world.hub.is_owed(id);
            let will_resync = is_owed || client.inbox.iter().any(|(got, _)| *got == Got::Resync);
            let asked = client.acknowledged > 0 || client.inbox.iter().any(|(_, asks)| *asks);
            if world.is_calm() && is_owed && !asked {
                return Err("a client is owed a resync, and nothing will bring it".into());
            }
            for text in (0..TEXTS).filter(|text| client.stale[*text] && !will_resync) {
                let is_notified = |(got, _): &(Got, bool)| match got {
                    Got::Changes(texts) => texts.contains(&text),
                    Got::Confirm(command) => client.text_of(*command) == Some(text),
                    Got::Resync => true,
                };
                let is_change = |message: &Message| matches!(message, Message::Changes(texts) if texts.contains(&text));
                let comes = world
                    .connection
                    .as_ref()
                    .is_some_and(|connection| connection.is_dead || connection.messages.iter().any(is_change));
                if !comes && !client.inbox.iter().any(is_notified) {
                    return Err("a client shows old results, and will not be notified".into());
                }
            }
        }
        Ok(())
    }

    fn fingerprint(&self, state: &World, hasher: &FixedState) -> u64 {
        hasher.hash_one(state)
    }
}
