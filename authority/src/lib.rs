//! RavenDB's hilo, identity, document and batch routes over a small storage trait.
//!
//! One implementation of the server's rules with three uses: the embedded database of the demo (a SQLite Durable
//! Object, crate `raven-edge-edge`), the server in simulations and model checks (in memory, cheap to clone), and a
//! native HTTP server for tests (feature `serve`).
//!
//! It reads no clock and draws no random numbers: both are passed with each call. Routes that it implements respond
//! as RavenDB 7.2 does, which the conformance suite compares field by field; all others respond with 501. It
//! deliberately deviates from RavenDB in the following points, to refuse or to repair something:
//!
//! - a grant beyond the 64-bit range is an error (RavenDB wraps around and issues duplicates);
//! - tags that the server would change into another tag (`x/`, `x|`) are refused;
//! - an identity beyond the 64-bit range is an error;
//! - an identity's name or a `raft-request-id` of more than 512 bytes is an error (about 2,040 bytes stop RavenDB's
//!   cluster);
//! - a batch that waits for more nodes than exist gets RavenDB's timeout response at once (408, committed);
//! - `include` supports names, `[]` and a prefix that ends in `/`; other paths are refused;
//! - `stats` has nothing about memory, disk and queues;
//! - JSON must be strict and complete; escaped surrogate pairs are kept (RavenDB stores two replacement characters);
//! - `PUT docs` drops metadata that belongs to the server, as `bulk_docs` does; `@collection` must be a name;
//! - `multi_get` always responds with well-formed JSON, also for unknown routes and broken entries; method names in
//!   lower case are refused;
//! - numbers beyond 2^53 in a notation with fraction or exponent are exact (RavenDB rounds them to doubles);
//! - etags of aborted transactions are not used again;
//! - `TransactionMode` `ClusterWide` is refused in every position (RavenDB ignores it unless it directly follows
//!   `Commands`).
//!
//! For deviations that requests can show, `tests/conformance/cases/deviations.mjs` tests what RavenDB does and what the authority does.
//!
//! | module | content |
//! |---|---|
//! | [`authority`] | one database on one node: from request to response |
//! | [`cluster`] | several databases on one or two nodes, for tests and simulations |
//! | [`replication`] | replication between two nodes; the highest `Max` wins |
//! | `routes` | one file per route |
//! | `identity` | identities such as `companies\|`; a request that is repeated with its `raft-request-id` skips no number |
//! | [`call`] | time and randomness of a request |
//! | `transaction` | transactions of batches |
//! | `optimistic_concurrency` | checks of change vectors |
//! | [`storage`] | the storage trait, and an implementation in memory |
//! | [`document`], [`change_vector`], [`time`], [`json`], [`id`] | values |
//! | [`error`] | RavenDB's error bodies |
#![cfg_attr(target_arch = "wasm32", no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod authority;
pub mod call;
pub mod change_vector;
pub mod cluster;
pub mod document;
pub mod error;
pub mod id;
mod identity;
pub mod json;
pub mod message;
mod optimistic_concurrency;
mod origin;
mod prelude;
pub mod query;
pub mod replication;
mod routes;
pub mod storage;
pub mod time;
mod transaction;

pub use authority::{Authority, Identity, Node, Options};
pub use message::{Request, Response};
pub use storage::{MemoryStorage, Storage, StorageError};
pub use time::Timestamp;
