//! A request on its way: which node gets it, whether it is repeated, and what its answer means.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use raven_edge::error::{Code, Error};
use raven_edge::http::{Answer, Call, GONE, NodeId, Request, Verdict, is_outage_status, server_error};
use raven_edge::pool;
#[cfg(feature = "pool")]
use raven_edge::pool::{Record, decide};
use raven_edge::source::{Exchange, Lease, Return, Source, Step};
use wasm_bindgen::prelude::*;

use crate::generator::{Moving, Tag};
use crate::host::Uint8Array;
use crate::store::{Inner, Refence};

/// `step` is called with these in place of an HTTP status.
const GO_ON: u16 = 0;
const UNREACHABLE: u16 = 1;
const LATE: u16 = 2;
/// A move is durable, as far as it has to be.
const MOVED: u16 = 3;
/// Nobody knows what became of a move: what it was about is burnt.
const LOST: u16 = 4;
/// As unreachable, and known never to have left.
const UNSENT: u16 = 5;

/// What the answer is for.
pub(crate) enum Purpose {
    /// A range for a tag; the number is the ledger's.
    Lease(Rc<Tag>, u32, Lease),
    /// A move to or from the pool; the number is the ledger's, 0 where nothing is waited for.
    Move(Rc<Tag>, u32, Moving),
    /// A grant that the pool has to admit.
    Admission(Rc<Tag>, u32, Moving),
    /// The counter documents of these tags are read, for fences.
    Fences(Vec<Refence>),
    /// Unused ends going back.
    Return(Vec<Return>),
    /// The nodes of the database.
    Topology,
    /// A batch is saved; the façade reads the answer.
    #[cfg(feature = "session")]
    Save,
    /// Documents are loaded, which the façade reads.
    #[cfg(feature = "session")]
    Load,
    /// A command of the app, whose answer the façade reads.
    #[cfg(feature = "session")]
    Command(crate::host::Sink),
}

/// A request on its way; the façade calls [`Task::step`] until it is done.
#[wasm_bindgen]
pub struct Task {
    store: Rc<Inner>,
    purpose: Purpose,
    /// What is sent; a move sends nothing.
    request: Request,
    /// The body of the app's requests, which stays with JavaScript; `undefined` for those of the core.
    #[cfg(feature = "session")]
    body: JsValue,
    call: Call,
    node: NodeId,
}

impl Task {
    /// A request to be sent, to be given up after `limit` milliseconds or the store's time limit.
    pub(crate) fn new(store: &Rc<Inner>, purpose: Purpose, request: Request, limit: u64) -> Task {
        let call = store.executor.borrow().call(store.host.millis(), limit);
        Task {
            store: Rc::clone(store),
            purpose,
            request,
            #[cfg(feature = "session")]
            body: JsValue::UNDEFINED,
            call,
            node: NodeId(0),
        }
    }

    /// The same, with a body of the app's.
    #[cfg(feature = "session")]
    pub(crate) fn carrying(mut self, body: JsValue) -> Task {
        self.body = body;
        self
    }

    /// The same, to begin with the node whose turn it is.
    #[cfg(feature = "session")]
    pub(crate) fn spread(mut self, turn: Option<u32>) -> Task {
        if let Some(turn) = turn {
            self.store.executor.borrow().spread(&mut self.call, turn);
        }
        self
    }

    /// The same, where the server was asked to wait for so many milliseconds.
    #[cfg(feature = "session")]
    pub(crate) fn extended(mut self, wait: f64) -> Task {
        self.call.extend(wait as u64);
        self
    }

    /// A job of a tag.
    pub(crate) fn of(store: &Rc<Inner>, (purpose, request): (Purpose, Option<Request>)) -> Task {
        Task::new(store, purpose, request.unwrap_or_else(|| Request::get(String::new())), u64::MAX)
    }
}

#[wasm_bindgen]
impl Task {
    /// Goes on with what the last promise resolved to: an HTTP status, body and `Database-Cluster-Tx-Id`; or one of
    /// the small numbers above, with the reason as `text`. Gives the promise to wait for, `undefined` when it is
    /// done; throws when it failed.
    pub fn step(&mut self, status: u16, body: Vec<u8>, text: Option<String>) -> Result<JsValue, JsValue> {
        if matches!(status, UNSENT | GONE) {
            self.call.unsent();
        }
        let next = match status {
            GO_ON => Ok(Some(self.begin())),
            MOVED | LOST if pool::PRESENT => self.moved(status == MOVED),
            UNREACHABLE | UNSENT => self.failed(Code::Unreachable, text.unwrap_or_default()),
            LATE => self.failed(Code::Timeout, String::from("the server did not answer in time")),
            _ if is_outage_status(status) => self.again(server_error(&self.request, status, &body)),
            _ => {
                self.store.executor.borrow_mut().answered(&self.call, self.node);
                self.finish(Ok(Answer { status, body, node: self.node, incarnation: text }))
            }
        };
        match next {
            Ok(promise) => Ok(promise.unwrap_or(JsValue::UNDEFINED)),
            Err(error) => Err(self.store.host.js(&error)),
        }
    }
}

