//! A unit of work: Rust owns ids, change vectors and texts; the façade's tracker holds the objects.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use raven_edge::error::Error;
use raven_edge::http::{Repeat, Request, describe};
use raven_edge::ids::{self, Limits};
use raven_edge::session::{Batch, Check, Rules, Session as Core, Text};
use wasm_bindgen::prelude::*;

use crate::host::Uint8Array;
use crate::store::Inner;
use crate::task::{Purpose, Task};

#[wasm_bindgen]
extern "C" {
    /// The hot tracker of the façade (`pkg/hot/tracker.js`): entities and their last sent values by slot.
    pub type Tracker;

    /// Writes the text made last into wasm memory and gives the bytes written.
    #[wasm_bindgen(method)]
    fn fill(this: &Tracker, memory: &mut [u8]) -> usize;
    /// Keeps the next part of a batch: memory in here never shrinks, so the whole is put together outside.
    #[wasm_bindgen(method)]
    fn part(this: &Tracker, text: &[u8]);
    /// The whole batch.
    #[wasm_bindgen(method)]
    pub(crate) fn body(this: &Tracker) -> Uint8Array;
    /// What was sent is what the server has now.
    #[wasm_bindgen(method)]
    fn accept(this: &Tracker);
    /// The server has made the id of a document.
    #[wasm_bindgen(method)]
    fn name(this: &Tracker, slot: u32, id: &str);

    /// The answer that came last, or a piece of one, which stays outside (`pkg/hot/answer.js`, `pkg/hot/pieces.js`).
    pub type Answer;

    /// How many bytes it has.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn length(this: &Answer) -> usize;
    /// Copies bytes of it into wasm memory.
    #[wasm_bindgen(method)]
    fn copy(this: &Answer, at: usize, memory: &mut [u8]);
    /// Keeps these places of a piece.
    #[cfg(feature = "query")]
    #[wasm_bindgen(method)]
    pub(crate) fn keep(this: &Answer, places: &[u32]);
}

impl Text for Answer {
    fn read(&self, at: usize, into: &mut [u8]) {
        self.copy(at, into);
    }
}

/// How much of an answer is in here at a time, in bytes.
const WINDOW: usize = 1 << 14;

pub(crate) struct State {
    store: Rc<Inner>,
    tracker: Tracker,
    answer: Answer,
    identity: String,
    limits: Limits,
    core: RefCell<Core>,
}

/// A session in WebAssembly; the façade's session owns one.
#[wasm_bindgen]
pub struct Session {
    state: Rc<State>,
    batch: Batch,
    turn: Option<u32>,
}

impl Session {
    pub(crate) fn new(
        store: &Rc<Inner>,
        tracker: Tracker,
        answer: Answer,
        identity: &str,
        limits: Limits,
        turn: Option<u32>,
    ) -> Session {
        let identity = String::from(identity);
        let state = State { store: Rc::clone(store), tracker, answer, identity, limits, core: RefCell::default() };
        Session { state: Rc::new(state), batch: Batch::default(), turn }
    }
}

/// How the façade says it.
fn check_of(number: u8) -> Check {
    match number {
        0 => Check::Auto,
        1 => Check::Forced,
        _ => Check::Disabled,
    }
}

#[wasm_bindgen]
impl Session {
    /// The number of a collection and a class name (empty: none).
    pub fn kind(&self, collection: &str, class: &str) -> usize {
        self.state.core.borrow_mut().kind(collection, class)
    }

    /// A new document takes a slot of the tracker's. `check`: 0 if the session does, 1 always, 2 never.
    pub fn store(
        &self,
        slot: usize,
        id: &str,
        kind: usize,
        check: u8,
        change_vector: Option<String>,
    ) -> Result<(), JsValue> {
        let state = &self.state;
        ids::check(id, state.limits).map_err(|error| state.store.host.js(&error))?;
        state.core.borrow_mut().store(slot, id, kind, check_of(check), change_vector.as_deref());
        Ok(())
    }

    /// New documents under ids of this client's own, one a line, take the slots from this one on.
    #[wasm_bindgen(js_name = storeAll)]
    pub fn store_all(&self, slot: usize, ids: &str, kind: usize) {
        let mut core = self.state.core.borrow_mut();
        for (at, id) in ids.split('\n').enumerate() {
            core.store(slot + at, id, kind, Check::Forced, None);
        }
    }

