//! One tag: its driver and the façade's counter.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use raven_edge::hilo::{Driver, Effect, Plan};
use raven_edge::http::NodeId;
use raven_edge::pool::{self, Move, Outcome, Wish};
#[cfg(feature = "pool")]
use raven_edge::source::Capabilities;
use raven_edge::source::{AnyExchange, Grant, Source};
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

    /// Runs a task that nobody asked for: a lease ahead of need, or numbers that go to the pool.
    #[wasm_bindgen(method)]
    fn spawn(this: &Counter, task: Task, leases: bool);
}

/// One tag of a store. Nothing is borrowed while the counter is called: it never calls back.
pub(crate) struct Tag {
    store: Rc<Inner>,
    driver: RefCell<Driver>,
    counter: Counter,
    waiting: Cell<u64>,
    exact: Cell<bool>,
    groups: Cell<u32>,
}

/// What a task goes on with: an exchange, or a move where there is none.
pub(crate) type Job = (Purpose, Option<AnyExchange>);

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

    /// Does what the driver says; gives the lease, claim or admission to go on with, if there is one.
    fn act(self: &Rc<Self>, effects: Vec<Effect>) -> Option<Job> {
        let parking = || self.driver.borrow().parking(&effects);
        if pool::PRESENT
            && let Some(wish) = parking()
        {
            let task = self.moved(0, wish);
            self.counter.spawn(task, false);
        }
        let mut job = None;
        for effect in effects {
            match effect {
                Effect::Lease { request, above, .. } => job = Some(self.lease(request, above)),
                Effect::Claim { request, all: false } if pool::PRESENT => {
                    let wish = self.driver.borrow().claim_of(self.store.host.micros());
                    job = Some((Purpose::Move(Rc::clone(self), request, self.moving(wish)), None));
                }
                Effect::Admit { request, lease } if pool::PRESENT => {
                    let wish = self.driver.borrow().admission(lease);
                    job = wish.map(|wish| (Purpose::Admission(Rc::clone(self), request, self.moving(wish)), None));
                }
                Effect::Hand { range, lease } => {
                    let driver = self.driver.borrow();
                    let Some(grant) = driver.grant(lease) else { continue };
                    let (low, high) = (grant.range.low() as f64, grant.range.high() as f64);
                    let fence = grant.fence.clone().filter(|_| self.store.able.fenced);
                    let (from, to) = (range.low() as f64, range.high() as f64);
                    self.counter.hand(from, to, &grant.prefix, &grant.tag, low, high, fence);
                }
                Effect::Regression { range, highest } => {
                    let (low, high) = (range.low() as f64, range.high() as f64);
                    self.store.host.regression(self.driver.borrow().tag(), low, high, highest as f64);
                }
                Effect::Refence { request, lease } => {
                    self.store.refences.borrow_mut().push((Rc::clone(self), request, lease));
                }
                Effect::Return { lease, high, last } => {
                    let back = self.driver.borrow().return_of(lease, high, last);
                    self.store.returns.borrow_mut().extend(back);
                }
                // The first two are the business of those who ask for them; parks were seen to above.
                Effect::Surrender
                | Effect::Claim { .. }
                | Effect::Admit { .. }
                | Effect::Park { .. }
                | Effect::Burnt { .. } => {}
            }
        }
        job
    }

    fn lease(self: &Rc<Self>, number: u32, above: u64) -> Job {
        let host = &self.store.host;
        let ask =
            self.driver.borrow().ask(above, self.waiting.get(), self.exact.get(), host.micros(), host.random() as u64);
        (Purpose::Lease(Rc::clone(self), number), Some(AnyExchange::Lease(self.store.source.lease(ask))))
    }

    /// A move on its way: what it wishes and, once it was decided, what came of it.
    fn moving(&self, wish: Wish) -> Moving {
        let mut driver = self.driver.borrow_mut();
        let tag = String::from(driver.tag());
        Moving { tag, wanted: driver.move_of(wish, self.store.incarnation.borrow().clone()), outcome: None }
    }

    /// The task of a move; number 0: nobody waits for what it takes out.
    fn moved(self: &Rc<Self>, number: u32, wish: Wish) -> Task {
        Task::of(&self.store, (Purpose::Move(Rc::clone(self), number, self.moving(wish)), None))
    }

    /// A lease was granted; gives what is to be done before its numbers can be used.
    pub(crate) fn granted(self: &Rc<Self>, number: u32, grant: Grant) -> Option<Job> {
        let host = &self.store.host;
        let (low, high) = (grant.range.low() as f64, grant.range.high() as f64);
        let fenced = self.store.able.fenced && grant.fence.is_some();
        host.leased(self.driver.borrow().tag(), low, high, &grant.tag, fenced);
        let effects = self.driver.borrow_mut().granted(number, grant, host.micros());
        self.act(effects)
    }

    /// A claim is through; a lease ahead of need runs on its own.
    pub(crate) fn claimed(self: &Rc<Self>, number: u32, outcome: Outcome) {
        let effects = self.driver.borrow_mut().claimed(number, outcome, self.store.host.micros());
        self.spawn(effects);
        self.note();
    }

    /// Tells the device what was issued, if that is due.
    fn note(self: &Rc<Self>) {
        let note = self.driver.borrow().note();
        if let Some(wish) = note {
            self.counter.spawn(self.moved(0, wish), false);
        }
    }

    /// An admission is through; gives the next lease where the pool refused this one.
    pub(crate) fn admitted(self: &Rc<Self>, number: u32, outcome: Option<Outcome>, durable: bool) -> Option<Job> {
        let effects = self.driver.borrow_mut().admitted(number, outcome, durable, self.store.host.micros());
        self.act(effects)
    }

    fn spawn(self: &Rc<Self>, effects: Vec<Effect>) {
        if let Some(job) = self.act(effects) {
            self.counter.spawn(Task::of(&self.store, job), true);
        }
    }

    pub(crate) fn failed(&self, number: u32) {
        self.driver.borrow_mut().failed(number);
    }

    pub(crate) fn lost(&self, number: u32) {
        self.driver.borrow_mut().lost();
        self.failed(number);
    }

    pub(crate) fn refenced(self: &Rc<Self>, number: u32, lease: u32, found: Option<(u64, String, NodeId)>) {
        let effects = self.driver.borrow_mut().refenced(number, lease, found);
        self.spawn(effects);
    }

    pub(crate) fn name(&self) -> String {
        String::from(self.driver.borrow().tag())
    }

    fn surrender(&self, driver: &mut Driver) {
        driver.surrendered(self.counter.surrender() as u64, self.store.host.micros());
    }

    /// Nothing more is issued from here on; `away`: until the page is back.
    pub(crate) fn close(&self, away: bool) {
        let mut driver = self.driver.borrow_mut();
        if away {
            driver.leaving()
        } else {
            driver.closing()
        }
        self.surrender(&mut driver);
    }

    pub(crate) fn back(&self) {
        self.driver.borrow_mut().back();
    }

    /// Everything that is left leaves memory.
    pub(crate) fn give_back(self: &Rc<Self>, refence: bool) {
        let effects = self.driver.borrow_mut().give_back(refence);
        self.spawn(effects);
    }

    /// Everything that is left is burnt.
    pub(crate) fn forget(&self) {
        self.counter.surrender();
        self.driver.borrow_mut().forget();
    }
}

