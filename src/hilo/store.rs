//! A store: all its tags, and the tasks of its tags and of the app. Decides what to send next, what a response means and what
//! follows a move.
//!
//! Sans-IO: a [`Shell`] provides clock, counters and listeners, and runs the tasks.

use alloc::vec::Vec;

use super::Range;
use super::shared_state::SharedState;
use super::shell::{At, Shell};
use super::tag::Tag;
use super::task::{Purpose, Task, Wait};
use super::waiters::{Event, Want};
use super::{CounterState, Grant, NO_DATABASE, Source};
use crate::http::{Executor, Next, Repeat, Report, Rule};
use crate::pool::presence::KeepOptions;
use crate::pool::{self, Presence, Record, apply_move};
use crate::protocol::todo;

/// How many parked numbers [`Want::Ready`] brings into the counter.
const READY: u64 = 8;

/// A store: the nodes of a database, the source of its numbers, and the tags in use.
pub struct Store {
    base: SharedState,
    tags: Vec<Tag>,
}

/// A request of the app.
pub struct Call {
    /// How it may be sent.
    pub rule: Rule,
    /// How long the server may wait before it responds, in milliseconds.
    pub wait: u64,
    /// For reads that go to the nodes in turn: the number of the turn.
    pub turn: Option<u32>,
}

impl Store {
    /// A store without nodes. `isolated`: no task may outlive its request or wait for another one (workerd). It is always so without the
    /// feature `pool`.
    pub fn new(executor: Executor, source: Source, isolated: bool) -> Store {
        // Numbers of the app do not belong to the database, so they have an incarnation of their own that never changes.
        let incarnation = if source.counters { 0 } else { NO_DATABASE };
        let (returns, unfenced) = (Vec::new(), Vec::new());
        let presence = Presence::new(source.scoped);
        let base = SharedState { executor, source, presence, isolated, incarnation, returns, unfenced };
        Store { base, tags: Vec::new() }
    }

    /// The executor, which knows the nodes.
    pub fn executor(&mut self) -> &mut Executor {
        &mut self.base.executor
    }

    /// The database's incarnation according to the last response; 0: none is known.
    pub fn incarnation(&self) -> u32 {
        self.base.incarnation
    }

    /// Adds a tag and returns its number; numbers count from 0.
    pub fn add(&mut self, options: KeepOptions) -> u32 {
        let number = self.tags.len() as u32;
        self.tags.push(Tag::new(&self.base, number, options));
        number
    }

    fn tag(&mut self, number: u32) -> Option<(&mut Tag, &mut SharedState)> {
        self.tags.get_mut(number as usize).map(|tag| (tag, &mut self.base))
    }

    /// Adds a group for a caller that must not wait for others; returns its number.
    pub fn fork(&mut self, tag: u32) -> u32 {
        self.tag(tag).map_or(0, |(tag, _)| tag.fork())
    }

    /// Removes the group of a [`Store::fork`].
    pub fn join(&mut self, at: At) {
        if let Some((tag, _)) = self.tag(at.tag) {
            tag.join(at.group);
        }
    }

    /// The store's presence on its device.
    pub fn presence(&self) -> &Presence {
        &self.base.presence
    }

    /// Processes an event of the device: one of [`presence`](crate::protocol::presence), with its detail. Returns what to do: bits of
    /// [`mod@todo`].
    pub fn device<S: Shell>(&mut self, shell: &S, event: u8, detail: u32) -> u8 {
        let todo = self.base.presence.on(event, detail);
        for tag in &mut self.tags {
            if todo & todo::RESUME > 0 {
                tag.driver.back();
            }
            tag.refresh_conditions(&self.base);
            if todo & todo::PARK > 0
                && let Some(task) = tag.park(&self.base)
            {
                shell.spawn(tag.number, task, false);
            }
        }
        todo
    }

