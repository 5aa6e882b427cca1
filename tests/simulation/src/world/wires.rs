//! Requests on their way: the executor's verdicts, and a network that loses, delays, repeats and reorders.

use super::{At, Event, World, moves};
use crate::plan::MILLI;
use raven_edge::error::{Code, Error};
use raven_edge::hilo::waiters;
use raven_edge::http::{Conversation, Input, Method, Next, NodeId, Repeat, Request};
use raven_edge::json;
use raven_edge::pool::Wish;
use raven_edge::source::{AnyExchange, Choice, Expects, Output, Return, Single, Source};
use raven_edge_authority::Request as ServerRequest;

use crate::broken::Broken;
use crate::plan::{Origin, Past};
use crate::server::DATABASE;
use crate::tab::TAGS;

/// What a PATCH answers whose condition does not hold.
const NOT_MODIFIED: &[u8] = b"\"NotModified\"";

/// What an answer is for.
pub(super) enum Purpose {
    /// For a group of callers, or ahead of need.
    Lease(u32, Option<usize>),
    Return,
    /// The counter document, for a fence.
    Fence(u32, u32),
}

pub(super) struct Task {
    pub(super) at: At,
    purpose: Purpose,
    conversation: Box<Conversation<AnyExchange>>,
    /// Which effect its events belong to: what comes to an earlier one comes too late.
    attempt: u32,
}

/// A request between device and node.
#[derive(Clone)]
pub(crate) struct Packet {
    node: usize,
    request: ServerRequest,
    /// Which attempt of which task waits for the answer.
    reply: Option<(u32, u32)>,
    narrow: bool,
}

/// Status, body and incarnation of an answer, or why there is none.
pub(super) type Heard = Result<Box<(u16, Vec<u8>, Option<String>)>, Code>;

impl World {
    /// Where a tab's device leases.
    fn source(&self, tab: usize) -> &Choice {
        let [server, document, classic, own] = &self.sources;
        match self.origin(tab) {
            Origin::Server => server,
            Origin::Document => document,
            Origin::Classic => classic,
            Origin::Own => own,
        }
    }

    pub(super) fn origin(&self, tab: usize) -> Origin {
        self.devices[self.tabs[tab].device].habits.origin
    }

    /// Asks the source for a range.
    pub(super) fn leases(&mut self, at: At, request: u32, above: u64, group: Option<usize>) {
        let (now, nonce) = (self.now, self.rng.u64(..));
        let hilo = &self.tabs[at.tab].hilos[at.hilo];
        let ask = hilo.driver.ask(above, now, nonce);
        self.note(|| format!("tab {} asks for {:?} of {} above {above}", at.tab, ask.size, ask.tag));
        let lease = self.source(at.tab).lease(ask);
        self.leases += 1;
        self.sends(at, Purpose::Lease(request, group), AnyExchange::Lease(lease), u64::MAX);
    }

    /// Reads the counter document again.
    pub(super) fn reads_fence(&mut self, at: At, request: u32, lease: u32) {
        let tag = self.tabs[at.tab].hilos[at.hilo].tag.clone();
        let Some(counters) = self.source(at.tab).counters() else { return };
        let read = counters.read(std::iter::once(tag));
        self.sends(at, Purpose::Fence(request, lease), single(read), GOODBYE);
    }

    /// Gives back, one request per node; `wait`: until it is answered.
    pub(super) fn returns(&mut self, tab: usize, mut returns: Vec<(NodeId, Return)>, wait: bool) {
        while let Some(&(node, _)) = returns.first() {
            let (of_node, rest) = returns.into_iter().partition(|(of, _)| *of == node);
            returns = rest;
            let items: Vec<Return> = Vec::into_iter(of_node).map(|(_, item)| item).collect();
            for item in &items {
                self.note(|| {
                    format!("tab {tab} returns {}..={} of {} under {}", item.last + 1, item.high, item.tag, item.fence)
                });
            }
            let requests = if self.origin(tab).is_app() {
                items.iter().map(|item| self.source(tab).give_back(std::slice::from_ref(item), node)).collect()
            } else if self.broken == Broken::UnfencedReturn {
                items.iter().map(|item| unfenced(item, node)).collect()
            } else {
                vec![self.source(tab).give_back(&items, node)]
            };
            for request in requests {
                self.returns += 1;
                if wait {
                    self.sends(At { tab, hilo: 0 }, Purpose::Return, single(request), GOODBYE);
                } else if self.chance(self.weather.unload) {
                    self.posts(tab, node, &request, None);
                }
            }
        }
    }

