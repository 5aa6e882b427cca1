//! The queue of changes on the device.

table! {
    OFFLINE;

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

    /// The outcome of a batch of the queue: `offline::Outcome`.
    outcome: Number u32 {
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
        /// The outcome of a batch: number, one of `outcome`, document, incarnation.
        OUTCOME = 2,
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
        /// A read was refused because the user is not signed in.
        NOT_SIGNED_IN = 12,
        /// The database is sharded.
        SHARDED = 13,
        /// The user may be signed in again.
        SIGNED_IN = 14,
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
        /// In the transaction: begin where a refused change began: from, to, document.
        INHERIT = 20,
    }

    /// Why what the queue's receipt says, or the database, may be another one: `offline::Regression`.
    regression: Number u32 {
        /// Another device writes this receipt.
        CLONED = 0,
        /// The receipt does not exist any more, or is older than it was.
        RECEIPT_LOST = 1,
        /// The database has another incarnation.
        INCARNATION = 2,
    }

    /// What the queue knows of its receipt: `offline::Receipt`.
    receipt: Number u32 {
        /// It must be read before anything is sent.
        UNREAD = 0,
        /// It does not exist.
        ABSENT = 1,
        /// The package keeps its change vector.
        KNOWN = 2,
    }

    /// Places in the records that the package stores: `offline::Queue::record`, and for `STATE` `offline::Change::record`.
    place: Number usize {
        /// The number of the batch in flight.
        BATCH = 11,
        /// The number of its fence.
        FENCE = 16,
        /// The state of a change.
        STATE = 4,
    }

    /// The user in the record of a queue: a queue on the device belongs to one.
    user: Number u32 {
        /// Whoever has queued.
        ONLY = 1,
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
}
