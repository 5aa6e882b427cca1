//! Broken variants of a run: each makes one deliberate mistake, and `tests/offline-law` must find a violated law with it. Shipped code contains
//! none.

use super::Run;

/// A broken variant of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "variants"), allow(dead_code, unreachable_pub))]
pub enum Variant {
    /// Documents that a stale index lacks are removed.
    DropsWhileStale,
    /// A document that was not listed is removed in whichever version it is found.
    DropsAnotherVersion,
    /// A document that was not listed and is found in another version belongs to the set.
    KeepsWhatLeft,
    /// A document whose newest version the device has lost is not loaded.
    ForgottenIsEnough,
    /// The set is complete although others have added or lost documents in the meantime.
    DisturbanceIsIgnored,
    /// The set is complete although the index was stale.
    CompleteWhileStale,
    /// The set is complete although a comparison has to decide about a document.
    CompleteWhileOpen,
}

impl Run {
    /// A run of a broken variant.
    #[cfg(feature = "variants")]
    #[must_use]
    pub fn with_variant(self, variant: Option<Variant>) -> Run {
        Run { variant, ..self }
    }

    #[cfg(feature = "variants")]
    pub(super) fn breaks(&self, variant: Variant) -> bool {
        self.variant == Some(variant)
    }

    #[cfg(not(feature = "variants"))]
    #[allow(clippy::unused_self)]
    pub(super) const fn breaks(&self, _: Variant) -> bool {
        false
    }
}
