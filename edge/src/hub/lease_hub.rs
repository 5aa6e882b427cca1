//! The hub: handles requests, and decides when to ask the source and when to return numbers to it. The caller runs
//! each call in one transaction.

use super::allocator::{self, Admission, Client, LoanRequest};
use super::config::Config;
use super::lease_sizes;
use super::source_conversation::{OutgoingRequest, Report, SourceConversation};
use super::storage_trait::{HubStorage, Result};
use super::stored_records::{Chunk, GrantRecord, HubState};
use super::wire::{self, Form, LeaseRequest, LoanReturn};
use crate::prelude::*;
use raven_edge::error::{Code, Error};
use raven_edge::hilo::Range;
use raven_edge::http::{NodeId, Response};
use raven_edge::ids::key;
use raven_edge::protocol::path;
use raven_edge::source::custom::{CustomSource, ResponseFormat};
use raven_edge::source::document::{Document, SPELLINGS};
use raven_edge::source::server::Server;
use raven_edge::source::{self, AnySource, Grant, Output, Return, Size, Source};
use raven_edge::texts::{Executor, Input, Next};
use raven_edge_authority::Timestamp;
use raven_edge_authority::query::decode;

/// A request to the hub.
#[derive(Clone, Debug)]
pub(super) struct HubRequest<'a> {
    pub(super) method: &'a str,
    /// Path and query, beginning with `/databases/`.
    pub(super) target: &'a str,
    pub(super) body: &'a [u8],
    /// The database's incarnation that the Worker knows from responses of RavenDB; the client's own report precedes it. Empty if the
    /// source has been asked since the request came: then neither counts.
    pub(super) client_incarnation: Option<&'a str>,
    /// Whether a page sent it: other tabs of the same device may have leased numbers.
    pub(super) page: bool,
    /// A random text, unique for this request.
    pub(super) secret: String,
    /// Milliseconds since 1970.
    pub(super) now: u64,
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The hub responds.
    Response(HubResponse),
    /// The source must be asked first: call [`Hub::refill`], then repeat the request.
    NeedsSource,
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HubResponse {
    pub(super) status: u16,
    pub(super) body: String,
    pub(super) incarnation: Option<String>,
    /// Whether the source should be asked now, before the numbers run out.
    pub(super) low: bool,
}

/// What the caller does next for a conversation with the source.
#[derive(Debug)]
pub(super) enum Step {
    Send(OutgoingRequest),
    Pause(u64),
    Done,
    /// Status and body of the response to all waiting requests.
    Failed(u16, String),
}

/// The purpose of a conversation.
#[derive(Debug)]
enum Purpose {
    /// A lease. A client reported this incarnation before the source was asked, so the grant confirms or refutes it.
    Lease(Option<String>),
    /// A read of the counter, to find out whether the end of this grant can be returned.
    Counter(GrantRecord),
    Return,
}

/// What the waiting requests need from the next range.
#[derive(Clone, Debug, Default)]
struct Need {
    count: u64,
    above: u64,
    /// A client reported this incarnation: the next grant confirms or refutes it.
    client_incarnation: Option<String>,
}

/// A hub.
#[derive(Debug)]
pub(super) struct Hub<S> {
    pub(super) storage: S,
    config: Config,
    need: Need,
    conversation: Option<(SourceConversation, Purpose)>,
}

impl<S: HubStorage> Hub<S> {
    pub(super) fn new(storage: S, config: Config) -> Self {
        Self { storage, config, need: Need::default(), conversation: None }
    }

    /// Reads the state. If the configured source has changed, discards the numbers of the old one. The highest
    /// granted numbers stay: the same number under the same node tag would be the same id.
    fn open(&mut self) -> Result<HubState> {
        let mut state = self.storage.state()?.unwrap_or_default();
        if state.source != self.config.identity {
            let highest_granted = core::mem::take(&mut state.highest_granted);
            allocator::burn(&mut self.storage, &mut state)?;
            state = HubState {
                source: self.config.identity.clone(),
                loans: state.loans,
                highest_granted,
                ..HubState::default()
            };
        }
        Ok(state)
    }