    /// Adds a caller that waits at most `limit` milliseconds; returns its number. `rest`: how many numbers the counter still has.
    pub fn ask<S: Shell>(&mut self, shell: &S, at: At, want: Want, limit: u64, rest: u64) -> u32 {
        let Some((tag, base)) = self.tag(at.tag) else { return 0 };
        match want {
            Want::Ready => tag.driver.keep_at_hand(READY),
            Want::Id => tag.driver.id_wanted(),
            _ => (),
        }
        let supply = tag.supply(base, shell.micros(), rest);
        let mut effects = Vec::new();
        let Some(waiters) = tag.waiters(at.group) else { return 0 };
        let number = waiters.ask(want, supply.now.saturating_add(limit), supply, &mut effects);
        tag.carry_out_for_waiters(base, shell, at.group, effects, rest);
        number
    }

    /// Processes an event for waiting callers.
    pub fn on<S: Shell>(&mut self, shell: &S, at: At, event: Event, rest: u64) {
        if let Some((tag, base)) = self.tag(at.tag) {
            tag.notify_waiters(base, shell, at.group, event, rest);
        }
    }

    /// The app takes numbers synchronously: from now on the counter has the next one ahead of need. `missed`: it was empty, and the
    /// caller will call again. The caller counts as waiting, but on workerd no request waits for another one.
    pub fn taken<S: Shell>(&mut self, shell: &S, tag: u32, missed: bool) {
        let Some((tag, base)) = self.tag(tag).filter(|(_, base)| !base.isolated()) else { return };
        tag.driver.keep_at_hand(1);
        if missed {
            if let Some(waiters) = tag.waiters(0) {
                waiters.missed();
            }
            return tag.refresh_conditions(base);
        }
        if !tag.dry(base, shell, false) {
            tag.notify_waiters(base, shell, 0, Event::Spare, 0);
        }
    }

    /// Whether a failed request should be tried again: some caller still needs its result.
    pub fn is_wanted<S: Shell>(&mut self, shell: &S, at: At, rest: u64) -> bool {
        let Some((tag, base)) = self.tag(at.tag) else { return false };
        let supply = tag.supply(base, shell.micros(), rest);
        tag.waiters(at.group).is_some_and(|waiters| waiters.are_unserved(supply))
    }

    /// Whether numbers for waiting callers are in flight.
    pub fn is_busy(&mut self, at: At) -> bool {
        self.tag(at.tag).and_then(|(tag, _)| tag.waiters(at.group)).is_some_and(|waiters| waiters.is_busy())
    }

    /// The counter is dry: it gets its next block if memory has one, else numbers are fetched.
    pub fn dry<S: Shell>(&mut self, shell: &S, tag: u32) {
        let Some((tag, base)) = self.tag(tag) else { return };
        // On workerd only a request that waits may lease.
        if !tag.dry(base, shell, true) && !base.isolated() {
            tag.notify_waiters(base, shell, 0, Event::Dry, 0);
        }
    }

    /// The counter was emptied; `next` is the first number that it did not issue.
    pub fn surrendered<S: Shell>(&mut self, shell: &S, tag: u32, next: u64) {
        if let Some((tag, _)) = self.tag(tag) {
            tag.driver.surrendered(next, shell.micros());
        }
    }

    /// The ranges in memory beyond the counter's block, by position.
    pub fn tail(&mut self, tag: u32, at: usize) -> Option<Range> {
        self.tag(tag)?.0.driver.tail().nth(at)
    }

    /// How many numbers are parked on the device, according to the last move; `None`: there is no pool.
    pub fn parked(&mut self, tag: u32) -> Option<u64> {
        self.tag(tag)?.0.driver.parked()
    }

    /// Prepares the return of a tag's numbers: the move between memory and pool that must precede it, if there is a pool. `keep`:
    /// how many numbers stay parked; `None`: the configured number, whether or not siblings exist.
    pub fn let_go(&mut self, tag: u32, keep: Option<u64>) -> Option<Task> {
        let (tag, base) = self.tag(tag)?;
        tag.let_go(base, keep)
    }

    /// Takes the database's incarnation from a response. Returns whether the database was replaced: then every number in memory is
    /// burnt, and the caller must empty all counters.
    pub fn update_incarnation(&mut self, incarnation: u32) -> bool {
        if !self.base.source.counters {
            return false;
        }
        let before = core::mem::replace(&mut self.base.incarnation, incarnation);
        let renewed = before > 0 && before != incarnation;
        if renewed {
            self.tags.iter_mut().for_each(|tag| tag.driver.forget());
        }
        renewed
    }

