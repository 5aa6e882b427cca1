//! The loop of request, response, retry and next request, until an exchange ends.
//!
//! The caller sends, waits, and reports the result of each step. The package, the lease hub and the simulation drive the same code;
//! what is sent, and what a response means, they know themselves.

use super::{Attempt, Call, Executor, NodeId, Rule, Verdict};

/// The result of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Report {
    /// Nothing was sent yet, or the pause is over.
    Proceed,
    /// No response arrived.
    Unreachable,
    /// No response arrived, and it is known that nothing was sent.
    Unsent,
    /// No response arrived within [`Attempt::limit`].
    Late,
    /// The status of the response means an outage.
    Outage,
    /// The status of the response means an outage, and it is known that the node has not carried out the request.
    Gone,
    /// The response leads to another request.
    Send(Rule),
    /// Another client was faster, or the outcome is unknown: this request follows after a pause.
    Again(Rule),
    /// The response is an error.
    Refused,
    /// The response is the result.
    Done,
}

/// What the caller does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// Send the request to this node.
    Send(Attempt),
    /// Wait for this many milliseconds.
    Pause(u64),
    /// The exchange has ended.
    Done,
    /// The exchange has failed, unless it has an alternative to a request that met an outage: [`Report::Again`].
    Fail,
}

/// An exchange with one time limit for all its requests.
#[derive(Clone, Debug)]
pub struct Conversation {
    call: Call,
    rule: Rule,
    /// The node that the last attempt went to.
    node: NodeId,
    /// Whether the last attempt met an outage, and is not retried.
    failed: bool,
}

impl Conversation {
    /// Begins an exchange; `call` contains the time limit, `rule` is that of the first request.
    pub fn new(call: Call, rule: Rule) -> Conversation {
        Conversation { call, rule, node: NodeId(0), failed: false }
    }

    /// The node that the last attempt went to.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Advances the exchange with the result of the last step. `now` in milliseconds; `random`: any number, for the jitter of a pause.
    pub fn step(&mut self, executor: &mut Executor, report: Report, now: u64, random: u32) -> Next {
        let failed = core::mem::take(&mut self.failed);
        if matches!(report, Report::Send(_) | Report::Again(_) | Report::Refused | Report::Done) && !failed {
            executor.responded(&self.call, self.node);
        }
        let verdict = match report {
            Report::Proceed => Verdict::Again(0),
            Report::Done => return Next::Done,
            Report::Refused => return Next::Fail,
            Report::Send(rule) => {
                // All requests of an exchange share its time limit.
                self.call.next();
                self.rule = rule;
                Verdict::Again(0)
            }
            Report::Again(rule) => {
                self.rule = rule;
                match executor.contended(&mut self.call, now, random) {
                    Verdict::Again(pause) => return Next::Pause(pause),
                    Verdict::Fail => return Next::Fail,
                }
            }
            Report::Unreachable | Report::Unsent | Report::Late | Report::Outage | Report::Gone => {
                if matches!(report, Report::Unsent | Report::Gone) {
                    self.call.unsent();
                }
                let broken = matches!(report, Report::Unreachable | Report::Unsent);
                executor.failed(&mut self.call, self.rule, self.node, broken, now, random)
            }
        };
        match verdict {
            Verdict::Again(0) => {
                let attempt = executor.attempt(&self.call, self.rule, now);
                self.node = attempt.node;
                Next::Send(attempt)
            }
            Verdict::Again(pause) => Next::Pause(pause),
            Verdict::Fail => {
                self.failed = true;
                Next::Fail
            }
        }
    }
}
