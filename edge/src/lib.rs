//! The second wasm of raven-edge: the authority for Workers (later also gateway and hub).
//!
//! | module | one idea |
//! |---|---|
//! | `authority` | the class that the Durable Object's shell, `pkg/authority.js`, calls |
//! | `sql` | the authority's storage over a Durable Object's SQLite |

mod authority;
mod sql;

pub use authority::Authority;
