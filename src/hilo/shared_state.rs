//! State that all tags of a store share: nodes, the source, the database's incarnation, pending returns.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::task::{Purpose, Task, Unfenced};
use crate::http::{Call, Conversation, Executor, NodeId, Request};
use crate::pool::{self, Presence};
use crate::source::{AnyExchange, AnySource, Capabilities, Expects, Return, Single, Source};

/// Time limit of returning unused numbers when a store ends, in milliseconds: an app that exits must not hang if the server is
/// unreachable.
const RETURN_TIMEOUT: u64 = 5_000;

/// State that all tags of a store share.
pub(super) struct SharedState {
    pub(super) executor: Executor,
    pub(super) source: AnySource,
    pub(super) capabilities: Capabilities,
    /// Stays unused without a device.
    pub(super) presence: Presence,
    pub(super) isolated: bool,
    /// The database's incarnation according to the last response.
    pub(super) incarnation: Option<String>,
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

    /// Whether the numbers come from counters of the database, so that they are void when the database is replaced.
    pub(super) fn has_counters(&self) -> bool {
        self.source.counters().is_some()
    }

    /// The task of a single request.
    pub(super) fn sends(&self, purpose: Purpose, request: Box<Request>, expects: Expects, call: Call) -> Task {
        Task::sends(purpose, Conversation::new(AnyExchange::Single(Single::new(request, expects)), call))
    }

    /// The next request that returns unused numbers, one per node for all tags. `name` maps a tag's number to its name.
    pub(super) fn give_back(&mut self, millis: u64, name: impl Fn(u32) -> String) -> Option<Task> {
        let call = self.executor.call(millis, RETURN_TIMEOUT);
        let unfenced = core::mem::take(&mut self.unfenced);
        if let (false, Some(counters)) = (unfenced.is_empty(), self.source.counters()) {
            let request = counters.read(unfenced.iter().map(|item| name(item.tag)));
            return Some(self.sends(Purpose::Fences(unfenced), request, Expects::Status(200), call));
        }
        let node = self.returns.first()?.0;
        let mut items = Vec::new();
        while let Some(at) = self.returns.iter().position(|(of, _)| *of == node) {
            items.push(self.returns.swap_remove(at).1);
            // Without fences each range is returned by a request of its own.
            if !self.capabilities.fenced {
                break;
            }
        }
        let request = self.source.give_back(&items, node);
        Some(self.sends(Purpose::Return(items), request, Expects::Status(201), call))
    }
}
