//! Possible mistakes of the shell; those of the core are [`raven_edge::offline::Variant`].

/// A mistake around the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// A batch is sent before the transaction that seals it is complete.
    SentBeforeSealed,
    /// Changes are removed when they are sent.
    RemovedBeforeResponse,
    /// The change vector is not stored in the transaction that removes the saved change.
    VectorNotStored,
}
