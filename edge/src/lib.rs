//! The second wasm of raven-edge: the authority, the gateway and the lease hub for Workers.
//!
//! | module | content |
//! |---|---|
//! | `authority` | the class that the shell of the authority's Durable Object, `pkg/src/entries/authority`, calls |
//! | `authority_storage` | the authority's storage over a Durable Object's SQLite |
//! | `gateway` | what callers may do with RavenDB: the pure core, and the class that `pkg/src/entries/gateway` calls |
//! | `hub` | the lease hub; its shell is `pkg/src/entries/hub` |
//! | `random` | random bytes of the platform |
//! | `reply` | response bodies in RavenDB's format |
//! | `sql` | SQL statements of a Durable Object |

mod authority;
mod authority_storage;
mod gateway;
mod hub;
mod random;
mod reply;
mod sql;

pub use authority::Authority;
pub use gateway::{Gateway, Ruling};
pub use hub::{Hub, HubRoute, hub_name, hub_route};
