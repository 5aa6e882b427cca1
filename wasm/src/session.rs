//! A unit of work: the façade knows the documents and makes the texts (`pkg/hot/`); Rust checks ids, and sends.

use alloc::rc::Rc;
use alloc::vec::Vec;
use raven_edge::http::{Method, Repeat, Request, describe};
use raven_edge::ids::{self, Limits, Maker};
use raven_edge::source::Expects;
use wasm_bindgen::prelude::*;

use crate::store::Inner;
use crate::task::{Purpose, Task};

/// A session in WebAssembly; the façade's session owns one.
#[wasm_bindgen]
pub struct Session {
    store: Rc<Inner>,
    limits: Limits,
    turn: Option<u32>,
}

impl Session {
    pub(crate) fn new(store: &Rc<Inner>, limits: Limits, turn: Option<u32>) -> Session {
        Session { store: Rc::clone(store), limits, turn }
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

    /// The request that sends a batch; `query` has its options, `wait`: for how many milliseconds the server may wait afterwards.
    pub fn save(&self, query: &str, body: JsValue, wait: f64) -> Task {
        let mut path = self.store.executor.borrow().route("bulk_docs");
        path.push_str(query);
        let request = Request::post(path, Vec::new(), Repeat::Never);
        Task::of_app(&self.store, (Purpose::Save, Expects::Status(201)), request, body, wait, None)
    }

    /// The request that loads documents: a route with its query and, where that does not hold all, a body; `wait`: for how
    /// many milliseconds the server may wait before.
    pub fn load(&self, route: &str, body: JsValue, wait: f64) -> Task {
        let path = self.store.executor.borrow().route(route);
        let method = if body.is_undefined() { Method::Get } else { Method::Post };
        let request = Request { method, ..Request::get(path) }.repeated(Repeat::EachNode);
        Task::of_app(&self.store, (Purpose::Load, Expects::Documents), request, body, wait, self.turn)
    }

    /// The error that one of several answers is.
    pub fn refused(&self, status: u16, text: &str) -> JsValue {
        self.store.host.js(&describe(status, text.as_bytes()))
    }
}