#[cfg(feature = "pool")]
#[wasm_bindgen]
impl Task {
    /// What the move does to the record of its tag; `stored` is the incarnation that the device knows of the database.
    /// Gives the text to write, nothing where the record stays as it is. One that cannot be read is burnt.
    pub fn decide(&mut self, record: Option<String>, stored: Option<String>) -> Option<String> {
        let (Purpose::Move(_, _, moving) | Purpose::Admission(_, _, moving)) = &mut self.purpose else {
            return None;
        };
        let record = record.as_deref().and_then(Record::read);
        let mut incarnation = self.store.incarnation.borrow_mut();
        let stored = stored.filter(|_| self.store.counts());
        let (record, outcome) = decide(record, stored.as_deref(), incarnation.as_deref(), &moving.wanted);
        // An offline start takes the device's word for it; the first answer will tell.
        if incarnation.is_none() && !outcome.taken.is_empty() {
            *incarnation = stored;
        }
        moving.outcome = Some(outcome);
        record.map(|record| record.write())
    }
}

/// A promise to wait for, or nothing when it is done.
type Next = Result<Option<JsValue>, Error>;

impl Task {
    fn begin(&mut self) -> JsValue {
        match &self.purpose {
            Purpose::Move(_, _, moving) | Purpose::Admission(_, _, moving) if pool::PRESENT => {
                self.store.host.move_numbers(&moving.tag, moving.wanted.wish.is_take_out())
            }
            _ => self.attempt(),
        }
    }

    /// A move has come to its end. What was decided but may not be durable is burnt: a claim gives nothing, an admission
    /// only what it did not put into the pool; a grant that was never compared is burnt while there is a pool.
    fn moved(&mut self, durable: bool) -> Next {
        match &mut self.purpose {
            Purpose::Move(tag, number, moving) => {
                match moving.outcome.take().filter(|_| durable) {
                    Some(outcome) => tag.claimed(*number, outcome),
                    None => tag.lost(*number),
                }
                Ok(None)
            }
            Purpose::Admission(tag, number, moving) => {
                let (tag, number, outcome) = (Rc::clone(tag), *number, moving.outcome.take());
                let job = tag.admitted(number, outcome, durable);
                self.go_on(job)
            }
            _ => Ok(None),
        }
    }

    fn go_on(&mut self, job: Option<(Purpose, Option<Request>)>) -> Next {
        let Some((purpose, request)) = job else { return Ok(None) };
        self.purpose = purpose;
        match request {
            Some(request) => self.send(request),
            None => Ok(Some(self.begin())),
        }
    }

    fn attempt(&mut self) -> JsValue {
        let host = &self.store.host;
        let executor = self.store.executor.borrow();
        let attempt = executor.attempt(&self.call, &self.request, host.millis());
        self.node = attempt.node;
        let etag = if self.store.topology { executor.topology_etag() as f64 } else { -1.0 };
        let body = match &self.request.body {
            Some(bytes) if !bytes.is_empty() => Uint8Array::new(bytes).into(),
            #[cfg(feature = "session")]
            _ => self.body.clone(),
            #[cfg(not(feature = "session"))]
            _ => JsValue::UNDEFINED,
        };
        let if_match = self.request.if_match.clone();
        host.send(self.request.method.name(), &attempt.url, body, if_match, etag, attempt.limit as f64)
    }

    fn failed(&mut self, code: Code, message: String) -> Next {
        self.again(Error::new(code, message).at(&self.request))
    }

    fn again(&mut self, error: Error) -> Next {
        let (now, random) = self.moment();
        let verdict =
            self.store.executor.borrow_mut().failed(&mut self.call, &self.request, self.node, error, now, random);
        match verdict {
            Verdict::Again(0) => Ok(Some(self.attempt())),
            Verdict::Again(pause) => Ok(Some(self.store.host.pause(pause as f64))),
            Verdict::Fail(error) => self.finish(Err(error)),
        }
    }

    /// The time, and a random number for the jitter of a pause.
    fn moment(&self) -> (u64, u32) {
        (self.store.host.millis(), self.store.host.random() as u32)
    }

    fn send(&mut self, request: Request) -> Next {
        self.call = self.store.executor.borrow().call(self.store.host.millis(), u64::MAX);
        self.request = request;
        Ok(Some(self.attempt()))
    }

