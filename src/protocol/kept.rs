//! Documents on the device.

table! {
    KEPT;

    /// What becomes of a kept document when a response speaks of it: `offline::kept::take`.
    take: Number u32 {
        /// The response is kept.
        REPLACE = 0,
        /// What is kept is confirmed.
        CONFIRM = 1,
        /// What is kept is newer.
        LEAVE = 2,
        /// The order is unknown: nothing is shown until it is read again.
        FORGET = 3,
        /// What is kept stays, and its version is not known.
        OUTDATE = 4,
    }

    /// What is kept of a document, and bits for its eviction.
    entry: Number u32 {
        /// It is a document, and no results of a query.
        DOCUMENT = 1,
        /// Pending changes need it.
        NEEDED = 2,
        /// It exists.
        THERE = 16,
        /// It does not exist.
        ABSENT = 17,
        /// Its newest version is not known.
        FORGOTTEN = 18,
        /// A response says that it exists with the text of before, in another version.
        TOUCHED = 19,
    }

    /// From where a session reads: its option `offline`.
    reading: Number u32 {
        /// From the device if the server does not respond.
        FALLBACK = 0,
        /// From the device at once; what is kept is refreshed behind it.
        FIRST = 1,
        /// From the device alone.
        ONLY = 2,
        /// From the server alone.
        NEVER = 3,
    }

    /// What is known of the server while a read waits for it.
    connection: Number u32 {
        /// Nothing yet.
        UNKNOWN = 0,
        /// An earlier request had no response in time, and none has come since.
        SILENT = 1,
        /// It has not responded in time.
        SLOW = 2,
        /// It cannot be reached.
        DOWN = 3,
    }

    /// Whether everything that is read is kept on the device.
    device: Number u32 {
        /// Not known yet.
        UNREAD = 0,
        /// It is.
        KEPT = 1,
        /// Something is missing.
        MISSING = 2,
    }

    /// What a session does next to answer a read: `offline::kept::show`.
    show: Number u32 {
        /// Read what is kept, and decide again.
        LOOK = 0,
        /// Wait for the server: for as long as the app's patience lasts, unless the device has been read.
        ASK = 1,
        /// Show what is kept.
        KEPT = 2,
        /// Show what is kept, and ask the server behind it.
        KEPT_AND_ASK = 3,
        /// Reject.
        REJECT = 4,
    }
}
