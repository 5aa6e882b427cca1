//! The small world: clients, RavenDB's end of the connection, and what the hub's shell does.

use super::super::effect::{Effect, Limits, ListenerId, SocketId, WatchId};
use super::super::fan_out::FanOut;
use super::Budget;
use std::collections::VecDeque;

pub(super) const CLIENTS: usize = 2;
pub(super) const TEXTS: usize = 2;
/// The number of commands that end a watch. Clients use the number of a command that begins one only once.
pub(super) const UNWATCH: u64 = 0;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Got {
    Confirm(u64),
    Changes(Vec<usize>),
    Resync,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Watching {
    #[default]
    No,
    Asked,
    Confirmed,
}

/// A client of the hub; it leaves when its connection ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Client {
    pub(super) id: Option<ListenerId>,
    pub(super) is_here: bool,
    pub(super) watching: [Watching; TEXTS],
    /// The command that began each watch.
    pub(super) commands: [u64; TEXTS],
    pub(super) last_command: u64,
    /// What was changed since the client last read it.
    pub(super) stale: [bool; TEXTS],
    pub(super) inbox: VecDeque<(Got, bool)>,
    /// Acknowledgements on their way.
    pub(super) acknowledged: u8,
}

impl Client {
    /// What a command began to watch.
    pub(super) fn text_of(&self, command: u64) -> Option<usize> {
        (0..TEXTS).find(|text| self.watching[*text] != Watching::No && self.commands[*text] == command)
    }
}

/// RavenDB's end of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Connection {
    pub(super) socket: SocketId,
    pub(super) watched: [bool; TEXTS],
    pub(super) commands: VecDeque<(usize, WatchId, bool)>,
    pub(super) messages: VecDeque<Message>,
    /// Whether nothing passes any more, which the hub does not know.
    pub(super) is_dead: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Message {
    Confirm(WatchId),
    Changes(Vec<usize>),
}

#[derive(Clone, Hash)]
pub(super) struct World {
    pub(super) hub: FanOut,
    /// The numbers of the texts, as the shell gives them.
    pub(super) ids: [Option<WatchId>; TEXTS],
    pub(super) next_watch: WatchId,
    pub(super) next_listener: ListenerId,
    pub(super) connecting: Option<SocketId>,
    pub(super) connection: Option<Connection>,
    pub(super) clients: [Client; CLIENTS],
    pub(super) budget: Budget,
}

impl World {
    pub(super) fn perform(&mut self, effects: Vec<Effect>, changes: &[usize]) -> Result<(), String> {
        effects.into_iter().try_for_each(|effect| self.perform_one(effect, changes))
    }

    pub(super) fn perform_one(&mut self, effect: Effect, changes: &[usize]) -> Result<(), String> {
        match effect {
            Effect::Connect(socket) => {
                if self.connecting.is_some() || self.connection.is_some() {
                    return Err("a second connection to RavenDB".into());
                }
                self.connecting = Some(socket);
            }
            Effect::Disconnect(socket) => {
                self.connecting = self.connecting.filter(|other| *other != socket);
                self.connection = self.connection.take().filter(|other| other.socket != socket);
            }
            Effect::Watch { socket, watch, begins } => {
                let text = self.ids.iter().position(|id| *id == Some(watch)).ok_or("a watch of nothing")?;
                let connection = self.connection.as_mut().filter(|connection| connection.socket == socket);
                connection.ok_or("a command without a connection")?.commands.push_back((text, watch, begins));
            }
            Effect::Accept(id) => self.client(id)?.is_here = true,
            Effect::Refuse(id) | Effect::Drop(id) => *self.client(id)? = Client::default(),
            Effect::Confirm { listener, command, asks } => {
                let client = self.client(listener)?;
                client.inbox.push_back((Got::Confirm(command), asks));
                let Some(text) = client.text_of(command) else { return Ok(()) };
                let connection = self.connection.as_ref().ok_or("a confirmation without a connection")?;
                if !connection.watched[text] {
                    return Err("a confirmation of what RavenDB does not notify".into());
                }
            }
            Effect::Deliver { listener, changes: places, asks } => {
                let texts: Vec<_> = places.into_iter().map(|place| changes[place as usize]).collect();
                let client = self.client(listener)?;
                if texts.iter().any(|text| client.watching[*text] == Watching::No) {
                    return Err("a change of what the client does not watch".into());
                }
                client.inbox.push_back((Got::Changes(texts), asks));
            }
            Effect::Resync { listener, asks } => self.client(listener)?.inbox.push_back((Got::Resync, asks)),
            Effect::Forget(watch) => {
                let id = self.ids.iter_mut().find(|id| **id == Some(watch)).ok_or("a watch is forgotten twice")?;
                *id = None;
            }
        }
        Ok(())
    }

    pub(super) fn client(&mut self, id: ListenerId) -> Result<&mut Client, String> {
        self.clients.iter_mut().find(|client| client.id == Some(id)).ok_or_else(|| "nobody has this number".into())
    }

    pub(super) fn watch_id(&mut self, text: usize) -> WatchId {
        *self.ids[text].get_or_insert_with(|| {
            self.next_watch += 1;
            self.next_watch
        })
    }

    /// Whether the hub and RavenDB have nothing to do for each other.
    pub(super) fn is_calm(&self) -> bool {
        let quiet = |connection: &Connection| {
            !connection.is_dead && connection.commands.is_empty() && connection.messages.is_empty()
        };
        self.connection.as_ref().is_some_and(quiet)
    }
}

/// The hub begins again with what its connections have stored.
pub(super) fn evict(world: &mut World, limits: Limits) -> Result<(), String> {
    world.budget.evictions -= 1;
    (world.connection, world.connecting) = (None, None);
    world.hub = FanOut::new(limits);
    world.ids = [None; TEXTS];
    for at in 0..CLIENTS {
        let Client { id: Some(id), is_here, watching, .. } = world.clients[at] else { continue };
        if !is_here {
            // Its request was in the memory that was lost.
            world.clients[at] = Client::default();
            continue;
        }
        let texts = (0..TEXTS).filter(|text| watching[*text] != Watching::No);
        let watches: Vec<_> = texts.map(|text| (world.clients[at].commands[text], world.watch_id(text))).collect();
        let effects = world.hub.restore(id, &watches);
        world.perform(effects, &[])?;
    }
    Ok(())
}