    /// Stops issuing numbers of any tag. The caller has emptied all counters and reported [`Store::surrendered`]. `away`: only until
    /// the page is restored.
    pub fn close(&mut self, away: bool) {
        for tag in &mut self.tags {
            if away { tag.driver.leaving() } else { tag.driver.closing() }
        }
    }

    /// The next request that returns unused numbers; `None` when all are returned. `refence`: for numbers without a fence, read one
    /// first if possible.
    pub fn give_back<S: Shell>(&mut self, shell: &S, refence: bool) -> Option<Task> {
        for tag in &mut self.tags {
            let effects = tag.driver.give_back(refence && self.base.source.fenced);
            if refence && self.base.source.returnable {
                tag.report_burnt(shell, &effects);
            }
            tag.spawn(&mut self.base, shell, effects);
        }
        self.base.give_back(shell.micros() / 1_000)
    }

    /// The request that reads the topology.
    pub fn topology<S: Shell>(&self, shell: &S) -> Task {
        let call = self.base.executor.call(shell.micros() / 1_000, u64::MAX);
        self.base.sends(Purpose::Topology, Rule::anywhere(Repeat::Anywhere), call)
    }

    /// A request of the app.
    pub fn call<S: Shell>(&self, shell: &S, call: Call) -> Task {
        let Call { rule, wait, turn } = call;
        let executor = &self.base.executor;
        let mut call = executor.call(shell.micros() / 1_000, u64::MAX);
        call.extend(wait);
        if let Some(turn) = turn {
            executor.spread(&mut call, turn);
        }
        self.base.sends(Purpose::App, rule, call)
    }

    /// Advances a task with the result of its last step. The result of a lease goes to [`Store::leased`], that of a read of fences to
    /// [`Store::refenced`].
    pub fn step<S: Shell>(&mut self, shell: &S, task: &mut Task, report: Report) -> Wait {
        let Some(conversation) = &mut task.conversation else {
            return match &task.purpose {
                Purpose::Move(tag, _, moving) if pool::PRESENT => {
                    Wait::Move { tag: *tag, strict: moving.wanted.kind.is_take_out() }
                }
                Purpose::Refill(tag) if pool::PRESENT => self.refill(shell, *tag),
                _ => Wait::Done,
            };
        };
        let (now, random) = (shell.micros() / 1_000, shell.random() as u32);
        match conversation.step(&mut self.base.executor, report, now, random) {
            Next::Send(attempt) => Wait::Send(attempt),
            Next::Pause(pause) => Wait::Pause(pause),
            Next::Done => Wait::Done,
            Next::Fail => {
                // The ledger is notified of a failed lease by `Store::dropped`.
                self.finish_refence(shell, task, &[]);
                Wait::Fail
            }
        }
    }

    /// A lease was granted.
    pub fn leased<S: Shell>(&mut self, shell: &S, task: &mut Task, grant: Grant) -> Wait {
        self.step(shell, task, Report::Done);
        let Purpose::Lease(request, ask) = task.purpose else { return Wait::Done };
        // Another response has reported another incarnation in the meantime, and it is unknown which of the two is current.
        if grant.incarnation > 0 && grant.incarnation != self.base.incarnation {
            return Wait::Done;
        }
        let Some((tag, base)) = self.tag(ask.tag) else { return Wait::Done };
        shell.leased(ask.tag, &grant, base.source.fenced && grant.fenced);
        let effects = tag.driver.granted(request, grant, shell.micros());
        let next = tag.carry_out(base, shell, effects);
        self.go_on(shell, task, next)
    }

    /// Counter documents were read to get fences: their states in the order of the tags. `incarnation`: that of the response.
    pub fn refenced<S: Shell>(
        &mut self,
        shell: &S,
        task: &mut Task,
        incarnation: u32,
        found: &[Option<CounterState>],
    ) -> Wait {
        self.step(shell, task, Report::Done);
        // A fence of another database does not belong to the numbers.
        self.finish_refence(shell, task, if incarnation == self.base.incarnation { found } else { &[] });
        Wait::Done
    }

