//! Broken variants of the core: each makes one deliberate mistake. `tests/session-law` runs the core with each of them and must find a
//! violated law. Shipped code contains none: only the model checkers enable the feature `variants`.

use super::Saves;

/// A broken variant of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "variants"), allow(dead_code, unreachable_pub))]
pub enum Variant {
    /// A new document with an unknown outcome is not deleted.
    UnknownIsNotDeleted,
    /// A lost save without new documents forgets which documents have an unknown outcome.
    UnknownIsForgotten,
    /// Only the last version sent of a document is remembered.
    OneVersionIsRemembered,
    /// A document that is not found counts as not saved.
    AbsenceMeansNotSaved,
    /// Any document found under an id of ours counts as saved, whatever its content.
    AnyDocumentIsOurs,
    /// Documents that other clients may have written count as saved when they are found.
    AnythingIsReadBack,
    /// A lost response counts as not saved.
    LostIsNotSaved,
    /// A conflict about a new document of ours is reported without reading the document.
    ConflictIsBelieved,
    /// A conflict counts as rolling back the whole batch in a sharded database, too.
    ShardsAreAtomic,
    /// The advice is always to save again, whatever the batch contained.
    AlwaysSaveAgain,
    /// The advice after batches with patches or server-generated ids is to save again.
    PatchesAreRepeated,
    /// New documents are saved without expecting that they do not exist.
    NewOverwrites,
    /// Documents that the session forgets during a save leave its batch.
    ForgottenLeaveTheBatch,
    /// After a conflict the rest of a batch is planned again, although the session has forgotten documents of it.
    PlannedAgainWithout,
    /// Any version of a document proves the batch.
    AnyVersionProves,
    /// Finding a document proves its attachments, although an earlier save may have written it without them.
    PartsAreAlwaysProven,
    /// After the wait for replication timed out, documents count as confirmed although they were not read.
    WaitIsForgotten,
}

impl Saves {
    /// A session of a broken variant.
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
