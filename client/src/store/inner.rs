//! The host of the core's store: carries out its tasks, serves waiting callers, sends its requests. Decides nothing: see
//! `raven_edge::hilo`. The package's twin is `pkg/src/numbers`, that of the simulation `tests/simulation/src/world/adapter.rs`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use raven_edge::error::Error as CoreError;
use raven_edge::hilo::waiters::{Effect, Event as Happened, Want};
use raven_edge::hilo::{At, Range};
use raven_edge::pool::presence::KeepOptions;
use raven_edge::source::{Grant, Return};
use raven_edge::texts::{Order, Shell, Store as Core, Task};
use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use super::StoreEvent;
use super::send::Sending;
use crate::device::Device;
use crate::numbers::{Counter, Taken};
use crate::runtime::{Runtime, assert_runtime, is_reachable, next_turn, sleep};
use crate::{Error, Result};

/// How long after the end of a lease those that waited for it go on, in milliseconds.
const MOMENT: u64 = 1;

/// What a waiting caller gets.
pub(crate) type Served = Result<Option<Taken>>;

/// A tag in use.
#[derive(Default)]
pub(crate) struct Tag {
    pub(crate) counter: Counter,
    callers: HashMap<u32, (Want, oneshot::Sender<Served>)>,
    /// The last failure: the error of callers whose time is over.
    trouble: Option<Error>,
    /// How many tasks run.
    pub(crate) running: usize,
    /// How many callers wait for the end of a task.
    sharing: usize,
}

pub(crate) struct State {
    pub(crate) core: Core,
    pub(crate) tags: Vec<Tag>,
    /// The numbers of tags, by name.
    pub(crate) names: HashMap<String, u32>,
    pub(crate) is_disposed: bool,
    pub(crate) incarnation: Option<String>,
    /// How often the incarnation has changed.
    pub(crate) incarnations: u32,
    pub(crate) has_topology: bool,
    pub(crate) reads_topology: bool,
}

/// What the core wants done after a call.
enum ShellCall {
    Spawn(u32, Task, bool),
    Order(At, Order),
}

/// What happened during a call.
#[derive(Default)]
pub(crate) struct Record {
    calls: Vec<ShellCall>,
    events: Vec<StoreEvent>,
    topology: Option<Vec<u8>>,
}

/// The shell of one call into the core.
pub(crate) struct Host<'a> {
    micros: u64,
    tags: RefCell<&'a mut Vec<Tag>>,
    record: RefCell<&'a mut Record>,
}

impl Shell for Host<'_> {
    fn micros(&self) -> u64 {
        self.micros
    }

    fn random(&self) -> u64 {
        random() >> 11
    }

    fn hand(&self, tag: u32, range: Range, grant: &Grant, fence: Option<&str>) {
        if let Some(tag) = self.tags.borrow_mut().get_mut(tag as usize) {
            tag.counter.hand(range, grant, fence.is_some());
        }
    }

    fn surrender(&self, tag: u32) -> u64 {
        self.tags.borrow_mut().get_mut(tag as usize).map_or(1, |tag| tag.counter.surrender())
    }

    fn spawn(&self, tag: u32, task: Task, reports: bool) {
        self.record.borrow_mut().calls.push(ShellCall::Spawn(tag, task, reports));
    }

    fn order(&self, at: At, order: Order) {
        self.record.borrow_mut().calls.push(ShellCall::Order(at, order));
    }

    fn leased(&self, tag: &str, grant: &Grant, fenced: bool) {
        let (low, high) = (grant.range.low(), grant.range.high());
        let (tag, node_tag) = (tag.to_owned(), grant.tag.clone());
        self.record.borrow_mut().events.push(StoreEvent::Leased { tag, low, high, node_tag, fenced });
    }

    fn returned(&self, item: &Return, applied: bool, error: Option<&CoreError>) {
        let (low, high, tag) = (item.last + 1, item.high, item.tag.clone());
        let error = error.map(|error| error.message.clone().into_owned());
        self.record.borrow_mut().events.push(StoreEvent::Returned { tag, low, high, applied, error });
    }

    fn regression(&self, tag: &str, range: Range, highest: u64) {
        let (low, high, tag) = (range.low(), range.high(), tag.to_owned());
        self.record.borrow_mut().events.push(StoreEvent::Regression { tag, low, high, highest });
    }

    fn topology(&self, body: &[u8]) {
        self.record.borrow_mut().topology = Some(body.to_vec());
    }
}

/// Any number.
pub(crate) fn random() -> u64 {
    // Without a source of randomness a nonce is the address of a local: requests of one process still differ.
    getrandom::u64().unwrap_or_else(|_| {
        let here = 0_u8;
        (&raw const here) as u64
    })
}

