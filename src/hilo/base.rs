//! What all tags of a store share: nodes, the source, the database, what is to go back.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::task::{Purpose, Task, Unfenced};
use crate::http::{Call, Conversation, Executor, NodeId, Request};
use crate::pool::Presence;
use crate::source::{AnyExchange, AnySource, Capabilities, Expects, Return, Single, Source};

/// How long a store that ends tries to give back what is unused, in milliseconds: an app that ends must not hang on a server
/// that is gone.
const RETURN_TIMEOUT: u64 = 5_000;

/// What all tags of a store share.
pub(super) struct Base {
    pub(super) executor: Executor,
    pub(super) source: AnySource,
    pub(super) capabilities: Capabilities,
    /// Without a device it never begins.
    pub(super) presence: Presence,
    pub(super) isolated: bool,
    /// The database's incarnation, as the last response told it.
    pub(super) incarnation: Option<String>,
    /// What has left memory and is to be sent, per node.
    pub(super) returns: Vec<(NodeId, Return)>,
    /// Numbers that wait for a fence.
    pub(super) unfenced: Vec<Unfenced>,
}

impl Base {
    /// Whether the numbers come from counters of the database, and are void when it is another one.
    pub(super) fn has_counters(&self) -> bool {
        self.source.counters().is_some()
    }

    /// A single request.
    pub(super) fn sends(&self, purpose: Purpose, request: Box<Request>, expects: Expects, call: Call) -> Task {
        Task::sends(purpose, Conversation::new(AnyExchange::Single(Single::new(request, expects)), call))
    }

    /// The next request that gives back what is unused, one per node for all tags. `name`: of a tag.
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
