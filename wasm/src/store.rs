//! The store: nodes, source and tags of a database, and their host.

use alloc::rc::Rc;
use core::cell::{Cell, RefCell};
use core::ops::Deref;
use raven_edge::hilo::{self, At, Grant, Order, Range, Shell, Source, waiters};
use raven_edge::http::{Executor, NodeId};
use raven_edge::protocol::{effect, event};
use wasm_bindgen::prelude::*;

use crate::host::Host;
use crate::task::Task;

/// An optional count; below 0: `None`.
pub(crate) fn counted(count: f64) -> Option<u64> {
    (count >= 0.0).then_some(count as u64)
}

/// State that all parts of a store share.
pub(crate) struct Inner {
    host: Host,
    /// How many tags there are.
    pub(crate) tags: Cell<u32>,
    pub(crate) store: RefCell<hilo::Store>,
}

/// A shared reference to the state of a store.
#[derive(Clone)]
pub(crate) struct Shared(Rc<Inner>);

impl Deref for Shared {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Shared {
    /// Empties a counter, and reports that to the store.
    pub(crate) fn empty(&self, tag: u32) {
        let next = self.surrender(tag);
        self.store.borrow_mut().surrendered(self, tag, next);
    }

    fn close(&self, away: bool) {
        (0..self.tags.get()).for_each(|tag| self.empty(tag));
        self.store.borrow_mut().close(away);
    }

    /// Wraps a task of the core, if it returns one.
    pub(crate) fn task(&self, of: impl FnOnce(&mut hilo::Store) -> Option<hilo::Task>) -> Option<Task> {
        let task = of(&mut self.store.borrow_mut());
        task.map(|task| Task::new(self, task))
    }
}

impl Shell for Shared {
    fn micros(&self) -> u64 {
        self.host.now() as u64
    }

    fn random(&self) -> u64 {
        self.host.random() as u64
    }

    fn hand(&self, tag: u32, range: Range, grant: &Grant, fenced: bool) {
        let (low, high) = (grant.range.low() as f64, grant.range.high() as f64);
        let (from, to) = (range.low() as f64, range.high() as f64);
        self.host.hand(tag, from, to, grant.affixes, low, high, if fenced { grant.texts } else { 0 });
    }

    fn surrender(&self, tag: u32) -> u64 {
        self.host.surrender(tag) as u64
    }

    fn spawn(&self, tag: u32, task: hilo::Task, reports: bool) {
        let pauses = task.is_refill();
        self.host.spawn(tag, Task::new(self, task), reports, pauses);
    }

    fn order(&self, at: At, order: Order) {
        use waiters::{Effect, Event};
        let (kind, number, task) = match order {
            Order::Run(task, reported) => {
                let reported = match reported {
                    Event::Parked => event::PARKED,
                    Event::Claimed => event::CLAIMED,
                    _ => event::LEASED,
                };
                (effect::RUN, u32::from(reported), Some(Task::new(self, task)))
            }
            Order::Effect(effect) => {
                let (kind, number) = match effect {
                    Effect::Serve(caller) => (effect::SERVE, caller),
                    Effect::Expire(caller) => (effect::EXPIRE, caller),
                    Effect::Refuse(caller) => (effect::REFUSE, caller),
                    Effect::Gather => (effect::GATHER, 0),
                    Effect::Turn => (effect::TURN, 0),
                    Effect::Share => (effect::SHARE, 0),
                    Effect::End => (effect::END, 0),
                    _ => (effect::SETTLE, 0),
                };
                (kind, number, None)
            }
        };
        self.host.effect(at.tag, kind, number, task);
    }

    fn leased(&self, tag: u32, grant: &Grant, fenced: bool) {
        self.host.leased(tag, grant.range.low() as f64, grant.range.high() as f64, grant.affixes, fenced);
    }

    fn left(&self, tag: u32, range: Range, burnt: bool) {
        self.host.left(tag, range.low() as f64, range.high() as f64, burnt);
    }

