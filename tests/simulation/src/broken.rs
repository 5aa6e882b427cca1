//! Adapters that break one rule each. A check that cannot fail proves nothing: every one of these has to be caught.

/// What the adapter does wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Broken {
    /// Nothing: the design.
    #[default]
    Nothing,
    /// A claim is reported, and its numbers issued, before it is durable.
    RelaxedClaim,
    /// A page sends its numbers back and keeps them, for the case that it is restored.
    KeptAfterReturn,
    /// Numbers go back by `PUT hilo/return`, which has no fence, and a lost answer is tried again.
    UnfencedReturn,
    /// What goes back at unload is parked as well.
    ParkedAndReturned,
    /// A counter document that somebody else was quicker to write counts as written.
    RefusedWriteUsed,
}

impl Broken {
    /// All that break something.
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
