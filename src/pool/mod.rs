//! Parked numbers: the record that stores them, the decision of a move, and the effects of sibling stores and of a page that leaves
//! ([`presence`]).
//!
//! The façade makes the record's key (`pkg/src/device/page-events-and-tabs`): a JSON array of source, server, database, tag and separator.
//!
//! This is the pure part. The adapter runs [`apply_move`] inside the transaction that read the record, and writes the result in the same
//! transaction. It uses the numbers taken out only after the transaction is durable: if a take-out were rolled back afterwards, the
//! numbers would be in two places.

mod apply_move;
pub mod presence;
mod record;
#[cfg(feature = "texts")]
mod record_text;

/// Whether this build can park numbers (feature `pool`). Builds for Workers and servers cannot: they have no device storage.
pub const PRESENT: bool = cfg!(feature = "pool");

pub use apply_move::{Move, MoveKind, Outcome, apply_move};
pub use presence::Presence;
pub use record::{Parked, Record, Token};
#[cfg(feature = "texts")]
pub use record_text::{ParkedText, RecordText, TokenText};
