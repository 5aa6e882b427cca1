//! The authority, the gateway and the hubs for Workers. Each is a feature, and the build makes one module of each: a
//! Worker uploads only what it uses.
//!
//! | module | content |
//! |---|---|
//! | `authority` | the class that the shell of the authority's Durable Object, `pkg/src/entries/authority`, calls |
//! | `authority_storage` | the authority's storage over a Durable Object's SQLite |
//! | `changes` | the hub for changes; its shell is `pkg/src/hub/changes` |
//! | `gateway` | what callers may do with RavenDB: the pure core, and the class that `pkg/src/entries/gateway` calls |
//! | `hub` | the lease hub; its shell is `pkg/src/hub` |
//! | `random` | random bytes of the platform |
//! | `reply` | response bodies in RavenDB's format |
//! | `sql` | SQL statements of a Durable Object |

#[cfg(feature = "authority")]
mod authority;
#[cfg(feature = "authority")]
mod authority_storage;
#[cfg(feature = "changes")]
mod changes;
#[cfg(feature = "gateway")]
mod gateway;
#[cfg(feature = "hub")]
mod hub;
#[cfg(any(feature = "authority", feature = "gateway", feature = "hub"))]
mod random;
#[cfg(any(feature = "gateway", feature = "hub"))]
mod reply;
#[cfg(any(feature = "authority", feature = "hub"))]
mod sql;

/// A third of the code of the standard library's allocator.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

#[cfg(feature = "authority")]
pub use authority::Authority;
#[cfg(feature = "changes")]
pub use changes::ChangesFanOut;
#[cfg(feature = "gateway")]
pub use gateway::{Gateway, LiveWatches, Ruling};
#[cfg(feature = "hub")]
pub use hub::{Hub, HubRoute, hub_name, hub_route};
