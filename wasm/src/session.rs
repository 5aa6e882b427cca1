//! A unit of work: Rust owns ids, change vectors and texts; the façade's tracker holds the objects.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use raven_edge::error::Error;
use raven_edge::http::{Repeat, Request, describe};
use raven_edge::ids::{self, Limits};
use raven_edge::session::{
    Batch, Check, Part, Place, Rules, Session as Core, Text, answers, documents, inexact, strange,
};
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
    /// A document has a number that JavaScript may not be able to hold.
    #[wasm_bindgen(method)]
    fn number(this: &Tracker, slot: u32, literal: &str);

    /// The answer that came last, or a piece of one, which stays outside (`pkg/hot/answer.js`, `pkg/hot/pieces.js`).
    pub type Answer;

    /// How many bytes it has.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn length(this: &Answer) -> usize;
    /// Copies bytes of it into wasm memory.
    #[wasm_bindgen(method)]
    fn copy(this: &Answer, at: usize, memory: &mut [u8]);
    /// Keeps the texts of `count` documents, the first of which has slot `base`: at `places`, each a beginning and an end,
    /// is one array of them (it may have `null`s between them), or `included` ones. They become entities when Rust is not
    /// on the stack. A piece: places that it has.
    #[wasm_bindgen(method)]
    pub(crate) fn keep(this: &Answer, places: &[u32], base: u32, count: u32, included: bool);
    /// Keeps, with the documents that were kept last, what their answer says beside them: the texts at `places`, each a beginning and an end, are what is left
    /// of it without the values of `Results` and `Includes`.
    #[cfg(feature = "query")]
    #[wasm_bindgen(method)]
    fn rest(this: &Answer, places: &[u32]);
}

impl Text for Answer {
    fn read(&self, at: usize, into: &mut [u8]) {
        self.copy(at, into);
    }
}

/// How much of an answer is in here at a time, in bytes.
const WINDOW: usize = 1 << 14;

/// How the documents of an answer are to be taken in.
#[derive(Clone, Copy)]
pub(crate) enum Adoption {
    /// One answer of `docs`.
    One,
    /// The answers of a `multi_get`.
    Several,
}

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

    /// A new document takes the next slot, which the tracker gives its entity, too. `check`: 0 if the session does, 1
    /// always, 2 never.
    pub fn store(&self, id: &str, kind: usize, check: u8, change_vector: Option<String>) -> Result<u32, JsValue> {
        let state = &self.state;
        ids::check(id, state.limits).map_err(|error| state.store.host.js(&error))?;
        Ok(state.core.borrow_mut().store(id, kind, check_of(check), change_vector.as_deref()) as u32)
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.state.core.borrow().slots()
    }

    /// New documents under ids of this client's own, one a line, take the next slots.
    #[wasm_bindgen(js_name = storeAll)]
    pub fn store_all(&self, ids: &str, kind: usize) {
        let mut core = self.state.core.borrow_mut();
        for id in ids.split('\n') {
            core.store(id, kind, Check::Forced, None);
        }
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

    /// The request that loads documents into the tracker: a route with its query and, where that does not hold all, a
    /// body. `several`: the route is `multi_get`.
    pub fn load(&self, route: &str, body: Option<String>, several: bool) -> Task {
        let path = self.state.store.executor.borrow().route(route);
        let request = match body {
            None => Request::get(path),
            Some(body) => Request::post(path, body.into_bytes(), Repeat::Anywhere),
        };
        let adoption = if several { Adoption::Several } else { Adoption::One };
        Task::new(&self.state.store, Purpose::Load(Rc::clone(&self.state), adoption), request, u64::MAX)
            .spread(self.turn)
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

    pub(crate) fn loaded(&self, adoption: Adoption) -> Result<(), Error> {
        let whole = (0, self.answer.length());
        match adoption {
            Adoption::One => self.take(whole),
            Adoption::Several => {
                for (status, place) in answers(&self.answer, whole, WINDOW).ok_or_else(strange)? {
                    match status {
                        200 => self.take(place)?,
                        404 => self.answer.keep(&[], 0, 0, false),
                        _ => {
                            let mut text = alloc::vec![0; place.1 - place.0];
                            self.answer.read(place.0, &mut text);
                            return Err(describe(status, &text));
                        }
                    }
                }
                Ok(())
            }
        }
    }

    /// Takes in what one answer holds. Every document takes a slot, in order: the tracker does not have to be asked for
    /// each, and leaves those unused whose document it has already.
    fn take(&self, place: Place) -> Result<(), Error> {
        let mut core = self.core.borrow_mut();
        let (mut results, mut included, mut count) = (Place::default(), Vec::new(), 0);
        #[cfg(feature = "query")]
        let mut rest = alloc::vec![place.0 as u32];
        let mut bases = [None; 2];
        documents(&self.answer, place, WINDOW, &mut |part| {
            #[cfg(feature = "query")]
            if let Part::Results((from, to)) | Part::Includes((from, to)) = part {
                rest.extend([from as u32, to as u32]);
            }
            let (loaded, text) = match part {
                Part::Results(place) => {
                    results = place;
                    return;
                }
                Part::Includes(_) => return,
                Part::Result(loaded, text) => {
                    count += 1;
                    bases[0].get_or_insert(core.slots() as u32);
                    (loaded, text)
                }
                Part::Included(loaded, text, from) => {
                    included.extend([from as u32, (from + text.len()) as u32]);
                    bases[1].get_or_insert(core.slots() as u32);
                    (loaded, text)
                }
            };
            if loaded.long_numbers {
                inexact(text, &mut |literal| self.tracker.number(core.slots() as u32, literal));
            }
            core.adopt(text, loaded.stamp);
        })
        .ok_or_else(strange)?;
        let [base, base_of_included] = bases.map(Option::unwrap_or_default);
        self.answer.keep(&[results.0 as u32, results.1 as u32], base, count, false);
        #[cfg(feature = "query")]
        {
            rest.push(place.1 as u32);
            self.answer.rest(&rest);
        }
        if !included.is_empty() {
            self.answer.keep(&included, base_of_included, (included.len() / 2) as u32, true);
        }
        Ok(())
    }
}