/// A listener for [`StoreEvent`]s.
#[cfg(not(target_family = "wasm"))]
pub(crate) type Listener = Box<dyn Fn(StoreEvent) + Send + Sync>;
/// A listener for [`StoreEvent`]s.
#[cfg(target_family = "wasm")]
pub(crate) type Listener = Box<dyn Fn(StoreEvent)>;

/// What all handles of a store share, and its background tasks hold.
pub(crate) struct Inner {
    state: Mutex<State>,
    pub(crate) runtime: Runtime,
    pub(crate) sending: Sending,
    /// For each tag.
    pub(crate) keep: KeepOptions,
    device: OnceLock<Device>,
    pub(crate) timeout: u64,
    pub(crate) listener: Option<Listener>,
    /// A task has ended.
    pub(crate) ended: Notify,
}

impl Inner {
    pub(crate) fn new(
        core: Core,
        sending: Sending,
        keep: KeepOptions,
        timeout: u64,
        listener: Option<Listener>,
    ) -> Inner {
        let state = State {
            core,
            tags: Vec::new(),
            names: HashMap::new(),
            is_disposed: false,
            incarnation: None,
            incarnations: 0,
            has_topology: !sending.learns_nodes,
            reads_topology: false,
        };
        let (state, runtime, ended) = (Mutex::new(state), Runtime::new(), Notify::new());
        Inner { state, runtime, sending, keep, device: OnceLock::new(), timeout, listener, ended }
    }

    /// Where numbers are parked; `None`: only in memory.
    pub(crate) fn device(&self) -> Option<&Device> {
        self.device.get()
    }

    /// Sets the device, once.
    #[cfg(target_family = "wasm")]
    pub(crate) fn set_device(&self, device: Device) {
        // The store has just been made.
        let _ = self.device.set(device);
    }

    #[cfg(target_family = "wasm")]
    pub(crate) fn is_disposed(&self) -> bool {
        self.state().is_disposed
    }

    /// The latest incarnation that a response has named.
    #[cfg(target_family = "wasm")]
    pub(crate) fn incarnation(&self) -> Option<String> {
        self.state().incarnation.clone()
    }

    /// The name of a tag.
    #[cfg(target_family = "wasm")]
    pub(crate) fn name(&self, tag: u32) -> String {
        self.state().core.name(tag).to_owned()
    }

    /// The state. A panic of another thread cannot have left it in between: no code of the app runs under this lock.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn assert_open(&self) -> Result<()> {
        if self.state().is_disposed {
            return Err(Error::disposed());
        }
        assert_runtime()
    }

    pub(crate) fn emit(&self, event: StoreEvent) {
        if let Some(listener) = &self.listener {
            listener(event);
        }
    }

    /// Calls the core, then carries out what it wants.
    pub(crate) fn enter<T>(self: &Arc<Self>, call: impl FnOnce(&mut State, &mut Calls) -> T) -> T {
        let mut calls = Calls { inner: self, record: Record::default(), later: Vec::new(), spawned: Vec::new() };
        let mut state = self.state();
        let result = call(&mut state, &mut calls);
        calls.perform(&mut state);
        while let Some((at, event)) = calls.later.pop() {
            calls.notify(&mut state, at, event);
        }
        drop(state);
        let Calls { record, spawned, .. } = calls;
        for begin in spawned {
            begin();
        }
        record.events.into_iter().for_each(|event| self.emit(event));
        result
    }

    /// Reports an event to the callers of a tag.
    pub(crate) fn notify(self: &Arc<Self>, at: At, event: Happened) {
        self.enter(|state, calls| calls.notify(state, at, event));
    }

    /// Reports an event after a moment.
    fn notify_later(self: &Arc<Self>, at: At, event: Happened, millis: u64) {
        let inner = Arc::clone(self);
        self.runtime.spawn(async move {
            if millis > 0 {
                sleep(millis).await
            } else {
                next_turn().await
            }
            inner.notify(at, event);
        });
    }
}

/// The calls into the core while the state is locked. Tasks begin when it is free again.
pub(crate) struct Calls<'a> {
    inner: &'a Arc<Inner>,
    record: Record,
    later: Vec<(At, Happened)>,
    spawned: Vec<Box<dyn FnOnce() + 'a>>,
}

