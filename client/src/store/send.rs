//! Sends what tasks of the core want to send, and reports what came back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use raven_edge::hilo::At;
use raven_edge::hilo::waiters::Event as Happened;
use raven_edge::http::{NodeId, Request};
use raven_edge::protocol::header;
use raven_edge::source::Expects;
use raven_edge::texts::{Attempt, Call, Input, Task, Wait, Waited};

use super::inner::{Inner, rest};
use crate::runtime::{sleep, within};
use crate::transport::{Body, HttpRequest, HttpResponse, NoResponse, Transport};
use crate::{Error, Result};

/// What the app has chosen for requests.
pub(crate) struct Sending {
    pub(crate) transport: Box<dyn Transport>,
    /// Whether the transport is that of the platform.
    #[cfg(target_family = "wasm")]
    pub(crate) is_own: bool,
    pub(crate) headers: Vec<(String, String)>,
    /// The app's own addresses.
    pub(crate) urls: Vec<String>,
    pub(crate) learns_nodes: bool,
}

/// The response to a request of the app.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// The rest of the body, for a stream.
    pub(crate) stream: Option<Box<dyn Body>>,
    /// Method and path of the request.
    pub(crate) request: String,
    /// The node that responded.
    pub(crate) node: Option<NodeId>,
}

/// How to read the response to a request of the app.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The core reads it.
    Core,
    /// The app reads it; the core gets those of errors alone.
    App,
    /// As [`Reading::App`], piece by piece.
    Stream,
}

/// A task in progress. However it ends, the core learns of it.
struct Running {
    inner: Arc<Inner>,
    /// Shared with the transaction of a move. It is locked after the state, or alone.
    task: Arc<Mutex<Task>>,
    /// Whose task it is: of a tag's, and what its end is reported as.
    at: Option<At>,
    reports: Option<Happened>,
    /// How it has ended; `None`: it was dropped.
    result: Option<Result<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let result =
            self.result.take().unwrap_or_else(|| Err(Error::operation("the task was dropped with its runtime")));
        let (at, reports) = (self.at, self.reports);
        self.inner.enter(|state, calls| {
            state.core.dropped(&self.task());
            let Some(at) = at else { return };
            let report = reports.map(|event| match result {
                Ok(()) => (event, None),
                Err(error) => (Happened::Failed { outage: error.is_outage() }, Some(error)),
            });
            calls.ended(state, at, report);
        });
        self.inner.ended.notify_waiters();
    }
}

impl Inner {
    /// Runs a task that no caller waits for.
    pub(super) fn begin(self: &Arc<Self>, at: Option<At>, task: Task, reports: Option<Happened>) {
        let mut running = Running::new(self, task, at, reports);
        // Without a runtime it is dropped, which fails it.
        self.runtime.spawn(async move {
            let result = running.run(Reading::Core).await;
            running.end(result.map(drop));
        });
    }

    /// Runs a task of the store: a return, a move before one, or the topology.
    pub(crate) async fn complete(self: &Arc<Self>, task: Task) -> Result<()> {
        let mut running = Running::new(self, task, None, None);
        let result = running.run(Reading::Core).await.map(drop);
        running.end(Ok(()));
        result
    }

    /// A request of the app. `wait`: how long the server may wait before it responds, in milliseconds.
    pub(crate) async fn call(self: &Arc<Self>, request: Box<Request>, expects: Expects, wait: u64) -> Result<Answer> {
        self.ask(request, expects, wait, Reading::App).await
    }

    /// A request of the app; the body of a response with the status 200 is not read.
    pub(crate) async fn stream(self: &Arc<Self>, request: Box<Request>) -> Result<Answer> {
        self.ask(request, Expects::Status(200), 0, Reading::Stream).await
    }

    async fn ask(self: &Arc<Self>, request: Box<Request>, expects: Expects, wait: u64, how: Reading) -> Result<Answer> {
        self.assert_open()?;
        let summary = request.summary();
        let call = Call { request, expects, wait, turn: None };
        let task = self.enter(|state, calls| calls.core(state, |core, host| core.call(host, call)));
        let mut running = Running::new(self, task, None, None);
        let result = running.run(how).await;
        running.end(Ok(()));
        result?.ok_or_else(|| Error::answer(&summary, "there is none"))
    }

    /// Sends what is to be returned, without waiting for responses: the page is left. `send` gets each request, and whether it has no
    /// headers of the app.
    #[cfg(target_family = "wasm")]
    pub(crate) fn part(self: &Arc<Self>, send: impl Fn(HttpRequest, bool)) {
        while let Some(task) = self.enter(|state, calls| calls.core(state, |core, host| core.give_back(host, false))) {
            let running = Running::new(self, task, None, None);
            if let Ok(Wait::Send(attempt)) = running.step(Input::Proceed)
                && let Some((_, request)) = running.request(&attempt)
            {
                if self.sending.is_own {
                    send(request, self.sending.headers.is_empty());
                } else {
                    let inner = Arc::clone(self);
                    self.runtime.spawn(async move { drop(inner.sending.transport.send(request).await) });
                }
            }
            running.end(Ok(()));
        }
    }

    /// Reads in the background which nodes the database has. If the read fails, the next response that hints at them repeats it.
    fn refresh_topology(self: &Arc<Self>) {
        let task = self.enter(|state, calls| {
            if state.is_disposed || state.reads_topology || !self.sending.learns_nodes {
                return None;
            }
            state.reads_topology = true;
            Some(calls.core(state, |core, host| core.topology(host)))
        });
        let Some(task) = task else { return };
        let inner = Arc::clone(self);
        self.runtime.spawn(async move {
            drop(within(inner.timeout, inner.complete(task)).await);
            inner.state().reads_topology = false;
        });
    }

