//! All listeners, what they watch, and the connection to RavenDB.

use super::effect::{Effect, Limits, ListenerId, SocketId, WatchId};
use super::listener::{Listener, Passage};
use crate::prelude::*;
use alloc::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// Nobody listens.
    Idle,
    /// A connection was lost that had hardly begun: the next one is tried after a second.
    Pausing,
    Connecting,
    /// `proven`: RavenDB has sent something. `new`: in its first second.
    Open {
        proven: bool,
        new: bool,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Watch {
    listeners: BTreeSet<ListenerId>,
    confirmed: bool,
    /// Whether it began on an earlier connection and is not confirmed on this one.
    again: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FanOut {
    limits: Limits,
    listeners: BTreeMap<ListenerId, Listener>,
    watches: BTreeMap<WatchId, Watch>,
    phase: Phase,
    socket: SocketId,
    /// Seconds since RavenDB sent something, or since the attempt to connect began.
    silent: u32,
    /// Seconds until the next attempt is permitted.
    pause: u32,
}

impl FanOut {
    pub(super) const fn new(limits: Limits) -> Self {
        let listeners = BTreeMap::new();
        let watches = BTreeMap::new();
        Self { limits, listeners, watches, phase: Phase::Idle, socket: 0, silent: 0, pause: 0 }
    }

    /// Whether [`FanOut::tick`] is to be called every second.
    pub(super) fn needs_ticks(&self) -> bool {
        self.phase != Phase::Idle || self.pause > 0
    }

    /// Somebody wants to listen.
    pub(super) fn join(&mut self, id: ListenerId) -> Vec<Effect> {
        if self.phase == Phase::Idle && self.pause > 0 {
            return vec![Effect::Refuse(id)];
        }
        let accepted = self.is_open();
        self.listeners.insert(id, Listener::new(accepted));
        if accepted {
            return vec![Effect::Accept(id)];
        }
        if self.phase == Phase::Idle { self.connect() } else { vec![] }
    }

    /// A connection to the hub that began with an earlier instance, and the watches that it had or has asked for.
    pub(super) fn restore(&mut self, id: ListenerId, watches: &[(u64, WatchId)]) -> Vec<Effect> {
        let mut listener = Listener::restored();
        for &(command, watch) in watches {
            listener.watches.insert(watch);
            listener.pending.push((command, watch));
            let shared = self.watches.entry(watch).or_default();
            shared.listeners.insert(id);
            shared.again = true;
        }
        self.listeners.insert(id, listener);
        if self.phase == Phase::Idle { self.connect() } else { vec![] }
    }

    /// A connection to the hub was closed.
    pub(super) fn leave(&mut self, id: ListenerId) -> Vec<Effect> {
        let mut effects = vec![];
        self.remove(id, &mut effects);
        self.settle(&mut effects);
        effects
    }

    pub(super) fn watch(&mut self, id: ListenerId, command: u64, watch: WatchId) -> Vec<Effect> {
        let mut effects = vec![];
        let Some(listener) = self.listeners.get_mut(&id) else { return effects };
        listener.watches.insert(watch);
        let is_open = matches!(self.phase, Phase::Open { .. });
        let shared = self.watches.entry(watch).or_insert_with(|| {
            if is_open {
                effects.push(Effect::Watch { socket: self.socket, watch, begins: true });
            }
            Watch::default()
        });
        shared.listeners.insert(id);
        if shared.confirmed {
            self.confirm(id, command, &mut effects);
        } else {
            listener.pending.push((command, watch));
        }
        effects
    }

    /// `watch`: `None` if nobody watches it.
    pub(super) fn unwatch(&mut self, id: ListenerId, command: u64, watch: Option<WatchId>) -> Vec<Effect> {
        let mut effects = vec![];
        let Some(listener) = self.listeners.get_mut(&id) else { return effects };
        if let Some(watch) = watch.filter(|watch| listener.watches.remove(watch)) {
            listener.pending.retain(|(_, pending)| *pending != watch);
            self.end_watch(id, watch, &mut effects);
        }
        self.confirm(id, command, &mut effects);
        self.settle(&mut effects);
        effects
    }

    /// A listener has read what it was asked to acknowledge.
    pub(super) fn acknowledge(&mut self, id: ListenerId) -> Vec<Effect> {
        let mut effects = vec![];
        if let Some(listener) = self.listeners.get_mut(&id) {
            listener.acknowledge();
            self.settle(&mut effects);
        }
        effects
    }

    /// The connection to RavenDB is open.
    pub(super) fn opened(&mut self, socket: SocketId) -> Vec<Effect> {
        if socket != self.socket || self.phase != Phase::Connecting {
            return vec![Effect::Disconnect(socket)];
        }
        self.phase = Phase::Open { proven: false, new: true };
        self.silent = 0;
        let watched = self.watches.keys().map(|&watch| Effect::Watch { socket, watch, begins: true });
        let mut effects: Vec<_> = watched.collect();
        for (id, listener) in &mut self.listeners {
            if !listener.accepted {
                listener.accepted = true;
                effects.push(Effect::Accept(*id));
            }
        }
        self.settle(&mut effects);
        effects
    }

    /// The connection to RavenDB was lost, or could not be opened.
    pub(super) fn lost(&mut self, socket: SocketId) -> Vec<Effect> {
        if socket != self.socket {
            return vec![];
        }
        match self.phase {
            Phase::Idle | Phase::Pausing => vec![],
            Phase::Connecting | Phase::Open { proven: false, .. } => self.fail(),
            Phase::Open { new, .. } => {
                for watch in self.watches.values_mut() {
                    for id in watch.listeners.iter().filter(|_| watch.confirmed) {
                        if let Some(listener) = self.listeners.get_mut(id) {
                            listener.owed = true;
                        }
                    }
                    watch.again |= watch.confirmed;
                    watch.confirmed = false;
                }
                if !new {
                    return self.connect();
                }
                self.phase = Phase::Pausing;
                vec![]
            }
        }
    }

    /// RavenDB has confirmed a watch.
    pub(super) fn confirmed(&mut self, socket: SocketId, watch: WatchId) -> Vec<Effect> {
        let mut effects = vec![];
        if !self.note_message(socket) {
            return effects;
        }
        let Some(shared) = self.watches.get_mut(&watch) else { return effects };
        shared.confirmed = true;
        shared.again = false;
        for id in shared.listeners.clone() {
            let Some(listener) = self.listeners.get_mut(&id) else { continue };
            let is_confirmed = |(_, pending): &(u64, WatchId)| *pending == watch;
            let commands: Vec<_> = listener.pending.extract_if(.., |pending| is_confirmed(pending)).collect();
            for (command, _) in commands {
                self.confirm(id, command, &mut effects);
            }
        }
        self.settle(&mut effects);
        effects
    }

    /// A message of RavenDB: for each of its changes the watches that it concerns.
    pub(super) fn notified(&mut self, socket: SocketId, changes: &[Vec<WatchId>]) -> Vec<Effect> {
        let mut effects = vec![];
        if !self.note_message(socket) {
            return effects;
        }
        let mut delivered = BTreeMap::<ListenerId, Vec<u32>>::new();
        for (place, watches) in (0..).zip(changes) {
            for id in watches.iter().filter_map(|watch| self.watches.get(watch)).flat_map(|watch| &watch.listeners) {
                let places = delivered.entry(*id).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
        for (listener, changes) in delivered {
            let Some(target) = self.listeners.get_mut(&listener) else { continue };
            match target.pass(u32::try_from(changes.len()).unwrap_or(u32::MAX), &self.limits) {
                Passage::Sent { asks } => effects.push(Effect::Deliver { listener, changes, asks }),
                Passage::Withheld { asks: true } => {
                    effects.push(Effect::Deliver { listener, changes: vec![], asks: true });
                }
                Passage::Withheld { asks: false } => {}
            }
        }
        effects
    }

    /// A second has passed.
    pub(super) fn tick(&mut self) -> Vec<Effect> {
        self.pause = self.pause.saturating_sub(1);
        let mut effects = match &mut self.phase {
            Phase::Idle => return vec![],
            Phase::Pausing => return self.connect(),
            Phase::Connecting => {
                self.silent += 1;
                return if self.silent >= self.limits.connect { self.give_up() } else { vec![] };
            }
            Phase::Open { new, .. } => {
                *new = false;
                self.silent += 1;
                if self.silent >= self.limits.silence { self.give_up() } else { vec![] }
            }
        };
        if self.is_open() {
            for (&listener, target) in &mut self.listeners {
                if target.tick(&self.limits) {
                    let asks = target.count(1, &self.limits);
                    effects.push(Effect::Deliver { listener, changes: vec![], asks });
                }
            }
            self.settle(&mut effects);
        }
        effects
    }

    fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open { .. })
    }

    fn connect(&mut self) -> Vec<Effect> {
        self.phase = Phase::Connecting;
        self.silent = 0;
        self.socket += 1;
        vec![Effect::Connect(self.socket)]
    }

    /// Closes a connection that is silent, or an attempt that takes too long.
    fn give_up(&mut self) -> Vec<Effect> {
        let socket = self.socket;
        [vec![Effect::Disconnect(socket)], self.lost(socket)].concat()
    }

    /// RavenDB cannot be reached: all connections end, so that the listeners know.
    fn fail(&mut self) -> Vec<Effect> {
        let ended = |(id, Listener { accepted, .. })| if accepted { Effect::Drop(id) } else { Effect::Refuse(id) };
        let listeners = core::mem::take(&mut self.listeners).into_iter().map(ended);
        let watches = core::mem::take(&mut self.watches).into_keys().map(Effect::Forget);
        self.phase = Phase::Idle;
        self.socket += 1;
        self.pause = self.limits.pause;
        listeners.chain(watches).collect()
    }

    /// Notes that RavenDB sent something; `false`: on an earlier connection.
    fn note_message(&mut self, socket: SocketId) -> bool {
        match &mut self.phase {
            Phase::Open { proven, .. } if socket == self.socket => *proven = true,
            _ => return false,
        }
        self.silent = 0;
        true
    }

    fn confirm(&mut self, listener: ListenerId, command: u64, effects: &mut Vec<Effect>) {
        if let Some(target) = self.listeners.get_mut(&listener) {
            let asks = target.count(1, &self.limits);
            effects.push(Effect::Confirm { listener, command, asks });
        }
    }

    /// Drops listeners that read nothing, and when all watches are confirmed again, tells those to resync that are owed it.
    fn settle(&mut self, effects: &mut Vec<Effect>) {
        let lost = self.listeners.iter().filter(|(_, listener)| listener.is_lost(&self.limits));
        let lost: Vec<_> = lost.map(|(&id, _)| id).collect();
        for id in lost {
            effects.push(Effect::Drop(id));
            self.remove(id, effects);
        }
        if self.listeners.is_empty() {
            return self.rest(effects);
        }
        if !self.is_open() || self.watches.values().any(|watch| watch.again) {
            return;
        }
        for (&listener, target) in &mut self.listeners {
            if target.owed && !target.behind {
                target.owed = false;
                let asks = target.count(1, &self.limits);
                effects.push(Effect::Resync { listener, asks });
            }
        }
    }

    fn remove(&mut self, id: ListenerId, effects: &mut Vec<Effect>) {
        for watch in self.listeners.remove(&id).map(|listener| listener.watches).unwrap_or_default() {
            self.end_watch(id, watch, effects);
        }
    }

    fn end_watch(&mut self, id: ListenerId, watch: WatchId, effects: &mut Vec<Effect>) {
        let Some(shared) = self.watches.get_mut(&watch) else { return };
        shared.listeners.remove(&id);
        if shared.listeners.is_empty() {
            self.watches.remove(&watch);
            if self.is_open() {
                effects.push(Effect::Watch { socket: self.socket, watch, begins: false });
            }
            effects.push(Effect::Forget(watch));
        }
    }

    /// Nobody listens any more.
    fn rest(&mut self, effects: &mut Vec<Effect>) {
        if matches!(self.phase, Phase::Connecting | Phase::Open { .. }) {
            effects.push(Effect::Disconnect(self.socket));
        }
        self.phase = Phase::Idle;
        self.socket += 1;
    }
}

#[cfg(test)]
impl FanOut {
    /// Whether a listener may have missed changes and was not told so.
    pub(super) fn is_owed(&self, id: ListenerId) -> bool {
        self.listeners.get(&id).is_some_and(|listener| listener.owed)
    }
}
