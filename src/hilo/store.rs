//! A store: all its tags, and the tasks of its tags and of the app. Decides what to send next, what a response means and what
//! follows a move.
//!
//! Sans-IO: a [`Shell`] provides clock, counters and listeners, and runs the tasks.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::Range;
use super::shared_state::SharedState;
use super::shell::{At, Shell};
use super::tag::Tag;
use super::task::{Purpose, Task, Wait, Waited};
use super::waiters::{Event, Want};
use crate::error::{Code, Error};
use crate::http::{Executor, Input, Request, Response};
use crate::ids::tag;
use crate::pool::presence::KeepOptions;
use crate::pool::{self, Presence, Record, apply_move};
use crate::protocol::todo;
use crate::source::{self, Expects, Grant, Output, Return, Source};

/// Why a take-out leaves numbers on the device.
const LEFT: &str = "the numbers stay parked on the device: a gateway takes back only the end of the newest lease";

/// How many parked numbers [`Want::Ready`] brings into the counter.
const READY: u64 = 8;

/// A store: the nodes of a database, the source of its numbers, and the tags in use.
pub struct Store {
    base: SharedState,
    tags: Vec<Tag>,
    separator: char,
}

/// A request of the app.
pub struct Call {
    /// The request.
    pub request: Box<Request>,
    /// Which responses are results.
    pub expects: Expects,
    /// How long the server may wait before it responds, in milliseconds.
    pub wait: u64,
    /// For reads that go to the nodes in turn: the number of the turn.
    pub turn: Option<u32>,
}

impl Store {
    /// A store without addresses. `separator` joins a tag and its numbers; `isolated`: no task may outlive its request or wait for
    /// another one (workerd). It is always so without the feature `pool`.
    pub fn new(executor: Executor, source: source::AnySource, separator: char, isolated: bool) -> Store {
        // Numbers of the app do not belong to the database, so they have an incarnation of their own that never changes.
        let incarnation = source.counters().is_none().then(String::new);
        let capabilities = source.capabilities();
        let (returns, unfenced) = (Vec::new(), Vec::new());
        let presence = Presence::new(capabilities.scoped);
        let base = SharedState { executor, source, capabilities, presence, isolated, incarnation, returns, unfenced };
        Store { base, tags: Vec::new(), separator }
    }

    /// The executor, which knows the nodes.
    pub fn executor(&mut self) -> &mut Executor {
        &mut self.base.executor
    }

    /// The database's incarnation according to the last response.
    pub fn incarnation(&self) -> Option<&str> {
        self.base.incarnation.as_deref()
    }

    /// Adds a tag and returns its number; numbers count from 0.
    pub fn add(&mut self, name: &str, options: KeepOptions) -> Result<u32, Error> {
        tag::check(name, self.separator)?;
        let number = self.tags.len() as u32;
        self.tags.push(Tag::new(&self.base, number, name, options));
        Ok(number)
    }

