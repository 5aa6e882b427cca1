//! What a hub knows and holds.

use raven_edge::hilo::Range;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The facts of a hub; one row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Book {
    /// The database whose counter this is.
    pub(super) database: String,
    /// The counter's name.
    pub(super) tag: String,
    /// What the numbers come from, as the configuration says it: numbers of another source are other numbers.
    pub(super) source: String,
    /// The database's incarnation, as the last grant told it.
    pub(super) incarnation: Option<String>,
    /// Somebody's word of another incarnation that turned out not to be so.
    pub(super) refuted: Option<String>,
    /// By node tag the highest number that this hub holds or has lent; a grant has to lie above it.
    pub(super) marks: BTreeMap<String, u64>,
    /// By node tag the highest number that may be with somebody: above it all that is held was never lent.
    pub(super) tops: BTreeMap<String, u64>,
    /// The time that the last loan was given, in ticks: no two have the same.
    pub(super) last_at: u64,
    /// How many ranges the source has granted.
    pub(super) grants: u64,
    /// How many loans there were.
    pub(super) loans: u64,
    /// The size of the last range from the source, and when it came (milliseconds since 1970).
    pub(super) size: u64,
    /// When the last range came.
    pub(super) granted_at: u64,
    /// When the last loan was made.
    pub(super) lent_at: u64,
}

/// A range as the source granted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    /// Its place in the order of grants.
    pub(super) id: u64,
    /// Its highest number.
    pub(super) high: u64,
    /// The node tag of its numbers.
    pub(super) tag: String,
    /// Under which its end can go back; none once that was tried.
    pub(super) fence: Option<String>,
    /// The address of the node that granted it: the only one that may get the fence.
    pub(super) url: String,
}

/// Numbers that the hub holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// The grant that they come from.
    pub(super) grant: u64,
    /// The numbers.
    pub(super) range: Range,
}

/// Numbers that a client has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loan {
    /// Its place in the order of loans.
    pub(super) id: u64,
    /// Known to the client alone: whoever gives the loan's end back has to say it. None once that was done.
    pub(super) secret: Option<String>,
    /// The grant that they come from.
    pub(super) grant: u64,
    /// The lowest number.
    pub(super) low: u64,
    /// The highest number that the client still has, `low` − 1 where it has given back all.
    pub(super) high: u64,
    /// When it was made, in ticks: the client says it when it comes again.
    pub(super) at: u64,
}