impl Calls<'_> {
    /// Calls the core without carrying out what it wants.
    pub(crate) fn core<T>(&mut self, state: &mut State, call: impl FnOnce(&mut Core, &Host<'_>) -> T) -> T {
        let host = Host {
            micros: self.inner.runtime.micros(),
            tags: RefCell::new(&mut state.tags),
            record: RefCell::new(&mut self.record),
        };
        let result = call(&mut state.core, &host);
        if let Some(body) = self.record.topology.take() {
            set_topology(state, &self.inner.sending.urls, &body);
        }
        result
    }

    /// Reports an event to the callers of a tag, and carries out what follows.
    pub(crate) fn notify(&mut self, state: &mut State, at: At, event: Happened) {
        let rest = rest(state, at.tag);
        self.core(state, |core, host| core.on(host, at, event, rest));
        self.perform(state);
    }

    /// Carries out what the core wants, in order. What follows from one order is carried out before the next one.
    pub(crate) fn perform(&mut self, state: &mut State) {
        for call in mem::take(&mut self.record.calls) {
            match call {
                ShellCall::Spawn(tag, task, reports) => {
                    let at = At { tag, group: 0 };
                    self.spawn(state, at, task, reports.then_some(Happened::Leased));
                }
                ShellCall::Order(at, Order::Run(task, event)) => self.spawn(state, at, task, Some(event)),
                ShellCall::Order(at, Order::Effect(effect)) => self.effect(state, at, effect),
            }
        }
    }

    fn spawn(&mut self, state: &mut State, at: At, task: Task, reports: Option<Happened>) {
        let inner = self.inner;
        // Not among those that others wait for: it pauses, and begins moves of its own.
        if task.is_refill() {
            return self.spawned.push(Box::new(move || inner.begin(None, task, None)));
        }
        if let Some(tag) = state.tags.get_mut(at.tag as usize) {
            tag.running += 1;
        }
        self.spawned.push(Box::new(move || inner.begin(Some(at), task, reports)));
    }

    fn effect(&mut self, state: &mut State, at: At, effect: Effect) {
        let inner = self.inner;
        match effect {
            Effect::Serve(caller) => self.serve(state, at, caller),
            Effect::Settle => self.notify(state, at, Happened::Settled),
            Effect::Gather => self.spawned.push(Box::new(move || inner.notify_later(at, Happened::Gathered, 0))),
            Effect::Turn => match inner.device() {
                Some(device) => self.spawned.push(Box::new(move || device.turn(inner, at))),
                // There are no siblings: it is always this store's turn.
                None => self.later.push((at, Happened::Turned)),
            },
            Effect::End => {
                if let Some(device) = inner.device() {
                    self.spawned.push(Box::new(move || device.end_turn(at.tag)));
                }
            }
            Effect::Share => {
                if let Some(tag) = state.tags.get_mut(at.tag as usize).filter(|tag| tag.running > 0) {
                    tag.sharing += 1;
                } else {
                    self.spawned.push(Box::new(move || inner.notify_later(at, Happened::Shared, MOMENT)));
                }
            }
            Effect::Expire(caller) => {
                let trouble = trouble(state, at.tag);
                let name = state.core.name(at.tag).to_owned();
                let reason = trouble.as_ref().map_or(String::new(), |error| format!("; last failure: {error}"));
                let timeout = self.inner.timeout;
                let text = format!("no numbers were leased for \"{name}\" within {timeout} ms{reason}");
                self.finish(state, at.tag, caller, Err(Error::late(text, trouble)));
            }
            Effect::Refuse(caller) => {
                let error = trouble(state, at.tag).unwrap_or_else(|| Error::operation("the lease has failed"));
                self.finish(state, at.tag, caller, Err(error));
            }
            // The core carries these out itself.
            Effect::Park | Effect::Claim | Effect::Lease { .. } => {}
        }
    }

    fn serve(&mut self, state: &mut State, at: At, caller: u32) {
        let want = state.tags.get(at.tag as usize).and_then(|tag| tag.callers.get(&caller)).map(|(want, _)| *want);
        if want != Some(Want::Id) {
            return self.finish(state, at.tag, caller, Ok(None));
        }
        // If there is none after all, the caller goes on waiting.
        if let Some(taken) = self.take(state, at.tag) {
            self.finish(state, at.tag, caller, Ok(Some(taken)));
            self.notify(state, at, Happened::Served(caller));
        }
    }

    /// The next id in memory. An empty counter gets its next block.
    pub(crate) fn take(&mut self, state: &mut State, tag: u32) -> Option<Taken> {
        if let Some(taken) = state.tags.get_mut(tag as usize)?.counter.take() {
            return Some(taken);
        }
        self.core(state, |core, host| core.dry(host, tag));
        self.perform(state);
        state.tags.get_mut(tag as usize)?.counter.take()
    }

    fn finish(&mut self, state: &mut State, tag: u32, caller: u32, result: Served) {
        let Some(tag) = state.tags.get_mut(tag as usize) else { return };
        let Some((_, sender)) = tag.callers.remove(&caller) else { return };
        if let Err(Ok(Some(taken))) = sender.send(result) {
            tag.counter.undo(&taken);
        }
    }

    /// A caller waits. Returns its number, and what to wait for.
    pub(crate) fn ask(&mut self, state: &mut State, tag: u32, want: Want) -> (u32, oneshot::Receiver<Served>) {
        let (sender, receiver) = oneshot::channel();
        let (at, rest, limit) = (At { tag, group: 0 }, rest(state, tag), self.inner.timeout);
        let number = self.core(state, |core, host| core.ask(host, at, want, limit, rest));
        if let Some(tag) = state.tags.get_mut(tag as usize) {
            tag.callers.insert(number, (want, sender));
        }
        self.perform(state);
        (number, receiver)
    }

    /// A task of a tag has ended.
    pub(crate) fn ended(&mut self, state: &mut State, at: At, reports: Option<(Happened, Option<Error>)>) {
        let sharing = state.tags.get_mut(at.tag as usize).map_or(0, |tag| {
            tag.running = tag.running.saturating_sub(1);
            mem::take(&mut tag.sharing)
        });
        let inner = self.inner;
        for _ in 0..sharing {
            self.spawned.push(Box::new(move || inner.notify_later(at, Happened::Shared, MOMENT)));
        }
        if let Some((event, error)) = reports {
            if let Some(tag) = state.tags.get_mut(at.tag as usize) {
                tag.trouble = error;
            }
            self.notify(state, at, event);
        }
    }

    /// Empties all counters, so that nothing is issued any more, and rejects those who wait.
    pub(crate) fn close(&mut self, state: &mut State) {
        self.empty(state, false);
        for tag in 0..state.tags.len() as u32 {
            let callers = state.tags.get_mut(tag as usize).map(|tag| mem::take(&mut tag.callers)).unwrap_or_default();
            if let Some(device) = self.inner.device() {
                self.spawned.push(Box::new(move || device.end_turn(tag)));
            }
            for (_, sender) in callers.into_values() {
                drop(sender.send(Err(Error::disposed())));
            }
            self.notify(state, At { tag, group: 0 }, Happened::Closed);
        }
    }

    /// Empties all counters: nothing is issued any more, or, if the page is `away`, until it is restored.
    pub(crate) fn empty(&mut self, state: &mut State, away: bool) {
        for tag in 0..state.tags.len() as u32 {
            self.surrender(state, tag);
        }
        state.core.close(away);
    }

    pub(crate) fn surrender(&mut self, state: &mut State, tag: u32) {
        let Some(next) = state.tags.get_mut(tag as usize).map(|tag| tag.counter.surrender()) else { return };
        self.core(state, |core, host| core.surrendered(host, tag, next));
    }

    /// A response has named the incarnation of the database. `under`: how often it had changed when the request was sent. If another
    /// response has changed it since, nobody knows which one is current: the numbers of neither are used until a later response tells.
    pub(crate) fn incarnation(&mut self, state: &mut State, named: &str, under: u32) {
        let is_latest = under == state.incarnations;
        let before = state.incarnation.as_deref().unwrap_or_default();
        if before == named || !is_latest && before.contains(named) {
            return;
        }
        let known = if is_latest { named.to_owned() } else { format!("{before}{named}") };
        state.incarnations += 1;
        if state.core.update_incarnation(&known) {
            for tag in &mut state.tags {
                tag.counter.surrender();
            }
            self.record.events.push(StoreEvent::Replaced { incarnation: named.to_owned() });
        }
        if let Some(device) = self.inner.device() {
            let known = known.clone();
            self.spawned.push(Box::new(move || device.note(&known)));
        }
        state.incarnation = Some(known);
    }
}

