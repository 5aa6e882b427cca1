//! Tasks and timers of native programs: tokio.

use std::future::Future;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::{Error, Result};

/// What runs tasks: the runtime of the call, else the one in which the store was used first.
pub(crate) struct Spawner(OnceLock<Handle>);

impl Spawner {
    pub(crate) fn new() -> Spawner {
        let spawner = Spawner(OnceLock::new());
        spawner.handle();
        spawner
    }

    fn handle(&self) -> Option<Handle> {
        match Handle::try_current() {
            Ok(handle) => {
                self.0.get_or_init(|| handle.clone());
                Some(handle)
            }
            Err(_) => self.0.get().cloned(),
        }
    }

    /// Runs a task that no caller waits for. Without a runtime it is dropped, which its owner notices. Returns whether it runs.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> bool {
        self.handle().map(|handle| drop(handle.spawn(task))).is_some()
    }
}

/// Whether a task that begins now can end.
pub(crate) fn is_running() -> bool {
    Handle::try_current().is_ok()
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

/// Addresses are whole here.
pub(crate) fn absolute(url: String) -> String {
    url
}

/// Every node is within reach.
pub(crate) fn is_reachable(_: &str) -> bool {
    true
}

/// No platform but a browser says so.
pub(crate) fn is_offline() -> bool {
    false
}
