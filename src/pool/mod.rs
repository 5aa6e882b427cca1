//! Parked numbers: what they belong to, how they are kept, what a move decides, and what sibling stores and a page that leaves
//! change ([`presence`]).
//!
//! The record's key is made by the façade (`pkg/src/device/parked-numbers`): a JSON array of source, server, database, tag and separator.
//!
//! This is the pure half. An adapter runs [`decide`] inside the transaction that read the record, writes what it gives
//! back in the same transaction, and uses what was taken only after that is durable: a take-out that is rolled back
//! would put numbers into two homes.

mod decide;
pub mod presence;
mod record;

/// Whether this build parks numbers (feature `pool`). What has no device to park on, a Worker or a server, does without.
pub const PRESENT: bool = cfg!(feature = "pool");

pub use decide::{Move, MoveKind, Outcome, decide};
pub use presence::Presence;
pub use record::{Parked, Record};
