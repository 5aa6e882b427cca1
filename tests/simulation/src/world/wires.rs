//! Requests in flight: tasks of stores, and a network that loses, delays, repeats and reorders messages.

use super::{At, Event, World};
use crate::plan::MILLI;
use raven_edge::error::{Code, Error};
use raven_edge::hilo::waiters;
use raven_edge::http::{Method, NodeId, Repeat, Request};
use raven_edge::json;
use raven_edge::pool::MoveKind;
use raven_edge::source::{AnySource, Expects, Return};
use raven_edge::texts::{self, Call, Input, Wait, Waited};
use raven_edge_authority::Request as ServerRequest;

use crate::plan::{Origin, Past};
use crate::server::DATABASE;
use crate::tab::{Phase, TAGS};
use crate::variants::Variant;

/// The response to a PATCH whose condition does not hold.
const NOT_MODIFIED: &[u8] = b"\"NotModified\"";

/// What follows the end of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    Nothing,
    /// The event that is reported to these callers.
    Reports(u32, waiters::Event),
    /// Numbers that have a fence by then are returned, if that was requested.
    GivesBack(bool),
    /// `reserve(0)`: numbers taken out of the pool are returned.
    Trims,
    /// `release()`: numbers in memory are returned.
    Releases,
}

pub(super) struct Task {
    pub(super) at: At,
    pub(super) task: texts::Task,
    pub(super) after: After,
    /// The group whose callers must still wait for it when it is retried.
    wanted: Option<u32>,
    /// Number of the current attempt: results of earlier attempts arrive too late.
    attempt: u32,
    /// The incarnation that was known when it was sent.
    under: Option<String>,
}

impl Task {
    /// Whether it is a lease, up to its admission.
    pub(super) fn is_lease(&self) -> bool {
        match self.after {
            After::Reports(_, event) => event == waiters::Event::Leased,
            After::Nothing => self.task.move_kind().is_none_or(|kind| matches!(kind, MoveKind::Admit { .. })),
            _ => false,
        }
    }
}

/// A pending request between device and node.
#[derive(Clone)]
pub(crate) struct Packet {
    node: usize,
    request: ServerRequest,
    /// The task and attempt that wait for the response.
    reply: Option<(u32, u32)>,
    narrow: bool,
}

/// Status, body and incarnation of a response, or the reason why there is none.
pub(super) type Reply = Result<Box<(u16, Vec<u8>, Option<String>)>, Code>;

impl World {
    /// The source of a device.
    pub(super) fn source(&self, device: usize) -> AnySource {
        let [server, document, classic, own] = &self.sources;
        let source = match self.devices[device].habits.origin {
            Origin::Server => server,
            Origin::Document => document,
            Origin::Classic => classic,
            Origin::Custom => own,
        };
        source.clone()
    }

    /// Returns what memory holds, in one request per node; `refence`: reads a fence first for numbers without one.
    pub(super) fn gives_back(&mut self, tab: usize, refence: bool) {
        while let Some(task) = self.enter(tab, |store, recorder| store.give_back(recorder, refence)) {
            self.starts(At { tab, hilo: 0 }, task, After::GivesBack(refence), None);
        }
    }

    /// Returns what memory holds when a page leaves: responses are not awaited.
    pub(super) fn posts_back(&mut self, tab: usize) -> Vec<(NodeId, Return)> {
        let mut returned = Vec::new();
        while let Some(mut task) = self.enter(tab, |store, recorder| store.give_back(recorder, false)) {
            let waited = self.enter(tab, |store, recorder| store.step(recorder, &mut task, Input::Proceed));
            let (Ok(Wait::Send(attempt)), Some(request)) = (waited, task.request()) else { continue };
            self.returns += 1;
            returned.extend(task.returns().iter().map(|item| (attempt.node, item.clone())));
            if self.chance(self.weather.unload) {
                self.posts(tab, attempt.node, request, None);
            }
        }
        returned
    }