    /// Handles a request, if that is possible without the source.
    pub(super) fn handle(&mut self, request: HubRequest<'_>) -> Result<Reply> {
        let (path, query) = request.target.split_once('?').unwrap_or((request.target, ""));
        let Some((database, route)) = path.strip_prefix(path::DATABASES).and_then(|rest| rest.split_once('/')) else {
            return Ok(refused(request.target));
        };
        let (database, route) = (decode(database), decode(route).to_ascii_lowercase());
        let body = || wire::parse_object(request.body);
        match (request.method, route.as_str()) {
            ("GET", path::LEASE) => match wire::parse_lease(query, Form::Plain) {
                Some(ask) => self.lend(&database, &ask, request),
                None => Ok(refused(request.target)),
            },
            ("POST", path::SEVERAL) => match body().and_then(|body| wire::parse_wrapped_lease(&body)) {
                Some(ask) => self.lend(&database, &ask, request),
                None => Ok(refused(request.target)),
            },
            ("POST", path::BATCH) => match body().and_then(|body| wire::parse_returns(&body)) {
                Some(returns) => self.take_back(&returns),
                None => Ok(refused(request.target)),
            },
            _ => Ok(refused(request.target)),
        }
    }

    fn lend(&mut self, database: &str, ask: &LeaseRequest, request: HubRequest<'_>) -> Result<Reply> {
        let mut state = self.open()?;
        if state.tag.is_empty() {
            (state.database, state.tag) = (database.to_owned(), ask.tag.clone());
        } else if !key::same(&state.tag, &ask.tag) || !key::same(&state.database, database) {
            // This hub is another counter: its numbers would not be unique under the requested name.
            return Ok(refused(request.target));
        }
        // No number above 2^53 − 1 is granted: JavaScript could not hold it.
        if ask.above >= Range::MAX {
            let body = wire::error_body(request.target, Code::Exhausted.name(), "there is no number above lastMax");
            return Ok(Reply::Response(HubResponse { status: 500, body, incarnation: None, low: false }));
        }
        let now = Timestamp::from_unix_millis(request.now);
        let size = lease_sizes::loan_size(ask.size_hint, now, self.config.loans, self.config.most);
        let reported = match request.client_incarnation {
            Some("") => None,
            of_worker => ask.incarnation.as_deref().or(of_worker),
        };
        let unconfirmed = reported.filter(|client_incarnation| {
            state.incarnation.as_deref().is_some_and(|known| known != *client_incarnation)
                && state.refuted.as_deref() != Some(*client_incarnation)
        });
        let loan = match unconfirmed {
            Some(_) => None,
            None => {
                let client = client_of(ask, request.page);
                let HubRequest { secret, .. } = request;
                let request = LoanRequest { size, client, above: ask.above, secret, now: now.ticks() };
                allocator::lend(&mut self.storage, &mut state, request)?
            }
        };
        let Some(loan) = loan else {
            self.need.count = self.need.count.max(size.count);
            self.need.above = self.need.above.max(ask.above);
            self.need.client_incarnation = unconfirmed.map(str::to_owned).or(self.need.client_incarnation.take());
            self.storage.set_state(&state)?;
            return Ok(Reply::NeedsSource);
        };
        state.lent_at = request.now;
        self.storage.set_state(&state)?;
        let node_tag = self.storage.grant(loan.grant)?.map(|granted| granted.tag).unwrap_or_default();
        let (status, body) = wire::lease_response(ask, &loan, &node_tag);
        let low = self.storage.available(&node_tag, allocator::highest_lent(&state, &node_tag))? < state.size / 4;
        Ok(Reply::Response(HubResponse { status, body, incarnation: announced_incarnation(&state), low }))
    }

    fn take_back(&mut self, returns: &[LoanReturn]) -> Result<Reply> {
        let mut state = self.open()?;
        let mut results = Vec::new();
        for back in returns {
            let applied = match &back.proof {
                Some(proof) if key::same(&back.tag, &state.tag) => {
                    allocator::take_back(&mut self.storage, &mut state, proof, back.high, back.last)?
                }
                _ => false,
            };
            results.push(wire::return_result(back, applied));
        }
        self.storage.set_state(&state)?;
        let (status, body) = wire::batch_response(&results, false);
        Ok(Reply::Response(HubResponse { status, body, incarnation: announced_incarnation(&state), low: false }))
    }

    /// When the last loan was made, in milliseconds since 1970.
    pub(super) fn lent_at(&self) -> Result<u64> {
        Ok(self.storage.state()?.map_or(0, |state| state.lent_at))
    }

    /// Discards all numbers.
    pub(super) fn burn(&mut self) -> Result<()> {
        let mut state = self.open()?;
        let highest_granted = core::mem::take(&mut state.highest_granted);
        allocator::burn(&mut self.storage, &mut state)?;
        // The database is the same, so its next grant must lie above all earlier ones.
        state.highest_granted = highest_granted;
        self.storage.set_state(&state)
    }

