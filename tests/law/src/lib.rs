//! The law, proved: "an id is never issued twice", in every state that a configuration can be in.
//!
//! The real [`Ledger`](raven_edge::hilo::Ledger) and the real [`decide`](raven_edge::pool::decide) are parts of the
//! state and run unchanged. What is around them is modelled: server, network, storage, counter, and whatever apps and
//! pages may wish. Every order of events is tried, breadth first, so that a trace that breaks a law is a shortest one.
//!
//! | module | what it is about |
//! |---|---|
//! | `configurations` | who takes part, how often something may go wrong |
//! | `variants` | mistakes around the core, each of which must find its duplicate |
//! | `checker` | the model as `tests/checker` explores it |
//! | `world`, `turn`, `steps` | a state; a step being taken; which steps there are |
//! | `laws` | every number has exactly one home; the other laws stand where they could be broken |
//! | `client`, `wishes` | the adapter around a ledger; what apps and pages do |
//! | `device`, `stored`, `moves` | storage and its rollback; a record's text; a move's transaction |
//! | `network`, `exchanges`, `server` | what is on its way; requests, answers, returns; the counter on its nodes |
//! | `document` | leases of the source `document`: its real exchange |
//! | `disasters` | crashes, and a server that goes back |
//! | `ids` | sets of ids |
#![forbid(unsafe_code)]

mod checker;
mod client;
mod configurations;
mod device;
mod disasters;
mod document;
mod exchanges;
mod ids;
mod laws;
mod moves;
mod network;
mod server;
mod steps;
mod stored;
mod turn;
mod variants;
mod wishes;
mod world;

pub use checker::jobs;
