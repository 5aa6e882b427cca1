//! What the driver says, done; and those who wait, served.

use super::moves::Purpose;
use super::{At, Event, World};
use crate::judge::Issuer;
use crate::plan::{Kind, MILLI, Origin, Past, keep};
use crate::tab::{Caller, Group, Hilo, Phase, TIMEOUT};
use raven_edge::hilo::waiters::{self, Facts, Want};
use raven_edge::hilo::{Demand, Effect};
use raven_edge::http::NodeId;
use raven_edge::pool;
use raven_edge::source::Return;

/// So many groups of callers has a tag where the adapter is eager.
const EAGER: usize = 4;

impl World {
    pub(super) fn hilo(&mut self, at: At) -> &mut Hilo {
        &mut self.tabs[at.tab].hilos[at.hilo]
    }

    /// All tags of a tab.
    pub(super) fn ats(&self, tab: usize) -> Vec<At> {
        (0..self.tabs[tab].hilos.len()).map(|hilo| At { tab, hilo }).collect()
    }

    /// Tells the driver what is so now; before every event that may make it park or ask.
    pub(super) fn plan(&mut self, at: At) {
        let tab = &self.tabs[at.tab];
        let habits = &self.devices[tab.device].habits;
        let hilo = &tab.hilos[at.hilo];
        let mut plan = keep(habits, &hilo.groups[0].waiters, tab.storage, tab.siblings.is_empty());
        // What a grant brings is for the callers of all groups: what nobody is known to wait for is parked.
        plan.waiting = hilo.groups.iter().map(|group| group.waiters.waiting()).sum();
        self.hilo(at).driver.plan(plan);
    }

    /// Does what the driver says, and sends what is to go back.
    pub(super) fn act_and_return(&mut self, at: At, effects: Vec<Effect>) {
        self.act_ahead(at, effects);
    }

    /// The same, where a lease that is asked for ahead of need may be what later callers wait for.
    pub(super) fn act_ahead(&mut self, at: At, effects: Vec<Effect>) {
        let leases = effects.iter().any(|effect| matches!(effect, Effect::Lease { .. } | Effect::Admit { .. }));
        let group = (leases && self.hilo(at).groups[0].waiters.ahead()).then_some(0);
        let (returns, _) = self.act(at, effects, group);
        self.returns(at.tab, returns, true);
    }

    /// The lease of a group goes on with what the driver says, or has ended.
    pub(super) fn goes_on(&mut self, at: At, effects: Vec<Effect>, group: Option<usize>) {
        let (returns, leases) = self.act(at, effects, group);
        self.returns(at.tab, returns, true);
        if !leases {
            self.ends_lease(at, group, waiters::Event::Leased);
        }
    }

    /// Those who wait hear of the end of their lease.
    pub(super) fn ends_lease(&mut self, at: At, group: Option<usize>, event: waiters::Event) {
        if let Some(group) = group {
            self.waits_on(at, group, event);
        }
    }

    /// Does what the driver says; gives what is to go back, and whether a lease is on its way for the group.
    pub(super) fn act(&mut self, at: At, effects: Vec<Effect>, group: Option<usize>) -> (Vec<(NodeId, Return)>, bool) {
        let (mut returns, mut leases) = (Vec::new(), false);
        if let Some(wish) = self.hilo(at).driver.parking(&effects) {
            self.begin(at, Purpose::Park, wish);
        }
        for effect in effects {
            self.note(|| format!("tab {} {}: {effect:?}", at.tab, self.tabs[at.tab].hilos[at.hilo].tag));
            match effect {
                Effect::Lease { request, above, .. } => {
                    leases = true;
                    self.leases(at, request, above, group);
                }
                Effect::Claim { request, all } => {
                    let now = self.now;
                    let wish = if all { pool::Wish::TakeOut { keep: 0 } } else { self.hilo(at).driver.claim_of(now) };
                    self.begin(at, Purpose::Claim(request, group), wish);
                }
                Effect::Admit { request, lease } => {
                    if let Some(wish) = self.hilo(at).driver.admission(lease) {
                        leases = true;
                        self.begin(at, Purpose::Admit(request, group), wish);
                    }
                }
                Effect::Hand { range, lease } => {
                    let hilo = self.hilo(at);
                    if let Some(grant) = hilo.driver.grant(lease) {
                        hilo.counter.hand(range, grant);
                    }
                }
                Effect::Refence { request, lease } => self.reads_fence(at, request, lease),
                Effect::Return { lease, high, last } => {
                    returns.extend(self.hilo(at).driver.return_of(lease, high, last))
                }
                Effect::Regression { .. } => self.judge.false_alarms += u64::from(self.weather.past == Past::Honest),
                Effect::Park { .. } | Effect::Burnt { .. } | Effect::Surrender => {}
            }
        }
        (returns, leases)
    }

