//! What happens to a ledger and what it wants done: integers only, so that a model checker runs it as it is.

use super::Range;

/// A range with the facts that the ledger decides by; texts (prefix, fence) stay with the driver under `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The driver's number for the grant.
    pub id: u32,
    /// The whole range as granted.
    pub range: Range,
    /// Which node tag the numbers carry: the same number under two tags is two ids.
    pub node: u32,
    /// Whether the range came with a fence; without one it is never returned.
    pub fenced: bool,
    /// Whether the fence also covers older tails that end where this lease begins.
    pub merges: bool,
}

/// Something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The counter has used up its block. With `low_water` or fewer numbers left a lease is asked for ahead of need.
    Dry {
        /// How many numbers the next round trips will use up.
        low_water: u64,
    },
    /// Callers want more numbers than are at hand. On workerd each request is a `group` of its own; elsewhere all are
    /// group 0.
    Wanted {
        /// Who waits.
        group: u32,
    },
    /// A lease was granted.
    Granted {
        /// The number given in [`Effect::Lease`].
        request: u32,
        /// What was granted.
        lease: Lease,
        /// As in [`Event::Dry`].
        low_water: u64,
    },
    /// A lease will not come: refused, or given up.
    Failed {
        /// The number given in [`Effect::Lease`].
        request: u32,
    },
    /// The counter was emptied: `next` is the first number that it did not issue.
    Surrendered {
        /// The first number not issued.
        next: u64,
    },
    /// Nothing more may be issued; leases on their way are still taken in, to be returned.
    Closing,
    /// Everything in memory goes back. The counter must be empty and has to have reported so.
    GiveBack,
}

/// Something is to be done, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Ask the source for a range.
    Lease {
        /// Number of this request; its answer must name it.
        request: u32,
        /// On whose behalf.
        group: u32,
        /// The range must start above this number; 0: anywhere.
        above: u64,
    },
    /// Give these numbers to the counter; for the ledger they are gone.
    Hand {
        /// The numbers.
        range: Range,
        /// The lease they come from.
        lease: u32,
    },
    /// Take the rest out of the counter, now, and report [`Event::Surrendered`].
    Surrender,
    /// Send the unused end of a lease back; the numbers are gone from here already.
    Return {
        /// The lease whose fence is used.
        lease: u32,
        /// Its highest number.
        high: u64,
        /// The highest number that stays used.
        last: u64,
    },
    /// These numbers will never be used by anybody.
    Burnt {
        /// The numbers.
        range: Range,
    },
    /// The source granted what this client holds or has issued: it has gone back in time. The grant is not used.
    Regression {
        /// What it granted.
        range: Range,
        /// The highest number held or issued under that node tag.
        highest: u64,
    },
    /// The source keeps granting numbers that were issued before, although asked to go above them.
    Refused,
}
