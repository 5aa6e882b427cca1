//! One tag and the façade's counter.

use raven_edge::hilo::At;
use raven_edge::hilo::waiters::{Event, Want};
use raven_edge::protocol::{event, want};
use wasm_bindgen::prelude::*;

use crate::store::Shared;
#[cfg(feature = "pool")]
use crate::store::counted;
use crate::task::Task;

#[wasm_bindgen]
extern "C" {
    /// The counter of the façade (`pkg/src/numbers/counter`). It alone owns the block that it was handed, and never calls back.
    pub type Counter;

    /// Hands over a block of numbers; `lease_low` to `lease_high` is the whole lease that they come from.
    #[wasm_bindgen(method)]
    pub(crate) fn hand(
        this: &Counter,
        low: f64,
        high: f64,
        prefix: &str,
        node_tag: &str,
        lease_low: f64,
        lease_high: f64,
        fence: Option<&str>,
    );
    #[wasm_bindgen(method)]
    pub(crate) fn surrender(this: &Counter) -> f64;

    /// Runs a background task: a lease ahead of need, or numbers that are parked. `reports`: its end is reported to waiting callers.
    #[wasm_bindgen(method)]
    pub(crate) fn spawn(this: &Counter, task: Task, reports: bool);

    /// Carries out one of [`raven_edge::protocol::effect`]. `number`: the caller, or for `RUN` the event to report after `task`.
    #[wasm_bindgen(method)]
    pub(crate) fn effect(this: &Counter, kind: u8, number: u32, task: Option<Task>);
}

/// One tag in WebAssembly, with its waiting callers. The façade's `HiLo` owns one; on workerd, each caller has its own.
#[wasm_bindgen]
pub struct Generator {
    store: Shared,
    at: At,
}

impl Generator {
    pub(crate) fn new(store: &Shared, tag: u32, group: u32) -> Generator {
        Generator { store: store.clone(), at: At { tag, group } }
    }
}

#[wasm_bindgen]
impl Generator {
    /// The same tag for a caller that must not wait for others.
    pub fn fork(&self) -> Generator {
        let group = self.store.store.borrow_mut().fork(self.at.tag);
        Generator::new(&self.store, self.at.tag, group)
    }

    /// Adds a caller that waits for `count` of one of [`want`], for at most `limit` milliseconds; returns its number. `rest`: how many
    /// numbers the counter still has.
    pub fn ask(&self, wanted: u8, count: f64, limit: f64, rest: f64) -> u32 {
        let wanted = match wanted {
            want::NUMBERS => Want::Numbers(count as u64),
            want::READY => Want::Ready,
            _ => Want::Id,
        };
        self.store.store.borrow_mut().ask(&self.store, self.at, wanted, limit as u64, rest as u64)
    }

    /// Processes one of [`event`], which may be about a caller.
    pub fn on(&self, kind: u8, caller: u32, rest: f64) {
        let event = match kind {
            event::GATHERED => Event::Gathered,
            event::PARKED => Event::Parked,
            event::CLAIMED => Event::Claimed,
            event::TURNED => Event::Turned,
            event::SHARED => Event::Shared,
            event::LEASED => Event::Leased,
            event::OUTAGE => Event::Failed { outage: true },
            event::EXPIRED => Event::Expired(caller),
            event::CLOSED => Event::Closed,
            event::SERVED => Event::Served(caller),
            event::SETTLED => Event::Settled,
            _ => Event::Failed { outage: false },
        };
        self.store.store.borrow_mut().on(&self.store, self.at, event, rest as u64);
    }

    /// A caller found the counter empty and will call again. It counts as waiting.
    pub fn missed(&self) {
        self.store.store.borrow_mut().missed(self.at.tag);
    }

    /// Whether a failed request should be tried again.
    pub fn wanted(&self, rest: f64) -> bool {
        self.store.store.borrow_mut().is_wanted(&self.store, self.at, rest as u64)
    }

    /// Whether numbers for waiting callers are in flight.
    pub fn busy(&self) -> bool {
        self.store.store.borrow_mut().is_busy(self.at)
    }

    /// The counter is dry: it gets its next block if memory has one, else numbers are fetched.
    pub fn dry(&self) {
        self.store.store.borrow_mut().dry(&self.store, self.at.tag);
    }

    /// Empties the counter, synchronously; memory holds its remaining numbers.
    pub fn surrender(&self) {
        self.store.surrender(self.at.tag);
    }

    /// The ranges in memory beyond the counter's block: for an even `at` the lowest number of range `at / 2`, for an odd one the
    /// highest; 0 after the last range.
    pub fn tail(&self, at: usize) -> f64 {
        let range = self.store.store.borrow_mut().tail(self.at.tag, at / 2);
        range.map_or(0.0, |range| if at.is_multiple_of(2) { range.low() } else { range.high() } as f64)
    }

    /// How many numbers are parked on the device, according to the last move; below 0: there is no pool.
    pub fn parked(&self) -> f64 {
        self.store.store.borrow_mut().parked(self.at.tag).map_or(-1.0, |parked| parked as f64)
    }
}

#[cfg(feature = "pool")]
#[wasm_bindgen]
impl Generator {
    /// Prepares the return of the tag's numbers: the move between memory and pool that must precede it, if there is a pool. `keep`: how
    /// many numbers stay parked; below 0: the configured number, whether or not siblings exist.
    #[wasm_bindgen(js_name = letGo)]
    pub fn let_go(&self, keep: f64) -> Option<Task> {
        self.store.task(|store| store.let_go(self.at.tag, counted(keep)))
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        self.store.store.borrow_mut().join(self.at);
    }
}