/// A move on its way.
pub(crate) struct Moving {
    pub(crate) tag: String,
    pub(crate) wanted: Move,
    pub(crate) outcome: Option<Outcome>,
}

/// One tag in WebAssembly; the façade's `HiLo` owns one.
#[wasm_bindgen]
pub struct Generator {
    pub(crate) tag: Rc<Tag>,
}

#[wasm_bindgen]
impl Generator {
    /// Takes note of how many callers wait and how many numbers are to be kept parked (Infinity: all; below 0: there is
    /// no pool); `grow`: for every number that the device uses. `capacity`: how many a range has; 0: as demand wants.
    pub fn plan(&self, waiting: f64, keep: f64, grow: bool, capacity: f64) {
        let (waiting, capacity) = (waiting as u64, capacity as u64);
        self.tag.waiting.set(waiting);
        // What cannot go back must not be held where it dies with the page.
        let (pooled, hold) = (keep >= 0.0, keep < f64::INFINITY && self.tag.store.able.returnable);
        self.tag.driver.borrow_mut().plan(Plan { waiting, pooled, hold, keep: keep as u64, grow, capacity });
    }

    /// The counter is dry: it gets its next block, if there is one.
    pub fn dry(&self) {
        let tag = &self.tag;
        let effects = tag.driver.borrow_mut().dry(tag.store.host.micros());
        tag.spawn(effects);
        tag.note();
    }

