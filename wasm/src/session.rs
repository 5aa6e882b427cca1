//! A session. The façade knows the documents and serializes them (`pkg/src/documents`, `pkg/src/wire`), checks ids and sends the requests.
//! Rust decides what a save sends, and determines its outcome.

use alloc::vec::Vec;
use raven_edge::protocol::{finding, planned, save};
use raven_edge::session::{Deferred, Document, Event, Finding, Refusal, Saves, Seen};
use wasm_bindgen::prelude::*;

/// A session in WebAssembly, owned by the façade's session.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    saves: Saves,
}

fn refusal(refusal: Refusal) -> u32 {
    match refusal {
        Refusal::NoId(_) => planned::NO_ID,
        Refusal::Busy => planned::BUSY,
    }
}

#[wasm_bindgen]
impl Session {
    /// Creates a session.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Session {
        Session::default()
    }

    /// Begins a save; returns the number of the next step ([`raven_edge::session::Next`]). `forgotten`: documents that the session no
    /// longer tracks, or has just read.
    pub fn begin(&mut self, forgotten: &[u32]) -> u32 {
        self.forget(forgotten);
        self.saves.begin().number()
    }

    /// Plans a batch: returns one of [`planned`], and then its commands for `documents`, as [`raven_edge::session::Command::bits`].
    /// `strict`: every write expects the version that the session knows.
    pub fn plan(&mut self, strict: bool, documents: &[u32]) -> Vec<u32> {
        let documents: Vec<Document> = documents.iter().map(|bits| Document::from_bits(*bits)).collect();
        let mut result = Vec::from([planned::DONE]);
        match self.saves.plan(strict, &documents) {
            Ok(commands) => commands.iter().for_each(|command| result.push(command.bits())),
            Err(refused) => result = Vec::from([refusal(refused)]),
        }
        result
    }

    /// Fixes what the planned batch contains. `deferred`: its other commands, as [`Deferred::from_bits`] reads them. Returns one of
    /// [`planned`].
    pub fn seal(&mut self, deferred: &[u32]) -> u32 {
        let deferred: Vec<Deferred> = deferred.iter().map(|bits| Deferred::from_bits(*bits)).collect();
        match self.saves.seal(&deferred) {
            Ok(true) => planned::DONE,
            Ok(false) => planned::NOTHING,
            Err(refused) => refusal(refused),
        }
    }

    /// Processes an event, one of [`save`]. For a refusal: `slot` of the document, if it is known, and whether the database is
    /// `sharded`. For documents that were read: `seen` contains pairs of a slot and one of [`finding`]. Returns the number of the next
    /// step, whether to keep the texts of the batch, the version of the batch, and then pairs of a confirmed slot and its version.
    pub fn on(&mut self, forgotten: &[u32], event: u32, slot: Option<u32>, sharded: bool, seen: &[u32]) -> Vec<u32> {
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
        result
    }

    /// The slots of documents whose outcome can be determined by reading them.
    pub fn readable(&mut self) -> Vec<u32> {
        self.saves.readable()
    }
}

impl Session {
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
