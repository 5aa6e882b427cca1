//! The explored configurations: what apps queue, and faults.

use crate::app::Do;
use crate::shell_variants::ShellVariant;
use raven_edge::offline::Variant;

/// How often each event may occur in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    /// A tab dies or gives up while it waits; what it sent may arrive at any later time, or never.
    pub(crate) lost: u8,
    /// A tab dies between the transaction that seals a batch and its sending.
    pub(crate) deaths: u8,
    /// The server refuses a request for another reason than a change vector.
    pub(crate) refused: u8,
    /// A request is duplicated; the copy arrives at any later time, or never.
    pub(crate) copies: u8,
    /// An app discards a change.
    pub(crate) discards: u8,
    /// An app sends a parked change again.
    pub(crate) retries: u8,
    /// An app clears a queue.
    pub(crate) clears: u8,
    /// An app pauses a queue, or a read finds that its user is not signed in.
    pub(crate) pauses: u8,
    /// Another user signs in on a device.
    pub(crate) sign_ins: u8,
    /// Another writer changes a document.
    pub(crate) adds: u8,
    /// Another writer deletes a document.
    pub(crate) removes: u8,
    /// Another writer creates a document that did not exist at the beginning.
    pub(crate) creates: u8,
    /// The first device is cloned.
    pub(crate) clones: u8,
    /// The database is backed up; the backup may be restored at any later time.
    pub(crate) backups: u8,
    /// The database is deleted and created again.
    pub(crate) recreates: u8,
    /// A device that reads its receipt before the first batch finds a sharded database.
    pub(crate) shards: u8,
}

/// One exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub(crate) name: &'static str,
    /// Whether it takes minutes.
    pub(crate) long: bool,
    /// What the app of each user queues, in order.
    pub(crate) scripts: &'static [&'static [Do]],
    /// Number of tabs of each device. A tab belongs to the user with its number, if there are several users.
    pub(crate) tabs: u8,
    /// Number of devices at the beginning.
    pub(crate) devices: u8,
    /// Number of documents that apps and other writers know by id.
    pub(crate) documents: u8,
    /// Number of documents that exist at the beginning.
    pub(crate) existing: u8,
    /// Maximum number of changes in a batch.
    pub(crate) batch: u32,
    /// Whether the server names the document of a conflict.
    pub(crate) named: bool,
    /// Whether the app's options merge conflicts by members.
    pub(crate) merges: bool,
    /// Whether there is a second node that lags behind.
    pub(crate) lags: bool,
    /// Whether time passes between reading a document or receipt and the response.
    pub(crate) late_reads: bool,
    /// Whether to check in each state that everything is sent once faults end.
    pub(crate) ends: bool,
    pub(crate) faults: Budget,
    /// A mistake in the core.
    pub(crate) variant: Option<Variant>,
    /// A mistake of the shell.
    pub(crate) shell_variant: Option<ShellVariant>,
}

impl Configuration {
    /// Whether there are several users. Then each tab belongs to one user, but tries to send the changes of all users.
    pub(crate) fn users_of_tabs(&self) -> bool {
        self.scripts.len() > 1
    }
}

pub(crate) const NOTHING: Budget = Budget {
    lost: 0,
    deaths: 0,
    refused: 0,
    copies: 0,
    discards: 0,
    retries: 0,
    clears: 0,
    pauses: 0,
    sign_ins: 0,
    adds: 0,
    removes: 0,
    creates: 0,
    clones: 0,
    backups: 0,
    recreates: 0,
    shards: 0,
};

pub(crate) const PLAIN: Configuration = Configuration {
    name: "",
    long: false,
    scripts: &[],
    tabs: 1,
    devices: 1,
    documents: 2,
    existing: 2,
    batch: 2,
    named: true,
    merges: false,
    lags: false,
    late_reads: false,
    ends: true,
    faults: NOTHING,
    variant: None,
    shell_variant: None,
};

const LOST: Configuration = Configuration {
    name: "lost",
    scripts: &[&[Do::Put(0), Do::Patch(1), Do::Put(0), Do::Delete(0)]],
    faults: Budget { lost: 3, deaths: 1, copies: 2, ..NOTHING },
    ..PLAIN
};

