//! What may be built wrong around the core; mistakes in it are [`raven_edge::session::Variant`].

/// A mistake of the façade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// After a wait in vain the change vector of what is found is taken, whatever the document says.
    VectorOfOthers,
    /// "Nothing was sent" is believed of a response that only says so.
    UnsentByText,
    /// A request without a response is sent again.
    SentAgain,
}
