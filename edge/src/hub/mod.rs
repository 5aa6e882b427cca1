//! The lease hub: large ranges from any source, small ones to whoever asks, so that thousands of short-lived clients
//! cost the source one request for many thousand ids.
//!
//! One Durable Object is one counter. What it holds is written before it answers, all of a request in one transaction;
//! in memory is only what may be lost at any time: a conversation with the source.
//!
//! | module | one idea |
//! |---|---|
//! | `book` | what a hub knows and holds: the rows |
//! | `shelf` | where the rows are: the trait, and memory |
//! | `sql` | the rows in the SQLite of a Durable Object |
//! | `allocator` | every number has one home: what moves it |
//! | `sizes` | how many a client gets, how many the source is asked for |
//! | `wire` | RavenDB's lease and return as a hub reads and answers them |
//! | `front` | which requests are for hubs, and for which of them |
//! | `sending` | a conversation with the source: what the shell sends and reports |
//! | `keeper` | a hub over its shelf: what it answers, what it says to the source |
//! | `object` | the class that the Durable Object's shell calls |

mod allocator;
mod book;
mod front;
mod keeper;
mod object;
mod sending;
mod shelf;
#[cfg(test)]
mod simulation;
mod sizes;
mod sql;
mod wire;

pub use front::{HubRoute, hub_name, hub_route};
pub use object::Hub;