const REFUSED: Configuration = Configuration {
    name: "refused",
    scripts: &[&[Do::Put(0), Do::Patch(1), Do::Patch(0)]],
    faults: Budget { lost: 1, refused: 2, copies: 1, retries: 1, ..NOTHING },
    ..PLAIN
};

/// The queue is paused, and resumed, while a batch is on its way.
const PAUSED: Configuration = Configuration {
    name: "paused",
    scripts: &[&[Do::Put(0), Do::Patch(1), Do::Put(0)]],
    faults: Budget { lost: 2, refused: 1, copies: 1, pauses: 2, ..NOTHING },
    ..PLAIN
};

const CHAINS: Configuration = Configuration {
    name: "chains",
    scripts: &[&[Do::Patch(0), Do::Put(0), Do::Put(0)]],
    merges: true,
    faults: Budget { lost: 1, adds: 2, ..NOTHING },
    ..PLAIN
};

const LAGS: Configuration = Configuration {
    name: "two-nodes",
    scripts: &[&[Do::Patch(0), Do::Put(1), Do::Put(1), Do::Put(0)]],
    lags: true,
    faults: Budget { lost: 2, refused: 1, ..NOTHING },
    ..PLAIN
};

const CLONED: Configuration = Configuration {
    name: "cloned",
    scripts: &[&[Do::Patch(0), Do::Put(1)]],
    batch: 1,
    faults: Budget { lost: 1, clones: 1, ..NOTHING },
    ..PLAIN
};

const USERS: Configuration = Configuration {
    name: "two-users",
    scripts: &[&[Do::Put(0), Do::Patch(1)], &[Do::Put(1)]],
    tabs: 2,
    merges: true,
    faults: Budget { lost: 1, sign_ins: 3, ..NOTHING },
    ..PLAIN
};

const RESTORED: Configuration = Configuration {
    name: "restored",
    scripts: &[&[Do::Patch(0), Do::Put(1)]],
    faults: Budget { lost: 1, backups: 1, refused: 1, copies: 1, ..NOTHING },
    ..PLAIN
};

/// The app gives up a refused change after it has changed the document again.
const CORRECTED: Configuration = Configuration {
    name: "corrected",
    scripts: &[&[Do::Put(0), Do::Both(0, 1), Do::Put(0)]],
    existing: 1,
    faults: Budget { refused: 1, copies: 1, discards: 1, adds: 1, ..NOTHING },
    ..PLAIN
};

