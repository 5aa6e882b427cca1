//! The store: configuration, the executor, and all tags of a database.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use js_sys::{Array, Promise};
use raven_edge::error::{Code, Error};
use raven_edge::http::{Executor, NodeId};
use raven_edge::ids::tag;
use raven_edge::source::server::Server;
use raven_edge::source::{Return, Source};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::config::Config;
use crate::error::to_js;
use crate::generator::{Counter, Generator, Tag};
use crate::request::{check, execute};

/// How long `dispose` tries to give back what is unused, in milliseconds: an app that ends must not hang on a server
/// that is gone.
const GOODBYE: u64 = 5_000;

/// What all parts of a store share.
pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) executor: RefCell<Executor>,
    pub(crate) source: Server,
    pub(crate) refreshing: Cell<Option<u64>>,
    separator: char,
    tags: RefCell<Vec<Rc<Tag>>>,
    closed: Cell<bool>,
}

impl Inner {
    /// Fails once the store is disposed.
    pub(crate) fn open(&self) -> Result<(), Error> {
        if self.closed.get() {
            return Err(Error::new(Code::Disposed, "the store was disposed; nothing more is issued or sent"));
        }
        Ok(())
    }
}

/// A store in WebAssembly; the façade's `DocumentStore` owns one.
#[wasm_bindgen]
pub struct Store {
    inner: Rc<Inner>,
}

#[wasm_bindgen]
impl Store {
    /// Makes a store from what the façade has checked.
    #[wasm_bindgen(constructor)]
    pub fn new(config: Config) -> Result<Store, JsValue> {
        let made = Executor::new(&config.urls(), &config.database(), config.timeout() as u64)
            .and_then(|executor| Ok((executor, tag::check_separator(&config.separator())?)));
        let (executor, separator) = made.map_err(|error| to_js(&config, &error))?;
        let source = Server::new(&config.database(), separator);
        let inner = Inner {
            config,
            executor: RefCell::new(executor),
            source,
            refreshing: Cell::new(None),
            separator,
            tags: RefCell::new(Vec::new()),
            closed: Cell::new(false),
        };
        Ok(Store { inner: Rc::new(inner) })
    }

    /// The generator of a tag, fed into the façade's counter; one per tag and store.
    pub fn generator(&self, tag: &str, counter: Counter) -> Result<Generator, JsValue> {
        self.inner
            .open()
            .and_then(|()| tag::check(tag, self.inner.separator))
            .map_err(|error| to_js(&self.inner.config, &error))?;
        let made = Tag::new(&self.inner, tag, counter);
        self.inner.tags.borrow_mut().push(Rc::clone(&made));
        Ok(Generator::from(made))
    }

    /// A unit of work.
    #[cfg(feature = "session")]
    pub fn session(&self, tracker: crate::session::Tracker, identity: String) -> crate::session::Session {
        crate::session::Session::new(&self.inner, tracker, identity)
    }

    /// Refuses everything from now on and gives back what is unused, one request per node for all tags.
    pub fn dispose(&self) -> Promise {
        let store = Rc::clone(&self.inner);
        store.closed.set(true);
        let tags = store.tags.take();
        for tag in &tags {
            tag.close();
        }
        future_to_promise(async move {
            for tag in &tags {
                tag.settled().await;
            }
            let mut by_node: Vec<(NodeId, Vec<Return>)> = Vec::new();
            for (item, node) in tags.iter().flat_map(|tag| tag.give_back()) {
                match by_node.iter_mut().find(|(known, _)| *known == node) {
                    Some((_, items)) => items.push(item),
                    None => by_node.push((node, Vec::from([item]))),
                }
            }
            for (node, items) in by_node {
                send_back(&store, node, &items).await;
            }
            Ok(JsValue::UNDEFINED)
        })
    }
}

/// Sends the returns to the node that granted them and tells the app what became of each. What does not arrive
/// is burnt, which harms nobody: so a failure is an event and not an error.
async fn send_back(store: &Rc<Inner>, node: NodeId, items: &[Return]) {
    let request = store.source.give_back(items, node);
    let outcome = execute(store, &request, GOODBYE).await.and_then(|answer| check(&request, answer, 201));
    let applied = match &outcome {
        Ok(answer) => store.source.applied(answer, items.len()),
        Err(_) => Vec::from_iter(items.iter().map(|_| false)),
    };
    let error = outcome.err().map_or(JsValue::UNDEFINED, |error| to_js(&store.config, &error));
    for (item, applied) in items.iter().zip(applied) {
        let detail = Array::of5(
            &item.tag.as_str().into(),
            &((item.last + 1) as f64).into(),
            &(item.high as f64).into(),
            &applied.into(),
            &error,
        );
        store.config.emit("return", &detail);
    }
}