    /// Sends a document that must not exist yet, as a session does; nobody waits.
    pub(super) fn saves(&mut self, tab: usize, id: &str) {
        let mut body = String::from("{\"Commands\":[{\"Type\":\"PUT\",\"Id\":");
        json::push_string(&mut body, id);
        body.push_str(&format!(",\"ChangeVector\":\"\",\"Document\":{{\"by\":{tab},\"@metadata\":{{}}}}}}]}}"));
        let request = Request::post(format!("/databases/{DATABASE}/bulk_docs"), body.into_bytes(), Repeat::Never);
        self.posts(tab, NodeId(0), &request, None);
    }

    fn sends(&mut self, at: At, purpose: Purpose, exchange: AnyExchange, limit: u64) {
        let call = self.tabs[at.tab].executor.call(self.now / MILLI, limit);
        let conversation = Box::new(Conversation::new(exchange, call));
        let number = self.number();
        self.tasks.insert(number, Task { at, purpose, conversation, attempt: 0 });
        self.steps(number, Input::Proceed);
    }

    /// A conversation goes on, and what it says is done.
    fn steps(&mut self, number: u32, input: Input) {
        let random = self.rng.u32(..);
        let Some(task) = self.tasks.get_mut(&number) else { return };
        task.attempt += 1;
        let (tab, attempt, now) = (task.at.tab, task.attempt, self.now / MILLI);
        match task.conversation.step(&mut self.tabs[tab].executor, input, now, random) {
            Next::Send(sending) => {
                let Some(request) = task.conversation.request().cloned() else { return };
                let late = Event::Answers { task: number, attempt, answer: Err(Code::Timeout) };
                self.later(sending.limit.saturating_mul(MILLI), late);
                self.posts(tab, sending.node, &request, Some((number, attempt)));
            }
            Next::Pause(pause) => self.later(pause * MILLI, Event::Resumes { task: number, attempt }),
            Next::Done(output) => self.finishes(number, Ok(output)),
            Next::Fail(error) => self.finishes(number, Err(error)),
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

    /// A function of the app is called. It keeps its counters elsewhere, so it may be late, fail, or fail to tell.
    fn calls_app(&mut self, tab: usize, request: &Request, reply: Option<(u32, u32)>) {
        let delay = self.delay();
        if self.chance(self.weather.refusals) {
            return self.replies(reply, delay, Err(Code::Unreachable));
        }
        let (origin, body) = (self.origin(tab), request.body.as_deref().unwrap_or_default());
        let answer = self.app.called(origin, &request.path, body, &mut self.server);
        self.note(|| format!("app: {} {} -> {answer}", request.path, shown(&String::from_utf8_lossy(body))));
        if self.chance(self.weather.loss) {
            return self.loses(reply);
        }
        self.replies(reply, delay, Ok(Box::new((200, answer.into_bytes(), None))));
    }

    fn delay(&mut self) -> u64 {
        if self.chance(self.weather.late) {
            return self.rng.u64(0..self.weather.longest);
        }
        self.rng.u64(self.weather.delay / 2..self.weather.delay * 2)
    }

    /// A message is lost: its sender notices at once, or when the time is over.
    fn loses(&mut self, reply: Option<(u32, u32)>) {
        if self.rng.bool() {
            let delay = self.delay();
            self.replies(reply, delay, Err(Code::Unreachable));
        }
    }

    fn replies(&mut self, reply: Option<(u32, u32)>, delay: u64, answer: Heard) {
        if let Some((task, attempt)) = reply {
            self.later(delay, Event::Answers { task, attempt, answer });
        }
    }

    /// A request reaches its node, or what is left of it.
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

    /// On a single honest node `Max` is never below an issued number.
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

    pub(super) fn answers(&mut self, number: u32, attempt: u32, answer: Heard) {
        let Some(task) = self.tasks.get(&number) else { return };
        if task.attempt != attempt {
            return;
        }
        let tab = task.at.tab;
        let input = match answer.map(|answer| *answer) {
            Err(Code::Timeout) => Input::Late,
            Err(_) => Input::Unreachable { reason: String::from("no answer"), unsent: false },
            Ok((mut status, mut body, incarnation)) => {
                let leases = matches!(task.purpose, Purpose::Lease(..));
                let refused = status == 409 || body.windows(NOT_MODIFIED.len()).any(|part| part == NOT_MODIFIED);
                if self.broken == Broken::RefusedWriteUsed && leases && refused {
                    (status, body) =
                        (201, Vec::from(br#"{"Results":[{"@change-vector":"A:1","@last-modified":"t"}]}"#));
                }
                self.hears_incarnation(tab, incarnation.as_deref());
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
        let at = task.at;
        // A lease that nobody waits for any more is not tried again.
        if let Purpose::Lease(request, group) = task.purpose
            && !self.are_unserved(at, group.unwrap_or(0))
        {
            self.tasks.remove(&number);
            self.hilo(at).driver.failed(request);
            self.ends_lease(at, group, waiters::Event::Leased);
            return self.advance(at.tab);
        }
        self.steps(number, Input::Proceed);
    }

    fn finishes(&mut self, number: u32, outcome: Result<Output, Error>) {
        let Some(task) = self.tasks.remove(&number) else { return };
        let (at, now) = (task.at, self.now);
        match (task.purpose, outcome) {
            (Purpose::Return, _) => {}
            (Purpose::Lease(request, group), Ok(Output::Grant(grant))) => {
                self.note(|| format!("tab {} is granted {grant:?}", at.tab));
                self.plan(at);
                let effects = self.tabs[at.tab].hilos[at.hilo].driver.granted(request, grant, now);
                self.goes_on(at, effects, group);
            }
            (Purpose::Lease(request, group), Err(error)) => {
                self.hilo(at).driver.failed(request);
                self.note(|| format!("tab {} gets no lease: {:?} {}", at.tab, error.code, error.status));
                self.ends_lease(at, group, waiters::Event::Failed { outage: error.is_outage() });
            }
            (Purpose::Fence(request, lease), outcome) => {
                let counters = self.source(at.tab).counters();
                let found = match outcome {
                    Ok(Output::Answer(answer)) => counters.and_then(|counters| counters.fence(&answer, TAGS[at.hilo])),
                    _ => None,
                };
                let effects = self.tabs[at.tab].hilos[at.hilo].driver.refenced(request, lease, found);
                self.act_ahead(at, effects);
            }
            (Purpose::Lease(..), Ok(Output::Answer(_))) => {}
        }
        self.advance(at.tab);
    }

    /// A tab ends: nobody waits for its answers, but what was sent is on its way.
    pub(super) fn drops_tasks(&mut self, tab: usize) {
        self.tasks.retain(|_, task| task.at.tab != tab);
    }

    /// Whether a tab still waits for the network or the disk.
    pub(super) fn waits(&self, tab: usize) -> bool {
        self.tasks.values().any(|task| task.at.tab == tab)
            || self.transactions.values().any(|transaction| transaction.at.tab == tab && transaction.is_awaited())
    }

    /// The first answer of another database burns what is in memory, before the next id.
    fn hears_incarnation(&mut self, number: usize, incarnation: Option<&str>) {
        let tab = &mut self.tabs[number];
        let Some(heard) = incarnation.filter(|heard| tab.incarnation.as_deref() != Some(*heard)) else { return };
        let known = tab.incarnation.replace(heard.to_owned());
        if known.is_some() {
            for hilo in &mut tab.hilos {
                hilo.counter.surrender();
                hilo.driver.forget();
            }
            self.note(|| format!("tab {number} hears of another database"));
        }
        if self.tabs[number].storage {
            self.begin(At { tab: number, hilo: 0 }, moves::Purpose::Note, Wish::Park(Vec::new()));
        }
    }
}

/// How long a disposal tries, in milliseconds.
pub(super) const GOODBYE: u64 = 5_000;

fn single(request: Request) -> AnyExchange {
    AnyExchange::Single(Single::new(request, Expects::Any))
}

/// What npm `ravendb` sends.
fn unfenced(item: &Return, node: NodeId) -> Request {
    let path = format!("/databases/{DATABASE}/hilo/return?tag={}&end={}&last={}", item.tag, item.high, item.last);
    Request { method: Method::Put, path, body: None, if_match: None, repeat: Repeat::SameNode, node: Some(node) }
}

fn shown(body: &str) -> String {
    body.chars().take(400).collect()
}