    /// The request of an attempt.
    fn request(&self, attempt: &Attempt, request: &Request, topology_etag: u64) -> HttpRequest {
        let mut headers = self.sending.headers.clone();
        let mut add = |name: &str, value: String| headers.push((name.to_owned(), value));
        let body = request.body.clone().unwrap_or_default();
        if !body.is_empty() {
            add("Content-Type", "application/json".to_owned());
        }
        if let Some(vector) = &request.if_match {
            add(header::IF_MATCH, format!("\"{vector}\""));
        }
        if self.sending.learns_nodes {
            add(header::TOPOLOGY_ETAG, format!("\"{topology_etag}\""));
        }
        HttpRequest { method: request.method.name(), url: attempt.url.clone(), headers, body }
    }
}

impl Running {
    fn new(inner: &Arc<Inner>, task: Task, at: Option<At>, reports: Option<Happened>) -> Running {
        Running { inner: Arc::clone(inner), task: Arc::new(Mutex::new(task)), at, reports, result: None }
    }

    fn task(&self) -> MutexGuard<'_, Task> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(mut self, result: Result<()>) {
        self.result = Some(result);
    }

    /// Runs the task to its end. Returns the response to a request of the app.
    async fn run(&mut self, how: Reading) -> Result<Option<Answer>> {
        let mut answer: Option<Answer> = None;
        let mut waited = self.step(Input::Proceed);
        loop {
            waited = match waited? {
                Wait::Done(responded) => {
                    if let (Some(answer), Some((_, node))) = (&mut answer, responded) {
                        answer.node = Some(node);
                    }
                    return Ok(answer);
                }
                Wait::Pause(millis) => {
                    sleep(millis).await;
                    // A lease that no caller waits for any more is not tried again.
                    if !self.is_wanted() {
                        return Ok(None);
                    }
                    self.step(Input::Proceed)
                }
                Wait::Send(attempt) => {
                    let Some((summary, request)) = self.request(&attempt) else { return Ok(answer) };
                    let (sent, input) = self.send(request, summary, attempt.limit, how).await;
                    answer = sent;
                    self.step(input)
                }
                Wait::Move { tag, strict } => {
                    let is_done = match self.inner.device() {
                        Some(device) => device.move_numbers(&self.inner, tag, strict, Arc::clone(&self.task)).await,
                        None => false,
                    };
                    self.inner.enter(|state, calls| {
                        calls.core(state, |core, host| core.moved(host, &mut self.task(), is_done))
                    })
                }
            };
        }
    }

    fn request(&self, attempt: &Attempt) -> Option<(String, HttpRequest)> {
        let etag = self.inner.state().core.topology_etag();
        let task = self.task();
        let request = task.request()?;
        Some((request.summary(), self.inner.request(attempt, request, etag)))
    }

    fn step(&self, input: Input) -> Waited {
        self.inner.enter(|state, calls| calls.core(state, |core, host| core.step(host, &mut self.task(), input)))
    }

    fn is_wanted(&self) -> bool {
        let Some(at) = self.at else { return true };
        self.inner.enter(|state, calls| {
            let rest = rest(state, at.tag);
            calls.core(state, |core, host| core.is_wanted(host, at, rest))
        })
    }

    /// One attempt, given up after `limit` milliseconds.
    async fn send(&self, request: HttpRequest, summary: String, limit: u64, how: Reading) -> (Option<Answer>, Input) {
        let under = self.inner.state().incarnations;
        let exchange = async {
            let mut response = self.inner.sending.transport.send(request).await?;
            let is_for_app = how != Reading::Core && response.status < 400;
            if how == Reading::Stream && response.status == 200 {
                return Ok((response, Vec::new(), is_for_app));
            }
            let mut body = Vec::new();
            while let Some(piece) = response.body.next().await? {
                if body.is_empty() { body = piece } else { body.extend_from_slice(&piece) }
            }
            Ok((response, body, is_for_app))
        };
        match within(limit, exchange).await {
            None => (None, Input::Late),
            Some(Err(NoResponse { reason, unsent })) => {
                let reason = format!("the server cannot be reached: {reason}");
                (None, Input::Unreachable { reason, unsent })
            }
            Some(Ok((response, body, is_for_app))) => self.respond(response, body, is_for_app, under, summary, how),
        }
    }

    fn respond(
        &self,
        response: HttpResponse,
        body: Vec<u8>,
        is_for_app: bool,
        under: u32,
        request: String,
        how: Reading,
    ) -> (Option<Answer>, Input) {
        let status = response.status;
        let incarnation = response.header(header::INCARNATION).map(str::to_owned);
        let hints = response.header(header::REFRESH_TOPOLOGY).is_some();
        let refreshes = self.inner.enter(|state, calls| {
            if let Some(named) = &incarnation {
                calls.incarnation(state, named, under);
            }
            // The topology is read once without a hint: the first response of a database that is being loaded has none.
            let is_first = !std::mem::replace(&mut state.has_topology, true);
            hints || is_first
        });
        if refreshes {
            self.inner.refresh_topology();
        }
        // For a task, numbers below 200 have other meanings.
        if status < 200 {
            let reason = format!("a response with status {status}");
            return (None, Input::Unreachable { reason, unsent: false });
        }
        if !is_for_app {
            // Only a request of the app needs an answer, and errors are the core's.
            let answer =
                (how != Reading::Core).then(|| Answer { status, body: Vec::new(), stream: None, request, node: None });
            return (answer, Input::Response { status, body, incarnation });
        }
        let stream = (how == Reading::Stream && status == 200).then_some(response.body);
        let answer = Answer { status, body, stream, request, node: None };
        (Some(answer), Input::Response { status, body: Vec::new(), incarnation })
    }
}
