//! The explored configurations: actions of apps, and faults.

use crate::facade_variants::FacadeVariant;
use raven_edge::session::Variant;

/// How often each event may occur in a run: actions of an app, or events of network, server and other writers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    // An app.
    /// Requests to save.
    pub(crate) saves: u8,
    /// New documents with HiLo ids.
    pub(crate) stores: u8,
    /// New documents with ids that the server generates.
    pub(crate) pending: u8,
    /// New documents with ids that the app has chosen.
    pub(crate) chosen: u8,
    pub(crate) changes: u8,
    pub(crate) deletes: u8,
    /// Deletions by id of documents that the app has not changed.
    pub(crate) ids_deleted: u8,
    pub(crate) evicts: u8,
    pub(crate) refreshes: u8,
    pub(crate) clears: u8,
    pub(crate) patches: u8,
    /// Attachments of documents of the session.
    pub(crate) attachments: u8,
    /// Loads of documents that other writers have created.
    pub(crate) loads: u8,
    // Faults.
    /// A response is lost or too late; the request may or may not arrive.
    pub(crate) lost: u8,
    /// A request is not sent, and the platform reports that.
    pub(crate) unsent: u8,
    /// The server refuses a request for another reason than a change vector.
    pub(crate) refused: u8,
    /// A request is executed twice, and the second response arrives.
    pub(crate) twice: u8,
    /// A request is executed once more, at any later time.
    pub(crate) copies: u8,
    /// A wait for replication or indexes times out.
    pub(crate) waits: u8,
    /// A read-back fails.
    pub(crate) unread: u8,
    // Actions of other writers.
    /// A change is added to a document.
    pub(crate) adds: u8,
    /// A document is replaced, or created under an id of this client.
    pub(crate) replaces: u8,
    /// A document is deleted.
    pub(crate) removes: u8,
    /// A writer writes exactly what a session is about to write.
    pub(crate) echoes: u8,
}

/// One exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub(crate) name: &'static str,
    /// Whether it takes minutes.
    pub(crate) long: bool,
    /// The actions of each session's app.
    pub(crate) sessions: &'static [Budget],
    /// Number of documents that exist and are loaded at the beginning.
    pub(crate) known: u8,
    /// Whether sessions check all writes: optimistic concurrency, or cluster-wide transactions.
    pub(crate) strict: bool,
    /// Whether they also check documents that they have only read.
    pub(crate) reads: bool,
    /// Whether there is a second node, which lags behind and serves some reads.
    pub(crate) lags: bool,
    pub(crate) sharded: bool,
    /// Whether apps go on while a batch that is sealed waits to be sent, and call everything while a save is in progress.
    pub(crate) pauses: bool,
    /// Events of network, server and other writers.
    pub(crate) faults: Budget,
    /// A mistake in the core.
    pub(crate) variant: Option<Variant>,
    /// A mistake around it.
    pub(crate) facade_variant: Option<FacadeVariant>,
}

const NOTHING: Budget = Budget {
    saves: 0,
    stores: 0,
    pending: 0,
    chosen: 0,
    changes: 0,
    deletes: 0,
    ids_deleted: 0,
    evicts: 0,
    refreshes: 0,
    clears: 0,
    patches: 0,
    attachments: 0,
    loads: 0,
    lost: 0,
    unsent: 0,
    refused: 0,
    twice: 0,
    copies: 0,
    waits: 0,
    unread: 0,
    adds: 0,
    replaces: 0,
    removes: 0,
    echoes: 0,
};

const PLAIN: Configuration = Configuration {
    name: "",
    long: false,
    sessions: &[],
    known: 0,
    strict: false,
    reads: false,
    lags: false,
    sharded: false,
    pauses: false,
    faults: NOTHING,
    variant: None,
    facade_variant: None,
};

/// A document is stored, changed, deleted and evicted; two consecutive responses are lost.
const ONE: Configuration = Configuration {
    name: "one-document",
    sessions: &[Budget { saves: 4, stores: 1, changes: 2, deletes: 1, evicts: 1, refreshes: 1, ..NOTHING }],
    faults: Budget { lost: 3, unread: 1, ..NOTHING },
    ..PLAIN
};

const TWO: Configuration = Configuration {
    name: "two-documents",
    sessions: &[Budget { saves: 4, stores: 2, changes: 2, deletes: 1, ..NOTHING }],
    faults: Budget { lost: 2, ..NOTHING },
    ..PLAIN
};

const OPTIMISTIC: Configuration = Configuration {
    name: "optimistic",
    sessions: &[Budget { saves: 3, changes: 2, deletes: 1, refreshes: 1, ..NOTHING }],
    known: 2,
    strict: true,
    faults: Budget { lost: 2, adds: 1, ..NOTHING },
    ..PLAIN
};

const SHARDED: Configuration = Configuration {
    name: "sharded",
    sessions: &[Budget { saves: 4, stores: 2, changes: 1, patches: 1, ..NOTHING }],
    known: 1,
    sharded: true,
    strict: true,
    faults: Budget { lost: 1, adds: 1, ..NOTHING },
    ..PLAIN
};

