//! The core, the authority and dozens of devices in simulated time.
//!
//! Everything that the package ships in Rust runs here as it is: the drivers, what a pool move decides, the texts of the
//! records, the exchanges of a lease, the executor. The server is the authority. What `wasm/` and `pkg/` do around it
//! (tabs, IndexedDB, requests, unload) is written here once more, over one queue of events and one seeded generator, so
//! that a seed is a whole history: the same seed gives the same history, event by event.
//!
//! | module | one idea |
//! |---|---|
//! | `queue` | what happens when |
//! | `plan` | a seed's weather: who takes part, what is lost, what goes back in time |
//! | `disk` | a device's IndexedDB: what is written, what would survive a power cut |
//! | `tab` | a store with its counters and drivers |
//! | `server` | the authority's nodes, and what they granted |
//! | `app` | counters of the app, for the sources that are its functions |
//! | `judge` | what must never happen |
//! | [`broken`] | adapters that break a rule, which the judge has to notice |
//! | `world` | the devices, the network and the events that join them |
//! | [`waste`] | what the pool costs and saves, in round trips and numbers per document |
#![forbid(unsafe_code)]

mod app;
pub mod broken;
mod disk;
mod judge;
mod plan;
mod queue;
mod server;
mod tab;
pub mod waste;
mod world;

pub use world::{Cost, Crowd, Outcome, run, visits};
