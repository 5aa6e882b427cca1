//! Broken variants of the adapter: each breaks one rule. A check that cannot fail proves nothing, so every one of these must be
//! detected.

/// A broken variant of the adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// The adapter as it is.
    #[default]
    Nothing,
    /// A claim is reported, and its numbers issued, before it is durable.
    RelaxedClaim,
    /// A page returns its numbers and keeps them in case it is restored.
    KeptAfterReturn,
    /// Numbers are returned by `PUT hilo/return`, which has no fence, and a lost response is retried.
    UnfencedReturn,
    /// Numbers that are returned at unload are parked as well.
    ParkedAndReturned,
    /// A write of the counter document that lost against another client counts as successful.
    RefusedWriteUsed,
}

impl Variant {
    /// All broken variants.
    pub const ALL: [Self; 5] = [
        Self::RelaxedClaim,
        Self::KeptAfterReturn,
        Self::UnfencedReturn,
        Self::ParkedAndReturned,
        Self::RefusedWriteUsed,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::RelaxedClaim => "relaxed-claim",
            Self::KeptAfterReturn => "kept-after-return",
            Self::UnfencedReturn => "unfenced-return",
            Self::ParkedAndReturned => "parked-and-returned",
            Self::RefusedWriteUsed => "refused-write-used",
        }
    }
}
