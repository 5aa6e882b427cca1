//! The second wasm of raven-edge: the authority and the lease hub for Workers (later also the gateway).
//!
//! | module | one idea |
//! |---|---|
//! | `authority` | the class that the shell of the authority's Durable Object, `pkg/authority.js`, calls |
//! | `hub` | the lease hub; its shell is `pkg/hub.js` |
//! | `random` | random bytes of the platform |
//! | `rows` | SQL of a Durable Object |
//! | `sql` | the authority's storage over a Durable Object's SQLite |

mod authority;
mod hub;
mod random;
mod rows;
mod sql;

pub use authority::Authority;
pub use hub::{Hub, HubRoute, hub_route};
