//! The explored configurations: participants, limits of faults, and the expected result.

use crate::variants::Variant;
use raven_edge::hilo::Hand;

/// A client's place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Its name in traces.
    pub(crate) name: &'static str,
    /// Clients of a tab leave, freeze and die together.
    pub(crate) tab: u8,
    /// Tabs of one device die together.
    pub(crate) device: u8,
    /// Its record, if it has a pool.
    pub(crate) pool: Option<usize>,
    /// Whether it uses the source `document`, which reads the counter and then writes it.
    pub(crate) document: bool,
    /// Whether a gateway seals its fences: parked numbers keep the token of their lease, and no counter is read again.
    pub(crate) sealed: bool,
}

/// How often each event may occur in a run. All other events may occur at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    /// A page is left (`pagehide`), with a return.
    pub(crate) leaves: u8,
    /// Dispose.
    pub(crate) closes: u8,
    /// Release: returns all numbers, and the client continues.
    pub(crate) releases: u8,
    /// Numbers of the tail are shared with other tabs.
    pub(crate) shares: u8,
    /// A burst has paused, and the pool is refilled.
    pub(crate) refills: u8,
    /// A reservation ends: the pool's surplus moves to memory.
    pub(crate) lifts: u8,
    /// A tab dies, or its page is replaced.
    pub(crate) tab_crashes: u8,
    /// A device dies and loses what is not flushed.
    pub(crate) os_crashes: u8,
    /// A request or a move is abandoned before its response.
    pub(crate) late: u8,
    /// The document of a lease cannot be read, or another client leased in between: no fence.
    pub(crate) unfenced: u8,
    /// A lease is executed whose response no client uses: a repeated or abandoned request, or another client's.
    pub(crate) strays: u8,
    /// The server is rolled back.
    pub(crate) disasters: u8,
    /// A lease leaves before its client has a core.
    pub(crate) early: u8,
}

/// The behaviour of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum History {
    /// It is never rolled back.
    Honest,
    /// Another program lowers `Max`, with a new change vector.
    Edited,
    /// A copy of the data folder is restored: earlier `Max`, documents and change vectors.
    PutBack,
    /// The database is deleted and recreated.
    Recreated,
}

/// The expected result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// No law is broken in any state.
    Kept,
    /// A duplicate is found.
    Duplicate,
}

/// One exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Whether it takes minutes.
    pub(crate) long: bool,
    pub(crate) places: &'static [Place],
    /// Whether the first two clients are interchangeable, so that states in which they are swapped are one state.
    pub(crate) twins: bool,
    /// Whether other events may occur between a lease and the read of its fence, and between a commit and its report.
    /// Otherwise each pair is one step, and the budget limits how often a fence is missing.
    pub(crate) fine: bool,
    pub(crate) nodes: usize,
    /// Possible sizes of a lease.
    pub(crate) sizes: &'static [u64],
    /// The highest number that can be granted.
    pub(crate) numbers: u64,
    pub(crate) hand: Hand,
    /// When a grant is admitted: the number of waiting callers, and of numbers to park.
    pub(crate) admissions: &'static [(u64, u64)],
    /// How many numbers a claim takes.
    pub(crate) claims: &'static [u64],
    /// How many numbers are shared at once.
    pub(crate) shares: &'static [u64],
    pub(crate) budget: Budget,
    pub(crate) history: History,
    pub(crate) variant: Option<Variant>,
}

impl Configuration {
    /// The expected result.
    pub(crate) fn expected(&self) -> Expected {
        if self.variant.is_some() { Expected::Duplicate } else { Expected::Kept }
    }
}

const TAB_1: Place = Place { name: "tab 1", tab: 0, device: 0, pool: Some(0), document: false, sealed: false };
const TAB_2: Place = Place { name: "tab 2", tab: 1, device: 0, pool: Some(0), document: false, sealed: false };
const DEVICE: Place = Place { name: "device", tab: 2, device: 1, pool: None, document: false, sealed: false };
const CLIENT: Place = Place { name: "client", tab: 0, device: 0, pool: None, document: false, sealed: false };
/// A second store in the first tab.
const STORE_2: Place = Place { name: "store 2", tab: 0, device: 0, pool: Some(0), document: false, sealed: false };
/// A store in the first tab with another source, and therefore its own record.
const SOURCE_2: Place = Place { name: "source 2", tab: 0, device: 0, pool: Some(1), document: false, sealed: false };

