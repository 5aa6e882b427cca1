//! The bindings of raven-edge: exports the core's state machines through wasm-bindgen, and decides nothing.
//!
//! | module | what it binds |
//! |---|---|
//! | `store` | `Store`: the core's store, and its host |
//! | `tags` | the methods of `Store` about a tag: its callers, and the façade's counter |
//! | `session` | `Session`: a unit of work |
//! | `task` | `Task`: a request or a move in progress |
//! | `host` | what Rust calls in the façade: the clock, counters, events |
//!
//! Only numbers cross the border. The texts of ids, requests, responses and records are the façade's (`pkg/src/core`): half of the module
//! was text handling when they crossed.
//!
//! There are no futures. Every export is synchronous: `Task::step` returns what to wait for, or that the task has ended. A
//! loop in JavaScript (`pkg/src/runtime/run-task`) drives a `Task`. That takes a third of the bytes of Rust futures, and keeps nothing
//! borrowed while something is awaited. Rust code runs only behind the gate in JavaScript (`pkg/src/runtime/gate`), which notices a trap;
//! a Rust future would run in a microtask of its own, where a trap goes unnoticed.
#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

mod host;
#[cfg(feature = "session")]
mod session;
mod store;
mod tags;
mod task;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A panic traps without a message, which would add 6 KB. The gate in JavaScript (`pkg/src/runtime/gate`) handles the trap.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
