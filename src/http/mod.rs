//! Requests: the executor decides which node gets a request, and whether it is retried. Nodes are numbers here, and what a request or a
//! response says stays with the host, which sends what [`Executor::attempt`] returns and reports what came back.
//!
//! With the feature `texts` also the requests and responses themselves, for hosts in Rust: see [`crate::texts`].

mod conversation;
mod executor;
#[cfg(feature = "texts")]
mod message;
mod outage;
#[cfg(feature = "texts")]
mod path;
#[cfg(feature = "texts")]
mod server_error;

pub use conversation::{Conversation, Next, Report};
pub use executor::{Attempt, Call, Executor, NodeId, Verdict};
#[cfg(feature = "texts")]
pub use message::{Method, Request, Response};
pub use outage::{GONE, is_outage_status};
#[cfg(feature = "texts")]
pub use path::push_encoded;
#[cfg(feature = "texts")]
pub use server_error::{describe, server_error};

/// Whether a request may be sent again after its response was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repeat {
    /// To any node, until the time limit. For leases: a lost response is only a gap in the numbers, and callers wait for ids.
    Anywhere,
    /// Once to each node, then the caller gets the error. For reads. After a broken connection each node is tried a second time: the
    /// server may close a kept-alive connection at the moment it is reused.
    EachNode,
    /// The same bytes to the same node. For fenced writes: a second delivery changes nothing.
    SameNode,
    /// Never. For everything else: a lost response is reported to the caller.
    Never,
}

/// How a request may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// Whether it may be retried.
    pub repeat: Repeat,
    /// The only node that may receive it; `None`: any.
    pub node: Option<NodeId>,
}

impl Rule {
    /// The rule of requests that any node may receive.
    pub fn anywhere(repeat: Repeat) -> Rule {
        Rule { repeat, node: None }
    }

    /// Whether the request may go to another node after this one failed, even if it may have arrived here.
    fn is_for_any_node(self) -> bool {
        matches!(self.repeat, Repeat::Anywhere | Repeat::EachNode) && self.node.is_none()
    }
}
