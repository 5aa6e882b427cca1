//! The explored configurations: faults, and broken variants.

use raven_edge::offline::sets::Variant;

/// A mistake outside of the decisions: of the device's transactions, or of the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Documents that a comparison does not list are removed without a load.
    DropsWithoutLoad,
    /// The ETag is the one from after reading.
    ETagFromAfterReading,
    /// The ETag does not cover the claims.
    ETagWithoutClaims,
    /// The ETag does not say from which node it is.
    ETagWithoutNode,
    /// Documents that are hidden are among the sums of the server.
    SumsOverHidden,
    /// The ETag is written before the documents are.
    ETagBeforeDocuments,
    /// Responses are written whatever the device has: without `kept::take`.
    WithoutTake,
    /// A document that leaves the set takes its pending change along.
    DropsPending,
    /// A run writes although its user has signed out.
    SignOutIsIgnored,
    /// Another incarnation of the database is not noticed.
    IncarnationIsIgnored,
    /// A loss does not clear the ETag.
    LossKeepsETag,
    /// Documents that a run writes do not clear the ETag.
    DocumentsKeepETag,
    /// A document that a session finds absent does not clear the ETag.
    AbsenceKeepsETag,
    /// Whatever the device has when a comparison comes counts as compared.
    VersionFromAfterComparing,
    /// Documents that another run has added are no disturbance.
    OthersAreIgnored,
    /// A set is complete when its comparison has come, before the documents have.
    CompleteBeforeLoads,
    /// A set is complete when all documents have arrived, before they are compared.
    CompleteWithoutComparison,
    /// A document that is loaded because others have changed it does not clear the ETag.
    LiveKeepsETag,
    /// A page keeps its sums although others have written since.
    SumsOverOthersWrites,
    /// What is kept when the device learns what became of a batch counts as older than the batch.
    FlightBeginsAtItsEnd,
    /// A page does not know what others have kept before it has sealed a batch.
    FlightBeganBefore,
    /// A batch that is sealed when the one before is settled is as old as that one.
    SealedBeforeSettled,
    /// A text that the device has sent counts as newer than a response that is not newer.
    SentIsEnough,
    /// A document of which an attachment was saved is forgotten.
    AttachmentForgets,
}

/// How often each event may occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    /// Another writer writes a document: creates, changes, deletes it, gives it away.
    pub(crate) writes: u8,
    /// The claims of the caller change.
    pub(crate) claims: u8,
    /// A session loads a document, beside the runs.
    pub(crate) reads: u8,
    /// A page hears of a change in a set that is complete, and loads the document.
    pub(crate) lives: u8,
    /// A page dies, or a response is lost.
    pub(crate) deaths: u8,
    /// This device queues a change, which is saved at any later time.
    pub(crate) saves: u8,
    /// A batch of the queue saves a document or an attachment; its response may be lost.
    pub(crate) flights: u8,
    /// Another user signs in.
    pub(crate) sign_ins: u8,
    /// The database is deleted and created again.
    pub(crate) recreates: u8,
    /// Runs that begin.
    pub(crate) runs: u8,
}

/// One exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub(crate) name: &'static str,
    /// Whether it takes minutes.
    pub(crate) long: bool,
    /// Tabs that may run at once.
    pub(crate) tabs: u8,
    /// Whether the set is that of a query with an index, which lags behind.
    pub(crate) index: bool,
    /// Whether there is a second node that lags behind.
    pub(crate) lags: bool,
    /// Whether to check in each state that the device has what the caller may see once faults end.
    pub(crate) ends: bool,
    /// Whether the first run loads all documents in one response before it compares.
    pub(crate) streams: bool,
    /// Whether pages keep their sums, and runs bring them up to date; else each run reads what the device has.
    pub(crate) keeps_sums: bool,
    pub(crate) faults: Budget,
    /// A mistake of the decisions.
    pub(crate) variant: Option<Variant>,
    /// A mistake of the rest.
    pub(crate) broken: Option<Broken>,
}

const NONE: Budget = Budget {
    writes: 0,
    claims: 0,
    reads: 0,
    lives: 0,
    deaths: 0,
    saves: 0,
    flights: 0,
    sign_ins: 0,
    recreates: 0,
    runs: 2,
};

const BASE: Configuration = Configuration {
    name: "",
    long: false,
    tabs: 1,
    index: false,
    lags: false,
    ends: true,
    streams: false,
    keeps_sums: false,
    faults: NONE,
    variant: None,
    broken: None,
};

/// With everything that the broken variants need.
const ROWS: Configuration =
    Configuration { faults: Budget { writes: 2, claims: 1, deaths: 1, saves: 1, ..NONE }, ..BASE };
const INDEX: Configuration = Configuration { index: true, faults: Budget { writes: 2, deaths: 1, ..NONE }, ..BASE };
const OVERLAP: Configuration = Configuration { faults: Budget { writes: 2, reads: 1, deaths: 1, ..NONE }, ..BASE };
const LAGS: Configuration = Configuration { lags: true, faults: Budget { writes: 2, reads: 1, ..NONE }, ..BASE };
const FIRST: Configuration =
    Configuration { streams: true, index: true, faults: Budget { writes: 1, reads: 1, deaths: 1, ..NONE }, ..BASE };
const TABS: Configuration = Configuration { tabs: 2, faults: Budget { writes: 2, deaths: 1, ..NONE }, ..BASE };

/// The set of a collection, whose changes tell ids: no document of it can leave the query.
const LIVE: Configuration =
    Configuration { keeps_sums: true, faults: Budget { writes: 2, lives: 1, deaths: 1, ..NONE }, ..BASE };