    /// Sends a document that must not exist yet, as a session does; the response is not awaited.
    pub(super) fn saves(&mut self, tab: usize, id: &str) {
        let mut body = String::from("{\"Commands\":[{\"Type\":\"PUT\",\"Id\":");
        json::push_string(&mut body, id);
        body.push_str(&format!(",\"ChangeVector\":\"\",\"Document\":{{\"by\":{tab},\"@metadata\":{{}}}}}}]}}"));
        let request = Request::post(format!("/databases/{DATABASE}/bulk_docs"), body.into_bytes(), Repeat::Never);
        self.posts(tab, NodeId(0), &request, None);
    }

    /// Runs a task.
    pub(super) fn starts(&mut self, at: At, task: texts::Task, after: After, wanted: Option<u32>) {
        let items = task.returns().to_vec();
        for item in &items {
            self.note(|| {
                format!("tab {} returns {}..={} of {} under {}", at.tab, item.last + 1, item.high, item.tag, item.fence)
            });
        }
        self.returns += u64::from(!items.is_empty());
        if self.variant != Variant::UnfencedReturn || items.is_empty() || self.origin(at.tab).is_app() {
            return self.begins(at, task, after, wanted);
        }
        for item in &items {
            let request = Box::new(unfenced(item));
            let call = Call { request, expects: Expects::Any, wait: 0, turn: None };
            let task = self.enter(at.tab, |store, recorder| store.call(recorder, call));
            self.begins(at, task, after, wanted);
        }
    }

    fn begins(&mut self, at: At, task: texts::Task, after: After, wanted: Option<u32>) {
        let number = self.number();
        self.tasks.insert(number, Task { at, task, after, wanted, attempt: 0, under: None });
        self.steps(number, Input::Proceed);
    }

    /// Advances a task.
    fn steps(&mut self, number: u32, input: Input) {
        let Some(mut task) = self.tasks.remove(&number) else { return };
        let waited = self.enter(task.at.tab, |store, recorder| store.step(recorder, &mut task.task, input));
        self.goes_on(number, task, waited);
    }

    /// Starts what a task waits for.
    pub(super) fn goes_on(&mut self, number: u32, mut task: Task, waited: Waited) {
        task.attempt += 1;
        let (at, attempt) = (task.at, task.attempt);
        let request = task.task.request().cloned();
        match waited {
            Ok(Wait::Send(sending)) => {
                let Some(request) = request else { return };
                task.under.clone_from(&self.tabs[at.tab].incarnation);
                self.tasks.insert(number, task);
                self.leases += u64::from(request.path.contains("/multi_get"));
                let late = Event::Responds { task: number, attempt, response: Err(Code::Timeout) };
                self.later(sending.limit.saturating_mul(MILLI), late);
                self.posts(at.tab, sending.node, &request, Some((number, attempt)));
            }
            Ok(Wait::Pause(pause)) => {
                self.tasks.insert(number, task);
                self.later(pause * MILLI, Event::Resumes { task: number, attempt });
            }
            Ok(Wait::Move { strict, .. }) => {
                // A broken variant takes numbers out without waiting for the disk.
                let claims = task.task.move_kind().is_some_and(|kind| !matches!(kind, MoveKind::Admit { .. }));
                let strict = strict && !(self.variant == Variant::RelaxedClaim && claims);
                self.tasks.insert(number, task);
                self.moves(at, Some(number), strict);
            }
            Ok(Wait::Done(_)) => self.finishes(task, Ok(())),
            Err(error) => self.finishes(task, Err(error)),
        }
    }

    fn posts(&mut self, tab: usize, node: NodeId, request: &Request, reply: Option<(u32, u32)>) {
        let device = &self.devices[self.tabs[tab].device];
        let narrow = device.habits.narrow;
        if device.offline {
            return self.replies(reply, MILLI, Err(Code::Unreachable));
        }
        if self.chance(self.weather.loss) {
            return self.loses(reply);
        }
        let Some(&node) = self.tabs[tab].nodes.get(node.0 as usize) else {
            return self.calls_app(tab, request, reply);
        };
        let mut message = ServerRequest::new(request.method.name(), request.path.clone());
        if let Some(body) = &request.body {
            message = message.header("Content-Type", "application/json").body(body.clone());
        }
        let packet = Packet { node, request: message, reply, narrow };
        if self.chance(self.weather.duplicates) {
            let again = self.rng.u64(0..self.weather.longest);
            self.later(again, Event::Arrives(Box::new(packet.clone())));
        }
        let delay = self.delay();
        self.later(delay, Event::Arrives(Box::new(packet)));
    }

