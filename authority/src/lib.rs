//! RavenDB's hilo, identity, document and batch routes over a small storage trait.
//!
//! One implementation of the server's rules with three uses: the embedded database of the demo (a
//! SQLite Durable Object, crate `raven-edge-edge`), the server inside simulations and model checks
//! (in memory, cloned freely), and a native HTTP server for tests (feature `serve`).
//!
//! It reads no clock and draws no random number: both come with the call. It answers what it
//! implements as RavenDB 7.2 does, which the conformance suite compares field by field, and
//! everything else with 501. Deliberate deviations, each one a refusal or a repair:
//!
//! - a grant that would leave the 64-bit range is an error (RavenDB wraps and issues duplicates);
//! - tags out of which the server would make another one (`x/`, `x|`) are refused;
//! - an identity at the end of the 64-bit range is an error, and so is the name of one, or a
//!   `raft-request-id`, that is longer than 512 bytes (with some 2,040 RavenDB's cluster comes to a halt);
//! - a batch that waits for more nodes than there are is answered at once as RavenDB answers when the
//!   time is over (408, committed);
//! - `include` follows names, `[]` and a prefix that ends in `/`; all else in a path is refused;
//! - `stats` says nothing about memory, disk and queues;
//! - JSON must be strict and whole; escaped surrogate pairs are kept (RavenDB stores two replacement
//!   characters);
//! - metadata of the server's own is stripped by `PUT docs` as well, not only by `bulk_docs`; a
//!   collection must be a name;
//! - `multi_get` always answers well-formed JSON, unknown routes and broken entries included, and a
//!   method in small letters is no method;
//! - etags of aborted transactions are not given again;
//! - `TransactionMode` `ClusterWide` is refused wherever it stands (RavenDB ignores it unless it
//!   follows `Commands` directly).
//!
//! `tests/conformance/cases/deviations.mjs` asserts both sides of those that can be asked for.
//!
//! | module | one idea |
//! |---|---|
//! | [`authority`] | one database on one node: from request to response |
//! | [`cluster`] | several databases on one or two nodes, for tests and simulations |
//! | [`replication`] | one node's documents to another, highest `Max` wins |
//! | `routes` | a file per route |
//! | `identity` | `companies\|` counts; a repeated `raft-request-id` burns nothing |
//! | [`call`] | time and randomness of one request |
//! | `transaction` | all of a batch or nothing; optimistic concurrency |
//! | [`storage`] | the trait, and memory |
//! | [`document`], [`change_vector`], [`time`], [`json`], [`id`] | the values |
//! | [`error`] | RavenDB's error bodies |
#![forbid(unsafe_code)]

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
mod origin;
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
