//! The second wasm of raven-edge: the authority, the gateway and the lease hub for Workers.
//!
//! | module | one idea |
//! |---|---|
//! | `authority` | the class that the shell of the authority's Durable Object, `pkg/authority.js`, calls |
//! | `gateway` | what callers may do with RavenDB, the pure core and the class that `pkg/gateway.js` calls |
//! | `hub` | the lease hub; its shell is `pkg/hub.js` |
//! | `random` | random bytes of the platform |
//! | `reply` | answers in RavenDB's own form |
//! | `rows` | SQL of a Durable Object |
//! | `sql` | the authority's storage over a Durable Object's SQLite |

mod authority;
mod gateway;
mod hub;
mod random;
mod reply;
mod rows;
mod sql;

pub use authority::Authority;
pub use gateway::{Gateway, Ruling};
pub use hub::{Hub, HubRoute, hub_name, hub_route};
