//! The bindings of raven-edge: everything of wasm-bindgen, and nothing else.
//!
//! | module | what it binds |
//! |---|---|
//! | [`store`] | `Store`: configuration, the executor, all tags of a database |
//! | [`generator`] | `Generator`: one tag, its counter and those who wait |
//! | [`session`] | `Session`: a unit of work |
//! | [`request`] | `fetch` with time limit, failover and repetition |
//! | [`platform`] | clock, timers, random numbers |
//! | [`error`] | errors as JavaScript sees them |
//!
//! Rules of this crate: exported methods are synchronous and return promises; no `RefCell` stays borrowed while
//! JavaScript runs that may call back; nothing that input can reach panics.
#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

mod config;
mod error;
mod generator;
mod platform;
mod request;
#[cfg(feature = "session")]
mod session;
mod store;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A panic traps without building its message, which would cost 6 KB; the gate in JavaScript takes it from there.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Version of the crate that this module was built from.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn version() -> alloc::string::String {
    alloc::string::String::from(env!("CARGO_PKG_VERSION"))
}
