//! A store with its texts.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::executor::Addresses;
use super::names::Names;
use super::shell::{Order, Shell};
use super::task::{Task, Wait, Waited};
use super::{Dialogue, Executor, Input};
use crate::error::{Code, Error};
use crate::hilo::waiters::{Event, Want};
use crate::hilo::{self, At, Purpose, Range};
use crate::http::{Next, NodeId, Report, Request, Response};
use crate::ids::tag;
use crate::pool::Presence;
use crate::pool::presence::KeepOptions;
use crate::source::{AnyExchange, AnySource, Expects, Grant, Output, Return, Single, Source};

/// Why a take-out leaves numbers on the device.
const LEFT: &str = "the numbers stay parked on the device: a gateway takes back only the end of the newest lease";
const BURNT: &str =
    "the numbers are burnt: their counter could not be read or has changed, or numbers above them are in use";

/// A store: a [`hilo::Store`], the addresses of its nodes, the source of its numbers, and its texts.
pub struct Store {
    core: hilo::Store,
    addresses: Addresses,
    source: AnySource,
    names: Names,
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

/// Adds the texts to the calls of the core.
struct WithTexts<'a, S> {
    shell: &'a S,
    names: &'a Names,
}

impl<S: Shell> hilo::Shell for WithTexts<'_, S> {
    fn micros(&self) -> u64 {
        self.shell.micros()
    }

    fn random(&self) -> u64 {
        self.shell.random()
    }

    fn hand(&self, tag: u32, range: Range, grant: &hilo::Grant, fenced: bool) {
        let grant = self.names.grant_of(grant);
        self.shell.hand(tag, range, &grant, grant.fence.as_deref().filter(|_| fenced));
    }

    fn surrender(&self, tag: u32) -> u64 {
        self.shell.surrender(tag)
    }

    fn spawn(&self, tag: u32, task: hilo::Task, reports: bool) {
        self.shell.spawn(tag, Task::new(task), reports);
    }

    fn order(&self, at: At, order: hilo::Order) {
        let order = match order {
            hilo::Order::Effect(effect) => Order::Effect(effect),
            hilo::Order::Run(task, event) => Order::Run(Task::new(task), event),
        };
        self.shell.order(at, order);
    }

    fn leased(&self, tag: u32, grant: &hilo::Grant, fenced: bool) {
        self.shell.leased(self.names.tag(tag), &self.names.grant_of(grant), fenced);
    }

    fn left(&self, tag: u32, range: Range, burnt: bool) {
        let (tag, fence) = (String::from(self.names.tag(tag)), String::new());
        let item = Return { tag, fence, high: range.high(), last: range.low() - 1 };
        self.shell.returned(&item, false, Some(&Error::new(Code::InvalidOperation, if burnt { BURNT } else { LEFT })));
    }

    fn regression(&self, tag: u32, range: Range, highest: u64) {
        self.shell.regression(self.names.tag(tag), range, highest);
    }
}

impl Store {
    /// A store whose executor has its addresses. `separator` joins a tag and its numbers; `isolated`: as in [`hilo::Store::new`].
    pub fn new(executor: Executor, source: AnySource, separator: char, isolated: bool) -> Store {
        let Executor { addresses, nodes } = executor;
        let core = hilo::Store::new(nodes, source.facts(), isolated);
        Store { core, addresses, source, names: Names::new(), separator }
    }

    /// Adds an address after the known ones. Trailing slashes are ignored.
    pub fn add_node(&mut self, url: &str) {
        let node = self.addresses.number(url);
        self.core.executor().add(node);
    }

    /// Begins a newer topology: as [`http::Executor::begin_topology`](crate::http::Executor::begin_topology).
    pub fn begin_topology(&mut self, etag: u64) {
        self.addresses.topology_etag = etag;
        self.core.executor().begin_topology();
    }

    /// The version of the topology in use, sent as `Topology-Etag`.
    pub fn topology_etag(&self) -> u64 {
        self.addresses.topology_etag
    }

    /// The path of a route of the database, or of the server if it begins with `/`.
    pub fn route(&self, route: &str) -> String {
        self.addresses.route(route)
    }

    /// The database's incarnation according to the last response.
    pub fn incarnation(&self) -> Option<&str> {
        self.names.incarnation_of(self.core.incarnation())
    }

    /// Adds a tag and returns its number; numbers count from 0.
    pub fn add(&mut self, name: &str, options: KeepOptions) -> Result<u32, Error> {
        tag::check(name, self.separator)?;
        self.names.tags.push(String::from(name));
        Ok(self.core.add(options))
    }

    /// The name of a tag.
    pub fn name(&self, tag: u32) -> &str {
        self.names.tag(tag)
    }

    /// The part that needs no texts.
    pub fn core(&mut self) -> &mut hilo::Store {
        &mut self.core
    }

    /// As [`hilo::Store::presence`].
    pub fn presence(&self) -> &Presence {
        self.core.presence()
    }

