//! # raven-edge, the core
//!
//! RavenDB document ids and sessions as plain state machines. Nothing here does I/O, reads a clock or spawns a task: the core
//! returns what to send and processes what came back. So the same code runs in a browser, in a Worker, in a simulation and under a
//! model checker.
//!
//! Data flows in one direction, and each module knows only the one to its right:
//!
//! ```text
//! app → session → ids → hilo → http → server
//! ```
//!
//! Decisions are about numbers. The texts of ids, requests, responses and records stay with the host, which numbers those that the core
//! has to tell apart: the package (`pkg/src/wire/texts`) in TypeScript; [`texts`] does the same for hosts in Rust.
//!
//! | module | contents |
//! |---|---|
//! | [`session`] | what a session saves, and the outcome of a save |
//! | `offline` | the queue of changes on the device: order, receipts, retries, conflicts (feature `offline`) |
//! | [`hilo`] | HiLo numbers: ranges, the ledger of where each number is, the sizes of leases, waiting callers |
//! | [`pool`] | numbers parked on the device: their record, moves, sibling stores |
//! | [`http`] | requests: nodes, failover, retries |
//! | [`protocol`] | numbers and names shared with the package's JavaScript and the server |
//!
//! With the feature `texts`:
//!
//! | module | contents |
//! |---|---|
//! | [`texts`] | a store with its texts |
//! | [`source`] | sources of ranges: RavenDB's `hilo/next`, counter documents, the app; their requests and responses |
//! | [`ids`] | which tags and ids RavenDB accepts |
//! | [`json`] | reading responses and writing requests |
//! | [`error`] | the only error type |
//!
//! The first law: **an id is never issued twice.** A gap in the numbers is harmless. The [`hilo::Ledger`] enforces the law: every
//! number is in exactly one place, and leaves it before it enters the next.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(feature = "texts")]
pub mod error;
pub mod hilo;
pub mod http;
#[cfg(feature = "texts")]
pub mod ids;
#[cfg(feature = "texts")]
pub mod json;
#[cfg(feature = "offline")]
pub mod offline;
pub mod pool;
pub mod protocol;
#[cfg(feature = "session")]
pub mod session;
#[cfg(feature = "texts")]
pub mod source;
#[cfg(feature = "texts")]
pub mod texts;
