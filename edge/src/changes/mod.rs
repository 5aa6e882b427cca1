//! The hub for changes: one connection to RavenDB for all connections to the hub that listen to changes of one database.
//!
//! Here is decided who gets what, and when to connect. It is done on numbers: the shell, `pkg/src/hub/changes`, has the sockets and
//! the texts, and gives each connection and each watched document, prefix or collection a number.
//!
//! What holds, for each listener:
//!
//! 1. No change of what it watches is missed, from the moment the watch is confirmed: the change is delivered, or the listener is told to
//!    resync later, or its connection ends, and then its client resyncs.
//! 2. It gets nothing that it does not watch.
//! 3. The number of unacknowledged changes is limited. A listener that reaches the limit gets no more changes. When it acknowledges, it is
//!    told to resync; if it does not acknowledge in time, its connection is closed.
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
