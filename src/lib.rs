//! # raven-edge, the core
//!
//! RavenDB document ids and sessions as plain state machines. Nothing here does I/O, reads a clock or spawns
//! anything: the core says what to send and takes what came back, so that the very same code runs in a
//! browser, in a Worker, in a simulation and under a model checker.
//!
//! Data flows one way, and a module knows only the one to its right:
//!
//! ```text
//! app → session → ids → hilo → source → http → server
//! ```
//!
//! | module | what it is about |
//! |---|---|
//! | [`session`] | what a session saves, and what became of it |
//! | [`ids`] | what RavenDB accepts as a tag or an id |
//! | [`hilo`] | numbers: ranges, the ledger of where each one lives, how many to ask for |
//! | [`pool`] | parked numbers: their scope, their record, what a move decides |
//! | [`source`] | where ranges come from: the trait, RavenDB's `hilo/next`, counter documents, the app |
//! | [`http`] | requests and responses: nodes, failover, what may be repeated, server errors |
//! | [`json`] | cutting responses into pieces and writing requests |
//! | [`protocol`] | numbers and names shared with the package's JavaScript and the server |
//! | [`error`] | the one error type |
//!
//! The law above all: **an id is never issued twice.** A gap is cheap. The [`hilo::Ledger`] keeps it, by giving
//! every number exactly one home and taking it out of there before it enters the next.
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
pub mod pool;
pub mod protocol;
#[cfg(feature = "session")]
pub mod session;
pub mod source;
