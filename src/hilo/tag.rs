//! One tag of a store: its driver, its waiting callers, and how the effects of both are carried out.

use alloc::vec::Vec;

use super::shared_state::SharedState;
use super::shell::{At, Order, Shell};
use super::task::{Purpose, Task, Unfenced};
use super::waiters::{self, Supply};
use super::{Demand, Driver, Effect, Waiters};
use crate::pool::presence::{KeepOptions, Rest};
use crate::pool::{self, MoveKind};

/// Callers that are served together.
struct Group {
    number: u32,
    waiters: Waiters,
}

/// One tag of a store.
pub(super) struct Tag {
    pub(super) number: u32,
    pub(super) driver: Driver,
    /// The first group is shared by all callers outside of workerd, and always exists.
    groups: Vec<Group>,
    forks: u32,
    options: KeepOptions,
    /// Counts the leases on workerd: there the ledger sees each lease as a group of its own.
    leases: u32,
}

impl Tag {
    pub(super) fn new(base: &SharedState, number: u32, options: KeepOptions) -> Tag {
        let groups = Vec::from([Group { number: 0, waiters: Waiters::default() }]);
        let mut tag = Tag { number, driver: Driver::new(!base.isolated()), groups, forks: 0, options, leases: 0 };
        tag.refresh_conditions(base);
        tag
    }

    /// Adds a group for a caller that must not wait for others.
    pub(super) fn fork(&mut self) -> u32 {
        self.forks = self.forks.wrapping_add(1);
        self.groups.push(Group { number: self.forks, waiters: Waiters::default() });
        self.forks
    }

    /// Removes the group of a caller that no longer waits. The first group stays.
    pub(super) fn join(&mut self, group: u32) {
        if group > 0 {
            self.groups.retain(|known| known.number != group);
        }
    }

    pub(super) fn waiters(&mut self, group: u32) -> Option<&mut Waiters> {
        self.groups.iter_mut().find(|known| known.number == group).map(|group| &mut group.waiters)
    }

    /// Updates the driver's conditions.
    pub(super) fn refresh_conditions(&mut self, base: &SharedState) {
        let mut conditions = base.presence.conditions(self.options, base.source.returnable);
        for group in &self.groups {
            conditions = conditions.among(&group.waiters);
        }
        self.driver.set_conditions(conditions);
    }

    /// The current supply of numbers; `rest`: how many the counter still has.
    pub(super) fn supply(&self, base: &SharedState, now: u64, rest: u64) -> Supply {
        Supply {
            now: now / 1_000,
            at_hand: rest + self.driver.usable(),
            parked: self.driver.parked(),
            pooled: base.presence.usable(),
            crowded: base.presence.crowded(),
        }
    }

    /// Processes an event for waiting callers.
    pub(super) fn notify_waiters<S: Shell>(
        &mut self,
        base: &mut SharedState,
        shell: &S,
        group: u32,
        event: waiters::Event,
        rest: u64,
    ) {
        let supply = self.supply(base, shell.micros(), rest);
        if let Some(waiters) = self.waiters(group) {
            let effects = waiters.on(event, supply);
            self.carry_out_for_waiters(base, shell, group, effects, rest);
        }
    }