    /// Begins to request a range from the source.
    pub(super) fn refill(&mut self, now: u64, nonce: u64) -> Result<Step> {
        let state = self.open()?;
        let since = now.saturating_sub(state.granted_at);
        let count = lease_sizes::source_range(state.size, since, self.need.count, self.config.ranges);
        let client_incarnation = self.need.client_incarnation.take();
        Ok(self.ask(&state, count, self.need.above, client_incarnation, now, nonce))
    }

    fn ask(
        &mut self,
        state: &HubState,
        count: u64,
        above: u64,
        client_incarnation: Option<String>,
        now: u64,
        nonce: u64,
    ) -> Step {
        let ask = source::Ask {
            tag: state.tag.clone(),
            size: Size::Exact(count),
            above,
            proof: None,
            incarnation: None,
            nonce,
        };
        let lease = self.choice(state).lease(ask);
        let conversation = SourceConversation::lease(self.executor(state), &self.config.urls, lease, now);
        self.begin(conversation, Purpose::Lease(client_incarnation), now)
    }

    /// Fails the waiting requests and forgets their needs: later requests must not repeat a request that cannot be
    /// fulfilled.
    fn give_up(&mut self, error: &Error) -> Step {
        self.need = Need::default();
        failed(error)
    }

    fn begin(&mut self, conversation: SourceConversation, purpose: Purpose, now: u64) -> Step {
        let (conversation, _) = self.conversation.insert((conversation, purpose));
        match conversation.step(Report { input: Input::Proceed, now, random: 0 }) {
            Next::Send(attempt) => Step::Send(conversation.outgoing(attempt)),
            Next::Pause(pause) => Step::Pause(pause),
            Next::Done(_) => Step::Done,
            Next::Fail(error) => self.give_up(&error),
        }
    }

    fn executor(&self, state: &HubState) -> Executor {
        Executor::new(&state.database, self.config.timeout)
    }

    fn choice(&self, state: &HubState) -> AnySource {
        let Config { kind, detail, scoped, .. } = self.config;
        match kind {
            0 => AnySource::Server(Server::new(&state.database, '/')),
            1 => {
                let spelling = usize::try_from(detail).ok().and_then(|at| SPELLINGS.get(at)).unwrap_or(&SPELLINGS[0]);
                AnySource::Document(Document::new(&state.database, '/', spelling))
            }
            2 => AnySource::Custom(CustomSource::new(ResponseFormat::Range { releasable: detail > 0 }, scoped, '/')),
            _ => AnySource::Custom(CustomSource::new(ResponseFormat::Hi { capacity: detail }, scoped, '/')),
        }
    }

    /// Continues the conversation after the last step.
    pub(super) fn step(&mut self, report: Report) -> Result<Step> {
        let (now, random) = (report.now, report.random);
        let Some((conversation, _)) = &mut self.conversation else { return Ok(Step::Done) };
        let outcome = match conversation.step(report) {
            Next::Send(attempt) => return Ok(Step::Send(conversation.outgoing(attempt))),
            Next::Pause(pause) => return Ok(Step::Pause(pause)),
            Next::Done(output) => Ok(output),
            Next::Fail(error) => Err(error),
        };
        let Some((conversation, purpose)) = self.conversation.take() else { return Ok(Step::Done) };
        match (purpose, outcome) {
            (_, Err(error)) => Ok(self.give_up(&error)),
            (Purpose::Lease(client_incarnation), Ok(Output::Grant(grant))) => {
                let url = conversation.url(grant.node);
                self.admit_grant(grant, url, client_incarnation, now, u64::from(random))
            }
            (Purpose::Counter(granted), Ok(Output::Response(response))) => self.counter_read(&granted, &response, now),
            _ => Ok(Step::Done),
        }
    }

    fn admit_grant(
        &mut self,
        mut grant: Box<Grant>,
        url: String,
        client_incarnation: Option<String>,
        now: u64,
        nonce: u64,
    ) -> Result<Step> {
        let mut state = self.open()?;
        if grant.tag.is_empty() {
            grant.tag = self.config.node_tag.clone().unwrap_or_default();
        }
        // Ids are case-insensitive: the same number under a tag in other letters would be the same id.
        if let Some(known) = state.highest_granted.keys().find(|known| key::surely_same(known, &grant.tag)) {
            grant.tag.clone_from(known);
        }
        if let Some(problem) = unusable(&state, &grant) {
            return Ok(self.give_up(&problem));
        }
        let admission = allocator::admit(&mut self.storage, &mut state, &grant, url)?;
        let step = match admission {
            Admission::Admitted => {
                state.granted_at = now;
                self.need = Need::default();
                if let Some(client_incarnation) = client_incarnation
                    .filter(|client_incarnation| state.incarnation.as_ref() != Some(client_incarnation))
                {
                    state.refuted = Some(client_incarnation);
                }
                Step::Done
            }
            Admission::RetryAbove(above) => self.ask(&state, grant.range.len(), above, client_incarnation, now, nonce),
        };
        self.storage.set_state(&state)?;
        Ok(step)
    }

