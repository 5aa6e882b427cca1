//! Numbers and names that this crate shares with the package's JavaScript and with the server: one table.
//!
//! `cargo xtask build` writes what JavaScript needs of it to `pkg/gen/protocol.js`, so that no copy can differ.

/// What the package reports to a task in place of an HTTP status, which is never below 100.
pub mod reply {
    /// There is nothing to report: begin, or go on after a pause.
    pub const PROCEED: u16 = 0;
    /// No response came.
    pub const UNREACHABLE: u16 = 1;
    /// No response came in time.
    pub const LATE: u16 = 2;
    /// A move between memory and pool is durable, as far as it has to be.
    pub const MOVED: u16 = 3;
    /// It is unknown what became of a move: the numbers that it is about are burnt.
    pub const LOST: u16 = 4;
    /// No response came, and the request is known never to have left.
    pub const UNSENT: u16 = 5;
}

/// What the package reports of a save, and reads of a plan; see [`crate::session`].
#[cfg(feature = "session")]
pub mod save {
    /// The server has carried out the batch.
    pub const APPLIED: u32 = 0;
    /// It has, and has waited too long for copies or indexes.
    pub const WAITED: u32 = 1;
    /// A change vector did not fit.
    pub const CONFLICT: u32 = 2;
    /// The server refused the batch for another reason.
    pub const REFUSED: u32 = 3;
    /// Nothing was sent.
    pub const UNSENT: u32 = 4;
    /// No response came, or one that is not RavenDB's.
    pub const LOST: u32 = 5;
    /// Documents were read back.
    pub const SEEN: u32 = 6;
    /// Documents could not be read back.
    pub const UNREAD: u32 = 7;
    /// In a plan, in place of what is to be done with a document: it cannot be deleted, because only the server knows its id.
    pub const NO_ID: u32 = 3;
}