    /// Carries out effects for waiting callers, or hands them to the shell.
    pub(super) fn carry_out_for_waiters<S: Shell>(
        &mut self,
        base: &mut SharedState,
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
            // If there is nothing to do, the event follows at once.
            match task {
                Some(task) => shell.order(At { tag: self.number, group }, Order::Run(task, reported)),
                None => self.notify_waiters(base, shell, group, otherwise, rest),
            }
        }
    }

    /// Leases for waiting callers; `None` while a lease is in flight.
    fn lease<S: Shell>(&mut self, base: &mut SharedState, shell: &S, demand: Demand) -> Option<Task> {
        // On workerd each request leases for itself, as a group of its own.
        self.leases = self.leases.wrapping_add(u32::from(base.isolated()));
        let effects = self.driver.wanted(self.leases, demand, shell.micros());
        self.carry_out(base, shell, effects)
    }

    /// Claims parked numbers for waiting callers; `None` while a claim is in flight.
    fn claim<S: Shell>(&mut self, base: &mut SharedState, shell: &S) -> Option<Task> {
        let effects = self.driver.claim();
        self.carry_out(base, shell, effects)
    }

    /// Parks the numbers in memory, except the counter's block. The move also reports how many are parked.
    pub(super) fn park(&mut self, base: &SharedState) -> Option<Task> {
        if !pool::PRESENT {
            return None;
        }
        let effects = self.driver.park();
        let kind = self.driver.parking_move(&effects).unwrap_or(MoveKind::Park(Vec::new()));
        Some(self.moves(base, 0, kind))
    }

    /// The move between memory and pool that precedes a return. If returns need a fence and the source has none, parked numbers
    /// stay parked; numbers in memory are parked too if the source cannot take them back.
    pub(super) fn let_go(&mut self, base: &SharedState, keep: Option<u64>) -> Option<Task> {
        let rest = base.presence.rest();
        if rest == Rest::Memory {
            return None;
        }
        if rest == Rest::Park && keep.is_some() || !base.source.returnable {
            return self.park(base);
        }
        let keep = if base.source.fenced { keep.unwrap_or(self.options.keep) } else { u64::MAX };
        let effects = self.driver.take_out();
        let Some(Effect::Claim { request, .. }) = effects.first() else { return None };
        Some(self.moves(base, *request, MoveKind::TakeOut { keep }))
    }

    /// The task of a move; request 0: the ledger does not wait for its result.
    fn moves(&mut self, base: &SharedState, request: u32, kind: MoveKind) -> Task {
        Task::moves(self.number, request, self.driver.build_move(kind, base.incarnation))
    }

    /// The counter is dry: it gets its next block, if memory has one for it. Returns whether it did.
    pub(super) fn dry<S: Shell>(&mut self, base: &mut SharedState, shell: &S, taking: bool) -> bool {
        let effects = self.driver.dry(taking, shell.micros());
        let handed = effects.iter().any(|effect| matches!(effect, Effect::Hand { .. }));
        self.spawn(base, shell, effects);
        self.note(base, shell);
        handed
    }

    /// Reports issued numbers to the device, if a report is due.
    pub(super) fn note<S: Shell>(&mut self, base: &SharedState, shell: &S) {
        if let Some(kind) = self.driver.report_move() {
            shell.spawn(self.number, self.moves(base, 0, kind), false);
        }
    }

    /// Notifies listeners of numbers that could not be returned.
    pub(super) fn report_burnt<S: Shell>(&self, shell: &S, effects: &[Effect]) {
        for effect in effects {
            if let Effect::Burnt { range, .. } = effect {
                shell.left(self.number, *range, true);
            }
        }
    }

    /// Carries out effects of the driver; a lease, claim or admission runs in the background.
    pub(super) fn spawn<S: Shell>(&mut self, base: &mut SharedState, shell: &S, effects: Vec<Effect>) {
        if let Some(task) = self.carry_out(base, shell, effects) {
            let reports = self.waiters(0).is_some_and(Waiters::begin_ahead);
            shell.spawn(self.number, task, reports);
        }
    }

    /// Carries out effects of the driver; returns the task of a lease, claim or admission, if there is one.
    pub(super) fn carry_out<S: Shell>(
        &mut self,
        base: &mut SharedState,
        shell: &S,
        effects: Vec<Effect>,
    ) -> Option<Task> {
        if pool::PRESENT
            && let Some(kind) = self.driver.parking_move(&effects)
        {
            shell.spawn(self.number, self.moves(base, 0, kind), false);
        }
        // The counter got numbers: a burst may have taken those that are to be parked.
        let hands = |effect: &Effect| matches!(effect, Effect::Hand { .. });
        if pool::PRESENT && effects.iter().any(hands) && self.driver.begin_refill() {
            shell.spawn(self.number, Task::refill(self.number), false);
        }
        let mut task = None;
        for effect in effects {
            match effect {
                Effect::Lease { request, above, .. } => {
                    let (micros, random) = (shell.micros(), shell.random());
                    let mut ask = self.driver.ask(self.number, above, base.incarnation, micros, random);
                    for (_, item) in base.returns.iter().filter(|(_, item)| item.tag == self.number) {
                        ask.oldest_texts = ask.oldest_texts.min(item.texts);
                    }
                    let call = base.executor.call(micros / 1_000, u64::MAX);
                    task = Some(base.sends(Purpose::Lease(request, ask), base.of_source(), call));
                }
                Effect::Claim { request, all: false } if pool::PRESENT => {
                    let kind = self.driver.claim_move(shell.micros());
                    task = Some(self.moves(base, request, kind));
                }
                Effect::Admit { request, lease } if pool::PRESENT => {
                    if let Some(kind) = self.driver.admission_move(lease, shell.micros()) {
                        task = Some(self.moves(base, request, kind));
                    }
                }
                Effect::Hand { range, lease } => {
                    if let Some(grant) = self.driver.grant(lease) {
                        shell.hand(self.number, range, grant, base.source.fenced && grant.fenced);
                    }
                }
                Effect::Regression { range, highest } => shell.regression(self.number, range, highest),
                Effect::Refence { request, lease } => {
                    let affixes = self.driver.grant(lease).map_or(0, |grant| grant.affixes);
                    base.unfenced.push(Unfenced { tag: self.number, affixes, request, lease });
                }
                Effect::Return { lease, high, last } => {
                    base.returns.extend(self.driver.return_of(self.number, lease, high, last));
                }
                // `Surrender`, and a `Claim` of everything, are carried out by the callers; parks were carried out above.
                Effect::Surrender
                | Effect::Claim { .. }
                | Effect::Admit { .. }
                | Effect::Park { .. }
                | Effect::Burnt { .. } => {}
            }
        }
        task
    }
}