const WAITS: Configuration = Configuration {
    name: "waits",
    sessions: &[Budget { saves: 3, stores: 1, changes: 2, deletes: 1, ..NOTHING }],
    known: 1,
    lags: true,
    faults: Budget { lost: 1, waits: 1, unread: 1, ..NOTHING },
    ..PLAIN
};

const MIXED: Configuration = Configuration {
    name: "mixed",
    sessions: &[Budget { saves: 4, stores: 1, changes: 1, deletes: 1, patches: 1, ..NOTHING }],
    known: 1,
    faults: Budget { lost: 2, refused: 1, unsent: 1, ..NOTHING },
    ..PLAIN
};

const TWICE: Configuration = Configuration {
    name: "twice",
    sessions: &[Budget { saves: 4, stores: 2, deletes: 1, ..NOTHING }],
    lags: true,
    faults: Budget { lost: 1, twice: 1, unread: 1, ..NOTHING },
    ..PLAIN
};

const CLONE: Configuration = Configuration {
    name: "same-id",
    sessions: &[Budget { saves: 4, stores: 2, changes: 1, deletes: 1, ..NOTHING }],
    faults: Budget { lost: 2, replaces: 1, ..NOTHING },
    ..PLAIN
};

/// The app goes on while its batch waits to be sent, is sent, and is read back.
const BETWEEN: Configuration = Configuration {
    name: "between-awaits",
    sessions: &[Budget {
        saves: 3,
        stores: 1,
        deletes: 1,
        patches: 1,
        ids_deleted: 1,
        clears: 1,
        evicts: 1,
        ..NOTHING
    }],
    known: 1,
    pauses: true,
    faults: Budget { lost: 2, unsent: 1, ..NOTHING },
    ..PLAIN
};

/// Attachments of new documents, whose fate they share.
const ATTACHMENTS: Configuration = Configuration {
    name: "attachments",
    sessions: &[Budget { saves: 3, stores: 1, attachments: 2, changes: 1, evicts: 1, clears: 1, ..NOTHING }],
    pauses: true,
    faults: Budget { lost: 2, ..NOTHING },
    ..PLAIN
};

