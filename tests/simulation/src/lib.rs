//! Runs the core, the authority and dozens of devices in simulated time.
//!
//! All Rust code of the package runs here unchanged: the drivers, the decisions of pool moves, the texts of records,
//! the exchanges of leases, the executor. The server is the authority. What `wasm/` and `pkg/` do around it (tabs,
//! IndexedDB, requests, unload) is modelled with one queue of events and one seeded generator: the same seed gives
//! the same history, event by event.
//!
//! | module | content |
//! |---|---|
//! | `queue` | the order of events |
//! | `plan` | the conditions of a seed: participants, message losses, rollbacks |
//! | `disk` | a device's IndexedDB: writes, and the states that may survive a power failure |
//! | `tab` | a store with its counters and drivers |
//! | `server` | the authority's nodes, and their grants |
//! | `app` | the app's counters, for sources that are functions of the app |
//! | `judge` | detects what must never happen |
//! | [`variants`] | broken variants of the adapter, which the judge must detect |
//! | `world` | the devices, the network and the events that connect them |
//! | [`waste`] | the cost and benefit of the pool, in round trips and numbers per document |
#![forbid(unsafe_code)]

mod app;
mod disk;
mod judge;
mod plan;
mod queue;
mod server;
mod tab;
pub mod variants;
pub mod waste;
mod world;

pub use world::{Cost, Crowd, Outcome, run, visits};
