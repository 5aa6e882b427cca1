//! A unit of work: Rust drives and owns ids, change vectors and texts; the façade's tracker holds the objects.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use js_sys::{Promise, Uint8Array};
use raven_edge::error::Error;
use raven_edge::http::{Repeat, Request};
use raven_edge::json;
use raven_edge::session::{Batch, Loaded, Session as Core, load_request};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::error::to_js;
use crate::request::{check, execute};
use crate::store::Inner;

/// How many entities become text at once: wasm memory never shrinks, so one call for all would keep its peak.
const CHUNK: usize = 256;

#[wasm_bindgen]
extern "C" {
    /// The hot tracker of the façade (`pkg/hot/tracker.js`): entities and their last sent values by slot.
    #[derive(Clone)]
    pub type Tracker;

    /// Slots whose entity differs from what was last sent; runs the app's getters and `toJSON`.
    #[wasm_bindgen(method, catch)]
    fn changed(this: &Tracker) -> Result<Vec<u32>, JsValue>;
    /// Makes the JSON array of these entities and gives its length in UTF-16 units; runs the app's code, too.
    #[wasm_bindgen(method, catch)]
    fn text(this: &Tracker, slots: &[u32]) -> Result<usize, JsValue>;
    /// Writes that text into wasm memory and gives the bytes written.
    #[wasm_bindgen(method)]
    fn fill(this: &Tracker, memory: Uint8Array) -> usize;
    /// What was sent is what the server has now.
    #[wasm_bindgen(method)]
    fn accept(this: &Tracker);
    /// The documents of an answer become entities, in the given slots; `slots[i]` is −1 for what is not to be tracked.
    #[wasm_bindgen(method, catch)]
    fn adopt(this: &Tracker, results: Uint8Array, ids: Vec<String>, slots: Vec<i32>) -> Result<(), JsValue>;
    /// The slot of a document, −1: not in the session.
    #[wasm_bindgen(method)]
    fn slot(this: &Tracker, id: &str) -> i32;
}

struct State {
    store: Rc<Inner>,
    tracker: Tracker,
    identity: String,
    core: RefCell<Core>,
}

/// A session in WebAssembly; the façade's session owns one.
#[wasm_bindgen]
pub struct Session {
    state: Rc<State>,
}

impl Session {
    pub(crate) fn new(store: &Rc<Inner>, tracker: Tracker, identity: String) -> Session {
        let state = State { store: Rc::clone(store), tracker, identity, core: RefCell::default() };
        Session { state: Rc::new(state) }
    }
}

#[wasm_bindgen]
impl Session {
    /// A new document takes the next slot, which the tracker gives its entity, too.
    pub fn store(&self, id: &str, collection: &str, must_be_new: bool) -> u32 {
        let mut core = self.state.core.borrow_mut();
        let collection = core.collection(collection);
        core.store(id, collection, must_be_new) as u32
    }

    /// The change vector of a slot, once it was saved or loaded.
    #[wasm_bindgen(js_name = changeVector)]
    pub fn change_vector(&self, slot: u32) -> Option<String> {
        self.state.core.borrow().change_vector(slot as usize).map(String::from)
    }

    /// Sends what is new or changed in one request; resolves with the number of documents sent.
    pub fn save(&self) -> Promise {
        let state = Rc::clone(&self.state);
        future_to_promise(async move { state.save().await })
    }

    /// Loads documents into the tracker; ids that it has already should not be asked for.
    pub fn load(&self, ids: Vec<String>) -> Promise {
        let state = Rc::clone(&self.state);
        future_to_promise(async move { state.load(ids).await.map_err(|error| state.js(error)) })
    }
}

/// An error of the core or an exception of the app's own code.
enum Failure {
    Core(Error),
    App(JsValue),
}

impl State {
    fn js(&self, failure: Failure) -> JsValue {
        match failure {
            Failure::Core(error) => to_js(&self.store.config, &error),
            Failure::App(value) => value,
        }
    }

    async fn save(&self) -> Result<JsValue, JsValue> {
        let (body, slots) = match self.batch() {
            Ok((_, slots)) if slots.is_empty() => return Ok(0.into()),
            Ok(batch) => batch,
            Err(failure) => return Err(self.js(failure)),
        };
        let path = self.store.executor.borrow().route("bulk_docs");
        let request = Request::post(path, body, Repeat::Never);
        let sent = async {
            let answer = execute(&self.store, &request, u64::MAX).await?;
            let answer = check(&request, answer, 201)?;
            self.core.borrow_mut().saved(&slots, &answer.body)
        };
        match sent.await {
            Ok(()) => {
                self.tracker.accept();
                Ok((slots.len() as u32).into())
            }
            Err(error) => Err(to_js(&self.store.config, &error)),
        }
    }

    /// The batch of everything new or changed. The app's code runs in here: nothing stays borrowed over it.
    fn batch(&self) -> Result<(Vec<u8>, Vec<u32>), Failure> {
        self.store.open().map_err(Failure::Core)?;
        let slots = self.tracker.changed().map_err(Failure::App)?;
        let mut batch = Batch::default();
        for chunk in slots.chunks(CHUNK) {
            let units = self.tracker.text(chunk).map_err(Failure::App)?;
            let text = self.fill(units);
            batch.put(&self.core.borrow(), chunk, &text, &self.identity).map_err(Failure::Core)?;
        }
        Ok(batch.finish())
    }

    /// The tracker's text as UTF-8, written straight into wasm memory.
    fn fill(&self, units: usize) -> Vec<u8> {
        let mut text = alloc::vec![0; units.saturating_mul(3)];
        // SAFETY: `fill` writes within the view, keeps no reference to it, and nothing else runs meanwhile.
        let view = unsafe { Uint8Array::view_mut_raw(text.as_mut_ptr(), text.len()) };
        let written = self.tracker.fill(view);
        text.truncate(written);
        text
    }

    async fn load(&self, ids: Vec<String>) -> Result<JsValue, Failure> {
        self.store.open().map_err(Failure::Core)?;
        if ids.is_empty() {
            return Ok(JsValue::UNDEFINED);
        }
        let request = load_request(&self.store.executor.borrow(), &ids);
        let answer = execute(&self.store, &request, u64::MAX).await.map_err(Failure::Core)?;
        // One id that does not exist: 404 and nothing else. A 404 with a text comes from a wrong address.
        if answer.status == 404 && answer.body.is_empty() {
            return Ok(JsValue::UNDEFINED);
        }
        let answer = check(&request, answer, 200).map_err(Failure::Core)?;
        let results = json::get(&answer.body, "Results").unwrap_or(b"[]");
        let mut ids = Vec::new();
        let mut slots = Vec::new();
        for loaded in Loaded::all(&answer.body) {
            // Asked for twice, in two cases, or stored meanwhile: the object that the session has stays.
            let known = self.tracker.slot(&loaded.id) >= 0 || ids.contains(&loaded.id);
            slots.push(if known { -1 } else { self.core.borrow_mut().adopt(&loaded) as i32 });
            ids.push(loaded.id);
        }
        // SAFETY: the tracker decodes the view before it returns and keeps no reference to it.
        let view = unsafe { Uint8Array::view(results) };
        self.tracker.adopt(view, ids, slots).map_err(Failure::App)?;
        Ok(JsValue::UNDEFINED)
    }
}
