//! The bindings of raven-edge: the core's state machines behind wasm-bindgen, and nothing else.
//!
//! | module | what it binds |
//! |---|---|
//! | `store` | `Store`: the executor and all tags of a database |
//! | `generator` | `Generator`: one tag and the façade's counter |
//! | `session` | `Session`: a unit of work |
//! | `stream` | `Splitter`: an answer in pieces |
//! | `task` | `Task`: a request on its way, with failover and repetition, and what its answer means |
//! | `host` | what the façade does for Rust: `fetch`, timers, events, error objects |
//!
//! There are no futures here. Every entry is a synchronous call of the façade that gives a promise to wait for or
//! is done: a loop of five lines in JavaScript (`pkg/lib/run.js`) drives a `Task`. That costs a third of the bytes of
//! Rust futures, leaves no Rust code in anybody's microtask, where a trap would go unseen, and nothing can stay
//! borrowed while something is awaited.
#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

#[cfg(feature = "query")]
use alloc::string::String;

mod generator;
mod host;
#[cfg(feature = "session")]
mod session;
mod store;
#[cfg(feature = "query")]
mod stream;
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

/// Recorded calls of a query as the body of `POST /queries`; or, where they cannot be meant, the code of the error, a line
/// break and its message.
#[cfg(feature = "query")]
#[wasm_bindgen::prelude::wasm_bindgen(js_name = renderQuery)]
pub fn render_query(calls: &str) -> String {
    raven_edge::query::render(calls).unwrap_or_else(|error| [error.code.name(), "\n", &error.message].concat())
}
