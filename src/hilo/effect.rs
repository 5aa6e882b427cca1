//! What happens to a ledger and what it wants done: integers only, so that a model checker runs it as it is.

use alloc::vec::Vec;

use super::Range;

/// A range with the facts that the ledger decides by; texts (prefix, fence) stay with the driver under `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The driver's number for the grant.
    pub id: u32,
    /// The whole range as granted, or as it came out of the pool.
    pub range: Range,
    /// Which node tag the numbers carry: the same number under two tags is two ids.
    pub node: u32,
    /// Whether the range came with a fence; without one it is never returned, unless one can be read again.
    pub fenced: bool,
    /// Whether the fence also covers older tails that end where this lease begins.
    pub merges: bool,
}

/// How blocks are handed to the counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hand {
    /// With so many numbers left or fewer a lease is asked for ahead of need: what the next round trips will use up.
    pub low_water: u64,
    /// The largest block; 0: no limit.
    pub block: u64,
}

/// Something happened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The counter has used up its block.
    Dry(Hand),
    /// Callers want more numbers than are at hand. On workerd each request is a `group` of its own; elsewhere all are
    /// group 0.
    Wanted {
        /// Who waits.
        group: u32,
    },
    /// Callers want numbers and the device may have some parked.
    Claim,
    /// Parked numbers were taken out of the pool, durably; or everything, for a [`Event::TakeOut`].
    Claimed {
        /// The number given in [`Effect::Claim`].
        request: u32,
        /// What was taken out, in order; nothing when the pool had nothing.
        leases: Vec<Lease>,
        /// As in [`Event::Dry`].
        hand: Hand,
    },
    /// A lease was granted.
    Granted {
        /// The number given in [`Effect::Lease`].
        request: u32,
        /// What was granted.
        lease: Lease,
        /// Whether there is a pool that has to admit it before its first number is used.
        admit: bool,
        /// As in [`Event::Dry`].
        hand: Hand,
    },
    /// The pool has admitted a grant and keeps `parked` of it, if anything.
    Admitted {
        /// The number given in [`Effect::Admit`].
        request: u32,
        /// What went to the pool, or may have.
        parked: Option<Range>,
        /// As in [`Event::Dry`].
        hand: Hand,
    },
    /// The pool knows that the grant holds numbers which this device has issued or keeps parked.
    Regressed {
        /// The number given in [`Effect::Admit`].
        request: u32,
        /// The highest number known under that node tag.
        highest: u64,
        /// Whether a later grant of the device merely came first: the source has not gone back.
        overtaken: bool,
    },
    /// A lease or a claim will not come: refused, or given up.
    Failed {
        /// The number given in [`Effect::Lease`] or [`Effect::Claim`].
        request: u32,
    },
    /// The counter was emptied: `next` is the first number that it did not issue.
    Surrendered {
        /// The first number not issued.
        next: u64,
    },
    /// Up to so many numbers of the tail, its lowest, go to the pool.
    Share {
        /// How many.
        count: u64,
    },
    /// The page goes away, perhaps for ever: nothing is issued or asked for until [`Event::Back`].
    Leaving,
    /// The page was restored.
    Back,
    /// Nothing more may be issued; leases on their way are still taken in, to be returned.
    Closing,
    /// Everything parked comes into memory, to be given back.
    TakeOut,
    /// Everything in memory goes back. The counter must be empty and has to have reported so.
    GiveBack {
        /// Whether numbers without a fence may go back under one that is read now.
        refence: bool,
    },
    /// The database is another one than before: everything here is burnt.
    Forget,
    /// The counter document was read again.
    Refenced {
        /// The number given in [`Effect::Refence`].
        request: u32,
        /// `Max` and whether the document's change vector names the numbers' node alone; `None`: it cannot be had.
        found: Option<(u64, bool)>,
    },
}

/// Something is to be done, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Ask the source for a range.
    Lease {
        /// Number of this request; its response must name it.
        request: u32,
        /// On whose behalf.
        group: u32,
        /// The range must start above this number; 0: anywhere.
        above: u64,
    },
    /// Take parked numbers out of the pool: as many as callers wait for, or `all`. Durable before it is reported.
    Claim {
        /// Number of this request; its response must name it.
        request: u32,
        /// Everything, to be given back.
        all: bool,
    },
    /// Let the pool compare a grant with what the device knows, and keep some of it; none of it is used before.
    Admit {
        /// Number of this request; its response must name it.
        request: u32,
        /// The lease.
        lease: u32,
    },
    /// Put these numbers into the pool; for the ledger they are gone, whatever becomes of it.
    Park {
        /// The numbers.
        range: Range,
        /// The lease they come from.
        lease: u32,
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
    /// Read the counter document, for a fence under which numbers that came without one may go back.
    Refence {
        /// Number of this request; its response must name it.
        request: u32,
        /// The lease they come from.
        lease: u32,
    },
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
        /// The lease they come from.
        lease: u32,
    },
    /// The source granted what this client holds or has issued: it has gone back in time. The grant is not used.
    Regression {
        /// What it granted.
        range: Range,
        /// The highest number held or issued under that node tag.
        highest: u64,
    },
}
