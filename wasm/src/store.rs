//! The store: the executor and all tags of a database.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;
use raven_edge::http::{Executor, NodeId};
use raven_edge::ids::tag;
use raven_edge::source::server::Server;
use raven_edge::source::{Return, Source};
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
    pub(crate) source: Server,
    /// On workerd nothing may outlive its request or wait for another one.
    pub(crate) isolated: bool,
    /// Whether nodes are learnt from the server.
    pub(crate) topology: bool,
    separator: char,
}

/// A store in WebAssembly; the façade's `DocumentStore` owns one.
#[wasm_bindgen]
pub struct Store {
    inner: Rc<Inner>,
    tags: Vec<Rc<Tag>>,
    returns: Vec<(NodeId, Return)>,
}

#[wasm_bindgen]
impl Store {
    /// Makes a store, whose addresses [`Store::add`] tells. `timeout` in milliseconds; `topology`: learn nodes from the
    /// server; `isolated`: nothing may outlive or wait for another request (workerd).
    #[wasm_bindgen(constructor)]
    pub fn new(
        host: Host,
        database: &str,
        separator: &str,
        timeout: f64,
        topology: bool,
        isolated: bool,
    ) -> Result<Store, JsValue> {
        let separator = tag::check_separator(separator).map_err(|error| host.js(&error))?;
        let inner = Inner {
            host,
            source: Server::new(database, separator),
            executor: RefCell::new(Executor::new(database, timeout as u64)),
            isolated,
            topology,
            separator,
        };
        Ok(Store { inner: Rc::new(inner), tags: Vec::new(), returns: Vec::new() })
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
        Ok(Generator { tag: made })
    }

    /// A unit of work.
    #[cfg(feature = "session")]
    pub fn session(&self, tracker: crate::session::Tracker, identity: &str) -> crate::session::Session {
        crate::session::Session::new(&self.inner, tracker, identity)
    }

    /// The request that reads the topology.
    pub fn topology(&self) -> Task {
        let request = self.inner.executor.borrow().topology_request();
        Task::new(&self.inner, Purpose::Topology, request, u64::MAX)
    }

    /// The database is another one than before: every number in memory is burnt.
    pub fn forget(&self) {
        for tag in &self.tags {
            tag.forget();
        }
    }

    /// Nothing more is issued: every counter is emptied, now.
    pub fn close(&mut self) {
        for tag in &self.tags {
            tag.close();
        }
    }

    /// The next request that gives back what is unused, one per node for all tags, until there is none.
    #[wasm_bindgen(js_name = giveBack)]
    pub fn give_back(&mut self) -> Option<Task> {
        for tag in &self.tags {
            tag.give_back(&mut self.returns);
        }
        let node = self.returns.first()?.0;
        let mut items = Vec::new();
        while let Some(at) = self.returns.iter().position(|(of, _)| *of == node) {
            items.push(self.returns.swap_remove(at).1);
        }
        let request = self.inner.source.give_back(&items, node);
        Some(Task::new(&self.inner, Purpose::Return(items), request, GOODBYE))
    }
}
