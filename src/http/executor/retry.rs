//! Decides whether a request is retried after a failure: on another node, after a pause, or not at all.

use super::{Call, Executor, NodeId};
use crate::error::{Code, Error};
use crate::http::{Repeat, Request};

/// The pause in milliseconds after the first round that failed. It doubles with each round, up to [`MAX_PAUSE_MS`].
const FIRST_PAUSE_MS: u64 = 100;
/// The pause in milliseconds after the first conflict with another client. That client's write has finished already, so it is
/// shorter than the pause after an outage.
const FIRST_CONFLICT_PAUSE_MS: u64 = 10;
/// The longest pause between two rounds, in milliseconds. At most this long after the server is up again, the client sends the next
/// request.
pub(super) const MAX_PAUSE_MS: u64 = 2_000;

/// What to do after a failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Call [`Executor::attempt`] again after this many milliseconds.
    Again(u64),
    /// Report this error to the caller.
    Fail(Error),
}

impl Executor {
    /// Decides what follows a failed attempt: another attempt, at once or after a pause, or an error. `random` is any number; it
    /// varies the length of the pause.
    pub fn failed(
        &mut self,
        call: &mut Call,
        request: &Request,
        node: NodeId,
        mut error: Error,
        now: u64,
        random: u32,
    ) -> Verdict {
        // Reset after each attempt: that this one sent nothing says nothing about the next one.
        let unsent = core::mem::take(&mut call.unsent);
        if !error.is_outage() {
            return Verdict::Fail(error);
        }
        error.unsent = unsent && error.code == Code::Unreachable;
        call.broken |= error.code == Code::Unreachable && !unsent;
        call.tried.push(node);
        let mut elsewhere = request.is_for_any_node();
        if request.repeat == Repeat::Never && request.node.is_none() {
            self.leave(node);
            elsewhere = unsent;
        }
        if elsewhere && self.untried(call) > 0 {
            return Verdict::Again(0);
        }
        match request.repeat {
            Repeat::Never => Verdict::Fail(error),
            Repeat::EachNode => second_round(call, error, now),
            Repeat::Anywhere | Repeat::SameNode => pause(call, FIRST_PAUSE_MS, error, now, random),
        }
    }

    /// Decides what follows a conflict with another client: a retry after a pause, or `error` if no time is left.
    pub fn contended(&self, call: &mut Call, error: Error, now: u64, random: u32) -> Verdict {
        pause(call, FIRST_CONFLICT_PAUSE_MS, error, now, random)
    }
}

/// Decides what follows when every node was tried once: if a connection broke and no second round was made, a second round begins
/// at once. Otherwise `error` is reported.
fn second_round(call: &mut Call, error: Error, now: u64) -> Verdict {
    if !call.broken || call.round > 0 || now >= call.deadline {
        return Verdict::Fail(error);
    }
    call.next();
    call.round = 1;
    Verdict::Again(0)
}

/// Ends a round: the next one begins after a pause, which doubles with each round, starting from `first`, and is shortened at random by
/// up to a half. Reports `error` if the pause would end after the deadline; the time for which the server was asked to wait
/// (`Call::wait`) does not count for the deadline here.
fn pause(call: &mut Call, first: u64, error: Error, now: u64, random: u32) -> Verdict {
    call.next();
    let pause = (first << call.round.min(8)).min(MAX_PAUSE_MS);
    call.round += 1;
    let jittered = pause / 2 + u64::from(random) % (pause / 2 + 1);
    if now.saturating_add(jittered) >= call.deadline.saturating_sub(call.wait) {
        return Verdict::Fail(error);
    }
    Verdict::Again(jittered)
}