    fn regression(&self, tag: u32, range: Range, highest: u64) {
        self.host.regression(tag, range.low() as f64, range.high() as f64, highest as f64);
    }
}

/// A store in WebAssembly, owned by the façade's `DocumentStore`.
#[wasm_bindgen]
pub struct Store {
    pub(crate) inner: Shared,
}

#[wasm_bindgen]
impl Store {
    /// Creates a store; [`Store::add`] adds its nodes. `timeout` in milliseconds; `isolated`: no task may outlive its request or wait for
    /// another one (workerd). `source`: one of [`raven_edge::protocol::source`]; `releasable` and `scoped`: see [`Source::new`].
    #[wasm_bindgen(constructor)]
    pub fn new(host: Host, timeout: f64, isolated: bool, source: u8, releasable: bool, scoped: bool) -> Store {
        let executor = Executor::new(timeout as u64);
        let store = RefCell::new(hilo::Store::new(executor, Source::new(source, releasable, scoped), isolated));
        Store { inner: Shared(Rc::new(Inner { host, tags: Cell::new(0), store })) }
    }

    /// Adds a node of the server, by the number that the façade has given its address.
    pub fn add(&self, node: u32) {
        self.inner.store.borrow_mut().executor().add(NodeId(node));
    }

    /// Begins a newer topology. Its nodes are added one by one afterwards, the app's own addresses last.
    #[wasm_bindgen(js_name = beginTopology)]
    pub fn begin_topology(&self) {
        self.inner.store.borrow_mut().executor().begin_topology();
    }

    /// A request of the app. `repeat`: one of [`raven_edge::protocol::repeat`]; `node`: the only one that can carry it out, below 0: any;
    /// `wait`: how long the server may wait before it responds, in milliseconds; `turn`: for reads that go to the nodes in turn, the
    /// number of the turn, below 0: none.
    #[cfg(feature = "session")]
    pub fn request(&self, repeat: u8, node: f64, wait: f64, turn: f64) -> Task {
        let turn = counted(turn).map(|turn| turn as u32);
        let call = hilo::Call { rule: crate::task::rule(repeat, node), wait: wait as u64, turn };
        let task = self.inner.store.borrow().call(&self.inner, call);
        Task::new(&self.inner, task)
    }

    /// The request that reads the topology.
    pub fn topology(&self) -> Task {
        let task = self.inner.store.borrow().topology(&self.inner);
        Task::new(&self.inner, task)
    }

    /// Takes the database's incarnation from a response. Returns whether the database was replaced: then every number in memory is
    /// burnt, and the façade empties every counter.
    #[wasm_bindgen(js_name = updateIncarnation)]
    pub fn update_incarnation(&self, incarnation: u32) -> bool {
        self.inner.store.borrow_mut().update_incarnation(incarnation)
    }

    /// Stops issuing numbers: empties every counter, synchronously.
    pub fn close(&self) {
        self.inner.close(false);
    }

    /// The next request that returns unused numbers, one per node for all tags, until there is none. `refence`: for numbers without a
    /// fence, read one first if possible.
    #[wasm_bindgen(js_name = giveBack)]
    pub fn give_back(&self, refence: bool) -> Option<Task> {
        self.inner.task(|store| store.give_back(&self.inner, refence))
    }
}

#[cfg(feature = "pool")]
#[wasm_bindgen]
impl Store {
    /// Processes an event of the store's device: one of `raven_edge::protocol::presence`, with its detail. Returns what to do: bits of
    /// `raven_edge::protocol::todo`.
    pub fn on(&self, event: u8, detail: u32) -> u8 {
        let todo = self.inner.store.borrow_mut().device(&self.inner, event, detail);
        // Before numbers are returned, no more may be issued.
        if todo & raven_edge::protocol::todo::GIVE_BACK > 0 {
            self.inner.close(true);
        }
        todo
    }
}
