//! Where ranges come from: the trait that every source implements, and what a lease yields.
//!
//! A source does no I/O. A lease is an [`Exchange`]: it says what to send, gets the answer, and ends in a
//! [`Grant`] or an error. The same steps run in a browser, in a simulation and under a model checker.

pub mod server;

use alloc::string::String;

use crate::error::Error;
use crate::hilo::Range;
use crate::http::{Answer, NodeId, Request};

/// A range that a source granted, with everything that belongs to its numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grant {
    /// The numbers.
    pub range: Range,
    /// What stands before the number: `orders/`.
    pub prefix: String,
    /// Node tag that stands behind the number (`A` in `orders/1-A`); empty: nothing is appended.
    pub tag: String,
    /// Opaque proof that the counter is as this lease left it; without one the range is never returned.
    pub fence: Option<String>,
    /// The node that granted it: the only one to which the fence may go.
    pub node: NodeId,
    /// What the source wants to see at the next lease, verbatim.
    pub echo: Option<Echo>,
    /// The incarnation of the database that granted it, when the answer told.
    pub incarnation: Option<String>,
}

impl Grant {
    /// Whether the fence names exactly one node, the range's own tag.
    ///
    /// Only then may tails of several leases be merged under the newest fence: in a cluster two nodes may
    /// grant the same numbers under different tags while `Max` is shared.
    pub fn is_single_node(&self) -> bool {
        let Some(fence) = self.fence.as_deref() else { return false };
        // The change vector; of one that names several nodes the first, which a comma ends.
        let vector = fence.as_bytes().split(|byte| *byte == b' ').next().unwrap_or_default();
        let node = vector.strip_prefix(self.tag.as_bytes()).is_some_and(|rest| rest.starts_with(b":"));
        node && !vector.contains(&b',') && !vector.windows(4).any(|part| part == b"RAFT")
    }
}

/// The source's own words about the last lease: the server doubles or halves by them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Echo {
    /// Size of the last range.
    pub size: u64,
    /// The server's time stamp; seven fraction digits, never made by the client (other forms are ignored in silence).
    pub at: String,
}

/// How large a range to ask for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// The source decides, from what it said last time if there was a last time.
    Adaptive(Option<Echo>),
    /// This many, at least the source's minimum; up to 1,048,576.
    Exact(u64),
}

/// A wish for a range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ask {
    /// Name of the counter.
    pub tag: String,
    /// How many.
    pub size: Size,
    /// The range must start above this number; 0: wherever the source goes on.
    pub above: u64,
    /// Random, so that nothing on the way takes two leases for one.
    pub nonce: u64,
}

/// The unused end of a lease on its way back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Return {
    /// Name of the counter.
    pub tag: String,
    /// The fence that came with the lease.
    pub fence: String,
    /// The lease's highest number, which the counter must still show.
    pub high: u64,
    /// The highest number that stays used; at least low − 1 of the lease.
    pub last: u64,
}

/// What a source can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// Unused numbers can be given back.
    pub returnable: bool,
    /// A return carries a fence, so that a second delivery changes nothing.
    pub fenced: bool,
    /// Leases belong to a scope, so that numbers may be parked on the device.
    pub scoped: bool,
}

/// The next step of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// Send this and come back with the answer.
    Send(Request),
    /// It is done.
    Done(T),
    /// It failed.
    Fail(Error),
}

/// A conversation with a source, driven by whoever does the I/O.
pub trait Exchange {
    /// What the conversation ends in.
    type Output;

    /// Begins, or goes on with the answer to the last [`Step::Send`].
    ///
    /// An error here is one that the executor did not repeat: the exchange may know a way around it. Which request an
    /// error of the exchange belongs to is known to who sent it.
    fn step(&mut self, input: Option<Result<Answer, Error>>) -> Step<Self::Output>;
}

/// A place that grants ranges.
pub trait Source {
    /// The exchange of a lease.
    type Lease: Exchange<Output = Grant>;

    /// What this source can do.
    fn capabilities(&self) -> Capabilities;

    /// Asks for a range.
    fn lease(&self, ask: Ask) -> Self::Lease;

    /// The one request that gives back the ends of several leases, all granted by one node.
    fn give_back(&self, returns: &[Return], node: NodeId) -> Request;

    /// Whether the answer says that the return at this position was applied.
    fn applied(&self, answer: &Answer, position: usize) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_of_one_node() {
        for (fence, expected) in [
            ("A:7-x", true),
            ("A:7-x 2026-11-21T01:30:36.7546027Z", true),
            ("A:7-x RAFT,", true),
            ("B:7-x 2026-11-21T01:30:36.7546027Z", false),
            ("AB:7-x 2026-11-21T01:30:36.7546027Z", false),
            ("A:7-x, B:2-y 2026-11-21T01:30:36.7546027Z", false),
            ("A:7-x,B:2-y 2026-11-21T01:30:36.7546027Z", false),
            ("A:7-x, RAFT:3-y 2026-11-21T01:30:36.7546027Z", false),
            ("RAFT:3-y 2026-11-21T01:30:36.7546027Z", false),
            ("", false),
        ] {
            let grant = Grant {
                range: Range::new(1, 32).unwrap(),
                prefix: "orders/".into(),
                tag: "A".into(),
                fence: Some(fence.into()),
                node: NodeId(0),
                echo: None,
                incarnation: None,
            };
            assert_eq!(grant.is_single_node(), expected, "{fence}");
        }
    }
}