    /// A function of the app is called. Its counters are on another server, so it may be late, fail, or lose its response.
    pub(super) fn origin(&self, tab: usize) -> Origin {
        self.devices[self.tabs[tab].device].habits.origin
    }

    fn calls_app(&mut self, tab: usize, request: &Request, reply: Option<(u32, u32)>) {
        let delay = self.delay();
        if self.chance(self.weather.refusals) {
            return self.replies(reply, delay, Err(Code::Unreachable));
        }
        let (origin, body) = (self.origin(tab), request.body.as_deref().unwrap_or_default());
        let response = self.app.called(origin, &request.path, body, &mut self.server);
        self.note(|| format!("app: {} {} -> {response}", request.path, shown(&String::from_utf8_lossy(body))));
        if self.chance(self.weather.loss) {
            return self.loses(reply);
        }
        self.replies(reply, delay, Ok(Box::new((200, response.into_bytes(), None))));
    }

    fn delay(&mut self) -> u64 {
        if self.chance(self.weather.late) {
            return self.rng.u64(0..self.weather.longest);
        }
        self.rng.u64(self.weather.delay / 2..self.weather.delay * 2)
    }

    /// Loses a message: its sender notices at once or after the timeout.
    fn loses(&mut self, reply: Option<(u32, u32)>) {
        if self.rng.bool() {
            let delay = self.delay();
            self.replies(reply, delay, Err(Code::Unreachable));
        }
    }

    fn replies(&mut self, reply: Option<(u32, u32)>, delay: u64, response: Reply) {
        if let Some((task, attempt)) = reply {
            self.later(delay, Event::Responds { task, attempt, response });
        }
    }

    /// A request, or a part of it, reaches its node.
    pub(super) fn arrives(&mut self, packet: Packet) {
        let Packet { node, request, reply, narrow } = packet;
        if !self.server.up[node] {
            return self.loses(reply);
        }
        let delay = self.delay();
        if self.chance(self.weather.refusals) {
            return self.replies(reply, delay, Ok(Box::new((503, Vec::new(), None))));
        }
        if narrow && request.url.contains("/multi_get") {
            return self.replies(reply, delay, Ok(Box::new((404, Vec::new(), None))));
        }
        self.requests += 1;
        let response = self.server.handle(node, &request, self.now);
        self.note(|| format!("node {node}: {} {} -> {}", request.method, request.url, shown(&response.body)));
        self.check_max();
        if self.chance(self.weather.loss) {
            return self.loses(reply);
        }
        let incarnation = response.header("Database-Cluster-Tx-Id").map(str::to_owned);
        self.replies(reply, delay, Ok(Box::new((response.status, response.body.into_bytes(), incarnation))));
    }

    /// With a single honest node `Max` is never below an issued number.
    fn check_max(&mut self) {
        if self.weather.nodes > 1 || self.weather.past != Past::Honest {
            return;
        }
        for (place, tag) in TAGS.iter().enumerate().take(self.weather.tags) {
            let (max, highest) = (self.server.max(0, tag), self.judge.highest(tag));
            self.max[place] = max;
            if max < highest {
                self.judge.object(format!("Max of {tag} is {max} although {highest} was issued"));
            }
        }
    }

