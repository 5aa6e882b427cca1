//! A unit of work: Rust owns ids, change vectors and texts; the façade's tracker holds the objects.

use alloc::rc::Rc;
use alloc::string::String;
use core::cell::RefCell;
use js_sys::Uint8Array;
use raven_edge::error::Error;
use raven_edge::http::{Repeat, Request};
use raven_edge::json;
use raven_edge::session::{Batch, Loaded, Session as Core, unclear};
use wasm_bindgen::prelude::*;

use crate::store::Inner;
use crate::task::{Purpose, Task};

#[wasm_bindgen]
extern "C" {
    /// The hot tracker of the façade (`pkg/hot/tracker.js`): entities and their last sent values by slot.
    pub type Tracker;

    /// Writes the text made last into wasm memory and gives the bytes written.
    #[wasm_bindgen(method)]
    fn fill(this: &Tracker, memory: Uint8Array) -> usize;
    /// What was sent is what the server has now.
    #[wasm_bindgen(method)]
    fn accept(this: &Tracker);
    /// Keeps the text of an answer's documents; they become entities when Rust is not on the stack.
    #[wasm_bindgen(method)]
    fn keep(this: &Tracker, results: Uint8Array);
    /// The next document of that text goes into this slot; −1: the session has it already.
    #[wasm_bindgen(method)]
    fn adopt(this: &Tracker, id: &str, slot: i32);
    /// The slot of a document, −1: not in the session.
    #[wasm_bindgen(method)]
    fn slot(this: &Tracker, id: &str) -> i32;
}

pub(crate) struct State {
    store: Rc<Inner>,
    tracker: Tracker,
    identity: String,
    core: RefCell<Core>,
}

/// A session in WebAssembly; the façade's session owns one.
#[wasm_bindgen]
pub struct Session {
    state: Rc<State>,
    batch: Batch,
}

impl Session {
    pub(crate) fn new(store: &Rc<Inner>, tracker: Tracker, identity: &str) -> Session {
        let identity = String::from(identity);
        let state = State { store: Rc::clone(store), tracker, identity, core: RefCell::default() };
        Session { state: Rc::new(state), batch: Batch::default() }
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

    /// Adds these slots to the batch, the `first` ones to a new one. The tracker has just made their text, of so many
    /// UTF-16 units.
    pub fn put(&mut self, first: bool, slots: &[u32], units: usize) -> Result<(), JsValue> {
        if first {
            self.batch = Batch::default();
        }
        let mut text = alloc::vec![0; units.saturating_mul(3)];
        // SAFETY: `fill` writes within the view, keeps no reference to it, and nothing else runs meanwhile.
        let view = unsafe { Uint8Array::view_mut_raw(text.as_mut_ptr(), text.len()) };
        let written = self.state.tracker.fill(view);
        text.truncate(written);
        let core = self.state.core.borrow();
        self.batch.put(&core, slots, &text, &self.state.identity).map_err(|error| self.state.store.host.js(&error))
    }

    /// The request that sends the batch.
    pub fn save(&mut self) -> Task {
        let (body, slots) = core::mem::take(&mut self.batch).finish();
        let path = self.state.store.executor.borrow().route("bulk_docs");
        let request = Request::post(path, body, Repeat::Never);
        Task::new(&self.state.store, Purpose::Save(Rc::clone(&self.state), slots), request, u64::MAX)
    }

    /// The request that loads documents into the tracker: `docs` with this query, and the body where the ids are too
    /// many for a query.
    pub fn load(&self, query: &str, body: Option<String>) -> Task {
        let mut path = self.state.store.executor.borrow().route("docs");
        path.push_str(query);
        let request = match body {
            None => Request::get(path),
            Some(body) => Request::post(path, body.into_bytes(), Repeat::Anywhere),
        };
        Task::new(&self.state.store, Purpose::Load(Rc::clone(&self.state)), request, u64::MAX)
    }
}

impl State {
    pub(crate) fn saved(&self, slots: &[u32], body: &[u8]) -> Result<(), Error> {
        self.core.borrow_mut().saved(slots, body)?;
        self.tracker.accept();
        Ok(())
    }

    pub(crate) fn loaded(&self, body: &[u8]) -> Result<(), Error> {
        let results = json::get(body, "Results").ok_or_else(unclear)?;
        // SAFETY: the tracker decodes the view before it returns and keeps no reference to it.
        self.tracker.keep(unsafe { Uint8Array::view(results) });
        for loaded in Loaded::all(results) {
            // Asked for twice, in two cases, or stored meanwhile: the object that the session has stays.
            let known = self.tracker.slot(&loaded.id) >= 0;
            let slot = if known { -1 } else { self.core.borrow_mut().adopt(&loaded) as i32 };
            self.tracker.adopt(&loaded.id, slot);
        }
        Ok(())
    }
}
