//! A request on its way: which node gets it, whether it is repeated, and what its answer means.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use raven_edge::error::Error;
use raven_edge::http::{Answer, Call, Conversation, Input, Next, Request};
use raven_edge::pool;
#[cfg(feature = "pool")]
use raven_edge::pool::{Record, decide};
use raven_edge::protocol::reply;
use raven_edge::source::{AnyExchange, Expects, Grant, Output, Return, Single, Source};
use wasm_bindgen::prelude::*;

use crate::generator::{Job, Moving, Tag};
use crate::host::Uint8Array;
use crate::store::{Inner, Refence};

/// What the answer is for.
pub(crate) enum Purpose {
    /// A range for a tag; the number is the ledger's.
    Lease(Rc<Tag>, u32),
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
    /// A move has none.
    conversation: Option<Conversation<AnyExchange>>,
    /// The body of the app's requests, which stays with JavaScript; `undefined` for those of the core.
    #[cfg(feature = "session")]
    body: JsValue,
}

impl Task {
    /// A job of a tag.
    pub(crate) fn of(store: &Rc<Inner>, (purpose, exchange): Job) -> Task {
        let conversation = exchange.map(|exchange| Task::conversation(store, exchange));
        Task {
            store: Rc::clone(store),
            purpose,
            conversation,
            #[cfg(feature = "session")]
            body: JsValue::UNDEFINED,
        }
    }

    /// A request to be sent, to be given up after `limit` milliseconds or the store's time limit.
    pub(crate) fn new(store: &Rc<Inner>, purpose: Purpose, request: Request, expects: Expects, limit: u64) -> Task {
        let call = store.executor.borrow().call(store.host.millis(), limit);
        Task::single(store, purpose, request, expects, call)
    }

    fn single(store: &Rc<Inner>, purpose: Purpose, request: Request, expects: Expects, call: Call) -> Task {
        let exchange = AnyExchange::Single(Single::new(request, expects));
        let conversation = Some(Conversation::new(exchange, call));
        let mut task = Task::of(store, (purpose, None));
        task.conversation = conversation;
        task
    }

    /// A request of the app. The server may `wait` for so many milliseconds; a read begins with the node whose `turn` it is.
    #[cfg(feature = "session")]
    pub(crate) fn of_app(
        store: &Rc<Inner>,
        (purpose, expects): (Purpose, Expects),
        request: Request,
        body: JsValue,
        wait: f64,
        turn: Option<u32>,
    ) -> Task {
        let executor = store.executor.borrow();
        let mut call = executor.call(store.host.millis(), u64::MAX);
        call.extend(wait as u64);
        if let Some(turn) = turn {
            executor.spread(&mut call, turn);
        }
        let mut task = Task::single(store, purpose, request, expects, call);
        task.body = body;
        task
    }

    fn conversation(store: &Inner, exchange: AnyExchange) -> Conversation<AnyExchange> {
        let call = store.executor.borrow().call(store.host.millis(), u64::MAX);
        Conversation::new(exchange, call)
    }
}

