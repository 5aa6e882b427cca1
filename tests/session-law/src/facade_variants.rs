//! Broken variants of the façade: each makes a mistake that must break a law. Those of the core are
//! [`raven_edge::session::Variant`].

/// A broken variant of the façade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FacadeVariant {
    /// After a wait that timed out, the change vector that is found is accepted whatever the document contains.
    VectorOfOthers,
    /// A response that claims that nothing was sent is believed.
    UnsentByText,
    /// A request without a response is sent again.
    SentAgain,
    /// The core gets the deferred commands that the session has when the request is sent (an earlier defect of the package).
    SealedLate,
    /// A save that succeeds removes all deferred commands, also those that came during the save.
    AllDeferredRemoved,
}
