//! What is on its way between clients and server. A message that never arrives is one whose step is never taken.

use crate::document::Attempt;
use crate::ids::Ids;
use crate::server::{Reading, Vector};
use raven_edge::hilo::Range;

/// A granted range on its way to who asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Granted {
    pub(crate) range: Range,
    pub(crate) node: u32,
    pub(crate) incarnation: u8,
}

impl Granted {
    pub(crate) fn ids(self) -> Ids {
        Ids::of(self.node, self.range)
    }
}

/// How far an exchange between a client and the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Leg {
    /// `multi_get` of a lease, not there yet.
    Lease { above: u64 },
    /// The server has executed `hilo/next` of it and has yet to read the document.
    Leased { granted: Granted },
    /// The answer: a fence if the document still said `Max` = high.
    Grant { granted: Granted, fence: Option<Vector>, single: bool },
    /// The read of a lease by the source `document`, not there yet.
    Wanted { above: u64 },
    /// Its answer.
    Found { attempt: Attempt, incarnation: u8 },
    /// The write that follows, not there yet.
    Put { attempt: Attempt },
    /// Its answer: the new change vector, or that the write was refused.
    Written { attempt: Attempt, vector: Option<Vector>, incarnation: u8 },
    /// The counter document is asked for, on behalf of numbers of this node.
    Read { owner: u32 },
    /// Its answer, from this node.
    Document { reading: Reading, node: u32, incarnation: u8 },
}

/// A client's request or the answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Exchange {
    pub(crate) client: usize,
    pub(crate) request: u32,
    /// The incarnation that answers had told when it was sent.
    pub(crate) under: Option<u8>,
    pub(crate) leg: Leg,
}

/// A return. It is delivered any number of times, for as long as a delivery can have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Return {
    pub(crate) node: u32,
    /// Whose tag the numbers carry.
    pub(crate) owner: u32,
    pub(crate) fence: Vector,
    pub(crate) high: u64,
    pub(crate) last: u64,
    /// Deliveries left, where the server does not look at the fence.
    pub(crate) copies: u8,
}

impl Return {
    /// What becomes the server's again.
    pub(crate) fn ids(self) -> Ids {
        Ids::run(self.owner, self.last + 1, self.high)
    }
}

/// Everything on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Network {
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) returns: Vec<Return>,
    /// Writes of leases whose clients do not wait any more.
    pub(crate) forsaken: Vec<Attempt>,
}

impl Network {
    /// Nobody waits for an answer any more: of a write that is not there yet nothing calls back the message.
    pub(crate) fn forsake(&mut self, leg: Leg) {
        if let Leg::Put { attempt } = leg {
            self.forsaken.push(attempt);
        }
    }
}