/// Batches of the queue.
const FLIGHTS: Configuration = Configuration { faults: Budget { writes: 1, flights: 2, runs: 1, ..NONE }, ..BASE };

/// A batch whose changes are removed after another client has written its document.
const OVERTAKEN: Configuration =
    Configuration { long: true, faults: Budget { writes: 2, reads: 1, flights: 1, runs: 1, ..NONE }, ..BASE };

const fn variant(name: &'static str, of: Configuration, variant: Variant) -> Configuration {
    Configuration { name, variant: Some(variant), ..of }
}

const fn broken(name: &'static str, of: Configuration, broken: Broken) -> Configuration {
    Configuration { name, broken: Some(broken), ..of }
}

pub(crate) static CONFIGURATIONS: &[Configuration] = &[
    Configuration { name: "sets-rows", ..ROWS },
    Configuration { name: "sets-index", ..INDEX },
    Configuration { name: "sets-overlap", ..OVERLAP },
    Configuration { name: "sets-lagging-node", ..LAGS },
    Configuration { name: "sets-users", faults: Budget { writes: 1, sign_ins: 1, recreates: 1, ..NONE }, ..BASE },
    Configuration { name: "sets-tabs", ..TABS },
    Configuration { name: "sets-first-load", ..FIRST },
    Configuration {
        name: "sets-first-load-users",
        streams: true,
        faults: Budget { writes: 1, claims: 1, sign_ins: 1, recreates: 1, ..NONE },
        ..BASE
    },
    Configuration { name: "sets-first-load-tabs", streams: true, faults: Budget { writes: 2, ..NONE }, ..TABS },
    Configuration { name: "sets-kept-sums", keeps_sums: true, ..OVERLAP },
    Configuration { name: "sets-kept-sums-tabs", keeps_sums: true, ..TABS },
    Configuration { name: "sets-kept-sums-first-load", keeps_sums: true, ..FIRST },
    Configuration { name: "sets-live", ..LIVE },
    Configuration { name: "sets-flights", ..FLIGHTS },
    Configuration { name: "sets-overtaken-flights", ..OVERTAKEN },
    Configuration {
        name: "sets-live-lagging-node",
        lags: true,
        faults: Budget { writes: 2, lives: 1, ..NONE },
        ..BASE
    },
    Configuration {
        name: "sets-everything",
        long: true,
        index: true,
        faults: Budget { writes: 1, claims: 1, reads: 1, deaths: 1, saves: 1, ..NONE },
        ..BASE
    },
    variant("sets-drops-while-stale", INDEX, Variant::DropsWhileStale),
    variant("sets-drops-another-version", INDEX, Variant::DropsAnotherVersion),
    variant("sets-keeps-what-left", INDEX, Variant::KeepsWhatLeft),
    variant("sets-forgotten-is-enough", OVERLAP, Variant::ForgottenIsEnough),
    variant("sets-disturbance-is-ignored", OVERLAP, Variant::DisturbanceIsIgnored),
    variant("sets-complete-while-stale", INDEX, Variant::CompleteWhileStale),
    variant("sets-complete-while-open", INDEX, Variant::CompleteWhileOpen),
    broken("sets-drops-without-load", ROWS, Broken::DropsWithoutLoad),
    broken("sets-etag-from-after-reading", ROWS, Broken::ETagFromAfterReading),
    broken("sets-etag-without-claims", ROWS, Broken::ETagWithoutClaims),
    broken("sets-etag-without-node", LAGS, Broken::ETagWithoutNode),
    broken("sets-documents-keep-etag", TABS, Broken::DocumentsKeepETag),
    broken("sets-absence-keeps-etag", LAGS, Broken::AbsenceKeepsETag),
    broken("sets-version-from-after-comparing", ROWS, Broken::VersionFromAfterComparing),
    broken("sets-others-are-ignored", TABS, Broken::OthersAreIgnored),
    broken("sets-sums-over-hidden", ROWS, Broken::SumsOverHidden),
    broken("sets-etag-before-documents", ROWS, Broken::ETagBeforeDocuments),
    broken("sets-without-take", OVERLAP, Broken::WithoutTake),
    broken("sets-drops-pending", ROWS, Broken::DropsPending),
    broken(
        "sets-sign-out-is-ignored",
        Configuration { faults: Budget { writes: 1, sign_ins: 1, ..NONE }, ..BASE },
        Broken::SignOutIsIgnored,
    ),
    broken(
        "sets-incarnation-is-ignored",
        Configuration { faults: Budget { writes: 1, recreates: 1, ..NONE }, ..BASE },
        Broken::IncarnationIsIgnored,
    ),
    broken("sets-loss-keeps-etag", OVERLAP, Broken::LossKeepsETag),
    broken("sets-complete-before-loads", ROWS, Broken::CompleteBeforeLoads),
    broken("sets-complete-without-comparison", FIRST, Broken::CompleteWithoutComparison),
    broken("sets-live-keeps-etag", LIVE, Broken::LiveKeepsETag),
    broken("sets-flight-begins-at-its-end", FLIGHTS, Broken::FlightBeginsAtItsEnd),
    broken("sets-flight-began-before", FLIGHTS, Broken::FlightBeganBefore),
    broken("sets-sealed-before-settled", FLIGHTS, Broken::SealedBeforeSettled),
    broken("sets-sent-is-enough", OVERTAKEN, Broken::SentIsEnough),
    broken("sets-attachment-forgets", FLIGHTS, Broken::AttachmentForgets),
    broken("sets-sums-over-others-writes", Configuration { keeps_sums: true, ..OVERLAP }, Broken::SumsOverOthersWrites),
];