    /// The name of a tag.
    pub fn name(&self, tag: u32) -> &str {
        self.tags.get(tag as usize).map_or("", |tag| tag.driver.tag())
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
        if want == Want::Ready {
            tag.driver.keep_at_hand(READY);
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
    pub fn update_incarnation(&mut self, incarnation: &str) -> bool {
        if !self.base.has_counters() {
            return false;
        }
        let before = self.base.incarnation.replace(String::from(incarnation));
        let renewed = before.is_some_and(|before| before != incarnation);
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
            let effects = tag.driver.give_back(refence && self.base.capabilities.fenced);
            tag.spawn(&mut self.base, shell, effects);
        }
        let tags = &self.tags;
        let name = |number: u32| tags.get(number as usize).map(Tag::name).unwrap_or_default();
        self.base.give_back(shell.micros() / 1_000, name)
    }

    /// The request that reads the topology.
    pub fn topology<S: Shell>(&self, shell: &S) -> Task {
        let executor = &self.base.executor;
        let call = executor.call(shell.micros() / 1_000, u64::MAX);
        self.base.sends(Purpose::Topology, executor.topology_request(), Expects::Status(200), call)
    }

    /// A request of the app.
    pub fn call<S: Shell>(&self, shell: &S, call: Call) -> Task {
        let Call { request, expects, wait, turn } = call;
        let executor = &self.base.executor;
        let mut call = executor.call(shell.micros() / 1_000, u64::MAX);
        call.extend(wait);
        if let Some(turn) = turn {
            executor.spread(&mut call, turn);
        }
        self.base.sends(Purpose::App, request, expects, call)
    }

    /// Advances a task with the result of its last step.
    pub fn step<S: Shell>(&mut self, shell: &S, task: &mut Task, input: Input) -> Waited {
        use crate::http::Next;
        let Some(conversation) = &mut task.conversation else {
            return Ok(match &task.purpose {
                Purpose::Move(tag, _, moving) if pool::PRESENT => {
                    Wait::Move { tag: *tag, strict: moving.wanted.kind.is_take_out() }
                }
                Purpose::Refill(tag) if pool::PRESENT => self.refill(shell, *tag),
                _ => Wait::Done(None),
            });
        };
        let (now, random) = (shell.micros() / 1_000, shell.random() as u32);
        match conversation.step(&mut self.base.executor, input, now, random) {
            Next::Send(attempt) => Ok(Wait::Send(attempt)),
            Next::Pause(pause) => Ok(Wait::Pause(pause)),
            Next::Done(Output::Grant(grant)) => self.leased(shell, task, grant),
            Next::Done(Output::Response(response)) => Ok(self.finish(shell, task, Ok(response))),
            Next::Fail(error) => match task.purpose {
                // Numbers whose return fails are burnt, which is harmless. So the failure is an event and not an error.
                Purpose::Return(_) | Purpose::Fences(_) => Ok(self.finish(shell, task, Err(error))),
                // The ledger is notified of a failed lease by `Store::dropped`.
                _ => Err(error),
            },
        }
    }

    fn leased<S: Shell>(&mut self, shell: &S, task: &mut Task, grant: Box<Grant>) -> Waited {
        let Purpose::Lease(number, request) = task.purpose else { return Ok(Wait::Done(None)) };
        // Another response has reported another incarnation in the meantime, and it is unknown which of the two is current.
        if grant.incarnation.is_some() && grant.incarnation != self.base.incarnation {
            return Ok(Wait::Done(None));
        }
        let Some((tag, base)) = self.tag(number) else { return Ok(Wait::Done(None)) };
        shell.leased(tag.driver.tag(), &grant, base.capabilities.fenced && grant.fence.is_some());
        let effects = tag.driver.granted(request, grant, shell.micros());
        let next = tag.carry_out(base, shell, effects);
        self.go_on(shell, task, next)
    }

    /// Refills the pool of a tag, or waits until the burst has paused.
    fn refill<S: Shell>(&mut self, shell: &S, tag: u32) -> Wait {
        let Some((tag, base)) = self.tag(tag) else { return Wait::Done(None) };
        match tag.driver.rest_of_pause(shell.micros()) {
            0 if tag.driver.is_refillable() => {
                tag.driver.surrendered(shell.surrender(tag.number), shell.micros());
                let effects = tag.driver.refill(shell.micros());
                tag.carry_out(base, shell, effects);
                tag.driver.end_refill();
                Wait::Done(None)
            }
            0 => {
                tag.driver.end_refill();
                Wait::Done(None)
            }
            pause => Wait::Pause(pause),
        }
    }

    /// Continues the task with the step that must precede the use of granted numbers, if there is one.
    fn go_on<S: Shell>(&mut self, shell: &S, task: &mut Task, next: Option<Task>) -> Waited {
        let Some(next) = next else { return Ok(Wait::Done(None)) };
        *task = next;
        self.step(shell, task, Input::Proceed)
    }

    /// Applies a move to the record of its tag; `stored` is the database's incarnation according to the device. Returns the text to
    /// write, or `None` if the record stays unchanged. The numbers of an unreadable record are burnt.
    pub fn decide(&mut self, task: &mut Task, record: Option<&str>, stored: Option<String>) -> Option<String> {
        let Purpose::Move(_, _, moving) = &mut task.purpose else { return None };
        let base = &mut self.base;
        let stored = stored.filter(|_| base.has_counters());
        let known = base.incarnation.as_deref();
        let (record, outcome) = apply_move(record.and_then(Record::read), stored.as_deref(), known, &moving.wanted);
        // An offline start relies on the stored incarnation until the first response.
        if base.incarnation.is_none() && !outcome.taken.is_empty() {
            base.incarnation = stored;
        }
        moving.outcome = Some(outcome);
        record.map(|record| record.write())
    }

    /// A move has ended. Numbers that were moved but may not be durable are burnt: a claim yields nothing, an admission only what it
    /// did not park. A grant that was never compared is burnt while there is a pool.
    pub fn moved<S: Shell>(&mut self, shell: &S, task: &mut Task, durable: bool) -> Waited {
        let Purpose::Move(number, request, moving) = &mut task.purpose else { return Ok(Wait::Done(None)) };
        let Some(tag) = self.tags.get_mut(*number as usize) else { return Ok(Wait::Done(None)) };
        let outcome = moving.outcome.take();
        if matches!(moving.wanted.kind, pool::MoveKind::Admit { .. }) {
            let effects = tag.driver.admitted(*request, outcome, durable, shell.micros());
            let next = tag.carry_out(&mut self.base, shell, effects);
            return self.go_on(shell, task, next);
        }
        match outcome.filter(|_| durable) {
            Some(outcome) => {
                for left in &outcome.left {
                    let (tag, fence) = (tag.name(), String::new());
                    let item = Return { tag, fence, high: left.range.high(), last: left.range.low() - 1 };
                    shell.returned(&item, false, Some(&Error::new(Code::InvalidOperation, LEFT)));
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
        Ok(Wait::Done(None))
    }

    fn finish<S: Shell>(&mut self, shell: &S, task: &mut Task, outcome: Result<Box<Response>, Error>) -> Wait {
        match &task.purpose {
            Purpose::Return(items) => {
                for (at, item) in items.iter().enumerate() {
                    let applied = outcome.as_ref().is_ok_and(|response| self.base.source.applied(response, at));
                    shell.returned(item, applied, outcome.as_ref().err());
                }
            }
            Purpose::Fences(unfenced) => {
                // A fence of another database does not belong to the numbers.
                let response = outcome.ok().filter(|response| response.incarnation == self.base.incarnation);
                for item in unfenced {
                    let Some((tag, base)) = self.tag(item.tag) else { continue };
                    let found = response.as_ref().zip(base.source.counters());
                    let found = found.and_then(|(response, counters)| counters.fence(response, tag.driver.tag()));
                    let effects = tag.driver.refenced(item.request, item.lease, found);
                    tag.spawn(base, shell, effects);
                }
            }
            Purpose::Topology => {
                if let Ok(response) = outcome {
                    shell.topology(&response.body);
                }
            }
            Purpose::App => return Wait::Done(outcome.ok().map(|response| (response.status, response.node))),
            // A move sends nothing, and a lease ends in a grant.
            _ => {}
        }
        Wait::Done(None)
    }

    /// A task has ended or was given up: a lease or claim without a result has failed.
    pub fn dropped(&mut self, task: &Task) {
        if let Purpose::Refill(number) = task.purpose
            && let Some((tag, _)) = self.tag(number)
        {
            tag.driver.end_refill();
        }
        let (Purpose::Lease(number, request) | Purpose::Move(number, request, _)) = &task.purpose else { return };
        if let Some((tag, _)) = self.tag(*number) {
            tag.driver.failed(*request);
        }
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
