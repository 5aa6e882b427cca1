//! Events and effects of a ledger. They contain only integers, so that a model checker can run the shipped code.

use alloc::vec::Vec;

use super::Range;

/// A leased range with the facts that the ledger needs; texts (prefix, fence) stay with the driver under `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The driver's number for the grant.
    pub id: u32,
    /// The whole range as granted; for numbers that were parked without a token, as it was taken out of the pool.
    pub range: Range,
    /// The node tag of the numbers: the same number under two tags makes two ids.
    pub node: u32,
    /// Whether the range came with a fence. Without one it is not returned, unless a fence can be read later.
    pub fenced: bool,
    /// Whether the fence also covers older tails that end directly below this lease.
    pub merges: bool,
}

/// How blocks are handed to the counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hand {
    /// A lease is requested ahead of need when this many numbers or fewer are left: the next round trips will use them up.
    pub low_water: u64,
    /// The largest size of a block; 0: no limit.
    pub block: u64,
    /// The lowest parked number, 0: none. Numbers are issued in ascending order, so only those below it are handed out.
    pub parked: u64,
}

/// An event for the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The counter has used up its block.
    Dry(Hand),
    /// Callers need more numbers than memory holds. On workerd each request is its own `group`; elsewhere all callers are
    /// group 0.
    Wanted {
        /// The group that waits.
        group: u32,
    },
    /// Callers need numbers, and the pool may have some.
    Claim,
    /// Parked numbers were taken out of the pool, durably: some of them, or everything for an [`Event::TakeOut`].
    Claimed {
        /// The number given in [`Effect::Claim`].
        request: u32,
        /// What was taken out, with the lease it comes from; empty if the pool had nothing.
        leases: Vec<(Lease, Range)>,
        /// As in [`Event::Dry`].
        hand: Hand,
    },
    /// A lease was granted.
    Granted {
        /// The number given in [`Effect::Lease`].
        request: u32,
        /// What was granted.
        lease: Lease,
        /// Whether the pool has to admit it before its first number is used.
        admit: bool,
        /// As in [`Event::Dry`].
        hand: Hand,
    },
    /// The pool has admitted a grant and keeps `parked` of it, if anything.
    Admitted {
        /// The number given in [`Effect::Admit`].
        request: u32,
        /// What was put into the pool, or may have been.
        parked: Option<Range>,
        /// As in [`Event::Dry`].
        hand: Hand,
    },
    /// According to the pool, the grant contains numbers that this device has issued or keeps parked.
    Regressed {
        /// The number given in [`Effect::Admit`].
        request: u32,
        /// The highest number known under that node tag.
        highest: u64,
        /// Whether a later grant of the device only arrived first, so the source has not gone back in time.
        overtaken: bool,
    },
    /// A lease or claim has failed, or was given up.
    Failed {
        /// The number given in [`Effect::Lease`] or [`Effect::Claim`].
        request: u32,
    },
    /// The counter was emptied: `next` is the first number that it did not issue.
    Surrendered {
        /// The first number not issued.
        next: u64,
    },
    /// The lowest numbers of the tail go to the pool.
    Share {
        /// How many, at most.
        count: u64,
    },
    /// The page leaves, perhaps permanently: nothing is issued or requested until [`Event::Back`].
    Leaving,
    /// The page was restored.
    Back,
    /// Nothing more may be issued. Leases in flight are still accepted, to be returned.
    Closing,
    /// Everything parked moves to memory, to be returned.
    TakeOut,
    /// Everything in memory is returned. The counter must be empty and must have reported [`Event::Surrendered`].
    GiveBack {
        /// Whether numbers without a fence may be returned under a fence that is read now.
        refence: bool,
    },
    /// The database was replaced by another one: everything here is burnt.
    Forget,
    /// The counter document was read again.
    Refenced {
        /// The number given in [`Effect::Refence`].
        request: u32,
        /// `Max`, and whether the document's change vector names only the numbers' node; `None`: it could not be read.
        found: Option<(u64, bool)>,
    },
}

/// An effect that the driver carries out. The order of effects matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Ask the source for a range.
    Lease {
        /// The number of this request, which the resulting event must name.
        request: u32,
        /// The group that it is for.
        group: u32,
        /// The range must start above this number; 0: anywhere.
        above: u64,
    },
    /// Take parked numbers out of the pool: as many as callers wait for, or `all`. It must be durable before it is reported.
    Claim {
        /// The number of this request, which the resulting event must name.
        request: u32,
        /// Everything, to be returned.
        all: bool,
    },
    /// Let the pool compare a grant with the device's record, and park some of it. None of its numbers is used before.
    Admit {
        /// The number of this request, which the resulting event must name.
        request: u32,
        /// The lease.
        lease: u32,
    },
    /// Put these numbers into the pool. The ledger no longer has them, whether or not the move succeeds.
    Park {
        /// The numbers.
        range: Range,
        /// The lease they come from.
        lease: u32,
    },
    /// Give these numbers to the counter, which owns them from now on.
    Hand {
        /// The numbers.
        range: Range,
        /// The lease they come from.
        lease: u32,
    },
    /// Take the remaining numbers out of the counter, synchronously, and report [`Event::Surrendered`].
    Surrender,
    /// Read the counter document to get a fence for numbers that came without one.
    Refence {
        /// The number of this request, which the resulting event must name.
        request: u32,
        /// The lease they come from.
        lease: u32,
    },
    /// Return the unused end of a lease. The ledger no longer has these numbers.
    Return {
        /// The lease whose fence is used.
        lease: u32,
        /// Its highest number.
        high: u64,
        /// The highest number that stays used.
        last: u64,
    },
    /// These numbers will never be used by any client.
    Burnt {
        /// The numbers.
        range: Range,
        /// The lease they come from.
        lease: u32,
    },
    /// The source granted numbers that this client holds or has issued, so the server has gone back in time. The grant is not used.
    Regression {
        /// What it granted.
        range: Range,
        /// The highest number held or issued under that node tag.
        highest: u64,
    },
}
