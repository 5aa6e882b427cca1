//! The tags of a store, each with the façade's counter and its waiting callers. A tag has a number; so has each group of callers: 0 is that
//! of all callers, and on workerd each caller has its own.

use raven_edge::hilo::At;
use raven_edge::hilo::waiters::{Event, Want};
use raven_edge::pool::presence::KeepOptions;
use raven_edge::protocol::{event, status, want};
use wasm_bindgen::prelude::*;

use crate::store::{Store, counted};

#[wasm_bindgen]
impl Store {
    /// Adds a tag, whose numbers the façade's counter is supplied with; once per tag and store. Returns its number; numbers count from
    /// 0. `keep`: how many numbers to keep parked (Infinity: all; below 0: the default). `capacity`: the size of ranges; 0: follows
    /// demand.
    #[wasm_bindgen(js_name = addTag)]
    pub fn add_tag(&self, keep: f64, capacity: f64) -> u32 {
        let number = self.inner.store.borrow_mut().add(KeepOptions::new(counted(keep), capacity as u64));
        self.inner.tags.set(number + 1);
        number
    }

    /// Adds a group for a caller that must not wait for others; returns its number.
    pub fn fork(&self, tag: u32) -> u32 {
        self.inner.store.borrow_mut().fork(tag)
    }

    /// Adds a caller that waits for `count` of one of [`want`], for at most `limit` milliseconds; returns its number. `rest`: how many
    /// numbers the counter still has.
    pub fn ask(&self, tag: u32, group: u32, wanted: u8, count: f64, limit: f64, rest: f64) -> u32 {
        let wanted = match wanted {
            want::NUMBERS => Want::Numbers(count as u64),
            want::READY => Want::Ready,
            _ => Want::Id,
        };
        self.inner.store.borrow_mut().ask(&self.inner, At { tag, group }, wanted, limit as u64, rest as u64)
    }

    /// Processes one of [`event`], which may be about a caller.
    pub fn notify(&self, tag: u32, group: u32, kind: u8, caller: u32, rest: f64) {
        let mut store = self.inner.store.borrow_mut();
        let event = match kind {
            event::DRY => return store.dry(&self.inner, tag),
            event::MISSED | event::TAKEN => return store.taken(&self.inner, tag, kind == event::MISSED),
            event::JOINED => return store.join(At { tag, group }),
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
        store.on(&self.inner, At { tag, group }, event, rest as u64);
    }

    /// Whether a failed request should be tried again.
    pub fn wanted(&self, tag: u32, group: u32, rest: f64) -> bool {
        self.inner.store.borrow_mut().is_wanted(&self.inner, At { tag, group }, rest as u64)
    }

    /// Empties the counter, synchronously; memory holds its remaining numbers.
    pub fn surrender(&self, tag: u32) {
        self.inner.empty(tag);
    }

    /// The number at a position in the status of the tag: [`status`].
    pub fn status(&self, tag: u32, at: u32) -> f64 {
        let mut store = self.inner.store.borrow_mut();
        match at {
            status::LEASING => f64::from(u8::from(store.is_busy(At { tag, group: 0 }))),
            status::PARKED => store.parked(tag).map_or(-1.0, |parked| parked as f64),
            _ => {
                let at = (at - status::TAIL) as usize;
                let range = store.tail(tag, at / 2);
                range.map_or(0.0, |range| if at.is_multiple_of(2) { range.low() } else { range.high() } as f64)
            }
        }
    }
}

#[cfg(feature = "pool")]
#[wasm_bindgen]
impl Store {
    /// Prepares the return of the tag's numbers: the move between memory and pool that must precede it, if there is a pool. `keep`: how
    /// many numbers stay parked; below 0: the configured number, whether or not siblings exist.
    #[wasm_bindgen(js_name = letGo)]
    pub fn let_go(&self, tag: u32, keep: f64) -> Option<crate::task::Task> {
        self.inner.task(|store| store.let_go(tag, counted(keep)))
    }
}
