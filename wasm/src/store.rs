//! The store: the executor and all tags of a database.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use raven_edge::http::{Executor, NodeId};
use raven_edge::ids::tag;
use raven_edge::source::document::{Document, SPELLINGS};
use raven_edge::source::own::{Own, Words};
use raven_edge::source::server::Server;
use raven_edge::source::{Capabilities, Choice, Expects, Return, Source};
use wasm_bindgen::prelude::*;

use crate::generator::{Counter, Generator, Tag};
use crate::host::Host;
use crate::task::{Purpose, Task};

/// How long `dispose` tries to give back what is unused, in milliseconds: an app that ends must not hang on a server
/// that is gone.
const GOODBYE: u64 = 5_000;

/// What all parts of a store share.
pub(crate) struct Inner {
    pub(crate) host: Host,
    pub(crate) executor: RefCell<Executor>,
    pub(crate) source: Choice,
    pub(crate) able: Capabilities,
    /// On workerd nothing may outlive its request or wait for another one.
    pub(crate) isolated: bool,
    /// Whether nodes are learnt from the server.
    pub(crate) topology: bool,
    separator: char,
    /// The database's incarnation, as the last answer told it.
    pub(crate) incarnation: RefCell<Option<String>>,
    /// What has left memory and is to be sent, per node.
    pub(crate) returns: RefCell<Vec<(NodeId, Return)>>,
    /// Numbers that wait for a fence.
    pub(crate) refences: RefCell<Vec<Refence>>,
}

impl Inner {
    /// Whether the numbers come from counters of the database, and are void when it is another one.
    pub(crate) fn counts(&self) -> bool {
        self.source.counters().is_some()
    }
}

/// A tag, the ledger's number for its wish, and the lease that the numbers come from.
pub(crate) type Refence = (Rc<Tag>, u32, u32);

/// A store in WebAssembly; the façade's `DocumentStore` owns one.
#[wasm_bindgen]
pub struct Store {
    inner: Rc<Inner>,
    tags: Vec<Rc<Tag>>,
}

#[wasm_bindgen]
impl Store {
    /// Makes a store, whose addresses [`Store::add`] tells. `timeout` in milliseconds; `topology`: learn nodes from the
    /// server; `isolated`: nothing may outlive or wait for another request (workerd). `source`, `detail` and `scoped`: see
    /// `pkg/lib/source.js`.
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
            0 => Choice::Server(Server::new(database, separator)),
            1 => {
                let spelling = SPELLINGS.get(detail as usize).copied().unwrap_or(SPELLINGS[0]);
                Choice::Document(Document::new(database, separator, spelling))
            }
            2 => Choice::Own(Own::new(Words::Range { releasable: detail > 0.0 }, scoped, separator)),
            _ => Choice::Own(Own::new(Words::Hi { capacity: detail as u64 }, scoped, separator)),
        };
        let able = source.capabilities();
        let inner = Inner {
            // The app's numbers do not belong to the database.
            incarnation: RefCell::new(source.counters().is_none().then(String::new)),
            able,
            host,
            source,
            executor: RefCell::new(Executor::new(database, timeout as u64)),
            isolated,
            topology,
            separator,
            returns: RefCell::default(),
            refences: RefCell::default(),
        };
        Ok(Store { inner: Rc::new(inner), tags: Vec::new() })
    }

    /// One more address of the server.
    pub fn add(&self, url: &str) {
        self.inner.executor.borrow_mut().add(url);
    }

    /// Begins a newer topology; its nodes are added one by one, the app's own addresses last.
    #[wasm_bindgen(js_name = beginTopology)]
    pub fn begin_topology(&self, etag: f64) {
        self.inner.executor.borrow_mut().begin_topology(etag as u64);
    }

    /// The generator of a tag, which feeds the façade's counter; one per tag and store.
    pub fn generator(&mut self, tag: &str, counter: Counter) -> Result<Generator, JsValue> {
        tag::check(tag, self.inner.separator).map_err(|error| self.inner.host.js(&error))?;
        let made = Rc::new(Tag::new(&self.inner, tag, counter));
        self.tags.push(Rc::clone(&made));
        Ok(Generator::new(made))
    }

    /// A unit of work. `bytes`: the longest id; `backslash`: whether ids may have one; `turn`: reads begin with the node
    /// whose turn it is.
    #[cfg(feature = "session")]
    pub fn session(&self, bytes: usize, backslash: bool, turn: Option<u32>) -> crate::session::Session {
        let limits = raven_edge::ids::Limits { bytes, backslash };
        crate::session::Session::new(&self.inner, limits, turn)
    }

    /// A request of a command: its answer goes to `sink`. `safe`: it may be sent to each node; `node`: the only one
    /// that knows what it is about.
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
        use raven_edge::http::{Method, Repeat, Request};
        let path = self.inner.executor.borrow().route(route);
        let request = Request {
            method: Method::named(method),
            path,
            body: None,
            if_match,
            repeat: if safe { Repeat::EachNode } else { Repeat::Never },
            node: node.map(NodeId),
        };
        Task::of_app(&self.inner, (Purpose::Command(sink), Expects::Command), request, body, 0.0, None)
    }

    /// The request that reads the topology.
    pub fn topology(&self) -> Task {
        let request = self.inner.executor.borrow().topology_request();
        Task::new(&self.inner, Purpose::Topology, request, Expects::Status(200), u64::MAX)
    }

    /// An answer told the database's incarnation. Whether it is another one than before: then every number in memory is
    /// burnt.
    pub fn heard(&self, incarnation: &str) -> bool {
        if !self.inner.counts() {
            return false;
        }
        let before = self.inner.incarnation.replace(Some(String::from(incarnation)));
        let renewed = before.is_some_and(|before| before != incarnation);
        if renewed {
            self.tags.iter().for_each(|tag| tag.forget());
        }
        renewed
    }

    /// Nothing more is issued: every counter is emptied, now. `away`: until [`Store::back`].
    pub fn close(&self, away: bool) {
        self.tags.iter().for_each(|tag| tag.close(away));
    }

    /// The page was restored, or the store goes on.
    pub fn back(&self) {
        self.tags.iter().for_each(|tag| tag.back());
    }

    /// The next request that gives back what is unused, one per node for all tags, until there is none. `refence`: what
    /// has no fence gets one first, if it can.
    #[wasm_bindgen(js_name = giveBack)]
    pub fn give_back(&self, refence: bool) -> Option<Task> {
        self.tags.iter().for_each(|tag| tag.give_back(refence && self.inner.able.fenced));
        let refences = self.inner.refences.take();
        if let (false, Some(counters)) = (refences.is_empty(), self.inner.source.counters()) {
            let request = counters.read(refences.iter().map(|(tag, ..)| tag.name()));
            return Some(Task::new(&self.inner, Purpose::Fences(refences), request, Expects::Status(200), GOODBYE));
        }
        let mut returns = self.inner.returns.borrow_mut();
        let node = returns.first()?.0;
        let mut items = Vec::new();
        while let Some(at) = returns.iter().position(|(of, _)| *of == node) {
            items.push(returns.swap_remove(at).1);
            // The app is told of each one by itself.
            if !self.inner.able.fenced {
                break;
            }
        }
        let request = self.inner.source.give_back(&items, node);
        Some(Task::new(&self.inner, Purpose::Return(items), request, Expects::Status(201), GOODBYE))
    }
}
