//! What may be decided wrong. `tests/session-law` runs the core with each of these mistakes and must find what it breaks; what is
//! shipped has none of them, because the feature `variants` is not part of any build.

use super::Saves;

/// A mistake in the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "variants"), allow(dead_code, unreachable_pub))]
pub enum Variant {
    /// A new document that was not found is not deleted, although it was sent.
    UnknownIsNotDeleted,
    /// A lost save without new documents forgets which documents have an unknown outcome.
    UnknownIsForgotten,
    /// Only the last version that was sent of a document is remembered.
    OneVersionIsRemembered,
    /// What is not found was not saved.
    AbsenceMeansNotSaved,
    /// What is found under an id of ours is ours, whatever it says.
    AnyDocumentIsOurs,
    /// Documents that others may have written are confirmed by finding them.
    AnythingIsReadBack,
    /// No response means not saved.
    LostIsNotSaved,
    /// A conflict about a new document of ours is reported without a look.
    ConflictIsBelieved,
    /// A conflict undoes the whole batch in a sharded database, too.
    ShardsAreAtomic,
    /// Saving again is said to be safe, whatever was in the batch.
    AlwaysSaveAgain,
    /// The same, of batches with patches and ids that the server makes.
    PatchesAreRepeated,
    /// New documents are saved without the demand that they must not exist.
    NewOverwrites,
    /// What was saved without waiting long enough is confirmed, although nobody has seen it.
    WaitIsForgotten,
}

impl Saves {
    /// A session that makes a mistake.
    #[cfg(feature = "variants")]
    pub fn with_variant(variant: Option<Variant>) -> Saves {
        Saves { variant, ..Saves::default() }
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
