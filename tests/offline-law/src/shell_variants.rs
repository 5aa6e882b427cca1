//! Broken variants of the shell: each makes a mistake that must break a law. Those of the core are
//! [`raven_edge::offline::Variant`].

/// A broken variant of the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShellVariant {
    /// A batch is sent before the transaction that seals it is complete.
    SentBeforeSealed,
    /// Changes are removed when they are sent.
    RemovedBeforeResponse,
    /// The change vector is not stored in the transaction that removes the saved change.
    VectorNotStored,
}