    pub(super) fn receives_response(&mut self, number: u32, attempt: u32, response: Reply) {
        let Some(task) = self.tasks.get(&number) else { return };
        if task.attempt != attempt {
            return;
        }
        let (tab, under) = (task.at.tab, task.under.clone());
        let writes = task.task.request().is_some_and(|request| request.path.contains("/bulk_docs?nonce="));
        let input = match response.map(|response| *response) {
            Err(Code::Timeout) => Input::Late,
            Err(_) => Input::Unreachable { reason: String::from("no response"), unsent: false },
            Ok((mut status, mut body, incarnation)) => {
                let refused = status == 409 || body.windows(NOT_MODIFIED.len()).any(|part| part == NOT_MODIFIED);
                if self.variant == Variant::RefusedWriteUsed && writes && refused {
                    (status, body) =
                        (201, Vec::from(br#"{"Results":[{"@change-vector":"A:1","@last-modified":"t"}]}"#));
                }
                self.receives_incarnation(tab, incarnation.as_deref(), under.as_deref());
                Input::Response { status, body, incarnation }
            }
        };
        self.steps(number, input);
    }

    pub(super) fn resumes(&mut self, number: u32, attempt: u32) {
        let Some(task) = self.tasks.get(&number) else { return };
        if task.attempt != attempt {
            return;
        }
        // A lease that no caller waits for any more is not retried.
        if let (at, Some(group)) = (task.at, task.wanted)
            && !self.is_wanted(at, group)
            && let Some(task) = self.tasks.remove(&number)
        {
            return self.finishes(task, Ok(()));
        }
        self.steps(number, Input::Proceed);
    }

    fn finishes(&mut self, task: Task, outcome: Result<(), Error>) {
        let leases = task.is_lease();
        let Task { at, task, after, .. } = task;
        if let Err(error) = &outcome {
            self.note(|| format!("tab {}: a task fails: {:?} {}", at.tab, error.code, error.status));
        }
        self.enter(at.tab, |store, _| store.dropped(&task));
        let open = self.tabs[at.tab].phase == Phase::Open;
        let is_last = !self.tasks.values().any(|other| other.at.tab == at.tab && other.after == after);
        match after {
            After::Nothing => {}
            After::Reports(group, event) => {
                let event = match outcome {
                    Ok(()) => event,
                    Err(error) => waiters::Event::Failed { outage: error.is_outage() },
                };
                self.notify_waiters(at, group, event);
            }
            After::GivesBack(refence) if refence && is_last => self.gives_back(at.tab, true),
            After::Trims if open => {
                self.surrenders(at);
                self.gives_back(at.tab, true);
            }
            After::Releases if open && is_last => self.released(at.tab),
            After::GivesBack(_) | After::Trims | After::Releases => {}
        }
        if leases {
            self.wakes(at);
        }
        self.advance(at.tab);
    }

    /// A tab ends: responses are dropped, but sent requests stay in flight.
    pub(super) fn drops_tasks(&mut self, tab: usize, abruptly: bool) {
        self.tasks.retain(|_, task| task.at.tab != tab || !abruptly && task.task.move_kind().is_some());
    }

    /// Whether a tab still waits for the network or the disk.
    pub(super) fn waits(&self, tab: usize) -> bool {
        self.tasks.values().any(|task| task.at.tab == tab)
    }

    /// The first response of another incarnation burns the numbers in memory, before the next id. A response that was in flight while
    /// another one reported a new incarnation (`under` is older) may be of the old one.
    fn receives_incarnation(&mut self, number: usize, incarnation: Option<&str>, under: Option<&str>) {
        let tab = &mut self.tabs[number];
        let Some(incarnation) =
            incarnation.filter(|incarnation| tab.incarnation.as_deref() == under && under != Some(*incarnation))
        else {
            return;
        };
        tab.incarnation = Some(incarnation.to_owned());
        if tab.store.update_incarnation(incarnation) {
            for hilo in &mut tab.hilos {
                hilo.counter.surrender();
            }
            self.note(|| format!("tab {number} learns of another incarnation"));
        }
        if self.tabs[number].store.presence().usable() {
            self.moves(At { tab: number, hilo: 0 }, None, true);
        }
    }
}

/// The timeout of a disposal, in milliseconds.
pub(super) const GOODBYE: u64 = 5_000;

/// What npm `ravendb` sends.
fn unfenced(item: &Return) -> Request {
    let path = format!("/databases/{DATABASE}/hilo/return?tag={}&end={}&last={}", item.tag, item.high, item.last);
    Request { method: Method::Put, path, body: None, if_match: None, repeat: Repeat::SameNode, node: Some(NodeId(0)) }
}

fn shown(body: &str) -> String {
    body.chars().take(400).collect()
}
