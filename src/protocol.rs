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
