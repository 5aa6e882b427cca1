//! Numbers and names that this crate shares with the package's JavaScript and with the server: one table.
//!
//! `cargo xtask build` writes what JavaScript needs of it to `pkg/gen/protocol.js`, so that no copy can differ: `reply::LATE` is
//! `REPLY_LATE` there.

/// A constant as JavaScript gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(u32),
    /// A text.
    Text(&'static str),
    /// Texts.
    List(&'static [&'static str]),
}

/// Writes a module of constants, and the rows of [`TABLE`] that belong to it.
macro_rules! table {
    ($($(#[$about:meta])* $module:ident: $kind:ident $type:ty { $($(#[$of:meta])* $name:ident = $value:expr,)* })*) => {
        $($(#[$about])* pub mod $module { $($(#[$of])* pub const $name: $type = $value;)* })*

        /// Module, name and value of every constant.
        pub const TABLE: &[(&str, &str, Value)] =
            &[$($((stringify!($module), stringify!($name), Value::$kind($module::$name as table!(@as $kind))),)*)*];
    };
    (@as Number) => { u32 };
    (@as Text) => { &'static str };
    (@as List) => { &'static [&'static str] };
}

table! {
    /// What the package reports to a task in place of an HTTP status, which is never below 100.
    reply: Number u16 {
        /// There is nothing to report: begin, or go on after a pause.
        PROCEED = 0,
        /// No response came.
        UNREACHABLE = 1,
        /// No response came in time.
        LATE = 2,
        /// A move between memory and pool is durable, as far as it has to be.
        MOVED = 3,
        /// It is unknown what became of a move: the numbers that it is about are burnt.
        LOST = 4,
        /// No response came, and the request is known never to have left.
        UNSENT = 5,
    }

    /// What a caller of a tag waits for: [`Want`](crate::hilo::waiters::Want).
    want: Number u8 {
        /// An id.
        ID = 0,
        /// Numbers that outlive the page.
        NUMBERS = 1,
        /// A few parked numbers in memory.
        READY = 2,
    }

    /// What the package reports to those who wait: [`Event`](crate::hilo::waiters::Event).
    event: Number u8 {
        /// The turn of the event loop is over.
        GATHERED = 0,
        /// A park is through.
        PARKED = 1,
        /// A claim is through.
        CLAIMED = 2,
        /// No sibling is leasing.
        TURNED = 3,
        /// Another task has ended.
        SHARED = 4,
        /// A lease has ended.
        LEASED = 5,
        /// The step has failed, and the same may succeed later.
        OUTAGE = 6,
        /// The step has failed.
        FAILED = 7,
        /// A caller's time is over.
        EXPIRED = 8,
        /// The store ends.
        CLOSED = 9,
        /// A caller got its id.
        SERVED = 10,
        /// Who could be served is.
        SETTLED = 11,
    }

    /// What the package does for those who wait: [`Effect`](crate::hilo::waiters::Effect).
    effect: Number u8 {
        /// Serve a caller.
        SERVE = 0,
        /// Report `GATHERED` at the end of this turn of the event loop.
        GATHER = 1,
        /// Run a task, and report the event that is named.
        RUN = 2,
        /// Report `TURNED` when no sibling is leasing.
        TURN = 3,
        /// Report `SHARED` when another task has ended.
        SHARE = 4,
        /// The flight is over.
        END = 5,
        /// Tell a caller that its time is over.
        EXPIRE = 6,
        /// Tell a caller the last failure.
        REFUSE = 7,
        /// Report `SETTLED`.
        SETTLE = 8,
    }

    /// What the package reports of a store's device to [`Presence`](crate::pool::Presence). The first three are also what siblings
    /// say to each other.
    presence: Number u8 {
        /// A sibling is there, and asks who else is.
        HELLO = 0,
        /// A sibling answers.
        HERE = 1,
        /// A sibling leaves.
        BYE = 2,
        /// The highest number that a message can have: the rest is not for siblings to say.
        MESSAGE = 3,
        /// The store begins.
        BEGUN = 4,
        /// The page is there.
        BACK = 5,
        /// The page leaves.
        LEFT = 6,
        /// It matters who is there.
        ASKED = 7,
        /// The time to answer a question is over.
        OVER = 8,
        /// The device has failed.
        FAILED = 9,
        /// The store has ended.
        ENDED = 10,
        /// A lease waits for its turn, if anything is to be done about it.
        TURN = 11,
    }

    /// What is to be done about it, as bits, in this order: [`Presence::on`](crate::pool::Presence::on).
    todo: Number u8 {
        /// Numbers are issued again. [`Store`](crate::hilo::Store) does this.
        RESUME = 1,
        /// Memory is emptied, and goes back in a request that outlives the page.
        GIVE_BACK = 2,
        /// Say `HELLO` to the siblings; from now on they can be heard.
        HELLO = 4,
        /// Say `HERE`.
        HERE = 8,
        /// Say `BYE`; from now on no sibling is heard.
        BYE = 16,
        /// Report `OVER` when siblings have had time to answer.
        WAIT = 32,
        /// What memory has beyond the blocks in use goes to the pool. [`Store`](crate::hilo::Store) does this.
        PARK = 64,
    }

    /// What the package reports of a save: `session::Event`.
    save: Number u32 {
        /// The server has carried out the batch.
        APPLIED = 0,
        /// It has, and has waited too long for copies or indexes.
        WAITED = 1,
        /// A change vector did not fit.
        CONFLICT = 2,
        /// The server refused the batch for another reason.
        REFUSED = 3,
        /// Nothing was sent.
        UNSENT = 4,
        /// No response came, or one that is not RavenDB's.
        LOST = 5,
        /// Documents were read back.
        SEEN = 6,
        /// Documents could not be read back.
        UNREAD = 7,
    }

    /// What follows for a save: `session::Next`. From `UNKNOWN` on the outcome is unknown; how far above it the number is says which
    /// `session::Advice` the app gets.
    next: Number u32 {
        /// The save has succeeded.
        DONE = 0,
        /// Documents are to be read.
        READ = 1,
        /// A batch is to be planned.
        PLAN = 2,
        /// It is saved, and was waited for in vain.
        SAVED = 3,
        /// Nothing is saved.
        NOT_SAVED = 4,
        /// The server has something else.
        CONFLICT = 5,
        /// The same, which may be what an earlier save wrote.
        CONFLICT_UNKNOWN = 6,
        /// Whether it is saved is unknown.
        UNKNOWN = 7,
        /// The report does not fit. Above every number of `UNKNOWN`.
        NOTHING = 10,
    }

    /// What was found under the id of a document: `session::Finding`.
    finding: Number u32 {
        /// No document.
        ABSENT = 0,
        /// Something else than what was sent.
        OTHER = 1,
        /// What was sent: this and the version.
        VERSION = 2,
    }

    /// What is to be done with a document, the lowest two bits of a report and of a command: `session::Want`.
    command: Number u32 {
        /// It is written.
        PUT = 0,
        /// It is deleted.
        DELETE = 1,
        /// It was only read, and is checked.
        CHECK = 2,
        /// In a plan: it cannot be deleted, because only the server knows its id.
        NO_ID = 3,
    }

    /// What the server must have for a command: `session::Expectation`.
    expects: Number u32 {
        /// Anything.
        ANY = 0,
        /// No document.
        ABSENT = 1,
        /// The change vector that the package has of the document.
        KNOWN = 2,
    }

    /// How a session saves, as bits: `session::Mode`.
    mode: Number u8 {
        /// Whatever is written must be as the session knows it.
        STRICT = 1,
        /// There are deferred commands.
        DEFERRED = 2,
        /// A deferred command has another effect when it is carried out twice.
        ONCE = 4,
        /// A deferred command expects a change vector.
        GUARDED = 8,
    }

    /// What is known of a document, as bits: `session::Facts`.
    facts: Number u8 {
        /// Its change vector is checked whatever the session does.
        CHECKED = 1,
        /// Its change vector is never checked.
        UNCHECKED = 2,
        /// A change vector of it is known.
        KNOWN = 4,
        /// Its id is of a range leased by this client.
        OURS = 8,
        /// The server will make its id.
        PENDING = 16,
    }

    /// Names that the server gives a document's metadata, and names in it.
    metadata: Text &str {
        /// The member of a document that holds them.
        MEMBER = "@metadata",
        /// The id of the document.
        ID = "@id",
        /// Its change vector.
        CHANGE_VECTOR = "@change-vector",
        /// The time of the last change.
        LAST_MODIFIED = "@last-modified",
        /// The collection.
        COLLECTION = "@collection",
        /// What else there is of it: attachments, counters, revisions.
        FLAGS = "@flags",
        /// Its number in the storage of a node.
        ETAG = "@etag",
        /// How well it answers a query.
        INDEX_SCORE = "@index-score",
        /// Whether a result of a query is no document as it is stored.
        PROJECTION = "@projection",
        /// The names of its counters.
        COUNTERS = "@counters",
        /// The name of an entity's class, by which npm `ravendb` makes an instance of it again.
        CLASS = "Raven-Node-Type",
        /// Where the classes of values inside an entity are noted.
        NESTED = "@nested-object-types",
    }

    /// What ids of the server's own documents begin with.
    prefix: Text &str {
        /// Of the counters that leases move on.
        HILO = "Raven/Hilo/",
    }

    /// Texts of which one is meant.
    list: List &[&str] {
        /// Metadata that the server makes whatever a client sends.
        METADATA = &[
            super::metadata::ID,
            super::metadata::CHANGE_VECTOR,
            super::metadata::LAST_MODIFIED,
            super::metadata::FLAGS,
            super::metadata::ETAG,
            super::metadata::INDEX_SCORE,
            super::metadata::COUNTERS,
        ],
        /// What the ids of the counters begin with for the source `document`, before the slash: today's, and those of older clients.
        /// A store of the package is told the place of its own in this list.
        SPELLINGS = &["Raven/Hilo", "Raven/HiLo", "Replication/HiLo"],
        /// Members that differ without being a change to npm `ravendb`, whose `whatChanged` this package's is.
        UNCOMPARED = &[
            super::metadata::LAST_MODIFIED,
            super::metadata::COLLECTION,
            super::metadata::CHANGE_VECTOR,
            super::metadata::ID,
            super::metadata::MEMBER,
        ],
        /// What an app calls each source.
        SOURCES = &["server", "document", "own", "classic"],
    }

    /// Where numbers come from, as a store of the package is told.
    source: Number u8 {
        /// RavenDB's leases.
        SERVER = 0,
        /// Counter documents that the client writes itself.
        DOCUMENT = 1,
        /// A function of the app that leases ranges.
        OWN = 2,
        /// A function of the app that gives the next Hi.
        CLASSIC = 3,
    }

    /// What is refused beyond.
    limit: Number u32 {
        /// Numbers in a range.
        RANGE = 1_048_576,
    }

    /// Headers beyond those of every HTTP client.
    header: Text &str {
        /// Of a response: the incarnation of the database.
        INCARNATION = "Database-Cluster-Tx-Id",
        /// Of a response: the nodes have changed.
        REFRESH_TOPOLOGY = "Refresh-Topology",
        /// Of a response: the settings for clients have changed.
        REFRESH_CONFIGURATION = "Refresh-Client-Configuration",
        /// Of a request: which list of nodes the client has.
        TOPOLOGY_ETAG = "Topology-Etag",
        /// Of a request: which settings the client has.
        CONFIGURATION_ETAG = "Client-Configuration-Etag",
        /// Of a request: which version of RavenDB's clients this one behaves as.
        CLIENT_VERSION = "Raven-Client-Version",
        /// Of a request: the change vector that a document must have.
        IF_MATCH = "If-Match",
        /// Of a request: the change vector of what the client has.
        IF_NONE_MATCH = "If-None-Match",
        /// Of a response: the change vector.
        ETAG = "ETag",
    }

    /// Paths of the server, and routes of a database, which stand behind `/databases/<name>/`.
    path: Text &str {
        /// What the routes of all databases begin with.
        DATABASES = "/databases/",
        /// The nodes.
        TOPOLOGY = "/topology",
        /// Documents by id or prefix.
        DOCS = "docs",
        /// A batch of commands.
        BATCH = "bulk_docs",
        /// Several requests in one.
        SEVERAL = "multi_get",
        /// Queries.
        QUERIES = "queries",
        /// A lease.
        LEASE = "hilo/next",
        /// An unfenced return, which this client never sends.
        RETURN = "hilo/return",
    }
}
