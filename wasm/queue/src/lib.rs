//! The bindings of the offline queue (`raven_edge::offline`): numbers in, numbers out, and nothing that decides. A module of its own,
//! which only apps with `raven-edge/offline` load.
#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

use alloc::format;
use alloc::vec::Vec;
use raven_edge::http::describe;
use raven_edge::offline::{self, Restored, sets};
use raven_edge::protocol::user;
use wasm_bindgen::prelude::*;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A panic traps without a message. The gate in JavaScript (`pkg/src/runtime/gate`) handles the trap.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// A queue in WebAssembly.
#[wasm_bindgen]
pub struct Queue {
    inner: offline::Queue,
    /// Positions of the records that could not be read.
    damaged: Vec<u32>,
}

#[wasm_bindgen]
impl Queue {
    /// Reads a queue from its record and those of its changes. `changes`: for each the length of its record, then the record.
    #[wasm_bindgen(constructor)]
    pub fn new(record: &[u32], changes: &[u32]) -> Queue {
        let mut rest = changes;
        let rows = core::iter::from_fn(|| {
            let (length, after) = rest.split_first()?;
            let (row, after) = after.split_at_checked(*length as usize)?;
            rest = after;
            Some(row)
        });
        let rows: Vec<&[u32]> = rows.collect();
        let Restored { queue, damage, .. } = offline::Queue::restore(user::ONLY, record, rows);
        let damaged = damage.changes.into_iter().map(|at| at as u32).collect();
        Queue { inner: queue, damaged }
    }

    /// Positions of the records of changes that could not be read.
    pub fn damaged(&self) -> Vec<u32> {
        self.damaged.clone()
    }

    /// Processes an event; its numbers are those of `src/offline/encoding.rs`.
    pub fn dispatch(&mut self, event: &[u32]) -> Vec<u32> {
        self.inner.dispatch(event)
    }

    /// The record of the queue.
    pub fn control(&self) -> Vec<u32> {
        self.inner.record()
    }

    /// The record of a change; empty if there is none.
    pub fn record(&self, change: u32) -> Vec<u32> {
        self.inner.change(change).map(offline::Change::record).unwrap_or_default()
    }

    /// Pairs of a change and its state, in order.
    pub fn states(&self) -> Vec<u32> {
        self.inner.changes().iter().flat_map(|change| [change.number, change.state.number()]).collect()
    }

    /// The numbers of batch ids. Their texts must be kept; those of other batch ids are not needed any more.
    pub fn ids(&self) -> Vec<u32> {
        self.inner.ids().collect()
    }

    /// What is known of the document that proves what this device has saved, as numbered in `protocol::receipt`.
    pub fn receipt(&self) -> u32 {
        self.inner.receipt().number()
    }

    /// Why nothing is sent, as bits.
    pub fn paused(&self) -> u32 {
        self.inner.paused().into()
    }

    /// The changes of the batch in flight, in order.
    pub fn members(&self) -> Vec<u32> {
        self.inner.flight().map(|flight| flight.members.clone()).unwrap_or_default()
    }

    /// The last change about a document; 0: none.
    pub fn pending(&self, document: u32) -> u32 {
        self.inner.pending(document).map_or(0, |change| change.number)
    }
}

/// What the error of a batch means for the queue. `status` is the error's HTTP status, `kind` its `Type`, empty if it has none.
#[wasm_bindgen]
pub fn outcome(status: u16, kind: &str) -> u32 {
    let plain = kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+_`".contains(&byte));
    let body = if kind.is_empty() || !plain { Default::default() } else { format!("{{\"Type\":\"{kind}\"}}") };
    offline::failure(&describe(status, body.as_bytes()))
}

/// What becomes of a kept document when a response speaks of it; see `src/offline/kept.rs`.
#[wasm_bindgen(js_name = takeKept)]
pub fn take_kept(words: &[u32]) -> u32 {
    offline::kept::take_words(words)
}

/// The positions of the kept entries to evict.
#[wasm_bindgen(js_name = evictKept)]
pub fn evict_kept(words: &[u32]) -> Vec<u32> {
    offline::kept::evict_words(words)
}

/// What a session does next to answer a read.
#[wasm_bindgen(js_name = showKept)]
pub fn show_kept(reading: u32, connection: u32, device: u32) -> u32 {
    offline::kept::show(reading, connection, device)
}

/// A run that brings a set up to date; see `src/offline/sets`.
#[wasm_bindgen]
pub struct SetRun(sets::Run);

#[wasm_bindgen]
impl SetRun {
    /// Begins; `disturbed`: what has disturbed the set until now.
    #[wasm_bindgen(constructor)]
    pub fn new(disturbed: u32) -> SetRun {
        SetRun(sets::Run::new(disturbed))
    }

    /// The sums are read for another comparison.
    pub fn again(&mut self, disturbed: u32) {
        self.0.again(disturbed);
    }

    /// The run has added documents to the set.
    pub fn added(&mut self, count: u32) {
        self.0.added(count);
    }

    /// A comparison has come.
    pub fn compared(&mut self, is_stale: bool) {
        self.0.compared(is_stale);
    }

    /// What it says of a document.
    pub fn compare(&mut self, words: &[u32]) -> u32 {
        self.0.compare_words(words)
    }

    /// What becomes of a document that was loaded.
    pub fn settle(&mut self, words: &[u32]) -> u32 {
        self.0.settle_words(words)
    }

    /// What follows when everything is loaded.
    pub fn end(&mut self, disturbed: u32) -> u32 {
        self.0.end(disturbed)
    }

    /// What follows when nothing has changed on the server.
    pub fn same(&self, disturbed: u32) -> u32 {
        self.0.same(disturbed)
    }
}
