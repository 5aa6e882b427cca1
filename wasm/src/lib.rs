//! The bindings of raven-edge: the core's state machines behind wasm-bindgen, and nothing else.
//!
//! | module | what it binds |
//! |---|---|
//! | `store` | `Store`: the core's store, and what the façade does for it |
//! | `generator` | `Generator`: one tag and the façade's counter |
//! | `session` | `Session`: a unit of work |
//! | `task` | `Task`: a request or a move on its way |
//! | `host` | what the façade does for Rust: `fetch`, timers, events, error objects |
//!
//! There are no futures here. Every entry is a synchronous call of the façade that gives a promise to wait for or
//! is done: a loop of five lines in JavaScript (`pkg/src/runtime/run-task`) drives a `Task`. That costs a third of the bytes of
//! Rust futures, leaves no Rust code in anybody's microtask, where a trap would go unseen, and nothing can stay
//! borrowed while something is awaited.
#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

mod generator;
mod host;
#[cfg(feature = "session")]
mod session;
mod store;
mod task;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A panic traps without building its message, which would cost 6 KB; the gate in JavaScript takes it from there.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
