//! A unit of work: the façade knows the documents and makes the texts (`pkg/src/documents`, `pkg/src/wire`); Rust checks ids, decides what a save sends
//! and what became of it, and sends.

use alloc::boxed::Box;
use alloc::vec::Vec;
use raven_edge::hilo::Call;
use raven_edge::http::{Method, Repeat, Request, describe};
use raven_edge::ids::{self, Limits};
use raven_edge::protocol::{command, finding, save};
use raven_edge::session::{Document, Event, Finding, Mode, Refusal, Saves, Seen};
use raven_edge::source::Expects;
use wasm_bindgen::prelude::*;

use crate::store::Shared;
use crate::task::{Extra, Task};

#[wasm_bindgen]
extern "C" {
    /// Numbers, copied out of this memory.
    pub type Uint32Array;
    #[wasm_bindgen(constructor)]
    fn new(of: &[u32]) -> Uint32Array;
}

/// A session in WebAssembly; the façade's session owns one.
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
    /// Refuses what cannot be the id of a document.
    pub fn check(&self, id: &str) -> Result<(), JsValue> {
        ids::check(id, self.limits).map(drop).map_err(|error| self.store.host.js(&error))
    }

    /// Begins a save; gives what follows ([`raven_edge::session::Next`] by its number). The session is done with the documents
    /// `gone`, or has just read them.
    pub fn begin(&mut self, gone: &[u32]) -> u32 {
        self.forget(gone);
        self.saves.begin().number()
    }

    /// Plans a batch: its commands about `documents`, as [`raven_edge::session::Command::bits`]. If a document cannot be deleted,
    /// because only the server knows its id, gives its slot with [`command::NO_ID`] in place of the commands.
    pub fn plan(&mut self, mode: u8, documents: &[u32]) -> Uint32Array {
        let documents: Vec<Document> = documents.iter().map(|bits| Document::from_bits(*bits)).collect();
        let commands: Vec<u32> = match self.saves.plan(Mode::from_bits(mode), &documents) {
            Ok(plan) => plan.commands.iter().map(|command| command.bits()).collect(),
            Err(Refusal::NoId(slot)) => Vec::from([slot << 8 | command::NO_ID]),
            Err(Refusal::Busy) => Vec::new(),
        };
        Uint32Array::new(&commands)
    }

    /// Takes in what has happened, one of [`save`]: for a refusal the slot of the document (none if it is not known) and whether
    /// the database is sharded; for documents that were read, pairs of slot and what was found, one of
    /// [`finding`]. Gives the number of what follows, whether texts are to be kept, the version of the batch, and pairs of slots
    /// that are saved and their versions.
    pub fn on(&mut self, gone: &[u32], event: u32, slot: Option<u32>, sharded: bool, seen: &[u32]) -> Uint32Array {
        self.forget(gone);
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
        let mut said = Vec::from([outcome.next.number(), u32::from(outcome.keep), self.saves.version()]);
        said.extend(outcome.confirmed.iter().flat_map(|(slot, version)| [*slot, *version]));
        Uint32Array::new(&said)
    }

    /// Documents that can be confirmed by what is found under their ids.
    pub fn readable(&self) -> Uint32Array {
        Uint32Array::new(&self.saves.readable())
    }

    /// The request that sends a batch; `query` has its options, `wait`: for how many milliseconds the server may wait afterwards,
    /// `mode`: as in the plan, with what the app's code has deferred since then.
    pub fn save(&mut self, query: &str, body: JsValue, wait: f64, mode: u8) -> Task {
        self.saves.defer(Mode::from_bits(mode));
        let mut path = self.store.route("bulk_docs");
        path.push_str(query);
        let request = Request::post(path, Vec::new(), Repeat::Never);
        let call = Call { request, expects: Expects::Status(201), wait: wait as u64, turn: None };
        Task::of_app(&self.store, call, Extra { body, sink: None })
    }

    /// The request that loads documents: a route with its query and, where that does not hold all, a body; `wait`: for how
    /// many milliseconds the server may wait before.
    pub fn load(&self, route: &str, body: JsValue, wait: f64) -> Task {
        let path = self.store.route(route);
        let method = if body.is_undefined() { Method::Get } else { Method::Post };
        let request = Box::new(Request { method, ..*Request::get(path) }).repeated(Repeat::EachNode);
        let call = Call { request, expects: Expects::Documents, wait: wait as u64, turn: self.turn };
        Task::of_app(&self.store, call, Extra { body, sink: None })
    }

    /// The error that one of several answers is.
    pub fn refused(&self, status: u16, text: &str) -> JsValue {
        self.store.host.js(&describe(status, text.as_bytes()))
    }
}

impl Session {
    fn forget(&mut self, gone: &[u32]) {
        if !gone.is_empty() && !self.saves.is_idle() {
            self.saves.forget(gone);
        }
    }
}

/// Reads pairs of a slot and what was found.
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