#[wasm_bindgen]
impl Task {
    /// Goes on with what the last promise resolved to: an HTTP status, body and `Database-Cluster-Tx-Id`; or one of
    /// [`reply`], with the reason as `text`. Gives the promise to wait for, `undefined` when it is done; throws when it
    /// failed.
    pub fn step(&mut self, status: u16, body: Vec<u8>, text: Option<String>) -> Result<JsValue, JsValue> {
        let next = match status {
            reply::MOVED | reply::LOST if pool::PRESENT => self.moved(status == reply::MOVED),
            _ => self.go_on(Input::reported(status, body, text)),
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
type Wait = Result<Option<JsValue>, Error>;

impl Task {
    fn go_on(&mut self, input: Input) -> Wait {
        let host = &self.store.host;
        let Some(conversation) = &mut self.conversation else {
            return Ok(match &self.purpose {
                Purpose::Move(_, _, moving) | Purpose::Admission(_, _, moving) if pool::PRESENT => {
                    Some(host.move_numbers(&moving.tag, moving.wanted.wish.is_take_out()))
                }
                _ => None,
            });
        };
        let (now, random) = (host.millis(), host.random() as u32);
        let next = conversation.step(&mut self.store.executor.borrow_mut(), input, now, random);
        match next {
            Next::Send(attempt) => {
                let Some(request) = conversation.request() else { return Ok(None) };
                let etag = if self.store.topology { self.store.executor.borrow().topology_etag() as f64 } else { -1.0 };
                let body = match &request.body {
                    Some(bytes) if !bytes.is_empty() => Uint8Array::new(bytes).into(),
                    #[cfg(feature = "session")]
                    _ => self.body.clone(),
                    #[cfg(not(feature = "session"))]
                    _ => JsValue::UNDEFINED,
                };
                let (method, if_match) = (request.method.name(), request.if_match.clone());
                Ok(Some(host.send(method, &attempt.url, body, if_match, etag, attempt.limit as f64)))
            }
            Next::Pause(pause) => Ok(Some(host.pause(pause as f64))),
            Next::Done(Output::Grant(grant)) => self.leased(grant),
            Next::Done(Output::Answer(answer)) => {
                self.finish(Ok(answer));
                Ok(None)
            }
            Next::Fail(error) => match self.purpose {
                // What did not arrive is burnt, which harms nobody: so a failure is an event and not an error.
                Purpose::Return(_) | Purpose::Fences(_) => {
                    self.finish(Err(error));
                    Ok(None)
                }
                // The ledger hears of a lease that failed when this task goes.
                _ => Err(error),
            },
        }
    }

    /// A move has come to its end. What was decided but may not be durable is burnt: a claim gives nothing, an admission
    /// only what it did not put into the pool; a grant that was never compared is burnt while there is a pool.
    fn moved(&mut self, durable: bool) -> Wait {
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
                self.take_on(job)
            }
            _ => Ok(None),
        }
    }

    fn take_on(&mut self, job: Option<Job>) -> Wait {
        let Some((purpose, exchange)) = job else { return Ok(None) };
        self.purpose = purpose;
        self.conversation = exchange.map(|exchange| Task::conversation(&self.store, exchange));
        self.go_on(Input::Proceed)
    }

    fn leased(&mut self, grant: Grant) -> Wait {
        let Purpose::Lease(tag, number) = &self.purpose else { return Ok(None) };
        // Another answer has told of another database meanwhile: nobody knows which of them is the older one.
        if grant.incarnation.is_some() && grant.incarnation != *self.store.incarnation.borrow() {
            return Ok(None);
        }
        let (tag, number) = (Rc::clone(tag), *number);
        let job = tag.granted(number, grant);
        self.take_on(job)
    }

    fn finish(&mut self, outcome: Result<Answer, Error>) {
        match &mut self.purpose {
            Purpose::Return(items) => {
                let items = core::mem::take(items);
                self.returned(&items, outcome);
            }
            Purpose::Fences(refences) => {
                let refences = core::mem::take(refences);
                // A fence of another database than the one that granted the numbers would be somebody else's.
                let current = |answer: &Answer| answer.incarnation == *self.store.incarnation.borrow();
                let answer = outcome.ok().filter(current);
                for (tag, number, lease) in &refences {
                    let found = answer.as_ref().zip(self.store.source.counters());
                    let found = found.and_then(|(answer, counters)| counters.fence(answer, &tag.name()));
                    tag.refenced(*number, *lease, found);
                }
            }
            Purpose::Topology => {
                if let Ok(answer) = outcome {
                    self.store.host.topology(&answer.body);
                }
            }
            #[cfg(feature = "session")]
            Purpose::Command(sink) => {
                if let Ok(answer) = outcome {
                    sink.keep(answer.status, answer.node.0);
                }
            }
            // The façade reads what was loaded and saved; nothing is sent for moves.
            _ => {}
        }
    }

    /// Tells the app what became of each return.
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
            Purpose::Lease(tag, number) => tag.failed(*number),
            Purpose::Move(tag, number, _) | Purpose::Admission(tag, number, _) => tag.failed(*number),
            _ => {}
        }
    }
}
