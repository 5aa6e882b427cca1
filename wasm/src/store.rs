//! The store: nodes, source and tags of a database, and their host.

use alloc::rc::Rc;
#[cfg(feature = "session")]
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::ops::Deref;
use raven_edge::error::Error;
use raven_edge::hilo::{At, Range, waiters};
use raven_edge::ids::tag;
use raven_edge::protocol::{effect, event, source as kind};
use raven_edge::source::server::Server;
use raven_edge::source::{AnySource, Grant, Return};
use raven_edge::texts::{self, Executor, Order, Shell};
use wasm_bindgen::prelude::*;

use crate::host::Host;
use crate::tags::Counter;
use crate::task::Task;

/// An optional count; below 0: `None`.
pub(crate) fn counted(count: f64) -> Option<u64> {
    (count >= 0.0).then_some(count as u64)
}

/// State that all parts of a store share.
pub(crate) struct Inner {
    pub(crate) host: Host,
    /// Indexed by the number of the tag.
    pub(crate) counters: RefCell<Vec<Counter>>,
    pub(crate) store: RefCell<texts::Store>,
    /// Whether to learn nodes from the server.
    topology: bool,
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
    /// The version of the topology to send to the server; below 0: none.
    pub(crate) fn topology_etag(&self) -> f64 {
        if self.topology { self.store.borrow().topology_etag() as f64 } else { -1.0 }
    }

    /// Empties a counter.
    pub(crate) fn surrender(&self, tag: u32) {
        if let Some(counter) = self.counters.borrow().get(tag as usize) {
            self.store.borrow_mut().surrendered(self, tag, counter.surrender() as u64);
        }
    }

    fn close(&self, away: bool) {
        let count = self.counters.borrow().len() as u32;
        (0..count).for_each(|tag| self.surrender(tag));
        self.store.borrow_mut().close(away);
    }

    /// Wraps a task of the core, if it returns one.
    pub(crate) fn task(&self, of: impl FnOnce(&mut texts::Store) -> Option<texts::Task>) -> Option<Task> {
        let task = of(&mut self.store.borrow_mut());
        task.map(|task| Task::new(self, task))
    }

    fn count(&self, tag: u32, of: impl FnOnce(&Counter)) {
        if let Some(counter) = self.counters.borrow().get(tag as usize) {
            of(counter);
        }
    }
}

impl Shell for Shared {
    fn micros(&self) -> u64 {
        self.host.now() as u64
    }

    fn random(&self) -> u64 {
        self.host.random() as u64
    }

    fn hand(&self, tag: u32, range: Range, grant: &Grant, fence: Option<&str>) {
        let (low, high) = (grant.range.low() as f64, grant.range.high() as f64);
        let (from, to) = (range.low() as f64, range.high() as f64);
        self.count(tag, |counter| counter.hand(from, to, &grant.prefix, &grant.tag, low, high, fence));
    }

    fn spawn(&self, tag: u32, task: texts::Task, reports: bool) {
        self.count(tag, |counter| counter.spawn(Task::new(self, task), reports));
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
        self.count(at.tag, |counter| counter.effect(kind, number, task));
    }

    fn leased(&self, tag: &str, grant: &Grant, fenced: bool) {
        self.host.leased(tag, grant.range.low() as f64, grant.range.high() as f64, &grant.tag, fenced);
    }

    fn returned(&self, item: &Return, applied: bool, error: Option<&Error>) {
        let error = error.map_or(JsValue::UNDEFINED, |error| self.host.js(error));
        self.host.returned(&item.tag, (item.last + 1) as f64, item.high as f64, applied, &error);
    }

    fn regression(&self, tag: &str, range: Range, highest: u64) {
        self.host.regression(tag, range.low() as f64, range.high() as f64, highest as f64);
    }

    fn topology(&self, body: &[u8]) {
        self.host.topology(body);
    }
}

/// A source that is not RavenDB's leases.
#[cfg(feature = "sources")]
fn another_source(database: &str, separator: char, source: u8, detail: f64, scoped: bool) -> Result<AnySource, Error> {
    use raven_edge::source::custom::{CustomSource, ResponseFormat};
    use raven_edge::source::document::{Document, SPELLINGS};
    let format = match source {
        kind::DOCUMENT => {
            let spelling = SPELLINGS.get(detail as usize).copied().unwrap_or(SPELLINGS[0]);
            return Ok(AnySource::Document(Document::new(database, separator, spelling)));
        }
        kind::OWN => ResponseFormat::Range { releasable: detail > 0.0 },
        _ => ResponseFormat::Hi { capacity: detail as u64 },
    };
    Ok(AnySource::Custom(CustomSource::new(format, scoped, separator)))
}