const DOCUMENT_TAB: Place = Place { document: true, ..TAB_1 };
const DOCUMENT_CLIENT: Place = Place { document: true, ..CLIENT };
const DOCUMENT_DEVICE: Place = Place { document: true, ..DEVICE };

/// Behind a gateway.
const SEALED_TAB: Place = Place { sealed: true, ..TAB_1 };
const SEALED_TAB_2: Place = Place { sealed: true, ..TAB_2 };
const SEALED_DEVICE: Place = Place { sealed: true, ..DEVICE };

const NOTHING: Budget = Budget {
    leaves: 0,
    closes: 0,
    releases: 0,
    shares: 0,
    refills: 0,
    lifts: 0,
    tab_crashes: 0,
    os_crashes: 0,
    late: 0,
    unfenced: 0,
    strays: 0,
    disasters: 0,
    early: 0,
};

/// Two tabs of one device and a client of another; leases of two numbers, one of which is parked; no faults.
const BASE: Configuration = Configuration {
    name: "",
    long: false,
    places: &[TAB_1, TAB_2, DEVICE],
    twins: true,
    fine: false,
    nodes: 1,
    sizes: &[2],
    numbers: 4,
    hand: Hand { low_water: 0, block: 1, parked: 0 },
    admissions: &[(1, 1)],
    claims: &[1],
    shares: &[1],
    budget: NOTHING,
    history: History::Honest,
    variant: None,
};

const TWO_TABS: Configuration = Configuration { places: &[TAB_1, TAB_2], ..BASE };
const TWO_NODES: Configuration = Configuration { places: &[TAB_1, DEVICE], twins: false, nodes: 2, ..BASE };

/// Clients without a pool on two nodes. They must neither merge ranges nor read a fence again.
const PLAIN_NODES: Configuration =
    Configuration { places: &[CLIENT, DEVICE], twins: true, nodes: 2, sizes: &[1], numbers: 2, ..BASE };

/// A tab whose counter has blocks of two of three numbers, of which one is parked: bursts that pause, and claims of the whole pool.
const BURSTS: Configuration = Configuration {
    places: &[TAB_1, DEVICE],
    twins: false,
    sizes: &[3],
    numbers: 6,
    hand: Hand { low_water: 0, block: 2, parked: 0 },
    claims: &[1, u64::MAX],
    shares: &[1, u64::MAX],
    ..BASE
};

/// A tab and another device behind a gateway.
const SEALED: Configuration = Configuration {
    places: &[SEALED_TAB, SEALED_DEVICE],
    twins: false,
    sizes: &[3],
    numbers: 4,
    admissions: &[(1, 1), (1, u64::MAX)],
    claims: &[1, u64::MAX],
    ..BASE
};

/// A tab and another device, both with the source `document`.
const DOCUMENTS: Configuration = Configuration { places: &[DOCUMENT_TAB, DOCUMENT_DEVICE], twins: false, ..BASE };

/// Two such clients without a pool; a lease is one number.
const PLAIN_DOCUMENTS: Configuration =
    Configuration { places: &[DOCUMENT_CLIENT, DOCUMENT_DEVICE], twins: true, sizes: &[1], numbers: 2, ..BASE };

/// A database that is recreated while a device uses its pool, and other clients lease from the new database. A lease
/// is one number, which is parked.
const RECREATED: Configuration = Configuration {
    places: &[TAB_1],
    twins: false,
    sizes: &[1],
    numbers: 2,
    admissions: &[(0, 1)],
    budget: Budget { disasters: 1, closes: 1, tab_crashes: 1, strays: 1, ..NOTHING },
    history: History::Recreated,
    ..BASE
};

/// The same with two tabs, one of which parks its numbers; nothing else is parked.
const SHARED: Configuration = Configuration {
    sizes: &[1],
    numbers: 2,
    admissions: &[(1, 0)],
    history: History::Recreated,
    budget: Budget { disasters: 1, shares: 1, ..NOTHING },
    ..TWO_TABS
};

