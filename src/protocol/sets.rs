//! Sets: documents that are all on the device.

table! {
    SETS;

    /// What a comparison says of a document: `offline::sets::Run::compare`.
    plan: Number u32 {
        /// It belongs to the set as the device has it.
        HAVE = 0,
        /// It is loaded by its id; what the load finds decides.
        LOAD = 1,
        /// Nothing: it stays what it is.
        NOTHING = 2,
    }

    /// What becomes of a document that was loaded by its id: `offline::sets::Run::settle`.
    settle: Number u32 {
        /// It belongs to the set.
        JOIN = 0,
        /// It leaves the set.
        DROP = 1,
        /// It stays what it is until the next comparison.
        STAY = 2,
    }

    /// What follows when all that a comparison asked for is loaded: `offline::sets::Run::end`.
    round: Number u32 {
        /// Compare again at once.
        AGAIN = 0,
        /// The set is complete as of the comparison, and its ETag holds.
        COMPLETE = 1,
        /// The set is complete as of the comparison. The server is older than the device, time and again: no ETag holds.
        LAGS = 2,
        /// It is not known to be complete: another run goes on later.
        OPEN = 3,
    }
}