    /// Begins to return the unused end of the newest range. Does nothing if there is none. A source with counters is read first,
    /// and nothing is returned if it has granted a later range; another source decides by itself.
    pub(super) fn give_back(&mut self, now: u64) -> Result<Step> {
        let state = self.open()?;
        let Some((granted, chunk)) = allocator::unused_end(&self.storage, &state)? else { return Ok(Step::Done) };
        let Some(request) =
            self.choice(&state).counters().map(|counters| counters.read([state.tag.clone()].into_iter()))
        else {
            return self.send_back(state, &granted, chunk, now);
        };
        let conversation = SourceConversation::single(self.executor(&state), &granted.url, request, now);
        Ok(self.begin(conversation, Purpose::Counter(granted), now))
    }

    fn counter_read(&mut self, granted: &GrantRecord, response: &Response, now: u64) -> Result<Step> {
        let state = self.open()?;
        let counters = self.choice(&state);
        let counter = counters.counters().and_then(|counters| counters.fence(response, &state.tag));
        let current = counter.is_some_and(|(max, fence, _)| max == granted.high && Some(fence) == granted.fence)
            && response.incarnation == state.incarnation;
        // Some of it may have been lent meanwhile, or a newer range may have arrived.
        match allocator::unused_end(&self.storage, &state)? {
            Some((newest, chunk)) if current && newest == *granted => self.send_back(state, granted, chunk, now),
            _ => Ok(Step::Done),
        }
    }

    fn send_back(&mut self, mut state: HubState, granted: &GrantRecord, chunk: Chunk, now: u64) -> Result<Step> {
        let choice = self.choice(&state);
        let node = if choice.counters().is_some() { NodeId(0) } else { NodeId(u32::MAX) };
        let fence = granted.fence.clone().unwrap_or_default();
        let back = Return { tag: state.tag.clone(), fence, high: granted.high, last: chunk.range.low() - 1 };
        let request = choice.give_back(&[back], node);
        allocator::remove_unused_end(&mut self.storage, &mut state, granted, chunk)?;
        self.storage.set_state(&state)?;
        let conversation = SourceConversation::single(self.executor(&state), &granted.url, request, now);
        Ok(self.begin(conversation, Purpose::Return, now))
    }
}

/// Why clients could not make ids from this grant.
fn unusable(state: &HubState, grant: &Grant) -> Option<Error> {
    let say = |text: &'static str| Some(Error::new(Code::BadAnswer, text));
    if grant.prefix.strip_suffix('/') != Some(state.tag.as_str()) {
        return say("a hub can only lend ids such as orders/1-A, but the source has another prefix");
    }
    if grant.tag.is_empty() {
        return say("a hub can only lend ids such as orders/1-A, but the source has no node tag: set nodeTag");
    }
    None
}

/// What a lease request says about the client: its first one names neither a size nor a time.
fn client_of(ask: &LeaseRequest, page: bool) -> Client {
    match ask.size_hint.at {
        _ if page => Client::Unknown,
        Some(at) if ask.size_hint.last > 0 => Client::Known(at.ticks()),
        _ if ask.size_hint.last == 0 && ask.above == 0 => Client::New,
        _ => Client::Unknown,
    }
}

/// The incarnation for the response: `None` if the numbers do not come from the database.
fn announced_incarnation(state: &HubState) -> Option<String> {
    state.incarnation.clone().filter(|incarnation| !incarnation.is_empty())
}

fn refused(target: &str) -> Reply {
    let message = "a hub accepts only leases and fenced returns of its own counter; send everything else to RavenDB";
    let body = wire::error_body(target, "NotForHub", message);
    Reply::Response(HubResponse { status: 400, body, incarnation: None, low: false })
}

/// The response to waiting requests: the server's own error if it sent one.
fn failed(error: &Error) -> Step {
    match error.code {
        Code::Server | Code::Concurrency if !error.body.is_empty() => {
            Step::Failed(error.status, String::from_utf8_lossy(&error.body).into_owned())
        }
        code => {
            let status = if error.is_outage() { 503 } else { 500 };
            Step::Failed(status, wire::error_body(&error.request, code.name(), &error.message))
        }
    }
}

#[cfg(test)]
#[path = "lease_hub_tests.rs"]
mod tests;