    /// A document that was loaded is to be saved or deleted.
    pub fn adopt(&self, slot: usize, id: &str, kind: usize, change_vector: &str, last_modified: Option<String>) {
        self.state.core.borrow_mut().adopt(slot, id, kind, change_vector, last_modified.as_deref());
    }

    /// States anew how a document is to be checked.
    pub fn check(&self, slot: usize, check: u8, change_vector: Option<String>) {
        self.state.core.borrow_mut().check(slot, check_of(check), change_vector.as_deref());
    }

    /// What the server last said of these documents: see [`Core::stamps`].
    pub fn stamps(&self, slots: &[u32]) -> String {
        self.state.core.borrow().stamps(slots)
    }

    /// Whether these are all new documents under ids of this client's own.
    #[wasm_bindgen(js_name = isFresh)]
    pub fn is_fresh(&self, slots: &[u32]) -> bool {
        self.state.core.borrow().is_fresh(slots)
    }

    /// A document was read again.
    pub fn revise(&self, slot: usize, change_vector: &str, last_modified: &str) {
        self.state.core.borrow_mut().revise(slot, change_vector, last_modified);
    }

    /// The session is done with a document.
    pub fn forget(&self, slot: usize) {
        self.state.core.borrow_mut().forget(slot);
    }

    /// Begins a batch.
    pub fn begin(&mut self, optimistic: bool, cluster: bool) {
        self.batch = Batch::new(Rules { optimistic, cluster });
    }

    /// Adds the deletion of a document to the batch.
    pub fn remove(&mut self, slot: u32) {
        self.batch.delete(&self.state.core.borrow(), slot);
    }

    /// Adds a command to the batch; `slot`: the document that the session has under its id, below 0: none.
    pub fn command(&mut self, text: &str, slot: i32) {
        self.batch.command(text, u32::try_from(slot).ok());
    }

    /// Adds these slots to the batch. The tracker has just made their text, of so many UTF-16 units.
    pub fn put(&mut self, slots: &[u32], units: usize) -> Result<(), JsValue> {
        let mut text = alloc::vec![0; units.saturating_mul(3)];
        let written = self.state.tracker.fill(&mut text);
        text.truncate(written);
        let state = &self.state;
        let added = self.batch.put(&state.core.borrow(), slots, &text, &state.identity);
        state.part(&self.batch.take());
        added.map_err(|error| state.store.host.js(&error))
    }

    /// The request that sends the batch; `query` has its options.
    pub fn save(&mut self, query: &str) -> Task {
        let (rest, items) = core::mem::take(&mut self.batch).finish();
        self.state.part(&rest);
        let mut path = self.state.store.executor.borrow().route("bulk_docs");
        path.push_str(query);
        let request = Request::post(path, Vec::new(), Repeat::Never);
        Task::new(&self.state.store, Purpose::Save(Rc::clone(&self.state), items), request, u64::MAX)
    }

    /// The request that loads documents: a route with its query and, where that does not hold all, a body.
    pub fn load(&self, route: &str, body: Option<String>) -> Task {
        let path = self.state.store.executor.borrow().route(route);
        let request = match body {
            None => Request::get(path),
            Some(body) => Request::post(path, body.into_bytes(), Repeat::Anywhere),
        };
        Task::new(&self.state.store, Purpose::Load, request, u64::MAX).spread(self.turn)
    }

    /// The error that one of several answers is.
    pub fn refused(&self, status: u16, text: &str) -> JsValue {
        self.state.store.host.js(&describe(status, text.as_bytes()))
    }
}

impl State {
    fn part(&self, text: &[u8]) {
        self.tracker.part(text);
    }

    pub(crate) fn body(&self) -> Uint8Array {
        self.tracker.body()
    }

    pub(crate) fn saved(&self, items: &[Option<u32>]) -> Result<(), Error> {
        let made = self.core.borrow_mut().saved(items, &self.answer, self.answer.length(), WINDOW)?;
        for (slot, id) in made {
            self.tracker.name(slot, &id);
        }
        self.tracker.accept();
        Ok(())
    }
}