    fn is_isolated(&self, at: At) -> bool {
        self.devices[self.tabs[at.tab].device].habits.kind == Kind::Isolate
    }

    fn facts(&self, at: At) -> Facts {
        let tab = &self.tabs[at.tab];
        let hilo = &tab.hilos[at.hilo];
        Facts {
            now: self.now / MILLI,
            at_hand: hilo.counter.rest() + hilo.driver.usable(),
            parked: hilo.driver.parked(),
            pooled: tab.storage,
            crowded: !tab.siblings.is_empty(),
        }
    }

    /// Whether somebody of a group still waits for what a lease may bring.
    pub(super) fn are_unserved(&self, at: At, group: usize) -> bool {
        let groups = &self.tabs[at.tab].hilos[at.hilo].groups;
        groups.get(group).is_some_and(|group| group.waiters.are_unserved(self.facts(at)))
    }

    /// Something has happened to those who wait.
    pub(super) fn waits_on(&mut self, at: At, group: usize, event: waiters::Event) {
        let facts = self.facts(at);
        // A tab that is gone has none.
        let Some(of) = self.hilo(at).groups.get_mut(group) else { return };
        let effects = of.waiters.on(event, facts);
        self.does(at, group, effects);
    }

    fn waits_later(&mut self, at: At, group: usize, micros: u64, event: waiters::Event) {
        self.later(micros, Event::Waits { at, group, event });
    }

    /// Does what those who wait want done.
    fn does(&mut self, at: At, group: usize, effects: Vec<waiters::Effect>) {
        self.plan(at);
        for effect in effects {
            self.note(|| format!("tab {} {} group {group}: {effect:?}", at.tab, self.tabs[at.tab].hilos[at.hilo].tag));
            match effect {
                waiters::Effect::Serve(waiter) => self.serves(at, group, waiter),
                waiters::Effect::Gather => self.waits_later(at, group, 0, waiters::Event::Gathered),
                waiters::Effect::Park => {
                    let effects = self.hilo(at).driver.park();
                    let numbers = self.hilo(at).driver.parking(&effects);
                    self.begin(at, Purpose::Share(group), numbers.unwrap_or(pool::Wish::Park(Vec::new())));
                }
                waiters::Effect::Claim => {
                    let effects = self.hilo(at).driver.claim();
                    if effects.is_empty() {
                        self.waits_on(at, group, waiters::Event::Claimed);
                    }
                    self.act(at, effects, Some(group));
                }
                // The siblings' lock is a hint, which may be late.
                waiters::Effect::Turn => {
                    let wait = if self.facts(at).crowded { self.rng.u64(0..40 * MILLI) } else { 0 };
                    self.waits_later(at, group, wait, waiters::Event::Turned);
                }
                waiters::Effect::Lease { count, exact } => self.leases_for(at, group, Demand { count, exact }),
                waiters::Effect::Share => self.waits_later(at, group, 150 * MILLI, waiters::Event::Shared),
                waiters::Effect::Settle => self.waits_on(at, group, waiters::Event::Settled),
                waiters::Effect::End => {}
                waiters::Effect::Expire(waiter) => self.expires(at, group, waiter),
                waiters::Effect::Refuse(waiter) => self.refuses(at, group, waiter, "the lease failed"),
            }
        }
    }

    fn leases_for(&mut self, at: At, group: usize, demand: Demand) {
        let (isolated, now) = (self.is_isolated(at), self.now);
        let hilo = self.hilo(at);
        hilo.leases += u32::from(isolated);
        let effects = hilo.driver.wanted(hilo.leases, demand, now);
        let (returns, leases) = self.act(at, effects, Some(group));
        self.returns(at.tab, returns, true);
        if !leases {
            self.waits_on(at, group, waiters::Event::Busy);
        }
    }

    fn caller(&mut self, at: At, group: usize, waiter: u32) -> Option<Caller> {
        let callers = &mut self.hilo(at).groups.get_mut(group)?.callers;
        let place = callers.iter().position(|caller| caller.waiter == waiter)?;
        Some(callers.remove(place))
    }