/// Every configuration.
pub(crate) const CONFIGURATIONS: &[Configuration] = &[
    LOST,
    REFUSED,
    PAUSED,
    CHAINS,
    LAGS,
    CLONED,
    USERS,
    RESTORED,
    CORRECTED,
    Configuration {
        name: "given-up",
        scripts: &[&[Do::Put(0), Do::Patch(1), Do::Put(0)]],
        faults: Budget { lost: 1, refused: 1, copies: 1, discards: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "cleared",
        scripts: &[&[Do::Put(0), Do::Patch(1), Do::Put(0)]],
        faults: Budget { lost: 1, refused: 1, copies: 1, clears: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "conflicts",
        scripts: &[&[Do::Both(0, 1), Do::Put(0), Do::Delete(1)]],
        faults: Budget { adds: 1, removes: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "unnamed-conflicts",
        scripts: &[&[Do::PutAndPatch(0, 1), Do::Put(1), Do::Patch(0)]],
        named: false,
        faults: Budget { lost: 1, adds: 1, copies: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "new-documents",
        scripts: &[&[Do::Put(0), Do::Patch(0), Do::Put(1)]],
        existing: 0,
        faults: Budget { lost: 2, creates: 1, copies: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "two-tabs",
        scripts: &[&[Do::Patch(0), Do::Put(0), Do::Unversioned(1), Do::Old(1)]],
        tabs: 2,
        late_reads: true,
        merges: true,
        faults: Budget { lost: 1, adds: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "two-tabs-refused",
        scripts: &[&[Do::Put(0), Do::Patch(1), Do::Put(0)]],
        tabs: 2,
        late_reads: true,
        faults: Budget { lost: 2, refused: 2, copies: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "recreated",
        scripts: &[&[Do::Patch(0), Do::Put(1)]],
        late_reads: true,
        faults: Budget { lost: 2, recreates: 1, refused: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "sharded",
        scripts: &[&[Do::Put(0), Do::Patch(1), Do::Put(0)]],
        faults: Budget { shards: 2, recreates: 1, retries: 1, lost: 1, ..NOTHING },
        ..PLAIN
    },
    // Larger ones.
    Configuration {
        name: "lost-long",
        long: true,
        scripts: &[&[Do::Put(0), Do::Patch(1), Do::Put(0), Do::Delete(0), Do::Both(0, 1)]],
        tabs: 2,
        faults: Budget { lost: 2, deaths: 1, copies: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "corrected-long",
        long: true,
        faults: Budget { lost: 1, refused: 2, copies: 1, discards: 2, adds: 1, ..NOTHING },
        ..CORRECTED
    },
    Configuration {
        name: "refused-long",
        long: true,
        faults: Budget { lost: 2, refused: 3, copies: 2, discards: 1, retries: 2, ..NOTHING },
        ..REFUSED
    },
    Configuration {
        name: "conflicts-long",
        long: true,
        scripts: &[&[Do::Both(0, 1), Do::Put(0), Do::Delete(1)]],
        faults: Budget { lost: 1, adds: 1, removes: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "two-nodes-long",
        long: true,
        faults: Budget { lost: 2, refused: 1, copies: 1, ..NOTHING },
        ..LAGS
    },
    Configuration {
        name: "cloned-long",
        long: true,
        faults: Budget { lost: 1, clones: 1, refused: 1, ..NOTHING },
        ..CLONED
    },
    Configuration {
        name: "cloned-chain-long",
        long: true,
        scripts: &[&[Do::PutAndPatch(0, 1), Do::Put(0)]],
        merges: true,
        faults: Budget { clones: 1, adds: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "restored-long",
        long: true,
        scripts: &[&[Do::Patch(0), Do::Put(1), Do::Put(0)]],
        faults: Budget { lost: 2, backups: 1, refused: 1, copies: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration {
        name: "recreated-long",
        long: true,
        scripts: &[&[Do::Patch(0), Do::Put(1)]],
        late_reads: true,
        faults: Budget { lost: 2, recreates: 2, refused: 1, ..NOTHING },
        ..PLAIN
    },
    Configuration { name: "receipt-without-id", variant: Some(Variant::ReceiptWithoutId), ends: false, ..CLONED },
    Configuration { name: "no-fence", variant: Some(Variant::NoFence), ends: false, ..REFUSED },
    Configuration { name: "fence-reuses-number", variant: Some(Variant::FenceReusesNumber), ends: false, ..REFUSED },
    Configuration { name: "passed-on-after-patch", variant: Some(Variant::PassedOnAfterPatch), ends: false, ..CHAINS },
    Configuration { name: "whole-text-kept", variant: Some(Variant::WholeTextKept), ends: false, ..CHAINS },
    Configuration { name: "any-node", variant: Some(Variant::AnyNode), ends: false, ..LAGS },
    Configuration { name: "any-user", variant: Some(Variant::AnyUserDrains), ends: false, ..USERS },
    Configuration { name: "order-by-change", variant: Some(Variant::OrderByChange), ends: false, ..REFUSED },
    Configuration { name: "unknown-sent-again", variant: Some(Variant::UnknownIsSentAgain), ends: false, ..CLONED },
    Configuration {
        name: "incarnation-ignored",
        variant: Some(Variant::IncarnationIsIgnored),
        ends: false,
        ..RESTORED
    },
    Configuration { name: "refused-is-base", variant: Some(Variant::RefusedIsBase), ends: false, ..CORRECTED },
    Configuration { name: "refused-forgotten", variant: Some(Variant::RefusedIsForgotten), ends: false, ..RESTORED },
    Configuration {
        name: "sent-before-sealed",
        shell_variant: Some(ShellVariant::SentBeforeSealed),
        ends: false,
        ..LOST
    },
    Configuration {
        name: "removed-before-response",
        shell_variant: Some(ShellVariant::RemovedBeforeResponse),
        ends: false,
        ..LOST
    },
    Configuration {
        name: "vector-not-stored",
        shell_variant: Some(ShellVariant::VectorNotStored),
        ends: false,
        ..LOST
    },
];
