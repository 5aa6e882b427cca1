//! Numbers and names that this crate shares with the package's JavaScript and with the server, in one table.
//!
//! `cargo xtask build` writes the JavaScript side to `pkg/gen/protocol.js`, so that the two cannot differ: `reply::LATE` is
//! `REPLY_LATE` there.

/// The value of a constant in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(u32),
    /// A text.
    Text(&'static str),
    /// Texts.
    List(&'static [&'static str]),
}

/// Generates modules of constants, and [`TABLE`] from them.
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
    /// What the package reports to a task instead of an HTTP status, which is never below 100.
    reply: Number u16 {
        /// Nothing to report: begin, or continue after a pause.
        PROCEED = 0,
        /// No response arrived.
        UNREACHABLE = 1,
        /// No response arrived in time.
        LATE = 2,
        /// A move between memory and pool has finished, with the durability that it requires.
        MOVED = 3,
        /// The outcome of a move is unknown: its numbers are burnt.
        LOST = 4,
        /// No response arrived, and it is known that nothing was sent.
        UNSENT = 5,
    }

    /// What a caller of a tag waits for: [`Want`](crate::hilo::waiters::Want).
    want: Number u8 {
        /// An id.
        ID = 0,
        /// A reserve of numbers that outlive the page.
        NUMBERS = 1,
        /// A few parked numbers in memory.
        READY = 2,
    }

    /// What the package reports to waiting callers: [`Event`](crate::hilo::waiters::Event).
    event: Number u8 {
        /// The turn of the event loop is over.
        GATHERED = 0,
        /// A park has finished.
        PARKED = 1,
        /// A claim has finished.
        CLAIMED = 2,
        /// No sibling is leasing.
        TURNED = 3,
        /// Another task has ended.
        SHARED = 4,
        /// A lease has finished.
        LEASED = 5,
        /// The step has failed, and may succeed later.
        OUTAGE = 6,
        /// The step has failed, and must not be retried.
        FAILED = 7,
        /// A caller's time limit has passed.
        EXPIRED = 8,
        /// The store ends.
        CLOSED = 9,
        /// A caller got its id.
        SERVED = 10,
        /// All callers that could be served are served.
        SETTLED = 11,
    }

    /// What the package does for waiting callers: [`Effect`](crate::hilo::waiters::Effect).
    effect: Number u8 {
        /// Serve a caller.
        SERVE = 0,
        /// Report `GATHERED` at the end of this turn of the event loop.
        GATHER = 1,
        /// Run a task, then report the event that is passed along.
        RUN = 2,
        /// Report `TURNED` when no sibling is leasing.
        TURN = 3,
        /// Report `SHARED` when another task has ended.
        SHARE = 4,
        /// The flight has ended.
        END = 5,
        /// Reject a caller with a timeout.
        EXPIRE = 6,
        /// Reject a caller with the last error.
        REFUSE = 7,
        /// Report `SETTLED` after the callers were served.
        SETTLE = 8,
    }

    /// What the package reports about a store's device to [`Presence`](crate::pool::Presence). The first three are also the messages
    /// between siblings.
    presence: Number u8 {
        /// A sibling has begun, and asks which others exist.
        HELLO = 0,
        /// A sibling responds to `HELLO`.
        HERE = 1,
        /// A sibling leaves.
        BYE = 2,
        /// Upper limit of the numbers in messages: siblings cannot send the following ones.
        MESSAGE = 3,
        /// The store begins.
        BEGUN = 4,
        /// The page was shown or restored.
        BACK = 5,
        /// The page leaves.
        LEFT = 6,
        /// It must be known now which siblings exist.
        ASKED = 7,
        /// The time to respond to a question has passed.
        OVER = 8,
        /// The device's storage has failed.
        FAILED = 9,
        /// The store has ended.
        ENDED = 10,
        /// A lease waits for its turn among the siblings.
        TURN = 11,
    }

    /// What to do after such a report, as bits, in this order: [`Presence::on`](crate::pool::Presence::on).
    todo: Number u8 {
        /// Issue numbers again. [`Store`](crate::hilo::Store) does this.
        RESUME = 1,
        /// Empty memory, and return its numbers in a request that outlives the page.
        GIVE_BACK = 2,
        /// Send `HELLO` to the siblings, and listen to their messages from now on.
        HELLO = 4,
        /// Send `HERE`.
        HERE = 8,
        /// Send `BYE`, and ignore messages from now on.
        BYE = 16,
        /// Report `OVER` after the time that siblings have to respond.
        WAIT = 32,
        /// Park what memory has beyond the blocks in use. [`Store`](crate::hilo::Store) does this.
        PARK = 64,
    }

    /// What the package reports about a save: `session::Event`.
    save: Number u32 {
        /// The server has carried out the batch.
        APPLIED = 0,
        /// The server has carried out the batch, but replication or indexing did not finish in time.
        WAITED = 1,
        /// A change vector did not match.
        CONFLICT = 2,
        /// The server refused the batch for another reason.
        REFUSED = 3,
        /// Nothing was sent.
        UNSENT = 4,
        /// No response arrived, or one that is not from RavenDB.
        LOST = 5,
        /// Documents were read back.
        SEEN = 6,
        /// Documents could not be read back.
        UNREAD = 7,
    }

    /// The next step of a save: `session::Next`. From `UNKNOWN` on the outcome is unknown, and the difference to `UNKNOWN` is the
    /// number of the `session::Advice`.
    next: Number u32 {
        /// The save has succeeded.
        DONE = 0,
        /// Read documents.
        READ = 1,
        /// Plan a batch.
        PLAN = 2,
        /// The batch is saved, but replication or indexing did not finish in time.
        SAVED = 3,
        /// Nothing is saved.
        NOT_SAVED = 4,
        /// Conflict: the server has another version.
        CONFLICT = 5,
        /// Conflict, but the other version may be from an earlier save of this session.
        CONFLICT_UNKNOWN = 6,
        /// It is unknown whether the batch is saved.
        UNKNOWN = 7,
        /// The report does not match the state. Above all numbers of `UNKNOWN`.
        NOTHING = 10,
    }

    /// What was found under the id of a document: `session::Finding`.
    finding: Number u32 {
        /// No document.
        ABSENT = 0,
        /// Other content than what was sent.
        OTHER = 1,
        /// The content that was sent: this number plus the version.
        VERSION = 2,
    }

    /// What to do with a document, in the lowest two bits of a report and of a command: `session::Action`.
    command: Number u32 {
        /// Write it.
        PUT = 0,
        /// Delete it.
        DELETE = 1,
        /// Check that it is unchanged since it was read.
        CHECK = 2,
        /// In a plan: the document cannot be deleted, because only the server knows its id.
        NO_ID = 3,
    }

    /// The state of the document that a command requires on the server: `session::Expectation`.
    expects: Number u32 {
        /// Any state.
        ANY = 0,
        /// The document must not exist.
        ABSENT = 1,
        /// The change vector that the package has for the document.
        KNOWN = 2,
    }

    /// How a session saves, as bits: `session::Mode`.
    mode: Number u8 {
        /// Every write expects the version that the session knows.
        STRICT = 1,
        /// There are deferred commands.
        DEFERRED = 2,
        /// A deferred command must not be carried out twice.
        ONCE = 4,
        /// A deferred command expects a change vector.
        GUARDED = 8,
    }

    /// What is known about a document, as bits: `session::Facts`.
    facts: Number u8 {
        /// Its change vector is always checked, whatever the mode of the session.
        CHECKED = 1,
        /// Its change vector is never checked.
        UNCHECKED = 2,
        /// The package has a change vector for it.
        KNOWN = 4,
        /// Its id is from a range leased by this client.
        OURS = 8,
        /// The server will generate its id.
        PENDING = 16,
    }

    /// Why the queue of changes sends nothing, as bits: `offline::Queue::paused`.
    pause: Number u8 {
        /// The app has paused it.
        APP = 1,
        /// The caller is not signed in, or as another user.
        AUTH = 2,
        /// The database has another incarnation.
        INCARNATION = 4,
        /// The server refuses receipts.
        RECEIPT = 8,
    }

    /// The outcome of a batch of the queue: `offline::Answer`.
    answer: Number u32 {
        /// The server has carried it out.
        APPLIED = 0,
        /// Conflict about the receipt.
        RECEIPT_CONFLICT = 1,
        /// Conflict about a document.
        CONFLICT = 2,
        /// Refused for good.
        REFUSED = 3,
        /// Too large.
        TOO_LARGE = 4,
        /// The caller is not signed in, or as another user.
        UNAUTHORIZED = 5,
        /// To be sent again later.
        AGAIN = 6,
    }

    /// What the package reports to the queue of changes, followed by the members of the event: `offline::Event`.
    queued: Number u32 {
        /// Queue a change: bytes, then two numbers for each part.
        ADD = 0,
        /// Send what can be sent: user, node, id, most changes, most bytes.
        DRAIN = 1,
        /// The outcome of a batch: number, one of `answer`, document, incarnation.
        ANSWERED = 2,
        /// The receipt was read: number, node, incarnation, and if it exists: last, id, whether its change vector is the kept one.
        RECEIPT = 3,
        /// A response named this incarnation.
        INCARNATION = 4,
        /// Stale parts were made anew: change, version, then for each part its document, one of `remade`, and a document.
        REMAKE = 5,
        /// Send a parked change again, or one with an unknown outcome.
        RETRY = 6,
        /// Give up a change.
        DISCARD = 7,
        /// Pause.
        PAUSE = 8,
        /// Resume.
        RESUME = 9,
        /// The node of the flight no longer exists: number.
        NODE_GONE = 10,
        /// Give up all changes.
        CLEAR = 11,
    }

    /// How a stale part was made anew: `offline::How`.
    remade: Number u32 {
        /// Written over the server's document, with the same text as before.
        SAME = 0,
        /// Written over the server's document, with another text.
        MERGED = 1,
        /// Written with the same text; the server has no document.
        SAME_ABSENT = 2,
        /// Written with another text; the server has no document.
        MERGED_ABSENT = 3,
        /// Nothing is left to do.
        DROP = 4,
        /// Written under another id: the number of the document follows.
        RENAME = 5,
        /// The app must decide.
        ASK = 6,
    }

    /// What the package does for the queue of changes, with up to four numbers: `offline::Effect`.
    deed: Number u32 {
        /// In the transaction: write a change.
        STORE = 0,
        /// In the transaction: remove a change.
        REMOVE = 1,
        /// In the transaction: pass a change vector on: from, to, document.
        PASS = 2,
        /// In the transaction: another id: change, document, document with the new id.
        RENAME = 3,
        /// In the transaction: keep the receipt's change vector.
        KEEP_VECTOR = 4,
        /// In the transaction: keep the server's error with a change.
        KEEP_ERROR = 5,
        /// In the transaction: a new receipt id.
        NEW_RECEIPT = 6,
        /// Then: send the batch: number, id, node, whether it is a fence.
        SEND = 7,
        /// Then: read the receipt: number, node.
        READ_RECEIPT = 8,
        /// Then: read the documents of a change and make its stale parts anew: change, node.
        FETCH = 9,
        /// Then: drain again after a pause: failures in a row.
        WAIT = 10,
        /// Nothing to send.
        IDLE = 11,
        /// Report: queued.
        ADDED = 12,
        /// Report: saved: change, whether the response has its results.
        SAVED = 13,
        /// Report: conflict.
        CONFLICT = 14,
        /// Report: refused.
        PARKED = 15,
        /// Report: unknown outcome.
        UNSURE = 16,
        /// Report: given up.
        DISCARDED = 17,
        /// Report: one of `regression`.
        REGRESSION = 18,
        /// Report: bits of `pause`.
        PAUSED = 19,
    }

    /// Why the queue's receipt or database is in doubt: `offline::Regression`.
    regression: Number u32 {
        /// Another device writes this receipt.
        CLONED = 0,
        /// The receipt is gone, or older than it was.
        RECEIPT_LOST = 1,
        /// The database has another incarnation.
        INCARNATION = 2,
    }

    /// The action of a part of a queued change: `offline::Action`.
    action: Number u32 {
        /// Write the document.
        PUT = 0,
        /// Delete it.
        DELETE = 1,
        /// Run a script.
        PATCH = 2,
    }

    /// What a part of a queued change expects, shifted by 2 beside its action: `offline::Expects`. 32 is added if the part continues the
    /// previous one.
    part: Number u32 {
        /// Any state.
        ANY = 0,
        /// No document.
        ABSENT = 1,
        /// The kept change vector.
        KNOWN = 2,
        /// What the previous change leaves.
        PREVIOUS = 3,
        /// To be made anew, because an own result is unknown.
        STALE = 4,
        /// To be made anew, because another writer has changed the document.
        CONFLICT = 5,
        /// The part continues the previous one.
        CONTINUES = 32,
    }

    /// What a queued change waits for: `offline::State`.
    state: Number u32 {
        /// Its turn.
        QUEUED = 0,
        /// The outcome of its batch.
        SEALED = 1,
        /// The app, because of a conflict.
        CONFLICT = 2,
        /// The app, because it was refused.
        PARKED = 3,
        /// The app, because its outcome is unknown.
        UNSURE = 4,
    }

    /// Names of the members of a document's metadata.
    metadata: Text &str {
        /// The member of a document that contains the metadata.
        MEMBER = "@metadata",
        /// The id of the document.
        ID = "@id",
        /// Its change vector.
        CHANGE_VECTOR = "@change-vector",
        /// The time of the last change.
        LAST_MODIFIED = "@last-modified",
        /// The collection.
        COLLECTION = "@collection",
        /// Flags: whether the document has attachments, counters, revisions.
        FLAGS = "@flags",
        /// Its sequence number in the storage of a node.
        ETAG = "@etag",
        /// Its score in a query.
        INDEX_SCORE = "@index-score",
        /// Set on a query result that is a projection and not the stored document.
        PROJECTION = "@projection",
        /// The names of its counters.
        COUNTERS = "@counters",
        /// The name of the entity's class, from which npm `ravendb` recreates an instance.
        CLASS = "Raven-Node-Type",
        /// The classes of values inside the entity, by path.
        NESTED = "@nested-object-types",
    }

    /// Prefixes of the ids of the server's own documents.
    prefix: Text &str {
        /// Prefix of the counter documents of HiLo tags.
        HILO = "Raven/Hilo/",
    }

    /// Lists of names.
    list: List &[&str] {
        /// Metadata that the server generates, whatever a client sends.
        METADATA = &[
            super::metadata::ID,
            super::metadata::CHANGE_VECTOR,
            super::metadata::LAST_MODIFIED,
            super::metadata::FLAGS,
            super::metadata::ETAG,
            super::metadata::INDEX_SCORE,
            super::metadata::COUNTERS,
        ],
        /// Prefixes of counter documents' ids for the source `document`, before the slash: the current one, and those of older
        /// clients. The constructor of a store takes an index into this list.
        SPELLINGS = &["Raven/Hilo", "Raven/HiLo", "Replication/HiLo"],
        /// Members whose differences `whatChanged` ignores, as in npm `ravendb`.
        UNCOMPARED = &[
            super::metadata::LAST_MODIFIED,
            super::metadata::COLLECTION,
            super::metadata::CHANGE_VECTOR,
            super::metadata::ID,
            super::metadata::MEMBER,
        ],
        /// The names of the sources in the options of a store.
        SOURCES = &["server", "document", "own", "classic"],
    }

    /// The source of numbers, for the constructor of a store.
    source: Number u8 {
        /// RavenDB's leases.
        SERVER = 0,
        /// Counter documents that the client writes itself.
        DOCUMENT = 1,
        /// A function of the app that leases ranges.
        OWN = 2,
        /// A function of the app that returns the next Hi.
        CLASSIC = 3,
    }

    /// Limits.
    limit: Number u32 {
        /// The largest size of a range.
        RANGE = 1_048_576,
    }

    /// HTTP headers.
    header: Text &str {
        /// Response: the incarnation of the database.
        INCARNATION = "Database-Cluster-Tx-Id",
        /// Response: the list of nodes has changed.
        REFRESH_TOPOLOGY = "Refresh-Topology",
        /// Response: the server's settings for clients have changed.
        REFRESH_CONFIGURATION = "Refresh-Client-Configuration",
        /// Request: the version of the client's list of nodes.
        TOPOLOGY_ETAG = "Topology-Etag",
        /// Request: the version of the client's settings.
        CONFIGURATION_ETAG = "Client-Configuration-Etag",
        /// Request: the version of RavenDB's clients whose behaviour this client has.
        CLIENT_VERSION = "Raven-Client-Version",
        /// Request: the change vector that the document must have.
        IF_MATCH = "If-Match",
        /// Request: the change vector of the client's copy.
        IF_NONE_MATCH = "If-None-Match",
        /// Response: the change vector.
        ETAG = "ETag",
    }

    /// Paths of the server, and routes of a database, which follow `/databases/<name>/`.
    path: Text &str {
        /// The prefix of all databases' routes.
        DATABASES = "/databases/",
        /// The topology: the nodes of a database.
        TOPOLOGY = "/topology",
        /// Documents by id or prefix.
        DOCS = "docs",
        /// A batch of commands.
        BATCH = "bulk_docs",
        /// Several requests in one.
        SEVERAL = "multi_get",
        /// Queries.
        QUERIES = "queries",
        /// Leases.
        LEASE = "hilo/next",
        /// Unfenced returns, which this client never sends.
        RETURN = "hilo/return",
    }
}
