//! Carries out what a store orders: supplies counters, serves callers. Corresponds to `pkg/src/numbers/hilo` and `waiting-callers`.

use super::wires::After;
use super::{At, Event, World};
use crate::judge::Issuer;
use crate::plan::{Kind, MILLI, Origin, Past};
use crate::tab::{Caller, Counter, Group, Hilo, Phase, TIMEOUT};
use fastrand::Rng;
use raven_edge::error::Error;
use raven_edge::hilo::waiters::{Effect, Event as Happened, Want};
use raven_edge::hilo::{self, Range};
use raven_edge::protocol::presence;
use raven_edge::source::{Grant, Return};
use raven_edge::texts::{Order, Shell, Store, Task};
use std::cell::RefCell;

/// How many groups of callers a tag has with an eager adapter.
const EAGER: usize = 4;

/// Records the store's calls to its shell while the store is being called.
pub(super) struct Recorder {
    now: u64,
    rng: RefCell<Rng>,
    /// Those of the tab, by tag.
    counters: RefCell<Vec<Counter>>,
    calls: RefCell<Vec<ShellCall>>,
}

enum ShellCall {
    Spawn(u32, Task, bool),
    Order(hilo::At, Order),
    Regression(Range),
}

impl Recorder {
    fn record(&self, call: ShellCall) {
        self.calls.borrow_mut().push(call);
    }
}

impl Shell for Recorder {
    fn micros(&self) -> u64 {
        self.now
    }

    fn random(&self) -> u64 {
        self.rng.borrow_mut().u64(..1 << 53)
    }

    fn hand(&self, tag: u32, range: Range, grant: &Grant, _: Option<&str>) {
        self.counters.borrow_mut()[tag as usize].hand(range, grant);
    }

    fn surrender(&self, tag: u32) -> u64 {
        self.counters.borrow_mut()[tag as usize].surrender()
    }

    fn spawn(&self, tag: u32, task: Task, reports: bool) {
        self.record(ShellCall::Spawn(tag, task, reports));
    }

    fn order(&self, at: hilo::At, order: Order) {
        self.record(ShellCall::Order(at, order));
    }

    fn leased(&self, _: &str, _: &Grant, _: bool) {}

    fn returned(&self, _: &Return, _: bool, _: Option<&Error>) {}

    fn regression(&self, _: &str, range: Range, _: u64) {
        self.record(ShellCall::Regression(range));
    }

    fn topology(&self, _: &[u8]) {}
}

impl World {
    pub(super) fn hilo(&mut self, at: At) -> &mut Hilo {
        &mut self.tabs[at.tab].hilos[at.hilo]
    }

    /// All tags of a tab.
    pub(super) fn ats(&self, tab: usize) -> Vec<At> {
        (0..self.tabs[tab].hilos.len()).map(|hilo| At { tab, hilo }).collect()
    }

    /// Calls the store of a tab. Counters are supplied at once; orders for waiting callers are left to [`World::performs`].
    pub(super) fn enter<T>(&mut self, tab: usize, call: impl FnOnce(&mut Store, &Recorder) -> T) -> T {
        let counters = self.tabs[tab].hilos.iter_mut().map(|hilo| std::mem::take(&mut hilo.counter)).collect();
        let (rng, counters) = (RefCell::new(self.rng.fork()), RefCell::new(counters));
        let recorder = Recorder { now: self.now, rng, counters, calls: RefCell::default() };
        let result = call(&mut self.tabs[tab].store, &recorder);
        for (hilo, counter) in self.tabs[tab].hilos.iter_mut().zip(recorder.counters.into_inner()) {
            hilo.counter = counter;
        }
        for call in recorder.calls.into_inner() {
            match call {
                ShellCall::Spawn(tag, task, reports) => {
                    let after = if reports { After::Reports(0, Happened::Leased) } else { After::Nothing };
                    let wanted = (!task.is_refill()).then_some(0);
                    self.starts(at(tab, tag), task, after, wanted);
                }
                ShellCall::Order(of, order) => self.hilo(at(tab, of.tag)).orders.push((of.group, order)),
                ShellCall::Regression(range) => self.report_regression(tab, range),
            }
        }
        result
    }

    /// A grant was reported as a regression. Without a rollback that is a fault, except for returns without a fence: when two pages of
    /// a device return all numbers, the higher ones first, the device still marks the lower ones as issued.
    fn report_regression(&mut self, tab: usize, range: Range) {
        if self.weather.past != Past::Honest {
            return;
        }
        if self.origin(tab) == Origin::Custom {
            self.judge.false_alarms += 1;
        } else {
            self.judge.object(format!("tab {tab} mistakes {range:?} for a regression: the server was not rolled back"));
        }
    }

