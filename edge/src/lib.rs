//! The authority, the gateway and the hubs for Workers. Each is a feature, and the build makes one module of each: a
//! Worker uploads only what it uses.
//!
//! | module | content |
//! |---|---|
//! | `authority` | the class that the shell of the authority's Durable Object, `pkg/src/entries/authority`, calls |
//! | `authority_storage` | the authority's storage over a Durable Object's SQLite |
//! | `changes` | the hub for changes; its shell is `pkg/src/hub/changes` |
//! | `gateway` | what callers may do with RavenDB: the pure core, and the class that `pkg/src/gateway/worker` calls |
//! | `hub` | the lease hub; its shell is `pkg/src/hub` |
//! | `random` | random bytes of the platform |
//! | `reply` | response bodies in RavenDB's format |
//! | `sql` | SQL statements of a Durable Object |
#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

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
mod prelude;
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

/// A panic traps without a message, which nothing would show: it has no place to be written to.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

#[cfg(feature = "authority")]
pub use authority::Authority;
#[cfg(feature = "changes")]
pub use changes::ChangesFanOut;
#[cfg(feature = "live")]
pub use gateway::LiveWatches;
#[cfg(feature = "gateway")]
pub use gateway::{Gateway, Ruling};
#[cfg(feature = "hub")]
pub use hub::{Hub, HubRoute, hub_name, hub_route};
