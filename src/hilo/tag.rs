//! One tag of a store: its driver, those who wait for its ids, and what is done about the effects of both.

use alloc::string::String;
use alloc::vec::Vec;

use super::base::Base;
use super::shell::{At, Order, Shell};
use super::task::{Purpose, Task, Unfenced};
use super::waiters::{self, Supply};
use super::{Demand, Driver, Effect, Waiters};
use crate::http::Conversation;
use crate::pool::presence::{KeepOptions, Rest};
use crate::pool::{self, MoveKind};
use crate::source::{AnyExchange, Source};

/// Callers who are served together.
struct Group {
    number: u32,
    waiters: Waiters,
}

/// One tag of a store.
pub(super) struct Tag {
    pub(super) number: u32,
    pub(super) driver: Driver,
    /// The first is everybody's, and always there.
    groups: Vec<Group>,
    forks: u32,
    options: KeepOptions,
    /// Leases for groups, where each is one of its own for the ledger.
    leases: u32,
}

impl Tag {
    pub(super) fn new(base: &Base, number: u32, name: &str, options: KeepOptions) -> Tag {
        let groups = Vec::from([Group { number: 0, waiters: Waiters::default() }]);
        let mut tag = Tag { number, driver: Driver::new(name, !base.isolated), groups, forks: 0, options, leases: 0 };
        tag.refresh_conditions(base);
        tag
    }

    /// A group for a caller who must not wait for others.
    pub(super) fn fork(&mut self) -> u32 {
        self.forks = self.forks.wrapping_add(1);
        self.groups.push(Group { number: self.forks, waiters: Waiters::default() });
        self.forks
    }

    /// The caller is gone. The first group stays.
    pub(super) fn join(&mut self, group: u32) {
        if group > 0 {
            self.groups.retain(|known| known.number != group);
        }
    }

    pub(super) fn waiters(&mut self, group: u32) -> Option<&mut Waiters> {
        self.groups.iter_mut().find(|known| known.number == group).map(|group| &mut group.waiters)
    }

    /// Tells the driver what is so now.
    pub(super) fn refresh_conditions(&mut self, base: &Base) {
        let mut conditions = base.presence.conditions(self.options, base.capabilities.returnable);
        for group in &self.groups {
            conditions = conditions.among(&group.waiters);
        }
        self.driver.set_conditions(conditions);
    }

    /// The numbers as they are now; `rest`: how many the counter has.
    pub(super) fn supply(&self, base: &Base, now: u64, rest: u64) -> Supply {
        Supply {
            now: now / 1_000,
            at_hand: rest + self.driver.usable(),
            parked: self.driver.parked(),
            pooled: base.presence.usable(),
            crowded: base.presence.crowded(),
        }
    }

    /// Something has happened to those who wait.
    pub(super) fn happen<S: Shell>(
        &mut self,
        base: &mut Base,
        shell: &S,
        group: u32,
        event: waiters::Event,
        rest: u64,
    ) {
        let supply = self.supply(base, shell.micros(), rest);
        if let Some(waiters) = self.waiters(group) {
            let effects = waiters.on(event, supply);
            self.perform(base, shell, group, effects, rest);
        }
    }

    /// Does what those who wait want done, or has the shell do it.
    pub(super) fn perform<S: Shell>(
        &mut self,
        base: &mut Base,
        shell: &S,
        group: u32,
        effects: Vec<waiters::Effect>,
        rest: u64,
    ) {
        use waiters::{Effect, Event};
        self.refresh_conditions(base);
        for effect in effects {
            let (task, reported, otherwise) = match effect {
                Effect::Park => (self.park(base), Event::Parked, Event::Parked),
                Effect::Claim => (self.claim(base, shell), Event::Claimed, Event::Claimed),
                Effect::Lease { count, exact } => {
                    (self.lease(base, shell, Demand { count, exact }), Event::Leased, Event::Busy)
                }
                effect => {
                    shell.order(At { tag: self.number, group }, Order::Effect(effect));
                    continue;
                }
            };
            // Where there is nothing to be done, something else happens at once.
            match task {
                Some(task) => shell.order(At { tag: self.number, group }, Order::Run(task, reported)),
                None => self.happen(base, shell, group, otherwise, rest),
            }
        }
    }

    /// A lease for those who wait; none while one is on its way.
    fn lease<S: Shell>(&mut self, base: &mut Base, shell: &S, demand: Demand) -> Option<Task> {
        // On workerd each request leases for itself and is a group of its own.
        self.leases = self.leases.wrapping_add(u32::from(base.isolated));
        let effects = self.driver.wanted(self.leases, demand, shell.micros());
        self.act(base, shell, effects)
    }

