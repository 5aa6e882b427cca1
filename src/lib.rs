//! # raven-edge, the core
//!
//! RavenDB document ids and sessions as plain state machines. Nothing here does I/O, reads a clock or spawns a task: the core
//! returns what to send and processes what came back. So the same code runs in a browser, in a Worker, in a simulation and under a
//! model checker.
//!
//! Data flows in one direction, and each module knows only the one to its right:
//!
//! ```text
//! app → session → ids → hilo → source → http → server
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`session`] | what a session saves, and the outcome of a save |
//! | `offline` | the queue of changes on the device: order, receipts, retries, conflicts (feature `offline`) |
//! | [`ids`] | which tags and ids RavenDB accepts |
//! | [`hilo`] | HiLo numbers: ranges, the ledger of where each number is, the sizes of leases, waiting callers |
//! | [`pool`] | numbers parked on the device: their record, moves, sibling stores |
//! | [`source`] | sources of ranges: the trait, RavenDB's `hilo/next`, counter documents, the app |
//! | [`http`] | requests and responses: nodes, failover, retries, server errors |
//! | [`json`] | reading responses and writing requests |
//! | [`protocol`] | numbers and names shared with the package's JavaScript and the server |
//! | [`error`] | the only error type |
//!
//! The first law: **an id is never issued twice.** A gap in the numbers is harmless. The [`hilo::Ledger`] enforces the law: every
//! number is in exactly one place, and leaves it before it enters the next.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod error;
pub mod hilo;
pub mod http;
pub mod ids;
pub mod json;
#[cfg(feature = "offline")]
pub mod offline;
pub mod pool;
pub mod protocol;
#[cfg(feature = "session")]
pub mod session;
pub mod source;