    /// A group waits for the end of another group's lease. A page that has left leases nothing: the group asks again later.
    fn shares(&mut self, at: At, group: u32) {
        if self.tasks.values().any(|task| task.at == at && task.is_lease()) {
            self.hilo(at).sharing.push(group);
        } else {
            self.notify_waiters_later(at, group, 150 * MILLI, Happened::Shared);
        }
    }

    /// A lease has ended, whatever its result: the groups that waited for it continue a moment later.
    pub(super) fn wakes(&mut self, at: At) {
        for group in std::mem::take(&mut self.hilo(at).sharing) {
            self.notify_waiters_later(at, group, MILLI, Happened::Shared);
        }
    }

    pub(super) fn is_isolated(&self, at: At) -> bool {
        self.devices[self.tabs[at.tab].device].habits.kind == Kind::Isolate
    }

    /// Whether a caller of a group still waits for the result of a task.
    pub(super) fn is_wanted(&mut self, at: At, group: u32) -> bool {
        let rest = self.hilo(at).counter.rest();
        self.enter(at.tab, |store, recorder| store.is_wanted(recorder, of(at, group), rest))
    }

    /// Passes an event for waiting callers to the store.
    pub(super) fn notify_waiters(&mut self, at: At, group: u32, event: Happened) {
        // A tab that has ended has no callers.
        if self.hilo(at).group(group).is_none() {
            return;
        }
        let rest = self.hilo(at).counter.rest();
        self.enter(at.tab, |store, recorder| store.on(recorder, of(at, group), event, rest));
        self.performs(at);
    }

    fn notify_waiters_later(&mut self, at: At, group: u32, micros: u64, event: Happened) {
        self.later(micros, Event::Waits { at, group, event });
    }

    /// Carries out the store's orders for waiting callers.
    pub(super) fn performs(&mut self, at: At) {
        // Taken out first: serving a caller may refill the counter, which adds orders.
        for (group, order) in std::mem::take(&mut self.hilo(at).orders) {
            self.note(|| format!("tab {} {} group {group}: {order:?}", at.tab, self.tabs[at.tab].hilos[at.hilo].tag));
            match order {
                Order::Run(task, event) => self.starts(at, task, After::Reports(group, event), Some(group)),
                Order::Effect(effect) => self.does(at, group, effect),
            }
        }
    }

    fn does(&mut self, at: At, group: u32, effect: Effect) {
        match effect {
            Effect::Serve(waiter) => self.serves(at, group, waiter),
            Effect::Gather => self.notify_waiters_later(at, group, 0, Happened::Gathered),
            // The turn among siblings is a hint, and may be late.
            Effect::Turn => {
                let crowded = self.tabs[at.tab].store.presence().crowded();
                self.device(at.tab, presence::TURN, 0);
                let wait = if crowded { self.rng.u64(0..40 * MILLI) } else { 0 };
                self.notify_waiters_later(at, group, wait, Happened::Turned);
            }
            Effect::Share => self.shares(at, group),
            Effect::Settle => self.notify_waiters(at, group, Happened::Settled),
            Effect::Expire(waiter) => self.expires(at, group, waiter),
            Effect::Refuse(waiter) => self.refuses(at, group, waiter, "the lease failed"),
            // The store carries these out itself, and turns are not modelled here.
            Effect::End | Effect::Park | Effect::Claim | Effect::Lease { .. } => {}
        }
    }

    /// Removes a caller from its group. On workerd the group is removed too.
    fn caller(&mut self, at: At, group: u32, waiter: u32) -> Option<Caller> {
        let isolated = self.is_isolated(at);
        let callers = &mut self.hilo(at).group(group)?.callers;
        let place = callers.iter().position(|caller| caller.waiter == waiter)?;
        let caller = callers.remove(place);
        if isolated {
            self.hilo(at).groups.retain(|of| of.number == 0 || of.number != group);
            self.tabs[at.tab].store.join(of(at, group));
        }
        Some(caller)
    }

    fn serves(&mut self, at: At, group: u32, waiter: u32) {
        let callers =
            |group: &mut Group| group.callers.iter().any(|caller| caller.waiter == waiter && caller.want == Want::Id);
        let for_id = self.hilo(at).group(group).is_some_and(callers);
        if for_id && !self.take(at) {
            return;
        }
        self.caller(at, group, waiter);
        if for_id {
            self.notify_waiters(at, group, Happened::Served(waiter));
        }
    }

    /// The app's `take()`: returns whether an id was at hand.
    pub(super) fn app_takes(&mut self, at: At) -> bool {
        let taken = self.take(at);
        if self.hilo(at).counter.rest() == 0 {
            self.enter(at.tab, |store, recorder| store.taken(recorder, at.hilo as u32, !taken));
            self.performs(at);
        }
        taken
    }

