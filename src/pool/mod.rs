//! Parked numbers: the record that stores them, the decision of a move, and the effects of sibling stores and of a page that leaves
//! ([`presence`]).
//!
//! This is the pure part. The adapter runs [`apply_move`] inside the transaction that read the record, and writes the result in the same
//! transaction. It uses the numbers taken out only after the transaction is durable: if a take-out were rolled back afterwards, the
//! numbers would be in two places.
//!
//! # The protocol on the device
//!
//! The adapters of pages are the npm package (`pkg/src/device`) and the client for Rust (`client/src/device`). Pages of one origin share
//! their numbers as siblings, whichever of the two they use, because both keep to this:
//!
//! | what | where, and how it looks |
//! |---|---|
//! | database | IndexedDB `raven-edge`, version 1, with one object store, `ranges`, without key path. A higher version is not opened |
//! | record of a tag | under the text of the JSON array `[source, server, database, separator, …source id, tag]`; `source` is `server` for leases of RavenDB, which have no source id, or `document`, whose source id is what the ids of its counter documents begin with, in lower case; `server` the first address, as `new URL` writes it; database and tag as [`ids::key`](crate::ids::key) makes them |
//! | text of a record | [`RecordText`], in every version with `{"version":` first. A page leaves one of a newer version untouched, and its ids come from memory then |
//! | incarnation | the latest `Database-Cluster-Tx-Id` as a text, under `[server, database]` |
//! | transactions | one `readwrite` transaction for each move, which decides in the read's callback; `durability: "strict"` for each but [`MoveKind::Park`]. Where the engine has no strict durability, numbers stay in memory |
//! | time limit | one second; after it the numbers of a move are burnt, even if it completes later |
//! | channel | `BroadcastChannel` with the name `raven-edge [server, database]`; messages are `[code, name]` with a code of [`presence`](crate::protocol::presence) up to `MESSAGE` (higher bits are ignored) and a random name of 32 bits |
//! | lock | a Web Lock with the name of the record's key, held while the tag leases, and only among siblings; whoever waits for two seconds leases without it |
//! | hint | `localStorage` has an empty text under `raven-edge ` and the record's key while the device may have the record: the npm package leases early only without it |

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
