//! What a store wants done: counters fed, callers served. What `pkg/src/numbers/hilo` and `waiting-callers` do.

use super::wires::After;
use super::{At, Event, World};
use crate::judge::Issuer;
use crate::plan::{Kind, MILLI, Origin, Past};
use crate::tab::{Caller, Group, Hilo, Phase, TIMEOUT};
use fastrand::Rng;
use raven_edge::error::Error;
use raven_edge::hilo::waiters::{Effect, Event as Happened, Want};
use raven_edge::hilo::{self, Order, Range, Shell, Store, Task};
use raven_edge::protocol::presence;
use raven_edge::source::{Grant, Return};
use std::cell::RefCell;

/// How many groups of callers a tag has with an eager adapter.
const EAGER: usize = 4;

/// What a store says while it is called.
pub(super) struct Ear {
    now: u64,
    rng: RefCell<Rng>,
    said: RefCell<Vec<Said>>,
}

enum Said {
    Hand(u32, Range, Grant),
    Spawn(u32, Task, bool),
    Order(hilo::At, Order),
    Regression(Range),
}

impl Ear {
    fn hear(&self, said: Said) {
        self.said.borrow_mut().push(said);
    }
}

impl Shell for Ear {
    fn micros(&self) -> u64 {
        self.now
    }

    fn random(&self) -> u64 {
        self.rng.borrow_mut().u64(..1 << 53)
    }

    fn hand(&self, tag: u32, range: Range, grant: &Grant, _: Option<&str>) {
        self.hear(Said::Hand(tag, range, grant.clone()));
    }

    fn spawn(&self, tag: u32, task: Task, reports: bool) {
        self.hear(Said::Spawn(tag, task, reports));
    }

    fn order(&self, at: hilo::At, order: Order) {
        self.hear(Said::Order(at, order));
    }

    fn leased(&self, _: &str, _: &Grant, _: bool) {}

    fn returned(&self, _: &Return, _: bool, _: Option<&Error>) {}

    fn regression(&self, _: &str, range: Range, _: u64) {
        self.hear(Said::Regression(range));
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

    /// Calls the store of a tab. Counters are fed at once; what is wanted for those who wait is left to [`World::performs`].
    pub(super) fn enter<T>(&mut self, tab: usize, call: impl FnOnce(&mut Store, &Ear) -> T) -> T {
        let ear = Ear { now: self.now, rng: RefCell::new(self.rng.fork()), said: RefCell::default() };
        let result = call(&mut self.tabs[tab].store, &ear);
        for said in ear.said.into_inner() {
            match said {
                Said::Hand(tag, range, grant) => self.hilo(at(tab, tag)).counter.hand(range, &grant),
                Said::Spawn(tag, task, reports) => {
                    let after = if reports { After::Reports(0, Happened::Leased) } else { After::Nothing };
                    self.starts(at(tab, tag), task, after, Some(0));
                }
                Said::Order(of, order) => self.hilo(at(tab, of.tag)).orders.push((of.group, order)),
                Said::Regression(range) => self.hears_alarm(tab, range),
            }
        }
        result
    }

    /// A grant is taken for a regression. An honest server's never may be, but for returns that have no fence: two pages of a device
    /// give back all they have, the higher numbers first, and the device still takes the lower ones for issued.
    fn hears_alarm(&mut self, tab: usize, range: Range) {
        if self.weather.past != Past::Honest {
            return;
        }
        if self.origin(tab) == Origin::Custom {
            self.judge.false_alarms += 1;
        } else {
            self.judge.object(format!("tab {tab} takes {range:?} for a regression although the server is honest"));
        }
    }

    /// A group waits for the end of another group's lease. A page that has gone leases nothing: it asks again later.
    fn shares(&mut self, at: At, group: u32) {
        if self.tasks.values().any(|task| task.at == at && task.is_lease()) {
            self.hilo(at).sharing.push(group);
        } else {
            self.waits_later(at, group, 150 * MILLI, Happened::Shared);
        }
    }

    /// A lease has ended, whatever its result: the groups that waited for it continue a moment later.
    pub(super) fn wakes(&mut self, at: At) {
        for group in std::mem::take(&mut self.hilo(at).sharing) {
            self.waits_later(at, group, MILLI, Happened::Shared);
        }
    }

    pub(super) fn is_isolated(&self, at: At) -> bool {
        self.devices[self.tabs[at.tab].device].habits.kind == Kind::Isolate
    }

    /// Whether somebody of a group still waits for what a task may bring.
    pub(super) fn is_wanted(&mut self, at: At, group: u32) -> bool {
        let rest = self.hilo(at).counter.rest();
        self.enter(at.tab, |store, ear| store.is_wanted(ear, of(at, group), rest))
    }

    /// Something has happened to those who wait.
    pub(super) fn waits_on(&mut self, at: At, group: u32, event: Happened) {
        // A tab that is gone has none.
        if self.hilo(at).group(group).is_none() {
            return;
        }
        let rest = self.hilo(at).counter.rest();
        self.enter(at.tab, |store, ear| store.on(ear, of(at, group), event, rest));
        self.performs(at);
    }

    fn waits_later(&mut self, at: At, group: u32, micros: u64, event: Happened) {
        self.later(micros, Event::Waits { at, group, event });
    }

    /// Does what the store wants done for those who wait.
    pub(super) fn performs(&mut self, at: At) {
        // Taken out first: to serve a caller may have the counter refilled, which has orders of its own.
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
            Effect::Gather => self.waits_later(at, group, 0, Happened::Gathered),
            // The siblings' lock is a hint, which may be late.
            Effect::Turn => {
                let crowded = self.tabs[at.tab].store.presence().crowded();
                self.device(at.tab, presence::TURN, 0);
                let wait = if crowded { self.rng.u64(0..40 * MILLI) } else { 0 };
                self.waits_later(at, group, wait, Happened::Turned);
            }
            Effect::Share => self.shares(at, group),
            Effect::Settle => self.waits_on(at, group, Happened::Settled),
            Effect::Expire(waiter) => self.expires(at, group, waiter),
            Effect::Refuse(waiter) => self.refuses(at, group, waiter, "the lease failed"),
            // The store does these itself, and nobody here holds a turn.
            Effect::End | Effect::Park | Effect::Claim | Effect::Lease { .. } => {}
        }
    }

