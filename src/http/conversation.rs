//! The loop of request, response, retry and next request, until an exchange ends.
//!
//! The caller sends, waits, and reports the result of each step. The package, the lease hub and the simulation drive the same code.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Attempt, Call, Executor, GONE, NodeId, Request, Response, Verdict, is_outage_status, server_error};
use crate::error::{Code, Error};
use crate::protocol::reply;
use crate::source::{Exchange, Step};

/// The result of the last step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// Nothing was sent yet, or the pause is over.
    Proceed,
    /// A response arrived.
    Response {
        /// HTTP status.
        status: u16,
        /// The body.
        body: Vec<u8>,
        /// Header `Database-Cluster-Tx-Id`.
        incarnation: Option<String>,
    },
    /// No response arrived.
    Unreachable {
        /// The reason, for the error message.
        reason: String,
        /// Whether it is known that nothing was sent.
        unsent: bool,
    },
    /// No response arrived within [`Attempt::limit`].
    Late,
}

impl Input {
    /// Decodes a report of the façade: an HTTP status, or one of [`reply`]. `text` is the incarnation of a response, or the reason why
    /// there is no response.
    pub fn reported(status: u16, body: Vec<u8>, text: Option<String>) -> Input {
        match status {
            reply::PROCEED => Input::Proceed,
            reply::UNREACHABLE | reply::UNSENT => {
                Input::Unreachable { reason: text.unwrap_or_default(), unsent: status == reply::UNSENT }
            }
            reply::LATE => Input::Late,
            _ => Input::Response { status, body, incarnation: text },
        }
    }
}

/// What the caller does next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<T> {
    /// Send [`Conversation::request`] to this address.
    Send(Attempt),
    /// Wait for this many milliseconds.
    Pause(u64),
    /// The exchange has ended.
    Done(T),
    /// The exchange has failed.
    Fail(Error),
}

/// An exchange with one time limit for all its requests.
#[derive(Clone, Debug)]
pub struct Conversation<E> {
    exchange: E,
    call: Call,
    /// `None` until the exchange has named its first request.
    request: Option<Box<Request>>,
    /// The node that the last attempt went to.
    node: NodeId,
}

impl<E: Exchange> Conversation<E> {
    /// Begins an exchange; `call` contains the time limit.
    pub fn new(exchange: E, call: Call) -> Conversation<E> {
        Conversation { exchange, call, request: None, node: NodeId(0) }
    }

    /// The request of the last [`Next::Send`].
    pub fn request(&self) -> Option<&Request> {
        self.request.as_deref()
    }

    /// Advances the exchange with the result of the last step. `now` in milliseconds; `random`: any number, for the jitter of a pause.
    pub fn step(&mut self, executor: &mut Executor, input: Input, now: u64, random: u32) -> Next<E::Output> {
        let Some(request) = &self.request else { return self.go_on(executor, None, now, random) };
        let error = match input {
            Input::Proceed => return self.attempt(executor, now),
            Input::Unreachable { reason, unsent } => {
                if unsent {
                    self.call.unsent();
                }
                Error::new(Code::Unreachable, reason).at(request)
            }
            Input::Late => Error::new(Code::Timeout, "the server did not respond in time").at(request),
            Input::Response { status, body, .. } if is_outage_status(status) => {
                let error = server_error(request, status, &body);
                // A typed 410 is from RavenDB, which has not carried out the request. The 410 of a proxy has no type and proves
                // nothing.
                if status == GONE && error.server_type().is_some() {
                    self.call.unsent();
                }
                error
            }
            Input::Response { status, body, incarnation } => {
                executor.responded(&self.call, self.node);
                let response = Box::new(Response { status, body, node: self.node, incarnation });
                return self.go_on(executor, Some(Ok(response)), now, random);
            }
        };
        match executor.failed(&mut self.call, request, self.node, error, now, random) {
            Verdict::Again(0) => self.attempt(executor, now),
            Verdict::Again(pause) => Next::Pause(pause),
            Verdict::Fail(error) => self.go_on(executor, Some(Err(error)), now, random),
        }
    }

    fn attempt(&mut self, executor: &Executor, now: u64) -> Next<E::Output> {
        // Unreachable: `step` gets a request from the exchange first.
        let Some(request) = &self.request else { return Next::Pause(0) };
        let attempt = executor.attempt(&self.call, request, now);
        self.node = attempt.node;
        Next::Send(attempt)
    }

    fn go_on(
        &mut self,
        executor: &mut Executor,
        outcome: Option<Result<Box<Response>, Error>>,
        now: u64,
        random: u32,
    ) -> Next<E::Output> {
        match self.exchange.step(outcome) {
            Step::Send(request) => {
                // All requests of an exchange share its time limit.
                self.call.next();
                self.request = Some(request);
                self.attempt(executor, now)
            }
            Step::Again(request, error) => {
                let error = self.at(error);
                self.request = Some(request);
                match executor.contended(&mut self.call, error, now, random) {
                    Verdict::Again(pause) => Next::Pause(pause),
                    Verdict::Fail(error) => Next::Fail(error),
                }
            }
            Step::Done(output) => Next::Done(output),
            Step::Fail(error) => Next::Fail(self.at(error)),
        }
    }

    /// Adds the request that the error belongs to.
    fn at(&self, error: Error) -> Error {
        match &self.request {
            Some(request) => error.at(request),
            None => error,
        }
    }
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