/// This module has no other source: the façade should have loaded the one that has them all.
#[cfg(not(feature = "sources"))]
fn another_source(_: &str, _: char, _: u8, _: f64, _: bool) -> Result<AnySource, Error> {
    let message = "this module knows the source \"server\" alone; take raven-edge/raven_edge.wasm";
    Err(Error::new(raven_edge::error::Code::InvalidOperation, message))
}

/// A store in WebAssembly, owned by the façade's `DocumentStore`.
#[wasm_bindgen]
pub struct Store {
    pub(crate) inner: Shared,
}

#[wasm_bindgen]
impl Store {
    /// Creates a store; [`Store::add`] adds its addresses. `timeout` in milliseconds; `topology`: learn nodes from the server;
    /// `isolated`: no task may outlive its request or wait for another one (workerd). `source`, `detail` and `scoped`: see
    /// `pkg/src/numbers/number-source`.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::too_many_arguments, reason = "one call of the façade; an object would cost an import for each")]
    pub fn new(
        host: Host,
        database: &str,
        separator: &str,
        timeout: f64,
        topology: bool,
        isolated: bool,
        source: u8,
        detail: f64,
        scoped: bool,
    ) -> Result<Store, JsValue> {
        let separator = tag::check_separator(separator).map_err(|error| host.js(&error))?;
        let source = match source {
            kind::SERVER => AnySource::Server(Server::new(database, separator)),
            _ => another_source(database, separator, source, detail, scoped).map_err(|error| host.js(&error))?,
        };
        let executor = Executor::new(database, timeout as u64);
        let store = RefCell::new(texts::Store::new(executor, source, separator, isolated));
        Ok(Store { inner: Shared(Rc::new(Inner { host, counters: RefCell::default(), store, topology })) })
    }

    /// Adds an address of the server.
    pub fn add(&self, url: &str) {
        self.inner.store.borrow_mut().add_node(url);
    }

    /// Begins a newer topology. Its nodes are added one by one afterwards, the app's own addresses last.
    #[wasm_bindgen(js_name = beginTopology)]
    pub fn begin_topology(&self, etag: f64) {
        self.inner.store.borrow_mut().begin_topology(etag as u64);
    }

    /// Creates a session. `bytes`: the longest id; `backslash`: whether ids may contain one; `turn`: for reads that go to the nodes in
    /// turn, the number of the turn.
    #[cfg(feature = "session")]
    pub fn session(&self, bytes: usize, backslash: bool, turn: Option<u32>) -> crate::session::Session {
        let limits = raven_edge::ids::Limits { bytes, backslash };
        crate::session::Session::new(&self.inner, limits, turn)
    }

    /// The request of a command; `sink` receives status and node of its response. `safe`: it may be sent to each node once; `node`:
    /// the only node that can carry it out.
    #[cfg(feature = "session")]
    #[expect(clippy::too_many_arguments, reason = "one call of the façade; an object would cost an import for each")]
    pub fn command(
        &self,
        method: &str,
        route: &str,
        body: JsValue,
        if_match: Option<String>,
        safe: bool,
        node: Option<u32>,
        sink: crate::host::Sink,
    ) -> Task {
        use alloc::boxed::Box;
        use raven_edge::http::{Method, NodeId, Repeat, Request};
        use raven_edge::source::Expects;
        let request = Box::new(Request {
            method: Method::named(method),
            path: self.inner.route(route),
            body: None,
            if_match,
            repeat: if safe { Repeat::EachNode } else { Repeat::Never },
            node: node.map(NodeId),
        });
        let call = texts::Call { request, expects: Expects::Command, wait: 0, turn: None };
        Task::of_app(&self.inner, call, crate::task::Extra { body, sink: Some(sink) })
    }

    /// The request that reads the topology.
    pub fn topology(&self) -> Task {
        let task = self.inner.store.borrow_mut().topology(&self.inner);
        Task::new(&self.inner, task)
    }

    /// Takes the database's incarnation from a response. Returns whether the database was replaced: then every number in memory is
    /// burnt.
    #[wasm_bindgen(js_name = updateIncarnation)]
    pub fn update_incarnation(&self, incarnation: &str) -> bool {
        let renewed = self.inner.store.borrow_mut().update_incarnation(incarnation);
        if renewed {
            for counter in &*self.inner.counters.borrow() {
                counter.surrender();
            }
        }
        renewed
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

#[cfg(feature = "session")]
impl Shared {
    /// The path of a route.
    pub(crate) fn route(&self, route: &str) -> String {
        self.store.borrow().route(route)
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