/// All configurations.
pub(crate) const CONFIGURATIONS: &[Configuration] = &[
    Configuration { name: "base", ..BASE },
    Configuration { name: "leave", budget: Budget { leaves: 1, ..NOTHING }, ..BASE },
    Configuration { name: "leave-twice", long: true, budget: Budget { leaves: 2, ..NOTHING }, ..BASE },
    Configuration { name: "dispose", budget: Budget { closes: 1, ..NOTHING }, ..BASE },
    Configuration { name: "dispose-twice-tabs", budget: Budget { closes: 2, ..NOTHING }, ..TWO_TABS },
    Configuration {
        name: "dispose-leave-tabs",
        long: true,
        budget: Budget { leaves: 1, closes: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration { name: "tab-dies", long: true, budget: Budget { leaves: 1, tab_crashes: 1, ..NOTHING }, ..BASE },
    Configuration {
        name: "tab-dies-dispose-tabs",
        budget: Budget { closes: 1, tab_crashes: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration { name: "device-dies", budget: Budget { shares: 1, os_crashes: 1, ..NOTHING }, ..BASE },
    Configuration {
        name: "device-dies-leave-tabs",
        long: true,
        budget: Budget { leaves: 1, shares: 1, os_crashes: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "device-dies-dispose-tabs",
        long: true,
        budget: Budget { closes: 1, shares: 1, os_crashes: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration { name: "release-tabs", budget: Budget { releases: 1, leaves: 1, ..NOTHING }, ..TWO_TABS },
    Configuration {
        name: "release-pair",
        budget: Budget { releases: 1, unfenced: 1, ..NOTHING },
        places: &[TAB_1, DEVICE],
        twins: false,
        ..BASE
    },
    Configuration { name: "late", budget: Budget { late: 1, strays: 1, ..NOTHING }, ..BASE },
    Configuration { name: "late-leave-tabs", budget: Budget { late: 1, leaves: 1, ..NOTHING }, ..TWO_TABS },
    Configuration {
        name: "reserve-dispose-tabs",
        admissions: &[(1, u64::MAX)],
        shares: &[u64::MAX],
        budget: Budget { closes: 1, lifts: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "two-stores",
        long: true,
        places: &[TAB_1, STORE_2],
        budget: Budget { leaves: 1, closes: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "two-stores-die",
        places: &[TAB_1, STORE_2],
        budget: Budget { closes: 1, tab_crashes: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "two-sources",
        places: &[TAB_1, SOURCE_2],
        twins: false,
        budget: Budget { leaves: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "two-sources-dispose",
        places: &[TAB_1, SOURCE_2],
        twins: false,
        budget: Budget { closes: 1, ..NOTHING },
        ..BASE
    },
    Configuration { name: "threes", sizes: &[3], numbers: 6, budget: Budget { leaves: 1, ..NOTHING }, ..BASE },
    Configuration {
        name: "threes-tabs",
        long: true,
        sizes: &[3],
        numbers: 6,
        budget: Budget { leaves: 1, closes: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "low-water-tabs",
        sizes: &[3],
        numbers: 6,
        hand: Hand { low_water: 1, block: 0, parked: 0 },
        budget: Budget { leaves: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration { name: "two-nodes", numbers: 2, budget: Budget { leaves: 1, ..NOTHING }, ..TWO_NODES },
    Configuration { name: "two-nodes-dispose", numbers: 2, budget: Budget { closes: 1, ..NOTHING }, ..TWO_NODES },
    Configuration { name: "two-nodes-plain", budget: Budget { leaves: 1, ..NOTHING }, ..PLAIN_NODES },
    Configuration {
        name: "two-nodes-plain-dispose",
        budget: Budget { closes: 1, unfenced: 1, ..NOTHING },
        ..PLAIN_NODES
    },
    Configuration { name: "fine", long: true, fine: true, budget: Budget { leaves: 1, ..NOTHING }, ..BASE },
    Configuration {
        name: "edited",
        long: true,
        history: History::Edited,
        budget: Budget { disasters: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "put-back",
        long: true,
        history: History::PutBack,
        budget: Budget { disasters: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "put-back-leave",
        places: &[TAB_1, DEVICE],
        twins: false,
        sizes: &[1],
        numbers: 2,
        admissions: &[(0, 1)],
        history: History::PutBack,
        budget: Budget { disasters: 1, leaves: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "put-back-dispose-plain",
        places: &[CLIENT, DEVICE],
        history: History::PutBack,
        numbers: 3,
        sizes: &[1],
        budget: Budget { disasters: 1, closes: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "recreated",
        numbers: 2,
        history: History::Recreated,
        budget: Budget { disasters: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "recreated-pair",
        places: &[TAB_1, DEVICE],
        twins: false,
        history: History::Recreated,
        budget: Budget { disasters: 1, ..NOTHING },
        ..BASE
    },
    Configuration { name: "recreated-dispose", long: true, ..RECREATED },
    Configuration { name: "recreated-share", ..SHARED },
    Configuration { name: "document", long: true, budget: Budget { leaves: 1, late: 1, ..NOTHING }, ..DOCUMENTS },
    Configuration { name: "document-dispose", budget: Budget { closes: 1, late: 1, ..NOTHING }, ..DOCUMENTS },
    Configuration { name: "document-late-twice", budget: Budget { late: 2, ..NOTHING }, ..DOCUMENTS },
    Configuration {
        name: "document-dies",
        long: true,
        budget: Budget { leaves: 1, tab_crashes: 1, ..NOTHING },
        ..DOCUMENTS
    },
    Configuration {
        name: "document-put-back-plain",
        history: History::PutBack,
        budget: Budget { disasters: 1, late: 1, ..NOTHING },
        ..PLAIN_DOCUMENTS
    },
    Configuration {
        name: "document-put-back",
        long: true,
        history: History::PutBack,
        budget: Budget { disasters: 1, ..NOTHING },
        ..DOCUMENTS
    },
    Configuration {
        name: "document-put-back-sizes",
        history: History::PutBack,
        sizes: &[1, 2],
        budget: Budget { disasters: 1, late: 1, ..NOTHING },
        ..PLAIN_DOCUMENTS
    },
    Configuration {
        name: "document-recreated-plain",
        history: History::Recreated,
        budget: Budget { disasters: 1, late: 1, ..NOTHING },
        ..PLAIN_DOCUMENTS
    },
    Configuration {
        name: "document-beside-server",
        places: &[DOCUMENT_TAB, DEVICE],
        budget: Budget { leaves: 1, late: 1, ..NOTHING },
        ..DOCUMENTS
    },
    Configuration { name: "refill-leave", budget: Budget { refills: 1, leaves: 1, ..NOTHING }, ..BURSTS },
    Configuration { name: "refill-twice", places: &[TAB_1], budget: Budget { refills: 2, ..NOTHING }, ..BURSTS },
    Configuration {
        name: "refill-twice-pair",
        sizes: &[2],
        numbers: 4,
        budget: Budget { refills: 2, ..NOTHING },
        ..BURSTS
    },
    Configuration { name: "refill-dispose", budget: Budget { refills: 1, closes: 1, ..NOTHING }, ..BURSTS },
    Configuration {
        name: "refill-late",
        places: &[TAB_1],
        budget: Budget { refills: 1, late: 1, ..NOTHING },
        ..BURSTS
    },
    Configuration {
        name: "refill-late-pair",
        sizes: &[2],
        numbers: 4,
        budget: Budget { refills: 1, late: 1, ..NOTHING },
        ..BURSTS
    },
    Configuration {
        name: "refill-dies",
        hand: Hand { low_water: 0, block: 2, parked: 0 },
        claims: &[1, u64::MAX],
        budget: Budget { refills: 1, os_crashes: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "old-and-new-tabs",
        hand: Hand { low_water: 0, block: 2, parked: 0 },
        claims: &[1, u64::MAX],
        budget: Budget { refills: 1, shares: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "old-and-new-tabs-leave",
        sizes: &[3],
        numbers: 3,
        hand: Hand { low_water: 0, block: 2, parked: 0 },
        claims: &[1, u64::MAX],
        budget: Budget { refills: 1, shares: 1, leaves: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration { name: "sealed-leave", budget: Budget { refills: 1, leaves: 1, ..NOTHING }, ..SEALED },
    Configuration { name: "sealed-dispose", budget: Budget { refills: 1, closes: 1, ..NOTHING }, ..SEALED },
    Configuration {
        name: "sealed-tabs",
        places: &[SEALED_TAB, SEALED_TAB_2],
        twins: true,
        budget: Budget { leaves: 1, closes: 1, ..NOTHING },
        ..SEALED
    },
    Configuration { name: "early", budget: Budget { early: 1, ..NOTHING }, ..BASE },
    Configuration { name: "early-leave", long: true, budget: Budget { early: 1, leaves: 1, ..NOTHING }, ..TWO_TABS },
    Configuration {
        name: "early-dies",
        long: true,
        budget: Budget { early: 1, tab_crashes: 1, closes: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "early-late",
        long: true,
        budget: Budget { early: 1, late: 1, strays: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "early-plain",
        places: &[CLIENT, DEVICE],
        budget: Budget { early: 2, tab_crashes: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "handed-over-twice",
        variant: Some(Variant::HandedOverTwice),
        places: &[CLIENT, DEVICE],
        budget: Budget { early: 1, tab_crashes: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "used-after-record",
        variant: Some(Variant::UsedAfterRecord),
        budget: Budget { early: 1, ..NOTHING },
        ..TWO_TABS
    },
    Configuration {
        name: "hand-survives",
        variant: Some(Variant::HandSurvives),
        budget: Budget { leaves: 1, ..NOTHING },
        ..BURSTS
    },
    Configuration {
        name: "refilled-and-returned",
        variant: Some(Variant::RefilledAndReturned),
        budget: Budget { refills: 1, leaves: 1, ..NOTHING },
        ..BURSTS
    },
    Configuration {
        name: "reread-through-gateway",
        variant: Some(Variant::RereadThroughGateway),
        budget: Budget { leaves: 1, ..NOTHING },
        ..SEALED
    },
    Configuration {
        name: "relaxed-claim",
        variant: Some(Variant::RelaxedClaim),
        budget: Budget { os_crashes: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "send-before-forget",
        variant: Some(Variant::SendBeforeForget),
        budget: Budget { closes: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "unfenced-return",
        variant: Some(Variant::UnfencedReturn),
        budget: Budget { leaves: 1, ..NOTHING },
        ..BASE
    },
    Configuration {
        name: "keep-issuing",
        variant: Some(Variant::KeepIssuing),
        budget: Budget { leaves: 1, ..NOTHING },
        ..BASE
    },
    Configuration { name: "two-transactions", variant: Some(Variant::TwoTransactions), ..BASE },
    Configuration {
        name: "refence-anyway",
        variant: Some(Variant::RefenceAnyway),
        budget: Budget { closes: 1, unfenced: 1, ..NOTHING },
        ..PLAIN_NODES
    },
    Configuration {
        name: "merge-anyway",
        variant: Some(Variant::MergeAnyway),
        budget: Budget { leaves: 1, ..NOTHING },
        ..PLAIN_NODES
    },
    Configuration {
        name: "late-admission-used",
        variant: Some(Variant::LateAdmissionUsed),
        budget: Budget { late: 1, ..NOTHING },
        ..BASE
    },
    Configuration { name: "foreign-fence", variant: Some(Variant::ForeignFence), ..RECREATED },
    Configuration { name: "relabelled-move", variant: Some(Variant::RelabelledMove), ..SHARED },
    Configuration { name: "stale-note", variant: Some(Variant::StaleNote), ..SHARED },
    Configuration {
        name: "save-overwrites",
        variant: Some(Variant::SaveOverwrites),
        history: History::Edited,
        budget: Budget { disasters: 1, ..NOTHING },
        ..BASE
    },
    Configuration { name: "refused-put-used", variant: Some(Variant::RefusedPutUsed), ..DOCUMENTS },
    Configuration {
        name: "read-back",
        variant: Some(Variant::ReadBack),
        budget: Budget { late: 1, ..NOTHING },
        ..DOCUMENTS
    },
    Configuration { name: "unconditional-put", variant: Some(Variant::UnconditionalPut), ..DOCUMENTS },
];