    fn serves(&mut self, at: At, group: usize, waiter: u32) {
        let callers =
            |group: &Group| group.callers.iter().any(|caller| caller.waiter == waiter && caller.want == Want::Id);
        let for_id = self.hilo(at).groups.get(group).is_some_and(callers);
        if for_id && !self.take(at) {
            return;
        }
        self.caller(at, group, waiter);
        if for_id {
            self.waits_on(at, group, waiters::Event::Served(waiter));
        }
    }

    /// `take()`: whether an id was at hand.
    pub(super) fn take(&mut self, at: At) -> bool {
        if let Some(id) = self.hilo(at).counter.take() {
            self.issues(at, id);
            return true;
        }
        self.plan(at);
        let now = self.now;
        let effects = self.hilo(at).driver.dry(now);
        self.act_and_return(at, effects);
        if let Some(wish) = self.hilo(at).driver.note() {
            self.begin(at, Purpose::Park, wish);
        }
        let Some(id) = self.hilo(at).counter.take() else {
            if !self.is_isolated(at) {
                self.waits_on(at, 0, waiters::Event::Dry);
            }
            return false;
        };
        self.issues(at, id);
        true
    }

    /// The id of a number. Where one node counts for all who lease, a number never comes twice, whatever stands behind it.
    pub(super) fn id(&self, prefix: &str, number: u64, node_tag: &str) -> String {
        if self.weather.nodes == 1 { format!("{prefix}{number}") } else { format!("{prefix}{number}-{node_tag}") }
    }

    /// An id is in the app's hands.
    fn issues(&mut self, at: At, (prefix, number, node_tag): (String, u64, String)) {
        let id = self.id(&prefix, number, &node_tag);
        self.note(|| format!("tab {} issues {id}", at.tab));
        let tab = &self.tabs[at.tab];
        let issuer = Issuer {
            device: tab.device,
            tab: at.tab,
            incarnation: tab.incarnation.clone(),
            at: self.now,
            claimed: tab.hilos[at.hilo].counter.claimed,
            pooled: tab.storage,
        };
        // The app's numbers are above those of no counter of the server.
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
            self.hilo(at).groups.push(Group::default());
        }
        let (facts, mut effects) = (self.facts(at), Vec::new());
        let groups = self.hilo(at).groups.len();
        let group = if self.is_isolated(at) { groups - 1 } else { self.rng.usize(0..groups) };
        let of = &mut self.hilo(at).groups[group];
        let waiter = of.waiters.ask(want, facts.now + TIMEOUT, facts, &mut effects);
        of.callers.push(Caller { waiter, want, must });
        self.waits_later(at, group, TIMEOUT * MILLI, waiters::Event::Expired(waiter));
        self.does(at, group, effects);
    }

    /// A caller has waited long enough and is told so.
    fn expires(&mut self, at: At, group: usize, waiter: u32) {
        let Some(caller) = self.caller(at, group, waiter) else { return };
        self.note(|| format!("tab {}: a caller gets no id in time", at.tab));
        // Where many write one counter all at once, some are not served in time: they are told, which is all that can be.
        let crowd = self.devices.iter().filter(|device| device.habits.origin == Origin::Document).count() > 4;
        let writes = self.devices[self.tabs[at.tab].device].habits.origin == Origin::Document;
        if caller.must && !(writes && crowd) {
            self.judge.object(format!("tab {} gave no id although nothing was wrong any more", at.tab));
        }
    }

    fn refuses(&mut self, at: At, group: usize, waiter: u32, reason: &str) {
        let Some(caller) = self.caller(at, group, waiter) else { return };
        self.note(|| format!("tab {}: a caller is refused: {reason}", at.tab));
        // A server that went back may be found out twice in a row, which is a clear error, too.
        if self.weather.past == Past::Honest && caller.must {
            self.judge.object(format!("tab {} refused although nothing was wrong any more: {reason}", at.tab));
        }
    }

    /// All who wait are told an error.
    pub(super) fn refuses_all(&mut self, at: At, reason: &str) {
        for group in 0..self.hilo(at).groups.len() {
            self.waits_on(at, group, waiters::Event::Closed);
            for caller in self.hilo(at).groups[group].callers.clone() {
                self.refuses(at, group, caller.waiter, reason);
            }
        }
    }
}
