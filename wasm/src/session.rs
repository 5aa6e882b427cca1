//! A session. The façade knows the documents and serializes them (`pkg/src/documents`, `pkg/src/wire`). Rust checks ids, decides what a
//! save sends, determines its outcome, and sends the requests.

use alloc::boxed::Box;
use alloc::vec::Vec;
use raven_edge::error::{Code, Error};
use raven_edge::http::{Method, Repeat, Request, describe};
use raven_edge::ids::{self, Limits};
use raven_edge::protocol::{finding, save};
use raven_edge::session::{Deferred, Document, Event, Finding, Refusal, Saves, Seen};
use raven_edge::source::Expects;
use raven_edge::texts::Call;
use wasm_bindgen::prelude::*;

use crate::store::Shared;
use crate::task::{Extra, Task};

#[wasm_bindgen]
extern "C" {
    /// Numbers, copied out of WebAssembly's memory.
    pub type Uint32Array;
    #[wasm_bindgen(constructor)]
    fn new(of: &[u32]) -> Uint32Array;
}

/// A session in WebAssembly, owned by the façade's session.
#[wasm_bindgen]
pub struct Session {
    store: Shared,
    limits: Limits,
    turn: Option<u32>,
    saves: Saves,
}

impl Session {
    pub(crate) fn new(store: &Shared, limits: Limits, turn: Option<u32>) -> Session {
        Session { store: store.clone(), limits, turn, saves: Saves::default() }
    }
}

#[wasm_bindgen]
impl Session {
    /// Throws if the text cannot be the id of a document.
    pub fn check(&mut self, id: &str) -> Result<(), JsValue> {
        ids::check(id, self.limits).map(drop).map_err(|error| self.store.host.js(&error))
    }

    /// Begins a save; returns the number of the next step ([`raven_edge::session::Next`]). `forgotten`: documents that the session no
    /// longer tracks, or has just read.
    pub fn begin(&mut self, forgotten: &[u32]) -> u32 {
        self.forget(forgotten);
        self.saves.begin().number()
    }

    /// Plans a batch: returns its commands for `documents`, as [`raven_edge::session::Command::bits`]. `strict`: every write expects
    /// the version that the session knows. Throws if a save is in progress, or if a document cannot be deleted because only the server
    /// knows its id.
    pub fn plan(&mut self, strict: bool, documents: &[u32]) -> Result<Uint32Array, JsValue> {
        let documents: Vec<Document> = documents.iter().map(|bits| Document::from_bits(*bits)).collect();
        let planned = self.saves.plan(strict, &documents);
        let commands = planned.map(|commands| commands.iter().map(|command| command.bits()).collect::<Vec<u32>>());
        commands.map(|commands| Uint32Array::new(&commands)).map_err(|refusal| self.refusal(refusal))
    }

    /// Fixes what the planned batch contains. `deferred`: its other commands, as [`Deferred::from_bits`] reads them. Returns whether
    /// there is anything to send; if not, the save is done. Throws if a save is in progress.
    pub fn seal(&mut self, deferred: &[u32]) -> Result<bool, JsValue> {
        let deferred: Vec<Deferred> = deferred.iter().map(|bits| Deferred::from_bits(*bits)).collect();
        self.saves.seal(&deferred).map_err(|refusal| self.refusal(refusal))
    }

    /// Processes an event, one of [`save`]. For a refusal: `slot` of the document, if it is known, and whether the database is
    /// `sharded`. For documents that were read: `seen` contains pairs of a slot and one of [`finding`]. Returns the number of the next
    /// step, whether to keep the texts of the batch, the version of the batch, and then pairs of a confirmed slot and its version.
    pub fn on(&mut self, forgotten: &[u32], event: u32, slot: Option<u32>, sharded: bool, seen: &[u32]) -> Uint32Array {
        self.forget(forgotten);
        let seen = read_seen(seen);
        let event = match event {
            save::APPLIED => Event::Applied,
            save::WAITED => Event::Waited,
            save::CONFLICT => Event::Refused { conflict: Some(slot), sharded },
            save::REFUSED => Event::Refused { conflict: None, sharded },
            save::UNSENT => Event::Unsent,
            save::SEEN => Event::Seen(&seen),
            save::UNREAD => Event::Unread,
            _ => Event::Lost,
        };
        let outcome = self.saves.on(event);
        let mut result = Vec::from([outcome.next.number(), u32::from(outcome.keep), self.saves.version()]);
        result.extend(outcome.confirmed.iter().flat_map(|(slot, version)| [*slot, *version]));
        Uint32Array::new(&result)
    }

    /// The slots of documents whose outcome can be determined by reading them.
    pub fn readable(&mut self) -> Uint32Array {
        Uint32Array::new(&self.saves.readable())
    }

    /// The request that sends the sealed batch. `query`: its options; `wait`: how long the server may wait after the save, in
    /// milliseconds.
    pub fn save(&mut self, query: &str, body: JsValue, wait: f64) -> Task {
        let mut path = self.store.route("bulk_docs");
        path.push_str(query);
        let request = Request::post(path, Vec::new(), Repeat::Never);
        let call = Call { request, expects: Expects::Status(201), wait: wait as u64, turn: None };
        Task::of_app(&self.store, call, Extra { body, sink: None })
    }

    /// The request that loads documents: a route with its query and, if the URL would be too long, a body. `wait`: how long the server
    /// may wait before it responds, in milliseconds.
    pub fn load(&mut self, route: &str, body: JsValue, wait: f64) -> Task {
        let path = self.store.route(route);
        let method = if body.is_undefined() { Method::Get } else { Method::Post };
        let request = Box::new(Request { method, ..*Request::get(path) }).repeated(Repeat::EachNode);
        let call = Call { request, expects: Expects::Documents, wait: wait as u64, turn: self.turn };
        Task::of_app(&self.store, call, Extra { body, sink: None })
    }

    /// The error for one of the responses inside of a `multi_get`.
    pub fn refused(&mut self, status: u16, text: &str) -> JsValue {
        self.store.host.js(&describe(status, text.as_bytes()))
    }
}

impl Session {
    fn refusal(&self, refusal: Refusal) -> JsValue {
        let message = match refusal {
            Refusal::NoId(_) => {
                "a document cannot be deleted: the outcome of its save is unknown, so its id is unknown; look for it, then evict the entity"
            }
            Refusal::Busy => "the session is saving",
        };
        self.store.host.js(&Error::new(Code::InvalidOperation, message))
    }

    fn forget(&mut self, slots: &[u32]) {
        if !slots.is_empty() && !self.saves.is_idle() {
            self.saves.forget(slots);
        }
    }
}

/// Decodes pairs of a slot and a finding.
fn read_seen(mut pairs: &[u32]) -> Vec<Seen> {
    let mut seen = Vec::new();
    while let [slot, found, rest @ ..] = pairs {
        let finding = match *found {
            finding::ABSENT => Finding::Absent,
            finding::OTHER => Finding::Other,
            version => Finding::Version(version.saturating_sub(finding::VERSION)),
        };
        seen.push(Seen { slot: *slot, finding });
        pairs = rest;
    }
    seen
}
