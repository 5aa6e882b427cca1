//! Decides whether a request is retried after a failure: on another node, after a pause, or not at all.

use super::{Call, Executor, NodeId};
use crate::http::{Repeat, Rule};

/// The pause in milliseconds after the first round that failed. It doubles with each round, up to [`MAX_PAUSE_MS`].
const FIRST_PAUSE_MS: u64 = 100;
/// The pause in milliseconds after the first conflict with another client. That client's write has finished already, so it is
/// shorter than the pause after an outage.
const FIRST_CONFLICT_PAUSE_MS: u64 = 10;
/// The longest pause between two rounds, in milliseconds. At most this long after the server is up again, the client sends the next
/// request.
pub(super) const MAX_PAUSE_MS: u64 = 2_000;

/// What to do after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Call [`Executor::attempt`] again after this many milliseconds.
    Again(u64),
    /// Report the failure to the caller.
    Fail,
}

impl Executor {
    /// Decides what follows an attempt that met an outage: another attempt, at once or after a pause, or a failure. `broken`: the
    /// connection broke. `random` is any number; it varies the length of the pause.
    pub fn failed(
        &mut self,
        call: &mut Call,
        rule: Rule,
        node: NodeId,
        broken: bool,
        now: u64,
        random: u32,
    ) -> Verdict {
        // Reset after each attempt: that this one sent nothing says nothing about the next one.
        let unsent = core::mem::take(&mut call.unsent);
        call.broken |= broken && !unsent;
        call.tried.push(node);
        let mut elsewhere = rule.is_for_any_node();
        if rule.repeat == Repeat::Never && rule.node.is_none() {
            self.leave(node);
            elsewhere = unsent;
        }
        if elsewhere && self.untried(call) > 0 {
            return Verdict::Again(0);
        }
        match rule.repeat {
            Repeat::Never => Verdict::Fail,
            Repeat::EachNode => second_round(call, now),
            Repeat::Anywhere | Repeat::SameNode => pause(call, FIRST_PAUSE_MS, now, random),
        }
    }

    /// Decides what follows a conflict with another client: a retry after a pause, or a failure if no time is left.
    pub fn contended(&self, call: &mut Call, now: u64, random: u32) -> Verdict {
        pause(call, FIRST_CONFLICT_PAUSE_MS, now, random)
    }
}

/// Decides what follows when every node was tried once: if a connection broke and no second round was made, a second round begins
/// at once. Otherwise the request fails.
fn second_round(call: &mut Call, now: u64) -> Verdict {
    if !call.broken || call.round > 0 || now >= call.deadline {
        return Verdict::Fail;
    }
    call.next();
    call.round = 1;
    Verdict::Again(0)
}

/// Ends a round: the next one begins after a pause, which doubles with each round, starting from `first`, and is shortened at random by
/// up to a half. Fails if the pause would end after the deadline; the time for which the server was asked to wait (`Call::wait`) does
/// not count for the deadline here.
fn pause(call: &mut Call, first: u64, now: u64, random: u32) -> Verdict {
    call.next();
    let pause = (first << call.round.min(8)).min(MAX_PAUSE_MS);
    call.round += 1;
    let jittered = pause / 2 + u64::from(random) % (pause / 2 + 1);
    if now.saturating_add(jittered) >= call.deadline.saturating_sub(call.wait) {
        return Verdict::Fail;
    }
    Verdict::Again(jittered)
}
