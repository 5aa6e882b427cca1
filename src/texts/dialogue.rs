//! The texts of a conversation: the requests of an exchange, and what its responses mean.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::http::{GONE, Next, NodeId, Report, Request, Response, Rule, is_outage_status, server_error};
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
    /// No response arrived within the time limit of the attempt.
    Late,
}

impl Input {
    /// Decodes a report of the hub's shell: an HTTP status, or one of [`reply`]. `text` is the incarnation of a response, or the reason
    /// why there is no response.
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

/// An exchange, its current request, and its result or last error.
#[derive(Clone, Debug)]
pub struct Dialogue<E: Exchange> {
    exchange: E,
    request: Option<Box<Request>>,
    result: Option<Result<E::Output, Error>>,
}

impl<E: Exchange> Dialogue<E> {
    /// Begins an exchange.
    pub fn new(mut exchange: E) -> Dialogue<E> {
        match exchange.step(None) {
            Step::Send(request) => Dialogue { exchange, request: Some(request), result: None },
            // An exchange begins with a request.
            _ => Dialogue { exchange, request: None, result: None },
        }
    }

    /// The current request.
    pub fn request(&self) -> Option<&Request> {
        self.request.as_deref()
    }

    /// How the current request may be sent.
    pub fn rule(&self) -> Rule {
        self.request().map_or(Rule::anywhere(crate::http::Repeat::Never), Request::rule)
    }

    /// Takes the result of the exchange, or the error that ended it.
    pub fn take_result(&mut self) -> Option<Result<E::Output, Error>> {
        self.result.take()
    }

    /// Continues with the result of the last step. `node`: the one that the last attempt went to; `advance`: reports to the
    /// conversation.
    pub fn step(&mut self, input: Input, node: NodeId, mut advance: impl FnMut(Report) -> Next) -> Next {
        let report = self.read(input, node);
        let next = advance(report);
        if next != Next::Fail || matches!(report, Report::Refused | Report::Again(_)) {
            return next;
        }
        // An outage that is not retried: the exchange may have an alternative.
        let Some(Err(error)) = self.result.take() else { return next };
        match self.go_on(Err(error)) {
            Report::Refused => next,
            report => advance(report),
        }
    }

    /// What the result of the last step means for the conversation.
    fn read(&mut self, input: Input, node: NodeId) -> Report {
        let Some(request) = &self.request else { return Report::Refused };
        let (report, mut error) = match input {
            Input::Proceed => return Report::Proceed,
            Input::Unreachable { reason, unsent } => {
                let report = if unsent { Report::Unsent } else { Report::Unreachable };
                (report, Error::new(Code::Unreachable, reason).at(request))
            }
            Input::Late => (Report::Late, Error::new(Code::Timeout, "the server did not respond in time").at(request)),
            Input::Response { status, body, .. } if is_outage_status(status) => {
                let error = server_error(request, status, &body);
                // A typed 410 is from RavenDB, which has not carried out the request. The 410 of a proxy has no type and proves
                // nothing.
                let gone = status == GONE && error.server_type().is_some();
                (if gone { Report::Gone } else { Report::Outage }, error)
            }
            Input::Response { status, body, incarnation } => {
                return self.go_on(Ok(Box::new(Response { status, body, node, incarnation })));
            }
        };
        error.unsent = report == Report::Unsent;
        self.result = Some(Err(error));
        report
    }

    fn go_on(&mut self, outcome: Result<Box<Response>, Error>) -> Report {
        match self.exchange.step(Some(outcome)) {
            Step::Send(request) => Report::Send(self.request.insert(request).rule()),
            Step::Again(request, error) => {
                self.result = Some(Err(self.at(error)));
                Report::Again(self.request.insert(request).rule())
            }
            Step::Done(output) => {
                self.result = Some(Ok(output));
                Report::Done
            }
            Step::Fail(error) => {
                self.result = Some(Err(self.at(error)));
                Report::Refused
            }
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
