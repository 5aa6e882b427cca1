//! What a lease asks for and what it grants, as numbers. The host has the texts that belong to them (prefixes, node tags, fences,
//! timestamps, incarnations), and gives each a number.

use super::Range;
use crate::http::NodeId;
use crate::pool::Token;
use crate::protocol::source as kind;

/// The only node of the source `document`: the store's first address.
const HOME: NodeId = NodeId(0);

/// Stands for the app, which is not a node of the server.
const APP: NodeId = NodeId(u32::MAX);

/// The incarnation of numbers that do not belong to a database, because a function of the app grants them. It never changes.
pub const NO_DATABASE: u32 = 1;

/// A range granted by a source, with everything that belongs to its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grant {
    /// The numbers.
    pub range: Range,
    /// What surrounds a number in an id: the host's number for prefix and node tag, as they are spelled.
    pub affixes: u32,
    /// The host's number for the node tag, which is the same for all spellings of it.
    pub node_tag: u32,
    /// The host's number for the texts of this lease: its fence, and what the next lease must repeat. They grow with time; a sealed fence
    /// that came from the device may have got its number earlier. 0: none.
    pub texts: u32,
    /// Whether there is a fence: the state in which this lease left its counter document. A return carries it and is applied only in
    /// that state. Without a fence the range is never returned.
    pub fenced: bool,
    /// Whether the fence is a text that only a gateway can read. Then it is parked with the numbers.
    pub sealed: bool,
    /// Whether the fence names exactly one node, and that is the range's own tag.
    pub single_node: bool,
    /// The node that granted it: the only one to which the fence may be sent.
    pub node: NodeId,
    /// The incarnation of the database that granted it; 0: the response reported none.
    pub incarnation: u32,
}

impl Grant {
    /// What to park with numbers of the range, if a gateway has granted it.
    pub fn token(&self) -> Option<Token> {
        self.sealed.then_some(Token { lease: self.range, text: self.texts })
    }
}

/// What the source reported about the last lease: its size, and the number of its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Echo {
    /// The size of the last range.
    pub size: u64,
    /// The number of the lease's texts.
    pub texts: u32,
}

/// How large a range to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// The source decides; from what it reported about the last lease, if there was one.
    Adaptive(Option<Echo>),
    /// This many, 1 to 1,048,576.
    Exact(u64),
}

/// A request for a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ask {
    /// The number of the tag.
    pub tag: u32,
    /// The size.
    pub size: Size,
    /// The range must start above this number; 0: anywhere.
    pub above: u64,
    /// The texts of a lease that reached `above` and had a fence: a gateway requires it to let a client advance a counter. 0: none.
    pub proof: u32,
    /// The database's incarnation that the client knows; 0: none. A lease hub that knows another one asks RavenDB before it lends
    /// numbers.
    pub incarnation: u32,
    /// A random number, so that no cache or proxy coalesces two leases.
    pub nonce: u64,
    /// The texts of the tag's leases below this number are not needed any more.
    pub oldest_texts: u32,
}

/// The return of a lease's unused end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Return {
    /// The number of the tag.
    pub tag: u32,
    /// The texts of the lease, which contain its fence.
    pub texts: u32,
    /// The lease's highest number, which must still be `Max` of the counter.
    pub high: u64,
    /// The highest number that stays used: at least low − 1 of the lease.
    pub last: u64,
}

/// The state of a counter document that was read to get a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CounterState {
    /// `Max`.
    pub max: u64,
    /// The number of the texts with the fence.
    pub texts: u32,
    /// As in [`Grant`], for the numbers whose return waits for the fence.
    pub single_node: bool,
}

/// What a source of ranges can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Whether unused numbers can be returned.
    pub returnable: bool,
    /// Whether returns carry a fence, so that a second delivery changes nothing.
    pub fenced: bool,
    /// Whether leases belong to a scope, so that numbers may be parked on the device.
    pub scoped: bool,
    /// Whether the numbers come from counters of the database, so that they are void when the database is replaced.
    pub counters: bool,
    /// The only node that leases; `None`: any.
    pub home: Option<NodeId>,
}

impl Source {
    /// A source of this kind, one of [`source`](crate::protocol::source). For a function of the app: whether it takes back unused numbers
    /// (`releasable`), and whether its numbers have a name of their own on the device (`scoped`).
    pub fn new(of: u8, releasable: bool, scoped: bool) -> Source {
        let own = matches!(of, kind::OWN | kind::CLASSIC);
        let home = match of {
            kind::SERVER => None,
            kind::DOCUMENT => Some(HOME),
            _ => Some(APP),
        };
        Source {
            returnable: !own || of == kind::OWN && releasable,
            fenced: !own,
            scoped: !own || scoped,
            counters: !own,
            home,
        }
    }
}