    /// Takes the next id from the counter: returns whether one was at hand.
    pub(super) fn take(&mut self, at: At) -> bool {
        if self.hilo(at).counter.rest() == 0 {
            self.enter(at.tab, |store, recorder| store.dry(recorder, at.hilo as u32));
            self.performs(at);
        }
        let id = self.hilo(at).counter.take();
        let taken = id.is_some();
        if let Some(id) = id {
            self.issues(at, id);
        }
        taken
    }

    /// The id of a number. There is one node, so a number is unique whatever its suffix is.
    pub(super) fn id(&self, prefix: &str, number: u64, node_tag: &str) -> String {
        if self.weather.nodes == 1 { format!("{prefix}{number}") } else { format!("{prefix}{number}-{node_tag}") }
    }

    /// The app receives an id.
    fn issues(&mut self, at: At, (prefix, number, node_tag): (String, u64, String)) {
        let id = self.id(&prefix, number, &node_tag);
        self.note(|| format!("tab {} issues {id}", at.tab));
        let tab = &self.tabs[at.tab];
        let issuer = Issuer {
            device: tab.device,
            tab: at.tab,
            incarnation: tab.store.incarnation().map(str::to_owned),
            at: self.now,
            claimed: tab.hilos[at.hilo].counter.claimed,
            pooled: tab.store.presence().usable(),
        };
        // The app's numbers may exceed all counters of the server.
        let of_app = self.devices[tab.device].habits.origin.is_app();
        let tag = if of_app { prefix.clone() } else { tab.hilos[at.hilo].tag.clone() };
        let phase = tab.phase;
        self.judge.issued(&id, &tag, number, issuer);
        if phase != Phase::Open {
            self.judge.object(format!("tab {} issued {id} after it had left", at.tab));
        }
        if !self.server.has_granted(&prefix, &node_tag, number) {
            self.judge.object(format!("{id} was never granted"));
        }
        if !of_app && self.weather.past == Past::Honest && self.weather.nodes == 1 && self.max[at.hilo] < number {
            self.judge.object(format!("{id} was issued although Max is lower"));
        }
        if self.chance(self.weather.saves) {
            self.saves(at.tab, &id);
        }
    }

    /// `next()` or `reserve()`.
    pub(super) fn calls(&mut self, at: At, want: Want, must: bool) {
        if want == Want::Id && self.take(at) {
            return;
        }
        if self.is_isolated(at) || self.weather.eager && self.hilo(at).groups.len() < EAGER {
            let number = self.tabs[at.tab].store.fork(at.hilo as u32);
            self.hilo(at).groups.push(Group { number, callers: Vec::new() });
        }
        let groups = self.hilo(at).groups.len();
        let place = if self.is_isolated(at) { groups - 1 } else { self.rng.usize(0..groups) };
        let group = self.hilo(at).groups[place].number;
        let rest = self.hilo(at).counter.rest();
        let waiter = self.enter(at.tab, |store, recorder| store.ask(recorder, of(at, group), want, TIMEOUT, rest));
        self.hilo(at).groups[place].callers.push(Caller { waiter, want, must });
        self.notify_waiters_later(at, group, TIMEOUT * MILLI, Happened::Expired(waiter));
        self.performs(at);
    }

    /// A caller's time limit has passed: it gets an error.
    fn expires(&mut self, at: At, group: u32, waiter: u32) {
        let Some(caller) = self.caller(at, group, waiter) else { return };
        self.note(|| format!("tab {}: a caller gets no id in time", at.tab));
        // If many clients write one counter at the same time, some are not served in time; they get an error.
        let crowd = self.devices.iter().filter(|device| device.habits.origin == Origin::Document).count() > 4;
        let writes = self.devices[self.tabs[at.tab].device].habits.origin == Origin::Document;
        if caller.must && !(writes && crowd) {
            self.judge.object(format!("tab {} gave no id after all faults had ended", at.tab));
        }
    }

    fn refuses(&mut self, at: At, group: u32, waiter: u32, reason: &str) {
        let Some(caller) = self.caller(at, group, waiter) else { return };
        self.note(|| format!("tab {}: a caller is refused: {reason}", at.tab));
        // A rollback of the server may be detected twice in a row, which is a clear error too.
        if self.weather.past == Past::Honest && caller.must {
            self.judge.object(format!("tab {} refused after all faults had ended: {reason}", at.tab));
        }
    }

    /// All waiting callers get an error.
    pub(super) fn refuses_all(&mut self, at: At, reason: &str) {
        let groups = self.hilo(at).groups.iter().map(|group| (group.number, group.callers.clone()));
        for (group, callers) in groups.collect::<Vec<_>>() {
            self.notify_waiters(at, group, Happened::Closed);
            for caller in callers {
                self.refuses(at, group, caller.waiter, reason);
            }
        }
    }
}

fn at(tab: usize, tag: u32) -> At {
    At { tab, hilo: tag as usize }
}

fn of(at: At, group: u32) -> hilo::At {
    hilo::At { tag: at.hilo as u32, group }
}
