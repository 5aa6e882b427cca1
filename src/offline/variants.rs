//! Broken variants of the core: each makes one deliberate mistake. `tests/offline-law` runs the core with each of them and must find a
//! violated law. Shipped code contains none: only the model checkers enable the feature `variants`.

use super::Queue;

/// A broken variant of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "variants"), allow(dead_code, unreachable_pub))]
pub enum Variant {
    /// A receipt proves that a batch is saved by its number alone.
    ReceiptWithoutId,
    /// After a refusal, members are sent again without a fence.
    NoFence,
    /// A fence has the number of the refused batch.
    FenceReusesNumber,
    /// The change vector that a patch returned is passed on to the next change.
    PassedOnAfterPatch,
    /// A change vector is passed on to the next change although a merge has changed what the first one writes.
    WholeTextKept,
    /// A batch whose outcome is unknown is sent to whichever node is preferred now.
    AnyNode,
    /// A store of another user sends the changes.
    AnyUserDrains,
    /// Changes are sent in the order of their numbers, past those that wait for the app.
    OrderByChange,
    /// Changes whose outcome cannot be determined are sent again.
    UnknownIsSentAgain,
    /// After the database was restored, a change that was refused before is sent again.
    RefusedIsForgotten,
    /// A change that was made from a refused one counts as made from its text, although the refused one is given up.
    RefusedIsBase,
    /// Another incarnation of the database is not noticed.
    IncarnationIsIgnored,
}

impl Queue {
    /// A queue of a broken variant.
    #[cfg(feature = "variants")]
    #[must_use]
    pub fn with_variant(self, variant: Option<Variant>) -> Queue {
        Queue { variant, ..self }
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
