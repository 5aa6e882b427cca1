//! A conversation with the source: what to send, what its answer means. The core knows the protocol, the shell sends.

use raven_edge::error::{Code, Error};
use raven_edge::http::{Answer, Call, Executor, NodeId, Request, Verdict, is_outage_status, server_error};
use raven_edge::source::{Exchange, Grant, Lease, Step};

/// The shell says these in place of an HTTP status, as the package's own `Host` does.
const GO_ON: u16 = 0;
const UNREACHABLE: u16 = 1;
const LATE: u16 = 2;

/// What the shell does next.
#[derive(Debug)]
pub(super) enum Next {
    /// Send the request and come back with its answer.
    Send(Sending),
    /// Come back after so many milliseconds.
    Pause(u64),
    /// It is over.
    Over(Result<Outcome, Error>),
}

/// One request.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) method: &'static str,
    pub(super) url: String,
    pub(super) body: Option<Vec<u8>>,
    /// Milliseconds until it is given up.
    pub(super) limit: u64,
}

/// What a conversation ends in.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A range, and the address of the node that granted it.
    Granted(Grant, String),
    /// The answer to a single request.
    Answered(Answer),
}

/// What came back: a status, or one of the numbers above, with the body, and the incarnation or the reason.
#[derive(Debug, Default)]
pub(super) struct Input {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    pub(super) text: Option<String>,
    /// Milliseconds of any clock that does not go back.
    pub(super) now: u64,
    /// Any number, for the jitter of a pause.
    pub(super) random: u32,
}

/// A conversation on its way.
#[derive(Debug)]
pub(super) struct Talk {
    executor: Executor,
    urls: Vec<String>,
    call: Call,
    request: Request,
    node: NodeId,
    lease: Option<Lease>,
}

impl Talk {
    /// A lease at the first of these addresses that answers.
    pub(super) fn lease(mut executor: Executor, urls: &[String], mut lease: Lease, now: u64) -> Result<Talk, Error> {
        urls.iter().for_each(|url| executor.add(url));
        let request = match lease.step(None) {
            Step::Send(request) => request,
            Step::Fail(error) => return Err(error),
            Step::Again(..) | Step::Done(_) => return Err(Error::new(Code::BadAnswer, "a lease without a request")),
        };
        let call = executor.call(now, u64::MAX);
        Ok(Talk { executor, urls: urls.to_vec(), call, request, node: NodeId(0), lease: Some(lease) })
    }

    /// One request to one node.
    pub(super) fn single(mut executor: Executor, url: &str, request: Request, now: u64) -> Talk {
        executor.add(url);
        let call = executor.call(now, u64::MAX);
        Talk { executor, urls: vec![url.to_owned()], call, request, node: NodeId(0), lease: None }
    }

    /// Goes on with what came.
    pub(super) fn step(&mut self, input: Input) -> Next {
        let Input { status, body, text, now, random } = input;
        match status {
            GO_ON => self.attempt(now),
            UNREACHABLE => self.failed(Error::new(Code::Unreachable, text.unwrap_or_default()), now, random),
            LATE => self.failed(Error::new(Code::Timeout, "the server did not answer in time"), now, random),
            _ if is_outage_status(status) => self.failed(server_error(&self.request, status, &body), now, random),
            _ => {
                self.executor.answered(&self.call, self.node);
                let answer = Answer { status, body, node: self.node, incarnation: text };
                self.go_on(Ok(answer), now, random)
            }
        }
    }

    fn attempt(&mut self, now: u64) -> Next {
        let attempt = self.executor.attempt(&self.call, &self.request, now);
        self.node = attempt.node;
        let (method, body) = (self.request.method.name(), self.request.body.clone());
        Next::Send(Sending { method, url: attempt.url, body, limit: attempt.limit })
    }

    fn failed(&mut self, error: Error, now: u64, random: u32) -> Next {
        let error = error.at(&self.request);
        // A write is sent once: what becomes of it is not guessed.
        if self.lease.is_none() {
            return Next::Over(Err(error));
        }
        match self.executor.failed(&mut self.call, &self.request, self.node, error, now, random) {
            Verdict::Again(0) => self.attempt(now),
            Verdict::Again(pause) => Next::Pause(pause),
            Verdict::Fail(error) => self.go_on(Err(error), now, random),
        }
    }

    fn go_on(&mut self, outcome: Result<Answer, Error>, now: u64, random: u32) -> Next {
        let Some(lease) = &mut self.lease else { return Next::Over(outcome.map(Outcome::Answered)) };
        match lease.step(Some(outcome)) {
            Step::Send(request) => {
                self.call.next();
                self.request = request;
                self.attempt(now)
            }
            Step::Again(request, error) => {
                let error = error.at(&self.request);
                self.request = request;
                match self.executor.contended(&mut self.call, error, now, random) {
                    Verdict::Again(pause) => Next::Pause(pause),
                    Verdict::Fail(error) => Next::Over(Err(error)),
                }
            }
            Step::Done(grant) => {
                let url = self.urls.get(grant.node.0 as usize).cloned().unwrap_or_default();
                Next::Over(Ok(Outcome::Granted(grant, url)))
            }
            Step::Fail(error) => Next::Over(Err(error.at(&self.request))),
        }
    }
}