    /// The answer, if its status is the one of success.
    fn check(&self, answer: Result<Answer, Error>, status: u16) -> Result<Answer, Error> {
        let answer = answer?;
        if answer.status == status {
            return Ok(answer);
        }
        Err(server_error(&self.request, answer.status, &answer.body))
    }

    fn finish(&mut self, outcome: Result<Answer, Error>) -> Next {
        match &mut self.purpose {
            Purpose::Lease(tag, number, lease) => {
                let (tag, number, step) = (Rc::clone(tag), *number, lease.step(Some(outcome)));
                self.leased(&tag, number, step)
            }
            Purpose::Return(items) => {
                let items = core::mem::take(items);
                let outcome = self.check(outcome, 201);
                self.returned(&items, outcome);
                Ok(None)
            }
            Purpose::Fences(refences) => {
                let refences = core::mem::take(refences);
                // A fence of another database than the one that granted the numbers would be somebody else's.
                let current = |answer: &Answer| answer.incarnation == *self.store.incarnation.borrow();
                let answer = self.check(outcome, 200).ok().filter(current);
                for (at, (tag, number, lease)) in refences.iter().enumerate() {
                    let found = answer.as_ref().zip(self.store.source.counters());
                    let found = found.and_then(|(answer, counters)| counters.fence(answer, at));
                    tag.refenced(*number, *lease, found);
                }
                Ok(None)
            }
            // Nothing was sent for these.
            Purpose::Move(..) | Purpose::Admission(..) => Ok(None),
            Purpose::Topology => {
                self.store.host.topology(&self.check(outcome, 200)?.body);
                Ok(None)
            }
            #[cfg(feature = "session")]
            Purpose::Save => {
                self.check(outcome, 201)?;
                Ok(None)
            }
            #[cfg(feature = "session")]
            Purpose::Command(sink) => {
                let answer = outcome?;
                // Nothing found and nothing new are answers, too.
                if answer.status >= 400 && answer.status != 404 {
                    return Err(server_error(&self.request, answer.status, &answer.body));
                }
                sink.keep(answer.status, answer.node.0);
                Ok(None)
            }
            #[cfg(feature = "session")]
            Purpose::Load => {
                // One id that does not exist: 404 and nothing else. A 404 with a text comes from a wrong address.
                if outcome.as_ref().is_ok_and(|answer| answer.status == 404 && answer.body.is_empty()) {
                    return Ok(None);
                }
                self.check(outcome, 200)?;
                Ok(None)
            }
        }
    }

    fn leased(&mut self, tag: &Rc<Tag>, number: u32, step: Step<raven_edge::source::Grant>) -> Next {
        match step {
            // All of it within one time limit.
            Step::Send(request) => {
                self.call.next();
                self.request = request;
                Ok(Some(self.attempt()))
            }
            Step::Again(request, error) => {
                let error = error.at(&self.request);
                self.request = request;
                let (now, random) = self.moment();
                match self.store.executor.borrow().contended(&mut self.call, error, now, random) {
                    Verdict::Again(pause) => Ok(Some(self.store.host.pause(pause as f64))),
                    Verdict::Fail(error) => Err(error),
                }
            }
            Step::Done(grant) => {
                // Another answer has told of another database meanwhile: nobody knows which of them is the older one.
                if grant.incarnation.is_some() && grant.incarnation != *self.store.incarnation.borrow() {
                    return Ok(None);
                }
                let job = tag.granted(number, grant);
                self.go_on(job)
            }
            // The ledger hears of it when this task goes.
            Step::Fail(error) => Err(error.at(&self.request)),
        }
    }

    /// Tells the app what became of each return. What did not arrive is burnt, which harms nobody: so a failure is an
    /// event and not an error.
    fn returned(&self, items: &[Return], outcome: Result<Answer, Error>) {
        let error = outcome.as_ref().map_or_else(|error| self.store.host.js(error), |_| JsValue::UNDEFINED);
        for (at, item) in items.iter().enumerate() {
            let applied = outcome.as_ref().is_ok_and(|answer| self.store.source.applied(answer, at));
            self.store.host.returned(&item.tag, (item.last + 1) as f64, item.high as f64, applied, &error);
        }
    }
}

impl Drop for Task {
    /// A lease whose task goes without an end (its request was given up, or ended before it) has failed.
    fn drop(&mut self) {
        match &self.purpose {
            Purpose::Lease(tag, number, _) => tag.failed(*number),
            Purpose::Move(tag, number, _) | Purpose::Admission(tag, number, _) => tag.failed(*number),
            _ => {}
        }
    }
}