    /// A caller of a group is told something. On workerd its group goes with it.
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
            self.waits_on(at, group, Happened::Served(waiter));
        }
    }

    /// `take()`: returns whether an id was at hand.
    pub(super) fn take(&mut self, at: At) -> bool {
        if self.hilo(at).counter.rest() == 0 {
            self.enter(at.tab, |store, ear| store.dry(ear, at.hilo as u32));
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
            self.judge.object(format!("tab {} issued {id} after it had gone", at.tab));
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
        let waiter = self.enter(at.tab, |store, ear| store.ask(ear, of(at, group), want, TIMEOUT, rest));
        self.hilo(at).groups[place].callers.push(Caller { waiter, want, must });
        self.waits_later(at, group, TIMEOUT * MILLI, Happened::Expired(waiter));
        self.performs(at);
    }

    /// A caller has waited long enough and is told so.
    fn expires(&mut self, at: At, group: u32, waiter: u32) {
        let Some(caller) = self.caller(at, group, waiter) else { return };
        self.note(|| format!("tab {}: a caller gets no id in time", at.tab));
        // If many clients write one counter at the same time, some are not served in time; they get an error.
        let crowd = self.devices.iter().filter(|device| device.habits.origin == Origin::Document).count() > 4;
        let writes = self.devices[self.tabs[at.tab].device].habits.origin == Origin::Document;
        if caller.must && !(writes && crowd) {
            self.judge.object(format!("tab {} gave no id although nothing was wrong any more", at.tab));
        }
    }

    fn refuses(&mut self, at: At, group: u32, waiter: u32, reason: &str) {
        let Some(caller) = self.caller(at, group, waiter) else { return };
        self.note(|| format!("tab {}: a caller is refused: {reason}", at.tab));
        // A rollback of the server may be detected twice in a row, which is a clear error too.
        if self.weather.past == Past::Honest && caller.must {
            self.judge.object(format!("tab {} refused although nothing was wrong any more: {reason}", at.tab));
        }
    }

    /// All waiting callers get an error.
    pub(super) fn refuses_all(&mut self, at: At, reason: &str) {
        let groups = self.hilo(at).groups.iter().map(|group| (group.number, group.callers.clone()));
        for (group, callers) in groups.collect::<Vec<_>>() {
            self.waits_on(at, group, Happened::Closed);
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
