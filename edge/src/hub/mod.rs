//! The lease hub requests large ranges from a source and lends small ones to clients. Thousands of short-lived
//! clients cost the source one request for many thousand ids.
//!
//! One Durable Object is one counter. Everything that a request changes is committed in one transaction before the
//! response is sent. Only the conversation with the source is kept in memory alone; it may be lost at any time.
//!
//! | module | content |
//! |---|---|
//! | `config` | the app's configuration |
//! | `stored_records` | what a hub stores |
//! | `storage_trait` | the storage: the trait, and an implementation in memory for tests |
//! | `sql_storage` | the storage in the SQLite of a Durable Object |
//! | `allocator` | moves numbers; each number is in exactly one place |
//! | `lease_sizes` | how many numbers a client gets, and how many the source is asked for |
//! | `members` | reads the members of JSON objects |
//! | `wire` | RavenDB's lease and return requests, as a hub reads and responds to them |
//! | `routing` | which requests go to hubs, and to which of them |
//! | `source_conversation` | a conversation with the source: what the shell sends and reports |
//! | `lease_hub` | the hub: handles requests and decides when to ask the source |
//! | `wasm_class` | the class that the Durable Object's shell calls |

mod allocator;
mod config;
mod lease_hub;
mod lease_sizes;
mod members;
mod routing;
#[cfg(test)]
mod simulation;
mod source_conversation;
mod sql_storage;
mod storage_trait;
mod stored_records;
mod wasm_class;
mod wire;

pub use routing::{HubRoute, hub_name, hub_route};
pub use wasm_class::Hub;