    /// Looks in the pool for those who wait; nothing while somebody looks already.
    fn claim<S: Shell>(&mut self, base: &mut Base, shell: &S) -> Option<Task> {
        let effects = self.driver.claim();
        self.act(base, shell, effects)
    }

    /// Numbers in memory go to the pool, but for the counter's. Also tells how many are parked.
    pub(super) fn park(&mut self, base: &Base) -> Option<Task> {
        if !pool::PRESENT {
            return None;
        }
        let effects = self.driver.park();
        let kind = self.driver.parking_move(&effects).unwrap_or(MoveKind::Park(Vec::new()));
        Some(self.moves(base, 0, kind))
    }

    /// What moves numbers between memory and pool before they go back. Where that takes a fence and the source knows none, what is
    /// parked stays, and what is in memory is parked if it cannot go back either.
    pub(super) fn let_go(&mut self, base: &Base, keep: Option<u64>) -> Option<Task> {
        let rest = base.presence.rest();
        if rest == Rest::Memory {
            return None;
        }
        if rest == Rest::Park && keep.is_some() || !base.capabilities.returnable {
            return self.park(base);
        }
        let keep = if base.capabilities.fenced { keep.unwrap_or(self.options.keep) } else { u64::MAX };
        let effects = self.driver.take_out();
        let Some(Effect::Claim { request, .. }) = effects.first() else { return None };
        Some(self.moves(base, *request, MoveKind::TakeOut { keep }))
    }

    /// The task of a move; request 0: nobody waits for what it takes out.
    fn moves(&mut self, base: &Base, request: u32, kind: MoveKind) -> Task {
        Task::moves(self.number, request, self.driver.build_move(kind, base.incarnation.clone()))
    }

    /// Tells the device what was issued, if that is due.
    pub(super) fn note<S: Shell>(&mut self, base: &Base, shell: &S) {
        if let Some(kind) = self.driver.report_move() {
            shell.spawn(self.number, self.moves(base, 0, kind), false);
        }
    }

    /// Does what the driver says; a lease, claim or admission runs on its own.
    pub(super) fn spawn<S: Shell>(&mut self, base: &mut Base, shell: &S, effects: Vec<Effect>) {
        if let Some(task) = self.act(base, shell, effects) {
            let reports = self.waiters(0).is_some_and(Waiters::begin_ahead);
            shell.spawn(self.number, task, reports);
        }
    }

    /// Does what the driver says; gives the lease, claim or admission to go on with, if there is one.
    pub(super) fn act<S: Shell>(&mut self, base: &mut Base, shell: &S, effects: Vec<Effect>) -> Option<Task> {
        if pool::PRESENT
            && let Some(kind) = self.driver.parking_move(&effects)
        {
            shell.spawn(self.number, self.moves(base, 0, kind), false);
        }
        let mut task = None;
        for effect in effects {
            match effect {
                Effect::Lease { request, above, .. } => {
                    let ask = self.driver.ask(above, shell.micros(), shell.random());
                    let exchange = AnyExchange::Lease(base.source.lease(ask));
                    let call = base.executor.call(shell.micros() / 1_000, u64::MAX);
                    let purpose = Purpose::Lease(self.number, request);
                    task = Some(Task::sends(purpose, Conversation::new(exchange, call)));
                }
                Effect::Claim { request, all: false } if pool::PRESENT => {
                    let kind = self.driver.claim_move(shell.micros());
                    task = Some(self.moves(base, request, kind));
                }
                Effect::Admit { request, lease } if pool::PRESENT => {
                    if let Some(kind) = self.driver.admission_move(lease) {
                        task = Some(self.moves(base, request, kind));
                    }
                }
                Effect::Hand { range, lease } => {
                    if let Some(grant) = self.driver.grant(lease) {
                        let fence = grant.fence.as_deref().filter(|_| base.capabilities.fenced);
                        shell.hand(self.number, range, grant, fence);
                    }
                }
                Effect::Regression { range, highest } => shell.regression(self.driver.tag(), range, highest),
                Effect::Refence { request, lease } => {
                    base.unfenced.push(Unfenced { tag: self.number, request, lease });
                }
                Effect::Return { lease, high, last } => {
                    base.returns.extend(self.driver.return_of(lease, high, last));
                }
                // The first two are the business of those who ask for them; parks were seen to above.
                Effect::Surrender
                | Effect::Claim { .. }
                | Effect::Admit { .. }
                | Effect::Park { .. }
                | Effect::Burnt { .. } => {}
            }
        }
        task
    }

    pub(super) fn name(&self) -> String {
        String::from(self.driver.tag())
    }
}