    fn finish_refence<S: Shell>(&mut self, shell: &S, task: &Task, found: &[Option<CounterState>]) {
        let Purpose::Fences(unfenced) = &task.purpose else { return };
        let node = task.node();
        for (at, item) in unfenced.iter().enumerate() {
            let Some((tag, base)) = self.tag(item.tag) else { continue };
            let effects = tag.driver.refenced(item.request, item.lease, found.get(at).copied().flatten(), node);
            tag.report_burnt(shell, &effects);
            tag.spawn(base, shell, effects);
        }
    }

    /// Refills the pool of a tag, or waits until the burst has paused.
    fn refill<S: Shell>(&mut self, shell: &S, tag: u32) -> Wait {
        let Some((tag, base)) = self.tag(tag) else { return Wait::Done };
        match tag.driver.rest_of_pause(shell.micros()) {
            0 if tag.driver.is_refillable() => {
                tag.driver.surrendered(shell.surrender(tag.number), shell.micros());
                let effects = tag.driver.refill(shell.micros());
                tag.carry_out(base, shell, effects);
                tag.driver.end_refill();
                Wait::Done
            }
            0 => {
                tag.driver.end_refill();
                Wait::Done
            }
            pause => Wait::Pause(pause),
        }
    }

    /// Continues the task with the step that must precede the use of granted numbers, if there is one.
    fn go_on<S: Shell>(&mut self, shell: &S, task: &mut Task, next: Option<Task>) -> Wait {
        let Some(next) = next else { return Wait::Done };
        *task = next;
        self.step(shell, task, Report::Proceed)
    }

    /// Applies a move to the record of its tag; `stored` is the database's incarnation according to the device, 0: none. Returns the
    /// record to write, or `None` if it stays unchanged. The numbers of an unreadable record (`None`) are burnt.
    pub fn decide(&mut self, task: &mut Task, record: Option<Record>, stored: u32) -> Option<Record> {
        let Purpose::Move(_, _, moving) = &mut task.purpose else { return None };
        let base = &mut self.base;
        let stored = if base.source.counters { stored } else { 0 };
        let (record, outcome) = apply_move(record, stored, base.incarnation, &moving.wanted);
        // An offline start relies on the stored incarnation until the first response.
        if base.incarnation == 0 && !outcome.taken.is_empty() {
            base.incarnation = stored;
        }
        moving.outcome = Some(outcome);
        record
    }

    /// A move has ended. Numbers that were moved but may not be durable are burnt: a claim yields nothing, an admission only what it
    /// did not park. A grant that was never compared is burnt while there is a pool.
    pub fn moved<S: Shell>(&mut self, shell: &S, task: &mut Task, durable: bool) -> Wait {
        let Purpose::Move(number, request, moving) = &mut task.purpose else { return Wait::Done };
        let Some(tag) = self.tags.get_mut(*number as usize) else { return Wait::Done };
        let outcome = moving.outcome.take();
        if matches!(moving.wanted.kind, pool::MoveKind::Admit { .. }) {
            let effects = tag.driver.admitted(*request, outcome, durable, shell.micros());
            let next = tag.carry_out(&mut self.base, shell, effects);
            return self.go_on(shell, task, next);
        }
        tag.driver.has_moved(&moving.wanted.kind);
        match outcome.filter(|_| durable) {
            Some(outcome) => {
                for left in &outcome.left {
                    shell.left(tag.number, left.range, false);
                }
                let effects = tag.driver.claimed(*request, outcome, shell.micros());
                tag.spawn(&mut self.base, shell, effects);
                tag.note(&self.base, shell);
            }
            None => {
                tag.driver.lost();
                tag.driver.failed(*request);
            }
        }
        Wait::Done
    }

    /// A task has ended or was given up: a lease or claim without a result has failed.
    pub fn dropped(&mut self, task: &Task) {
        if let Purpose::Refill(number) = task.purpose
            && let Some((tag, _)) = self.tag(number)
        {
            tag.driver.end_refill();
        }
        let (tag, request) = match &task.purpose {
            Purpose::Lease(request, ask) => (ask.tag, *request),
            Purpose::Move(tag, request, _) => (*tag, *request),
            _ => return,
        };
        if let Some((tag, _)) = self.tag(tag) {
            tag.driver.failed(request);
        }
    }
}
