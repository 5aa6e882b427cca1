//! Tasks, timers and the clock of the platform.

use std::future::Future;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use crate::{Error, Result};

/// The runtime of a store: that of the call, else the one in which the store was used first.
pub(crate) struct Runtime {
    begun: Instant,
    known: OnceLock<Handle>,
}

impl Runtime {
    pub(crate) fn new() -> Runtime {
        let runtime = Runtime { begun: Instant::now(), known: OnceLock::new() };
        runtime.handle();
        runtime
    }

    fn handle(&self) -> Option<Handle> {
        match Handle::try_current() {
            Ok(handle) => {
                self.known.get_or_init(|| handle.clone());
                Some(handle)
            }
            Err(_) => self.known.get().cloned(),
        }
    }

    /// Microseconds since the store began.
    pub(crate) fn micros(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Runs a task that no caller waits for. Without a runtime it is dropped, which its owner notices. Returns whether it runs.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> bool {
        self.handle().map(|handle| drop(handle.spawn(task))).is_some()
    }
}

/// Timers of tokio panic without a runtime.
pub(crate) fn assert_runtime() -> Result<()> {
    let missing = |_| Error::operation("the call needs a tokio runtime, with timers and I/O enabled");
    Handle::try_current().map(drop).map_err(missing)
}

pub(crate) async fn sleep(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

/// The result, or `None` after `millis`.
pub(crate) async fn within<T>(millis: u64, future: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(Duration::from_millis(millis), future).await.ok()
}

/// Lets the other tasks go first: callers of the same moment are counted before a lease is sized.
pub(crate) async fn next_turn() {
    tokio::task::yield_now().await;
}
