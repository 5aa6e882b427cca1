//! Tasks, timers and the clock of the platform.

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod web;

#[cfg(not(target_family = "wasm"))]
use native as platform;
#[cfg(target_family = "wasm")]
use web as platform;

use std::future::Future;

use web_time::Instant;

pub(crate) use platform::{absolute, assert_runtime, is_offline, is_reachable, is_running, next_turn, sleep, within};

/// Natively `Send`. WebAssembly has one thread, and what belongs to JavaScript stays on it.
#[cfg(not(target_family = "wasm"))]
pub trait MaybeSend: Send {}
#[cfg(not(target_family = "wasm"))]
impl<T: Send + ?Sized> MaybeSend for T {}
/// Natively `Send`. WebAssembly has one thread, and what belongs to JavaScript stays on it.
#[cfg(target_family = "wasm")]
pub trait MaybeSend {}
#[cfg(target_family = "wasm")]
impl<T: ?Sized> MaybeSend for T {}

/// Natively `Sync`; in WebAssembly anything.
#[cfg(not(target_family = "wasm"))]
pub trait MaybeSync: Sync {}
#[cfg(not(target_family = "wasm"))]
impl<T: Sync + ?Sized> MaybeSync for T {}
/// Natively `Sync`; in WebAssembly anything.
#[cfg(target_family = "wasm")]
pub trait MaybeSync {}
#[cfg(target_family = "wasm")]
impl<T: ?Sized> MaybeSync for T {}

/// The clock of a store, and what runs its tasks.
pub(crate) struct Runtime {
    begun: Instant,
    spawner: platform::Spawner,
}

impl Runtime {
    pub(crate) fn new() -> Runtime {
        Runtime { begun: Instant::now(), spawner: platform::Spawner::new() }
    }

    /// Microseconds since the store began.
    pub(crate) fn micros(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Runs a task that no caller waits for. If it cannot run it is dropped, which its owner notices. Returns whether it runs.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + MaybeSend + 'static) -> bool {
        self.spawner.spawn(task)
    }
}
