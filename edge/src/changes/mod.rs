//! The hub for changes: one connection to RavenDB for all connections to the hub that listen to changes of one database.
//!
//! Here is decided who gets what, and when to connect. It is done on numbers: the shell, `pkg/src/hub/changes`, has the sockets and
//! the texts, and gives each connection and each watched document, prefix or collection a number.
//!
//! What holds, for each listener:
//!
//! 1. A change of what it watches, made after the watch was confirmed, is delivered, or it is told to resync after it, or its
//!    connection ends (then its client resyncs).
//! 2. It gets nothing that it does not watch.
//! 3. What waits for it is limited: a listener that does not acknowledge gets no more changes, is told to resync when it does, and
//!    is dropped after a time.
//!
//! There is at most one connection to RavenDB, and none without listeners. `model` checks this in all states of a small world.
//!
//! | module | content |
//! |---|---|
//! | `wasm_class` | what the shell calls |
//! | `effect` | numbers, limits, and what the shell does |
//! | `fan_out` | all listeners, their watches, and the connection to RavenDB |
//! | `listener` | what one listener has got, and how far it lags |

mod effect;
mod fan_out;
mod listener;
#[cfg(test)]
mod model;
mod wasm_class;

pub use wasm_class::ChangesFanOut;
