//! What may be built wrong around the core. Each must find its duplicate: a check that cannot fail proves nothing.

/// A mistake in the adapter around the ledger and the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Variant {
    /// Take-outs are relaxed as put-ins are: an operating system's crash brings claimed numbers back.
    RelaxedClaim,
    /// What is taken out to be given back is sent first and deleted from the pool afterwards.
    SendBeforeForget,
    /// Returns without a fence, delivered again by whoever retries.
    UnfencedReturn,
    /// The counter goes on with the block that the ledger has got back.
    KeepIssuing,
    /// A claim reads the record in one transaction and writes it in another.
    TwoTransactions,
    /// A fence is read again although two nodes have written the counter.
    RefenceAnyway,
    /// Tails are merged under the newest fence although two nodes have written the counter.
    MergeAnyway,
    /// An admission that is late is given up and its grant used whole, although the transaction may still park of it.
    LateAdmissionUsed,
    /// A fence that is read again is used whichever life of the database the answer is of.
    ForeignFence,
    /// A move that waited for its turn is decided under the incarnation that was heard of meanwhile.
    RelabelledMove,
    /// Who moves also notes the incarnation that it has heard of, whoever has heard of a newer one.
    StaleNote,
    /// Documents are saved without the demand that they must not exist yet.
    SaveOverwrites,
    /// A lease's write that was refused is taken for one that was accepted.
    RefusedPutUsed,
    /// A lease whose write got no answer is used, because the document says what was written.
    ReadBack,
    /// The server looks at no condition when a lease is written.
    UnconditionalPut,
}