    fn with<S: Shell, T>(&mut self, shell: &S, call: impl FnOnce(&mut hilo::Store, &WithTexts<'_, S>) -> T) -> T {
        call(&mut self.core, &WithTexts { shell, names: &self.names })
    }

    /// As [`hilo::Store::device`].
    pub fn device<S: Shell>(&mut self, shell: &S, event: u8, detail: u32) -> u8 {
        self.with(shell, |core, shell| core.device(shell, event, detail))
    }

    /// As [`hilo::Store::ask`].
    pub fn ask<S: Shell>(&mut self, shell: &S, at: At, want: Want, limit: u64, rest: u64) -> u32 {
        self.with(shell, |core, shell| core.ask(shell, at, want, limit, rest))
    }

    /// As [`hilo::Store::on`].
    pub fn on<S: Shell>(&mut self, shell: &S, at: At, event: Event, rest: u64) {
        self.with(shell, |core, shell| core.on(shell, at, event, rest));
    }

    /// As [`hilo::Store::is_wanted`].
    pub fn is_wanted<S: Shell>(&mut self, shell: &S, at: At, rest: u64) -> bool {
        self.with(shell, |core, shell| core.is_wanted(shell, at, rest))
    }

    /// As [`hilo::Store::dry`].
    pub fn dry<S: Shell>(&mut self, shell: &S, tag: u32) {
        self.with(shell, |core, shell| core.dry(shell, tag));
    }

    /// As [`hilo::Store::taken`].
    pub fn taken<S: Shell>(&mut self, shell: &S, tag: u32, missed: bool) {
        self.with(shell, |core, shell| core.taken(shell, tag, missed));
    }

    /// As [`hilo::Store::surrendered`].
    pub fn surrendered<S: Shell>(&mut self, shell: &S, tag: u32, next: u64) {
        self.with(shell, |core, shell| core.surrendered(shell, tag, next));
    }

    /// As [`hilo::Store::close`].
    pub fn close(&mut self, away: bool) {
        self.core.close(away);
    }

    /// As [`hilo::Store::fork`].
    pub fn fork(&mut self, tag: u32) -> u32 {
        self.core.fork(tag)
    }

    /// As [`hilo::Store::join`].
    pub fn join(&mut self, at: At) {
        self.core.join(at);
    }

    /// As [`hilo::Store::let_go`].
    pub fn let_go(&mut self, tag: u32, keep: Option<u64>) -> Option<Task> {
        self.core.let_go(tag, keep).map(Task::new)
    }

    /// As [`hilo::Store::update_incarnation`].
    pub fn update_incarnation(&mut self, incarnation: &str) -> bool {
        let incarnation = self.names.incarnation(Some(incarnation));
        self.core.update_incarnation(incarnation)
    }

    /// As [`hilo::Store::give_back`].
    pub fn give_back<S: Shell>(&mut self, shell: &S, refence: bool) -> Option<Task> {
        let mut task = Task::new(self.with(shell, |core, shell| core.give_back(shell, refence))?);
        self.begin(&mut task);
        Some(task)
    }

    /// As [`hilo::Store::topology`].
    pub fn topology<S: Shell>(&mut self, shell: &S) -> Task {
        Task::new(self.with(shell, |core, shell| core.topology(shell)))
    }

    /// A request of the app.
    pub fn call<S: Shell>(&mut self, shell: &S, call: Call) -> Task {
        let Call { request, expects, wait, turn } = call;
        let call = hilo::Call { rule: request.rule(), wait, turn };
        let mut task = Task::new(self.with(shell, |core, shell| core.call(shell, call)));
        task.dialogue = Some(single(request, expects));
        task
    }

    /// Makes the first request of a task.
    fn begin(&mut self, task: &mut Task) {
        task.dialogue = match task.core.purpose() {
            Purpose::Lease(_, ask) => {
                let exchange = AnyExchange::Lease(self.source.lease(self.names.ask(ask)));
                Some(Box::new(Dialogue::new(exchange)))
            }
            Purpose::Fences(unfenced) => {
                let names = unfenced.iter().map(|item| String::from(self.names.tag(item.tag)));
                self.source.counters().map(|counters| single(counters.read(names), Expects::Status(200)))
            }
            Purpose::Return(items) => {
                task.returns = items.iter().map(|item| self.names.return_of(item)).collect();
                // The node does not matter here: the core says where to send it.
                Some(single(self.source.give_back(&task.returns, NodeId(0)), Expects::Status(201)))
            }
            Purpose::Topology => Some(single(self.addresses.topology_request(), Expects::Status(200))),
            Purpose::Move(..) | Purpose::Refill(_) | Purpose::App => None,
        };
    }

    /// Advances a task with the result of its last step.
    pub fn step<S: Shell>(&mut self, shell: &S, task: &mut Task, input: Input) -> Waited {
        if task.dialogue.is_none() {
            self.begin(task);
        }
        let node = task.core.node();
        let incarnation = match &input {
            Input::Response { incarnation, .. } => self.names.incarnation(incarnation.as_deref()),
            _ => 0,
        };
        let with = WithTexts { shell, names: &self.names };
        let (core, of) = (&mut self.core, &mut task.core);
        let Some(dialogue) = &mut task.dialogue else {
            let wait = core.step(&with, of, Report::Proceed);
            return Ok(self.go_on(task, wait));
        };
        let next = dialogue.step(input, node, |report| match report {
            // The core gets it with what the response says.
            Report::Done => Next::Done,
            report => match core.step(&with, of, report) {
                hilo::Wait::Send(attempt) => Next::Send(attempt),
                hilo::Wait::Pause(pause) => Next::Pause(pause),
                hilo::Wait::Fail => Next::Fail,
                hilo::Wait::Done | hilo::Wait::Move { .. } => Next::Done,
            },
        });
        match (next, dialogue.request()) {
            (Next::Send(attempt), Some(request)) => {
                return Ok(Wait::Send(self.addresses.attempt(attempt, request)));
            }
            (Next::Pause(pause), _) => return Ok(Wait::Pause(pause)),
            _ => {}
        }
        match dialogue.take_result() {
            Some(Ok(Output::Grant(grant))) => Ok(self.leased(shell, task, &grant)),
            Some(Ok(Output::Response(response))) => Ok(self.responded(shell, task, &response, incarnation)),
            Some(Err(error)) => match task.core.purpose() {
                // Numbers whose return fails are burnt, which is harmless. So the failure is an event and not an error.
                Purpose::Return(_) => {
                    task.returns.iter().for_each(|item| shell.returned(item, false, Some(&error)));
                    Ok(Wait::Done(None))
                }
                Purpose::Fences(_) => Ok(Wait::Done(None)),
                _ => Err(error),
            },
            None => Err(Error::new(Code::InvalidOperation, "the task has no request")),
        }
    }

    fn leased<S: Shell>(&mut self, shell: &S, task: &mut Task, grant: &Grant) -> Wait {
        let Purpose::Lease(_, ask) = task.core.purpose() else { return Wait::Done(None) };
        let grant = self.names.grant(ask.tag, grant);
        let wait = self.with(shell, |core, shell| core.leased(shell, &mut task.core, grant));
        self.go_on(task, wait)
    }

    /// The task may have become another one, which begins.
    fn go_on(&mut self, task: &mut Task, wait: hilo::Wait) -> Wait {
        task.dialogue = None;
        if let hilo::Wait::Send(attempt) = wait {
            self.begin(task);
            if let Some(request) = task.request() {
                return Wait::Send(self.addresses.attempt(attempt, request));
            }
        }
        match wait {
            hilo::Wait::Move { tag, strict } => Wait::Move { tag, strict },
            hilo::Wait::Pause(pause) => Wait::Pause(pause),
            _ => Wait::Done(None),
        }
    }

    /// The response to a single request.
    fn responded<S: Shell>(&mut self, shell: &S, task: &mut Task, response: &Response, incarnation: u32) -> Wait {
        match task.core.purpose() {
            Purpose::Fences(unfenced) => {
                let mut found = Vec::new();
                for item in unfenced {
                    let counters = self.source.counters();
                    let read = counters.and_then(|counters| counters.fence(response, self.names.tag(item.tag)));
                    found.push(read.map(|(max, fence, _)| self.names.counter(item, max, fence)));
                }
                self.with(shell, |core, shell| core.refenced(shell, &mut task.core, incarnation, &found));
                return Wait::Done(None);
            }
            Purpose::Return(_) => {
                for (at, item) in task.returns.iter().enumerate() {
                    shell.returned(item, self.source.applied(response, at), None);
                }
            }
            Purpose::Topology => shell.topology(&response.body),
            Purpose::Lease(..) | Purpose::Move(..) | Purpose::Refill(_) | Purpose::App => {}
        }
        self.with(shell, |core, shell| core.step(shell, &mut task.core, Report::Done));
        let is_app = matches!(task.core.purpose(), Purpose::App);
        Wait::Done(is_app.then_some((response.status, response.node)))
    }

    /// Applies a move to the text of its tag's record; `stored` is the database's incarnation according to the device. Returns the text to
    /// write, or `None` if the record stays unchanged. The numbers of an unreadable record are burnt.
    pub fn decide(&mut self, task: &mut Task, record: Option<&str>, stored: Option<&str>) -> Option<String> {
        let record = record.and_then(|text| self.names.record(text));
        let stored = self.names.incarnation(stored);
        let record = self.core.decide(&mut task.core, record, stored)?;
        Some(self.names.text_of(&record))
    }

    /// As [`hilo::Store::moved`].
    pub fn moved<S: Shell>(&mut self, shell: &S, task: &mut Task, durable: bool) -> Waited {
        let wait = self.with(shell, |core, shell| core.moved(shell, &mut task.core, durable));
        Ok(self.go_on(task, wait))
    }

    /// As [`hilo::Store::dropped`].
    pub fn dropped(&mut self, task: &Task) {
        self.core.dropped(&task.core);
    }
}

fn single(request: Box<Request>, expects: Expects) -> Box<Dialogue<AnyExchange>> {
    Box::new(Dialogue::new(AnyExchange::Single(Single::new(request, expects))))
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
