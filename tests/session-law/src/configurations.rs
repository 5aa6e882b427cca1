//! What is explored: what the apps do, what goes wrong.

use crate::variants::Wrong;
use raven_edge::session::Variant;

/// How often each thing may happen in one run. An app's own wishes, or what the network, the server and other writers do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    // An app.
    /// Requests to save.
    pub(crate) saves: u8,
    /// New documents under ids of this client.
    pub(crate) stores: u8,
    /// New documents under ids that the server makes.
    pub(crate) pending: u8,
    /// New documents under ids that the app has chosen.
    pub(crate) chosen: u8,
    pub(crate) changes: u8,
    pub(crate) deletes: u8,
    pub(crate) evicts: u8,
    pub(crate) refreshes: u8,
    pub(crate) clears: u8,
    pub(crate) patches: u8,
    /// Documents that others have made are loaded.
    pub(crate) loads: u8,
    // What goes wrong.
    /// A response does not come, or comes too late; whether the request arrives is open.
    pub(crate) lost: u8,
    /// A request does not leave, and the platform says so.
    pub(crate) unsent: u8,
    /// The server refuses a request for another reason than a change vector.
    pub(crate) refused: u8,
    /// A request is carried out twice, and the second response comes.
    pub(crate) twice: u8,
    /// A request is carried out once more, whenever it likes.
    pub(crate) copies: u8,
    /// The server waits too long for copies or indexes.
    pub(crate) waits: u8,
    /// Documents cannot be read back.
    pub(crate) unread: u8,
    // What other writers do.
    /// A change is added to a document.
    pub(crate) adds: u8,
    /// A document is replaced, or made under an id of ours.
    pub(crate) replaces: u8,
    /// A document is deleted.
    pub(crate) removes: u8,
    /// Exactly what a session is about to write is written.
    pub(crate) echoes: u8,
}

/// One exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub(crate) name: &'static str,
    /// Whether it takes minutes.
    pub(crate) long: bool,
    /// What each session's app does.
    pub(crate) sessions: &'static [Budget],
    /// Documents that are there, and loaded, in the beginning.
    pub(crate) known: u8,
    /// Whether sessions check whatever they write: optimistic concurrency, or cluster-wide transactions.
    pub(crate) strict: bool,
    /// Whether they check what they have only read, too.
    pub(crate) reads: bool,
    /// Whether there is a second node, which lags behind and answers some reads.
    pub(crate) lags: bool,
    pub(crate) sharded: bool,
    /// What the network, the server and other writers do.
    pub(crate) faults: Budget,
    /// A mistake in the core.
    pub(crate) variant: Option<Variant>,
    /// A mistake around it.
    pub(crate) wrong: Option<Wrong>,
}

const NOTHING: Budget = Budget {
    saves: 0,
    stores: 0,
    pending: 0,
    chosen: 0,
    changes: 0,
    deletes: 0,
    evicts: 0,
    refreshes: 0,
    clears: 0,
    patches: 0,
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
    faults: NOTHING,
    variant: None,
    wrong: None,
};

/// A document is stored, changed, deleted, evicted; two responses are lost in a row.
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
    // Bigger ones.
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
    // Mistakes in the core.
    Configuration { name: "delete-lost", variant: Some(Variant::UnknownIsNotDeleted), ..ONE },
    Configuration { name: "delete-forgotten", variant: Some(Variant::UnknownIsForgotten), ..ONE },
    Configuration { name: "one-version", variant: Some(Variant::OneVersionIsRemembered), ..ONE },
    Configuration { name: "absence-settles", variant: Some(Variant::AbsenceSettles), ..ONE },
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
    Configuration { name: "wait-forgotten", variant: Some(Variant::WaitIsForgotten), ..WAITS },
    // Mistakes around it.
    Configuration { name: "vector-of-others", wrong: Some(Wrong::VectorOfOthers), ..WAITS_BESIDE_OTHERS },
    Configuration { name: "unsent-by-text", wrong: Some(Wrong::UnsentByText), ..MIXED },
    Configuration { name: "sent-again", wrong: Some(Wrong::SentAgain), ..MIXED },
];

const WAITS_BESIDE_OTHERS: Configuration = Configuration {
    name: "waits-beside-others",
    sessions: &[Budget { saves: 3, changes: 2, ..NOTHING }],
    known: 1,
    strict: true,
    faults: Budget { waits: 1, adds: 1, ..NOTHING },
    ..PLAIN
};