/// How many numbers the counter of a tag has.
pub(crate) fn rest(state: &State, tag: u32) -> u64 {
    state.tags.get(tag as usize).map_or(0, |tag| tag.counter.rest())
}

fn trouble(state: &State, tag: u32) -> Option<Error> {
    state.tags.get(tag as usize)?.trouble.as_ref().map(Error::again)
}

/// Sets the nodes of a topology, members first, then the app's own addresses. An invalid one changes nothing.
fn set_topology(state: &mut State, urls: &[String], body: &[u8]) {
    let Ok(topology) = serde_json::from_slice::<Value>(body) else { return };
    let Some(nodes) = topology.get("Nodes").and_then(Value::as_array) else { return };
    let Some(etag) = topology.get("Etag").and_then(Value::as_u64) else { return };
    let is_member = |node: &&Value| node.get("ServerRole").and_then(Value::as_str) == Some("Member");
    let (members, others): (Vec<&Value>, Vec<&Value>) = nodes.iter().partition(is_member);
    state.core.begin_topology(etag);
    // A node that is just being added has no address yet.
    let named = members.iter().chain(&others).filter_map(|node| node.get("Url")?.as_str());
    for url in named.filter(|url| !url.is_empty() && is_reachable(url)).chain(urls.iter().map(String::as_str)) {
        state.core.add_node(url);
    }
}
