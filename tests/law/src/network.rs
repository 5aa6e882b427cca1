//! Pending messages between clients and server. A message is lost if its step is never taken.

use crate::document::Attempt;
use crate::ids::Ids;
use crate::server::{Reading, Vector};
use raven_edge::hilo::Range;

/// A granted range in flight to its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Granted {
    pub(crate) range: Range,
    pub(crate) node: u32,
    pub(crate) incarnation: u8,
    /// The whole lease, for numbers that are parked with its token.
    pub(crate) lease: Option<Range>,
}

impl Granted {
    pub(crate) fn ids(self) -> Ids {
        Ids::of(self.node, self.range)
    }
}

/// The progress of an exchange between a client and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Leg {
    /// The `multi_get` of a lease, not received yet.
    Lease { above: u64 },
    /// The server has executed `hilo/next` and has not read the document yet.
    Leased { granted: Granted },
    /// The response: with a fence if the document still had `Max` = high.
    Grant { granted: Granted, fence: Option<Vector>, single: bool },
    /// The read of a lease of the source `document`, not received yet.
    Wanted { above: u64 },
    /// Its response.
    Found { attempt: Attempt, incarnation: u8 },
    /// The write that follows, not received yet.
    Put { attempt: Attempt },
    /// Its response: the new change vector, or a refusal.
    Written { attempt: Attempt, vector: Option<Vector>, incarnation: u8 },
    /// A read of the counter document for numbers of this node.
    Read { owner: u32 },
    /// Its response, from this node.
    Document { reading: Reading, node: u32, incarnation: u8 },
}

/// A request of a client, or its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Exchange {
    pub(crate) client: usize,
    pub(crate) request: u32,
    /// The incarnation that responses had reported when it was sent.
    pub(crate) under: Option<u8>,
    pub(crate) leg: Leg,
}

/// A return. It may be delivered any number of times, as long as a delivery can have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Return {
    pub(crate) node: u32,
    /// The node tag of the numbers.
    pub(crate) owner: u32,
    pub(crate) fence: Vector,
    pub(crate) high: u64,
    pub(crate) last: u64,
    /// Remaining deliveries, if the server does not check the fence.
    pub(crate) copies: u8,
}

impl Return {
    /// The numbers that the server gets back.
    pub(crate) fn ids(self) -> Ids {
        Ids::run(self.owner, self.last + 1, self.high)
    }
}

/// All pending messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Network {
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) returns: Vec<Return>,
    /// Writes of leases that their clients have abandoned.
    pub(crate) abandoned: Vec<Attempt>,
}

impl Network {
    /// The response is abandoned. A write that has not been received yet can still arrive.
    pub(crate) fn abandon(&mut self, leg: Leg) {
        if let Leg::Put { attempt } = leg {
            self.abandoned.push(attempt);
        }
    }
}
