//! The second wasm of raven-edge: the authority for Workers and the gateway (later also the hub).
//!
//! | module | one idea |
//! |---|---|
//! | `authority` | the class that the Durable Object's shell, `pkg/authority.js`, calls |
//! | `gateway` | what callers may do with RavenDB, the pure core and the class that `pkg/gateway.js` calls |
//! | `sql` | the authority's storage over a Durable Object's SQLite |

mod authority;
mod gateway;
mod sql;

pub use authority::Authority;
pub use gateway::{Gateway, Ruling};
