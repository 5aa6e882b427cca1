//! Decides which node gets a request, and how long it may take.

mod retry;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use super::Rule;
pub use retry::Verdict;

/// The longest time that a timer of the platform supports, in milliseconds. A longer one would fire at once.
const MAX_TIMER_MS: u64 = i32::MAX as u64;

/// Identifies a node for the lifetime of the store, across changes of the topology. The host numbers the addresses that it learns.
///
/// A fence is valid only on the node that granted the lease, so an id must never come to mean another server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// The state of a conversation, that is, of all requests of one exchange: its deadline, and the nodes that failed.
#[derive(Clone, Debug)]
pub struct Call {
    /// In milliseconds, on the clock of `now`.
    deadline: u64,
    /// The part of the time limit for which the server was asked to wait, in milliseconds.
    wait: u64,
    /// The nodes that failed since the round or the request began.
    tried: Vec<NodeId>,
    /// Number of rounds that have ended: in a round each node gets the request at most once.
    round: u32,
    /// The node to begin with, instead of the current one.
    first: Option<NodeId>,
    /// Whether the last attempt certainly sent nothing.
    unsent: bool,
    /// Whether in any attempt the connection broke after the request may have arrived.
    broken: bool,
}

impl Call {
    /// Extends the time limit by `wait` milliseconds, for which the server was asked to wait.
    pub fn extend(&mut self, wait: u64) {
        self.wait = wait;
        self.deadline = self.deadline.saturating_add(wait);
    }

    /// Begins the next request of the conversation: the deadline stays, and nodes that failed before may be tried again.
    pub fn next(&mut self) {
        self.tried.clear();
    }

    /// The last attempt sent nothing, so even a request that must not arrive twice may go to another node.
    pub fn unsent(&mut self) {
        self.unsent = true;
    }
}

/// One attempt to send a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// The node it goes to.
    pub node: NodeId,
    /// Time limit in milliseconds.
    pub limit: u64,
}

/// The nodes of a database, and the one in use.
#[derive(Clone, Debug)]
pub struct Executor {
    /// The nodes to use, in order of preference, after the current one.
    nodes: Vec<NodeId>,
    current: NodeId,
    timeout: u64,
}

impl Executor {
    /// An executor with a time limit in milliseconds. [`Executor::add`] adds its nodes.
    pub fn new(timeout: u64) -> Executor {
        Executor { nodes: Vec::new(), current: NodeId(0), timeout }
    }

    /// Adds a node after the known ones.
    pub fn add(&mut self, node: NodeId) {
        if !self.nodes.contains(&node) {
            self.nodes.push(node);
        }
    }

    /// Begins a conversation with a deadline of at most `limit` milliseconds from `now`.
    pub fn call(&self, now: u64, limit: u64) -> Call {
        Call {
            deadline: now.saturating_add(limit.min(self.timeout)),
            wait: 0,
            tried: Vec::new(),
            round: 0,
            first: None,
            unsent: false,
            broken: false,
        }
    }

    /// Lets a read begin with the node whose turn it is (`readBalanceBehavior: "RoundRobin"`).
    pub fn spread(&self, call: &mut Call, turn: u32) {
        call.first = self.nodes.get((turn as usize).checked_rem(self.nodes.len()).unwrap_or_default()).copied();
    }

    /// The next attempt: node and time limit.
    pub fn attempt(&self, call: &Call, rule: Rule, now: u64) -> Attempt {
        let node = rule.node.unwrap_or_else(|| self.choose(call));
        let left = call.deadline.saturating_sub(now);
        // If other nodes remain, one that hangs must not use up the whole time limit.
        let others = self.untried(call) > usize::from(self.nodes.contains(&node));
        let elsewhere = rule.is_for_any_node() && others;
        let limit = if elsewhere { left - left.saturating_sub(call.wait) / 2 } else { left };
        Attempt { node, limit: limit.clamp(1, MAX_TIMER_MS) }
    }

    fn choose(&self, call: &Call) -> NodeId {
        let preferred = call.first.unwrap_or(self.current);
        if !call.tried.contains(&preferred) {
            return preferred;
        }
        self.nodes.iter().copied().find(|node| !call.tried.contains(node)).unwrap_or(self.current)
    }

    fn untried(&self, call: &Call) -> usize {
        self.nodes.iter().filter(|node| !call.tried.contains(node)).count()
    }

    /// Makes the node that responded the current one, unless reads are spread over the nodes in turn ([`Executor::spread`]).
    pub fn responded(&mut self, call: &Call, node: NodeId) {
        if call.first.is_none() && self.nodes.contains(&node) {
            self.current = node;
        }
    }

    /// Makes the next request begin with another node. Called for a request that is not retried: the app may send it again.
    fn leave(&mut self, node: NodeId) {
        // A node that a newer topology no longer contains has no position: take the first one.
        let after = self.nodes.iter().position(|known| *known == node).map_or(0, |at| at + 1);
        if let Some(next) = self.nodes.get(after).or(self.nodes.first()).filter(|_| node == self.current) {
            self.current = *next;
        }
    }

    /// Begins a newer topology. The caller then adds its nodes in order, and last the app's own addresses. The current node stays in
    /// use while it responds: behind a proxy or in a container, the addresses in the topology may be unreachable.
    pub fn begin_topology(&mut self) {
        self.nodes.clear();
    }
}
