//! Saves of a session.

table! {
    SESSION;

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

    /// Whether a batch was planned or sealed: `session::Refusal`.
    planned: Number u32 {
        /// It was.
        DONE = 0,
        /// There is nothing to send: the save is done.
        NOTHING = 1,
        /// A document cannot be deleted, because only the server knows its id.
        NO_ID = 2,
        /// A save is in progress.
        BUSY = 3,
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

    /// What is known about a deferred command, as bits: `session::Deferred`. With `PART` the upper 24 bits are a slot.
    deferred: Number u32 {
        /// It must not be carried out twice.
        ONCE = 1,
        /// It expects a change vector.
        GUARDED = 2,
        /// It is carried out if the new document in the slot is written with it.
        PART = 4,
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
}
