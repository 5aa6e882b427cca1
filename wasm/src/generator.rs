//! One tag: its driver and the façade's counter.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use raven_edge::error::Error;
use raven_edge::hilo::{Driver, Effect};
use raven_edge::http::{NodeId, Request};
use raven_edge::source::{Exchange, Grant, Return, Source, Step};
use wasm_bindgen::prelude::*;

use crate::store::Inner;
use crate::task::{Purpose, Task};

#[wasm_bindgen]
extern "C" {
    /// The hot counter of the façade (`pkg/hot/counter.js`): it alone owns the block that it was handed.
    pub type Counter;

    /// `lease_low` to `lease_high` is the whole lease that the numbers come from.
    #[wasm_bindgen(method)]
    fn hand(
        this: &Counter,
        low: f64,
        high: f64,
        prefix: &str,
        node_tag: &str,
        lease_low: f64,
        lease_high: f64,
        fence: Option<String>,
    );
    #[wasm_bindgen(method)]
    fn surrender(this: &Counter) -> f64;
}

/// One tag of a store. Nothing is borrowed while the counter is called: it never calls back.
pub(crate) struct Tag {
    store: Rc<Inner>,
    driver: RefCell<Driver>,
    counter: Counter,
    /// Callers who wait; a lease is sized for them when it is sent.
    waiting: Cell<u64>,
    exact: Cell<bool>,
    groups: Cell<u32>,
}

/// A lease to be sent.
type Sending = (Purpose, Request);

impl Tag {
    pub(crate) fn new(store: &Rc<Inner>, tag: &str, counter: Counter) -> Tag {
        let driver = RefCell::new(Driver::new(tag, !store.isolated));
        Tag {
            store: Rc::clone(store),
            driver,
            counter,
            waiting: Cell::new(0),
            exact: Cell::new(false),
            groups: Cell::new(0),
        }
    }

    /// Does what the driver says; gives the lease to send, if there is one.
    fn act(self: &Rc<Self>, effects: Vec<Effect>) -> Result<Option<Sending>, Error> {
        let mut sending = None;
        for effect in effects {
            match effect {
                Effect::Lease { request, above, .. } => sending = self.lease(request, above),
                Effect::Hand { range, lease } => {
                    let driver = self.driver.borrow();
                    let Some(grant) = driver.grant(lease) else { continue };
                    let (low, high) = (grant.range.low() as f64, grant.range.high() as f64);
                    let (from, to, fence) = (range.low() as f64, range.high() as f64, grant.fence.clone());
                    self.counter.hand(from, to, &grant.prefix, &grant.tag, low, high, fence);
                }
                Effect::Regression { range, highest } => {
                    let (low, high) = (range.low() as f64, range.high() as f64);
                    self.store.host.regression(self.driver.borrow().tag(), low, high, highest as f64);
                }
                Effect::Refused => return Err(Driver::refusal()),
                // The first two are the business of those who ask for them: `close` and `give_back`.
                Effect::Surrender | Effect::Return { .. } | Effect::Burnt { .. } => {}
            }
        }
        Ok(sending)
    }

    fn lease(self: &Rc<Self>, number: u32, above: u64) -> Option<Sending> {
        let host = &self.store.host;
        let ask =
            self.driver.borrow().ask(above, self.waiting.get(), self.exact.get(), host.micros(), host.random() as u64);
        let mut lease = self.store.source.lease(ask);
        match lease.step(None) {
            Step::Send(request) => Some((Purpose::Lease(Rc::clone(self), number, lease), request)),
            Step::Done(_) | Step::Fail(_) => None,
        }
    }

    /// A lease was granted; gives the next one to send where that one could not be used.
    pub(crate) fn granted(self: &Rc<Self>, number: u32, grant: Grant) -> Result<Option<Sending>, Error> {
        let host = &self.store.host;
        let (low, high) = (grant.range.low() as f64, grant.range.high() as f64);
        host.leased(self.driver.borrow().tag(), low, high, &grant.tag, grant.fence.is_some());
        let effects = self.driver.borrow_mut().granted(number, grant, host.micros());
        self.act(effects)
    }

    pub(crate) fn failed(&self, number: u32) {
        self.driver.borrow_mut().failed(number);
    }

    /// Nothing more is issued from here on.
    pub(crate) fn close(&self) {
        let mut driver = self.driver.borrow_mut();
        driver.closing();
        driver.surrendered(self.counter.surrender() as u64, self.store.host.micros());
    }

    /// Everything that is left leaves memory.
    pub(crate) fn give_back(&self, returns: &mut Vec<(NodeId, Return)>) {
        let mut driver = self.driver.borrow_mut();
        for effect in driver.give_back() {
            if let Effect::Return { lease, high, last } = effect {
                returns.extend(driver.return_of(lease, high, last));
            }
        }
    }

    /// Everything that is left is burnt.
    pub(crate) fn forget(&self) {
        let mut driver = self.driver.borrow_mut();
        driver.surrendered(self.counter.surrender() as u64, self.store.host.micros());
        driver.give_back();
    }
}

/// One tag in WebAssembly; the façade's `HiLo` owns one.
#[wasm_bindgen]
pub struct Generator {
    pub(crate) tag: Rc<Tag>,
}

#[wasm_bindgen]
impl Generator {
    /// The counter is dry: it gets its next block, if there is one. Gives a lease to send ahead of need.
    pub fn dry(&self) -> Option<Task> {
        let effects = self.tag.driver.borrow_mut().dry(self.tag.store.host.micros());
        self.task(effects)
    }

    /// A lease to send for `waiting` callers, or of `exact`ly that many numbers; none while one is on its way.
    pub fn lease(&self, waiting: f64, exact: bool) -> Option<Task> {
        let tag = &self.tag;
        tag.waiting.set(waiting as u64);
        tag.exact.set(exact);
        // On workerd each request leases for itself and is a group of its own.
        tag.groups.set(tag.groups.get().wrapping_add(u32::from(tag.store.isolated)));
        let effects = tag.driver.borrow_mut().wanted(tag.groups.get(), tag.store.host.micros());
        self.task(effects)
    }

    fn task(&self, effects: Vec<Effect>) -> Option<Task> {
        // Only a grant can be refused, and this is none.
        let (purpose, request) = self.tag.act(effects).ok().flatten()?;
        Some(Task::new(&self.tag.store, purpose, request, u64::MAX))
    }

    /// Numbers in memory behind those that the counter has.
    pub fn held(&self) -> f64 {
        self.tag.driver.borrow().held() as f64
    }
}
