//! One tag: its driver and the façade's counter.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use raven_edge::hilo::waiters::{self, Facts, Want};
use raven_edge::hilo::{Demand, Driver, Effect, Plan, Waiters};
use raven_edge::http::NodeId;
use raven_edge::pool::{self, Move, Outcome, Wish};
use raven_edge::protocol::{effect, event, want};
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

    /// Runs a task that nobody asked for: a lease ahead of need, or numbers that go to the pool. `reports`: the end of it is
    /// reported to those who wait.
    #[wasm_bindgen(method)]
    fn spawn(this: &Counter, task: Task, reports: bool);

    /// One of [`effect`], for a caller, or with the event to report; a task goes with `RUN`.
    #[wasm_bindgen(method)]
    fn effect(this: &Counter, kind: u8, number: u32, task: Option<Task>);
}

/// One tag of a store. Nothing is borrowed while the counter is called: it never calls back.
pub(crate) struct Tag {
    store: Rc<Inner>,
    driver: RefCell<Driver>,
    counter: Counter,
    waiters: Rc<RefCell<Waiters>>,
    groups: Cell<u32>,
    /// What the façade said of the device.
    plan: Cell<Plan>,
    crowded: Cell<bool>,
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
            waiters: Rc::default(),
            groups: Cell::new(0),
            plan: Cell::default(),
            crowded: Cell::new(false),
        }
    }

    /// Tells the driver what is so now.
    fn replan(&self) {
        let waiters = self.waiters.borrow();
        let plan = self.plan.get().among(&waiters);
        self.driver.borrow_mut().plan(plan);
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
        let ask = self.driver.borrow().ask(above, host.micros(), host.random() as u64);
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
            let task = Task::of(&self.store, job);
            let reports = self.waiters.borrow_mut().ahead();
            self.counter.spawn(task, reports);
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

/// One tag in WebAssembly, and those who wait for its ids; the façade's `HiLo` owns one, on workerd one for each caller.
#[wasm_bindgen]
pub struct Generator {
    pub(crate) tag: Rc<Tag>,
    waiters: Rc<RefCell<Waiters>>,
}

impl Generator {
    pub(crate) fn new(tag: Rc<Tag>) -> Generator {
        let waiters = Rc::clone(&tag.waiters);
        Generator { tag, waiters }
    }

    /// `rest`: how many numbers the counter has.
    fn facts(&self, rest: f64) -> Facts {
        let driver = self.tag.driver.borrow();
        Facts {
            now: self.tag.store.host.millis(),
            at_hand: rest as u64 + driver.usable(),
            parked: driver.parked(),
            pooled: self.tag.plan.get().pooled,
            crowded: self.tag.crowded.get(),
        }
    }

    fn happen(&self, event: waiters::Event, rest: f64) {
        let facts = self.facts(rest);
        let effects = self.waiters.borrow_mut().on(event, facts);
        self.perform(effects, rest);
    }

    fn perform(&self, effects: Vec<waiters::Effect>, rest: f64) {
        use waiters::Effect;
        self.tag.replan();
        for effect in effects {
            let (kind, number) = match effect {
                Effect::Serve(caller) => (effect::SERVE, caller),
                Effect::Gather => (effect::GATHER, 0),
                Effect::Turn => (effect::TURN, 0),
                Effect::Share => (effect::SHARE, 0),
                Effect::End => (effect::END, 0),
                Effect::Settle => (effect::SETTLE, 0),
                Effect::Expire(caller) => (effect::EXPIRE, caller),
                Effect::Refuse(caller) => (effect::REFUSE, caller),
                Effect::Park => {
                    self.run(self.park(), event::PARKED, waiters::Event::Parked, rest);
                    continue;
                }
                Effect::Claim => {
                    self.run(self.claim(), event::CLAIMED, waiters::Event::Claimed, rest);
                    continue;
                }
                Effect::Lease { count, exact } => {
                    self.run(self.lease(Demand { count, exact }), event::LEASED, waiters::Event::Busy, rest);
                    continue;
                }
            };
            self.tag.counter.effect(kind, number, None);
        }
    }

    /// Has a task run, whose end is `reported`; where there is none something else happens at once.
    fn run(&self, task: Option<Task>, reported: u8, otherwise: waiters::Event, rest: f64) {
        match task {
            Some(task) => self.tag.counter.effect(effect::RUN, u32::from(reported), Some(task)),
            None => self.happen(otherwise, rest),
        }
    }

    fn task(&self, effects: Vec<Effect>) -> Option<Task> {
        let job = self.tag.act(effects)?;
        Some(Task::of(&self.tag.store, job))
    }

    /// A lease for those who wait; none while one is on its way.
    fn lease(&self, demand: Demand) -> Option<Task> {
        let tag = &self.tag;
        // On workerd each request leases for itself and is a group of its own.
        tag.groups.set(tag.groups.get().wrapping_add(u32::from(tag.store.isolated)));
        let effects = tag.driver.borrow_mut().wanted(tag.groups.get(), demand, tag.store.host.micros());
        self.task(effects)
    }

    /// Looks in the pool for those who wait; nothing while somebody looks already.
    fn claim(&self) -> Option<Task> {
        let effects = self.tag.driver.borrow_mut().claim();
        self.task(effects)
    }
}

#[wasm_bindgen]
impl Generator {
    /// The same tag for a caller who must not wait for others.
    pub fn fork(&self) -> Generator {
        Generator { tag: Rc::clone(&self.tag), waiters: Rc::default() }
    }

    /// Takes note of how many numbers are to be kept parked (Infinity: all; below 0: there is no pool); `grow`: for every
    /// number that the device uses. `capacity`: how many a range has; 0: as demand wants. `crowded`: siblings share the pool.
    pub fn plan(&self, keep: f64, grow: bool, capacity: f64, crowded: bool) {
        let tag = &self.tag;
        // What cannot go back must not be held where it dies with the page.
        let (pooled, hold) = (keep >= 0.0, keep < f64::INFINITY && tag.store.able.returnable);
        tag.plan.set(Plan { waiting: 0, pooled, hold, keep: keep as u64, grow, capacity: capacity as u64 });
        tag.crowded.set(crowded);
        tag.replan();
    }

    /// Somebody waits for one of [`want`], `count` of them, for `limit` milliseconds at most; gives its number. `rest`: how
    /// many numbers the counter has.
    pub fn ask(&self, wanted: u8, count: f64, limit: f64, rest: f64) -> u32 {
        let facts = self.facts(rest);
        let wanted = match wanted {
            want::NUMBERS => Want::Numbers(count as u64),
            want::READY => Want::Ready,
            _ => Want::Id,
        };
        let mut effects = Vec::new();
        let number = self.waiters.borrow_mut().ask(wanted, facts.now.saturating_add(limit as u64), facts, &mut effects);
        self.perform(effects, rest);
        number
    }

    /// Goes on with one of [`event`], which may be about a caller.
    pub fn on(&self, kind: u8, caller: u32, rest: f64) {
        use waiters::Event;
        let happened = match kind {
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
        self.happen(happened, rest);
    }

    /// Whoever takes in vain will come again, and counts as if it waited.
    pub fn missed(&self) {
        self.waiters.borrow_mut().missed();
        self.tag.replan();
    }

    /// Whether a request that failed is worth another attempt.
    pub fn wanted(&self, rest: f64) -> bool {
        let facts = self.facts(rest);
        self.waiters.borrow().are_unserved(facts)
    }

    /// Whether numbers are on their way for those who wait.
    pub fn busy(&self) -> bool {
        self.waiters.borrow().is_busy()
    }

    /// The counter is dry: it gets its next block, if there is one, or numbers are fetched.
    pub fn dry(&self) {
        let tag = &self.tag;
        let effects = tag.driver.borrow_mut().dry(tag.store.host.micros());
        let handed = effects.iter().any(|effect| matches!(effect, Effect::Hand { .. }));
        tag.spawn(effects);
        tag.note();
        // On workerd only a request that waits may lease.
        if !handed && !tag.store.isolated {
            self.happen(waiters::Event::Dry, 0.0);
        }
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

#[cfg(not(feature = "pool"))]
impl Generator {
    fn park(&self) -> Option<Task> {
        None
    }
}

#[cfg(feature = "pool")]
#[wasm_bindgen]
impl Generator {
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
