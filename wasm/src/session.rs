//! A unit of work: the façade knows the documents (`pkg/hot/`); Rust checks their ids, makes the text of a batch, and sends.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use raven_edge::http::{Repeat, Request, describe};
use raven_edge::ids::{self, Limits, Maker};
use raven_edge::session::Batch;
use wasm_bindgen::prelude::*;

use crate::host::Uint8Array;
use crate::store::Inner;
use crate::task::{Purpose, Task};

#[wasm_bindgen]
extern "C" {
    /// A batch on its way, as the façade keeps it (`pkg/hot/sent.js`).
    pub type Sent;

    /// Writes the text made last into wasm memory and gives the bytes written.
    #[wasm_bindgen(method)]
    fn fill(this: &Sent, memory: &mut [u8]) -> usize;
    /// Keeps the next part of a batch: memory in here never shrinks, so the whole is put together outside.
    #[wasm_bindgen(method)]
    fn part(this: &Sent, text: &[u8]);
    /// The whole batch.
    #[wasm_bindgen(method)]
    pub(crate) fn body(this: &Sent) -> Uint8Array;
}

/// A session in WebAssembly; the façade's session owns one.
#[wasm_bindgen]
pub struct Session {
    store: Rc<Inner>,
    sent: Rc<Sent>,
    identity: Option<String>,
    limits: Limits,
    batch: Batch,
    turn: Option<u32>,
}

impl Session {
    pub(crate) fn new(
        store: &Rc<Inner>,
        sent: Sent,
        identity: Option<String>,
        limits: Limits,
        turn: Option<u32>,
    ) -> Session {
        Session { store: Rc::clone(store), sent: Rc::new(sent), identity, limits, batch: Batch::new(), turn }
    }
}

#[wasm_bindgen]
impl Session {
    /// Refuses what cannot be the id of a document.
    pub fn check(&self, id: &str) -> Result<(), JsValue> {
        ids::check(id, self.limits).map(drop).map_err(|error| self.store.host.js(&error))
    }

    /// Whether `id` can be what the server made of the one that was sent.
    #[wasm_bindgen(js_name = isMade)]
    pub fn is_made(&self, sent: &str, id: &str) -> bool {
        Maker::of(sent).has_made(sent, id)
    }

    /// Begins a batch.
    pub fn begin(&mut self) {
        self.batch = Batch::new();
    }

    /// Adds a command to the batch.
    pub fn command(&mut self, text: &str) {
        self.batch.command(text);
    }

    /// Adds so many documents to the batch. The façade has just made their text, of so many UTF-16 units.
    pub fn put(&mut self, count: usize, units: usize) -> Result<(), JsValue> {
        let mut text = alloc::vec![0; units.saturating_mul(3)];
        let written = self.sent.fill(&mut text);
        text.truncate(written);
        let added = self.batch.put(&text, count, self.identity.as_deref());
        self.sent.part(&self.batch.take());
        added.map_err(|error| self.store.host.js(&error))
    }

    /// The request that sends the batch; `query` has its options, `cluster`: it is one transaction of the whole cluster;
    /// `wait`: for how many milliseconds the server may wait afterwards.
    pub fn save(&mut self, query: &str, cluster: bool, wait: f64) -> Task {
        let rest = core::mem::take(&mut self.batch).finish(cluster);
        self.sent.part(&rest);
        let mut path = self.store.executor.borrow().route("bulk_docs");
        path.push_str(query);
        let request = Request::post(path, Vec::new(), Repeat::Never);
        Task::new(&self.store, Purpose::Save(Rc::clone(&self.sent)), request, u64::MAX).extended(wait)
    }

    /// The request that loads documents: a route with its query and, where that does not hold all, a body; `wait`: for how
    /// many milliseconds the server may wait before.
    pub fn load(&self, route: &str, body: Option<String>, wait: f64) -> Task {
        let path = self.store.executor.borrow().route(route);
        let request = match body {
            None => Request::get(path),
            Some(body) => Request::post(path, body.into_bytes(), Repeat::Anywhere),
        };
        Task::new(&self.store, Purpose::Load, request, u64::MAX).spread(self.turn).extended(wait)
    }

    /// The error that one of several answers is.
    pub fn refused(&self, status: u16, text: &str) -> JsValue {
        self.store.host.js(&describe(status, text.as_bytes()))
    }
}