/// Every configuration.
pub(crate) const CONFIGURATIONS: &[Configuration] = &[
    ONE,
    TWO,
    OPTIMISTIC,
    MIXED,
    SHARDED,
    WAITS,
    TWICE,
    CLONE,
    BETWEEN,
    ATTACHMENTS,
    Configuration {
        name: "new-and-known",
        sessions: &[Budget { saves: 4, stores: 1, changes: 2, deletes: 1, ..NOTHING }],
        known: 1,
        strict: true,
        faults: Budget { lost: 2, unread: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "unguarded",
        sessions: &[Budget { saves: 3, changes: 2, chosen: 1, deletes: 1, ..NOTHING }],
        known: 1,
        faults: Budget { lost: 2, adds: 1, removes: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "chosen-ids",
        sessions: &[Budget { saves: 4, chosen: 1, stores: 1, changes: 1, deletes: 1, ..NOTHING }],
        strict: true,
        faults: Budget { lost: 2, adds: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "server-made",
        sessions: &[Budget { saves: 4, pending: 1, stores: 1, changes: 1, deletes: 1, evicts: 1, ..NOTHING }],
        faults: Budget { lost: 2, waits: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "two-sessions",
        sessions: &[
            Budget { saves: 3, stores: 1, changes: 1, deletes: 1, ..NOTHING },
            Budget { saves: 2, changes: 1, loads: 1, ..NOTHING },
        ],
        strict: true,
        faults: Budget { lost: 2, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "two-sessions-one-known",
        sessions: &[
            Budget { saves: 3, changes: 1, stores: 1, refreshes: 1, ..NOTHING },
            Budget { saves: 2, changes: 1, deletes: 1, ..NOTHING },
        ],
        known: 1,
        strict: true,
        faults: Budget { lost: 2, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "two-nodes",
        sessions: &[Budget { saves: 4, stores: 1, changes: 2, deletes: 1, refreshes: 1, ..NOTHING }],
        lags: true,
        faults: Budget { lost: 2, unread: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "clear",
        sessions: &[Budget { saves: 3, stores: 2, deletes: 1, clears: 1, evicts: 1, ..NOTHING }],
        pauses: true,
        faults: Budget { lost: 2, copies: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "reads-checked",
        sessions: &[Budget { saves: 4, stores: 1, changes: 2, ..NOTHING }],
        known: 2,
        strict: true,
        reads: true,
        faults: Budget { lost: 2, adds: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "same-text",
        sessions: &[Budget { saves: 3, changes: 2, deletes: 1, ..NOTHING }],
        known: 2,
        strict: true,
        faults: Budget { lost: 2, echoes: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "sharded-new",
        sessions: &[Budget { saves: 4, stores: 3, deletes: 1, ..NOTHING }],
        sharded: true,
        faults: Budget { lost: 2, replaces: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "between-sharded",
        sessions: &[Budget { saves: 3, stores: 2, patches: 1, clears: 1, evicts: 1, ..NOTHING }],
        known: 1,
        sharded: true,
        strict: true,
        pauses: true,
        faults: Budget { lost: 1, adds: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "between-server-made",
        sessions: &[Budget { saves: 3, pending: 1, stores: 1, changes: 1, evicts: 1, clears: 1, ..NOTHING }],
        pauses: true,
        faults: Budget { lost: 2, waits: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "between-waits",
        sessions: &[Budget { saves: 2, stores: 1, changes: 1, patches: 1, evicts: 1, clears: 1, ..NOTHING }],
        known: 1,
        lags: true,
        pauses: true,
        faults: Budget { lost: 1, waits: 1, unread: 1, ..NOTHING },
        ..PLAIN
    },
    // Larger ones.
    Configuration {
        name: "one-document-long",
        long: true,
        sessions: &[Budget { saves: 5, stores: 1, changes: 2, deletes: 1, evicts: 1, refreshes: 1, ..NOTHING }],
        faults: Budget { lost: 4, unread: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "two-nodes-long",
        long: true,
        sessions: &[Budget { saves: 4, stores: 2, changes: 1, deletes: 1, ..NOTHING }],
        lags: true,
        faults: Budget { lost: 2, waits: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "everything-long",
        long: true,
        sessions: &[Budget { saves: 3, stores: 1, changes: 1, deletes: 1, patches: 1, evicts: 1, ..NOTHING }],
        known: 1,
        strict: true,
        lags: true,
        faults: Budget { lost: 2, refused: 1, adds: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "between-awaits-long",
        long: true,
        sessions: &[Budget {
            saves: 3,
            stores: 1,
            changes: 1,
            deletes: 1,
            patches: 1,
            ids_deleted: 1,
            evicts: 1,
            clears: 1,
            ..NOTHING
        }],
        faults: Budget { lost: 2, twice: 1, refused: 1, ..NOTHING },
        ..BETWEEN
    },
    // Mistakes in the core.
    Configuration { name: "delete-lost", variant: Some(Variant::UnknownIsNotDeleted), ..ONE },
    Configuration { name: "delete-forgotten", variant: Some(Variant::UnknownIsForgotten), ..ONE },
    Configuration { name: "one-version", variant: Some(Variant::OneVersionIsRemembered), ..ONE },
    Configuration { name: "absence-means-not-saved", variant: Some(Variant::AbsenceMeansNotSaved), ..ONE },
    Configuration { name: "any-document", variant: Some(Variant::AnyDocumentIsOurs), ..CLONE },
    Configuration {
        name: "anything-read-back",
        variant: Some(Variant::AnythingIsReadBack),
        sessions: &[Budget { saves: 3, changes: 2, ..NOTHING }],
        known: 1,
        strict: true,
        faults: Budget { lost: 2, echoes: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration { name: "lost-is-not-saved", variant: Some(Variant::LostIsNotSaved), ..ONE },
    Configuration { name: "conflict-believed", variant: Some(Variant::ConflictIsBelieved), ..TWICE },
    Configuration { name: "shards-atomic", variant: Some(Variant::ShardsAreAtomic), ..SHARDED },
    Configuration { name: "always-save-again", variant: Some(Variant::AlwaysSaveAgain), ..OPTIMISTIC },
    Configuration { name: "patches-repeated", variant: Some(Variant::PatchesAreRepeated), ..MIXED },
    Configuration { name: "new-overwrites", variant: Some(Variant::NewOverwrites), ..CLONE },
    Configuration { name: "forgotten-left-out", variant: Some(Variant::ForgottenLeaveTheBatch), ..BETWEEN },
    Configuration { name: "planned-again-without", variant: Some(Variant::PlannedAgainWithout), ..BETWEEN },
    Configuration { name: "any-version", variant: Some(Variant::AnyVersionProves), ..TWO },
    Configuration { name: "attachments-proven", variant: Some(Variant::PartsAreAlwaysProven), ..ATTACHMENTS },
    Configuration { name: "wait-forgotten", variant: Some(Variant::WaitIsForgotten), ..WAITS },
    // Mistakes around the core.
    Configuration {
        name: "vector-of-others",
        facade_variant: Some(FacadeVariant::VectorOfOthers),
        ..WAITS_BESIDE_OTHERS
    },
    Configuration { name: "unsent-by-text", facade_variant: Some(FacadeVariant::UnsentByText), ..MIXED },
    Configuration { name: "sent-again", facade_variant: Some(FacadeVariant::SentAgain), ..MIXED },
    Configuration {
        name: "sealed-late",
        facade_variant: Some(FacadeVariant::SealedLate),
        faults: Budget { lost: 2, ..NOTHING },
        ..BETWEEN
    },
    Configuration { name: "deferred-removed", facade_variant: Some(FacadeVariant::AllDeferredRemoved), ..BETWEEN },
];

const WAITS_BESIDE_OTHERS: Configuration = Configuration {
    name: "waits-beside-others",
    sessions: &[Budget { saves: 3, changes: 2, ..NOTHING }],
    known: 1,
    strict: true,
    faults: Budget { waits: 1, adds: 1, ..NOTHING },
    ..PLAIN
};
