//! Broken variants of what is around the core. Each must lead to a duplicate: a check that cannot fail proves nothing.

/// A broken variant of the adapter around the ledger and the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Variant {
    /// Take-outs are relaxed like put-ins: after a crash of the operating system claimed numbers come back.
    RelaxedClaim,
    /// Numbers that are taken out to be returned are sent first and deleted from the pool afterwards.
    SendBeforeForget,
    /// Returns without a fence, which are delivered again by retries.
    UnfencedReturn,
    /// The counter continues with a block that the ledger has taken back.
    KeepIssuing,
    /// A claim reads the record in one transaction and writes it in another.
    TwoTransactions,
    /// A fence is read again although both nodes have written the counter.
    RefenceAnyway,
    /// A page that leaves keeps the numbers that its counter has, and issues them when it is restored.
    HandSurvives,
    /// Numbers of memory that refill the pool stay in memory, too, and are returned when the page is left.
    RefilledAndReturned,
    /// The gateway reads a counter again for a client, and gives it a fresh fence.
    RereadThroughGateway,
    /// Tails are merged under the newest fence although both nodes have written the counter.
    MergeAnyway,
    /// A late admission is abandoned and its whole grant is used, although the transaction may still park some of it.
    LateAdmissionUsed,
    /// A fence that was read again is used whatever incarnation it comes from.
    ForeignFence,
    /// A move that was queued is decided under an incarnation that was reported later.
    RelabelledMove,
    /// A tab that moves numbers stores the incarnation that it knows, although another tab knows a newer one.
    StaleNote,
    /// Documents are saved without the condition that they must not exist.
    SaveOverwrites,
    /// A refused write of a lease is treated as accepted.
    RefusedPutUsed,
    /// A lease whose write got no response is used because the document has the written value.
    ReadBack,
    /// The server checks no condition when a lease is written.
    UnconditionalPut,
    /// The response of an early lease is handed over to each core that a page makes.
    HandedOverTwice,
    /// An early lease is used although a claim has found a record since it left.
    UsedAfterRecord,
}