    /// A lease to send for those who wait, or of `exact`ly `count` numbers; none while one is on its way.
    pub fn lease(&self, count: f64, exact: bool) -> Option<Task> {
        let tag = &self.tag;
        tag.waiting.set(count as u64);
        tag.exact.set(exact);
        // On workerd each request leases for itself and is a group of its own.
        tag.groups.set(tag.groups.get().wrapping_add(u32::from(tag.store.isolated)));
        let effects = tag.driver.borrow_mut().wanted(tag.groups.get(), tag.store.host.micros());
        self.task(effects)
    }

    fn task(&self, effects: Vec<Effect>) -> Option<Task> {
        let job = self.tag.act(effects)?;
        Some(Task::of(&self.tag.store, job))
    }

    /// The counter is emptied, now; what it had is held.
    pub fn surrender(&self) {
        self.tag.surrender(&mut self.tag.driver.borrow_mut());
    }

    /// Numbers in memory behind those that the counter has: lowest (`at` is even) and highest of one range after the other,
    /// 0 behind the last one.
    pub fn tail(&self, at: usize) -> f64 {
        let driver = self.tag.driver.borrow();
        let range = driver.tail().nth(at / 2);
        range.map_or(0.0, |range| if at.is_multiple_of(2) { range.low() } else { range.high() } as f64)
    }

    /// Numbers parked on the device, as the last look saw it; below 0: none can be.
    pub fn parked(&self) -> f64 {
        self.tag.driver.borrow().parked().map_or(-1.0, |parked| parked as f64)
    }
}

#[cfg(feature = "pool")]
#[wasm_bindgen]
impl Generator {
    /// Looks in the pool for those who wait; nothing while somebody looks already.
    pub fn claim(&self) -> Option<Task> {
        let effects = self.tag.driver.borrow_mut().claim();
        self.task(effects)
    }

    /// Numbers in memory go to the pool, but for the counter's. Also tells how many are parked.
    pub fn park(&self) -> Option<Task> {
        let tag = &self.tag;
        let effects = tag.driver.borrow_mut().park();
        let wish = tag.driver.borrow().parking(&effects).unwrap_or(Wish::Park(Vec::new()));
        Some(tag.moved(0, wish))
    }

    /// What is parked beyond `keep` comes into memory, to be given back. Where that takes a fence and the source knows
    /// none, all of it stays, and what is in memory is parked if it cannot go back either.
    #[wasm_bindgen(js_name = takeOut)]
    pub fn take_out(&self, keep: f64) -> Option<Task> {
        let Capabilities { returnable, fenced, .. } = self.tag.store.able;
        if !returnable {
            return self.park();
        }
        let keep = if fenced { keep } else { f64::INFINITY };
        let effects = self.tag.driver.borrow_mut().take_out();
        let Some(Effect::Claim { request, .. }) = effects.first() else { return None };
        Some(self.tag.moved(*request, Wish::TakeOut { keep: keep as u64 }))
    }
}
