//! State that all tags of a store share: nodes, the source, the database's incarnation, pending returns.

use alloc::vec::Vec;

use super::task::{Purpose, Task, Unfenced};
use super::{Return, Source};
use crate::http::{Call, Conversation, Executor, NodeId, Repeat, Rule};
use crate::pool::{self, Presence};

/// Time limit of returning unused numbers when a store ends, in milliseconds: an app that exits must not hang if the server is
/// unreachable.
const RETURN_TIMEOUT: u64 = 5_000;

/// State that all tags of a store share.
pub(super) struct SharedState {
    pub(super) executor: Executor,
    pub(super) source: Source,
    /// Stays unused without a device.
    pub(super) presence: Presence,
    pub(super) isolated: bool,
    /// The database's incarnation according to the last response; 0: none is known.
    pub(super) incarnation: u32,
    /// Returns that have left memory and are not sent yet, with the node that each must go to.
    pub(super) returns: Vec<(NodeId, Return)>,
    /// Numbers whose return waits for a fence.
    pub(super) unfenced: Vec<Unfenced>,
}

impl SharedState {
    /// Whether no task may outlive its request or wait for another one. Modules without a pool are those of Workers.
    pub(super) fn isolated(&self) -> bool {
        !pool::PRESENT || self.isolated
    }

    /// The task of requests with this rule for the first one.
    pub(super) fn sends(&self, purpose: Purpose, rule: Rule, call: Call) -> Task {
        Task { purpose, conversation: Some(Conversation::new(call, rule)) }
    }

    /// The rule of a read or lease: a lost response is only a gap in the numbers.
    pub(super) fn of_source(&self) -> Rule {
        Rule { repeat: Repeat::Anywhere, node: self.source.home }
    }

    /// The next request that returns unused numbers, one per node for all tags.
    pub(super) fn give_back(&mut self, millis: u64) -> Option<Task> {
        let call = self.executor.call(millis, RETURN_TIMEOUT);
        let unfenced = core::mem::take(&mut self.unfenced);
        if !unfenced.is_empty() && self.source.counters {
            return Some(self.sends(Purpose::Fences(unfenced), self.of_source(), call));
        }
        let node = self.returns.first()?.0;
        let mut items = Vec::new();
        while let Some(at) = self.returns.iter().position(|(of, _)| *of == node) {
            items.push(self.returns.swap_remove(at).1);
            // Without fences each range is returned by a request of its own.
            if !self.source.fenced {
                break;
            }
        }
        // A second delivery under a fence changes nothing. Without one it would return numbers that another client may have leased by
        // then.
        let repeat = if self.source.fenced { Repeat::SameNode } else { Repeat::Never };
        Some(self.sends(Purpose::Return(items), Rule { repeat, node: Some(node) }, call))
    }
}
