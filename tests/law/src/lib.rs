//! Proves the law "an id is never issued twice" for every reachable state of each configuration.
//!
//! The real [`Ledger`](raven_edge::hilo::Ledger) and the real [`apply_move`](raven_edge::pool::apply_move) are parts of the
//! state and run unchanged. The rest is modelled: server, network, storage, counter, and the actions of apps and
//! pages. Every order of events is explored, breadth first, so a trace that breaks a law is a shortest one.
//!
//! | module | content |
//! |---|---|
//! | `configurations` | participants and limits of faults |
//! | `variants` | mistakes around the core, each of which must lead to a duplicate |
//! | `checker` | the model as `tests/checker` explores it |
//! | `world`, `turn`, `steps` | a state; the execution of a step; the possible steps |
//! | `laws` | every number has exactly one place; other laws are checked where they could be broken |
//! | `client`, `app_actions` | the adapter around a ledger; the actions of apps and pages |
//! | `device`, `stored`, `moves` | storage and its rollback; the text of a record; the transaction of a move |
//! | `network`, `exchanges`, `server` | pending messages; requests, responses, returns; the counter on its nodes |
//! | `document` | leases of the source `document`: its real exchange |
//! | `early` | leases that leave before there is a core |
//! | `disasters` | crashes, and rollbacks of the server |
//! | `ids` | sets of ids |
//! | `presence` | a separate model: what sibling stores know of each other, and what pages do as they leave and return |
#![forbid(unsafe_code)]

mod app_actions;
mod checker;
mod client;
mod configurations;
mod device;
mod disasters;
mod document;
mod early;
mod exchanges;
mod ids;
mod laws;
mod moves;
mod network;
mod presence;
mod server;
mod steps;
mod stored;
mod turn;
mod variants;
mod world;

pub use checker::jobs;
