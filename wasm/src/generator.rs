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
    /// The hot counter of the façade (`pkg/src/numbers/counter`): it alone owns the block that it was handed. It never calls back.
    pub type Counter;

    /// `lease_low` to `lease_high` is the whole lease that the numbers come from.
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

    /// Runs a task that nobody asked for: a lease ahead of need, or numbers that go to the pool. `reports`: the end of it is
    /// reported to those who wait.
    #[wasm_bindgen(method)]
    pub(crate) fn spawn(this: &Counter, task: Task, reports: bool);

    /// One of [`raven_edge::protocol::effect`], for a caller, or with the event to report; a task goes with `RUN`.
    #[wasm_bindgen(method)]
    pub(crate) fn effect(this: &Counter, kind: u8, number: u32, task: Option<Task>);
}

/// One tag in WebAssembly, and those who wait for its ids; the façade's `HiLo` owns one, on workerd one for each caller.
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
    /// The same tag for a caller who must not wait for others.
    pub fn fork(&self) -> Generator {
        let group = self.store.store.borrow_mut().fork(self.at.tag);
        Generator::new(&self.store, self.at.tag, group)
    }

    /// Somebody waits for one of [`want`], `count` of them, for `limit` milliseconds at most; gives its number. `rest`: how
    /// many numbers the counter has.
    pub fn ask(&self, wanted: u8, count: f64, limit: f64, rest: f64) -> u32 {
        let wanted = match wanted {
            want::NUMBERS => Want::Numbers(count as u64),
            want::READY => Want::Ready,
            _ => Want::Id,
        };
        self.store.store.borrow_mut().ask(&self.store, self.at, wanted, limit as u64, rest as u64)
    }

    /// Goes on with one of [`event`], which may be about a caller.
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

    /// Whoever takes in vain will come again, and counts as if it waited.
    pub fn missed(&self) {
        self.store.store.borrow_mut().missed(self.at.tag);
    }

    /// Whether a request that failed is worth another attempt.
    pub fn wanted(&self, rest: f64) -> bool {
        self.store.store.borrow_mut().is_wanted(&self.store, self.at, rest as u64)
    }

    /// Whether numbers are on their way for those who wait.
    pub fn busy(&self) -> bool {
        self.store.store.borrow_mut().is_busy(self.at)
    }

    /// The counter is dry: it gets its next block, if there is one, or numbers are fetched.
    pub fn dry(&self) {
        self.store.store.borrow_mut().dry(&self.store, self.at.tag);
    }

    /// The counter is emptied, now; what it had is held.
    pub fn surrender(&self) {
        self.store.surrender(self.at.tag);
    }

    /// Numbers in memory behind those that the counter has: lowest (`at` is even) and highest of one range after the other,
    /// 0 behind the last one.
    pub fn tail(&self, at: usize) -> f64 {
        let range = self.store.store.borrow_mut().tail(self.at.tag, at / 2);
        range.map_or(0.0, |range| if at.is_multiple_of(2) { range.low() } else { range.high() } as f64)
    }

    /// Numbers parked on the device, as the last look saw it; below 0: none can be.
    pub fn parked(&self) -> f64 {
        self.store.store.borrow_mut().parked(self.at.tag).map_or(-1.0, |parked| parked as f64)
    }
}

#[cfg(feature = "pool")]
#[wasm_bindgen]
impl Generator {
    /// What the tag holds is to go back: gives what moves it between memory and pool first, if there is a pool. `keep`: so many
    /// numbers stay parked; below 0: as many as usual, whoever else is there.
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
