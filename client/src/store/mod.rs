//! The store: addresses, database, and what all sessions of it share.

mod builder;
mod inner;
mod send;

use std::pin::pin;
use std::sync::Arc;

use raven_edge::ids::key;

pub use builder::{Builder, Source};
pub(crate) use inner::{Inner, Served, State, random};
pub(crate) use send::Answer;

use crate::device::{Device, Scope};
use crate::numbers::HiLo;
use crate::operations::Operations;
use crate::runtime::{is_running, within};
use crate::session::{Session, SessionOptions};
use crate::{Error, Result};

/// How long `dispose` waits for leases under way, in milliseconds.
const GOODBYE: u64 = 5_000;

/// Something that happened to a store, for [`Builder::on_event`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreEvent {
    /// Numbers were leased.
    #[non_exhaustive]
    Leased {
        /// The counter, such as `orders`.
        tag: String,
        /// The lowest number.
        low: u64,
        /// The highest number.
        high: u64,
        /// The node that granted them.
        node_tag: String,
        /// Whether their rest can be returned.
        fenced: bool,
    },
    /// Numbers were returned, or not: then they are a gap.
    #[non_exhaustive]
    Returned {
        /// The counter.
        tag: String,
        /// The lowest number.
        low: u64,
        /// The highest number.
        high: u64,
        /// Whether the server has them again.
        applied: bool,
        /// Why not.
        error: Option<String>,
    },
    /// The server granted numbers that were issued before: it was set back, for example from a backup. They are not used.
    #[non_exhaustive]
    Regression {
        /// The counter.
        tag: String,
        /// The lowest number granted.
        low: u64,
        /// The highest number granted.
        high: u64,
        /// The highest number issued before.
        highest: u64,
    },
    /// The database was deleted and created again: all numbers in memory are discarded.
    #[non_exhaustive]
    Replaced {
        /// The new database's `Database-Cluster-Tx-Id`.
        incarnation: String,
    },
    /// Numbers cannot be parked on the device: they are only in memory from now on.
    #[non_exhaustive]
    Storage {
        /// Why not.
        error: String,
    },
    /// The last handle of the store was dropped without [`DocumentStore::dispose`] and outside of a runtime: the numbers in memory are gaps.
    NotReturned,
}

/// A RavenDB database. All handles (clones, sessions, [`HiLo`]) share one store.
///
/// ```
/// # use raven_edge_client::DocumentStore;
/// # async fn _f() -> raven_edge_client::Result<()> {
/// let store = DocumentStore::new("http://localhost:8080", "Shop")?; // sends nothing
/// let ids = store.hilo("orders")?;
/// let id = ids.next().await?; // "orders/1-A"
/// store.dispose().await?; // returns the numbers that are left
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct DocumentStore {
    handle: Arc<Handle>,
}

/// What ends with the last handle.
pub(crate) struct Handle {
    pub(crate) inner: Arc<Inner>,
    /// Held while the store is disposed.
    disposal: Arc<tokio::sync::Mutex<bool>>,
}

impl DocumentStore {
    /// A store with the default options: see [`DocumentStore::builder`].
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: the address or the database's name is invalid.
    pub fn new(url: impl Into<String>, database: impl Into<String>) -> Result<DocumentStore> {
        DocumentStore::builder(url, database).build()
    }

    /// Sets options.
    ///
    /// ```
    /// # use raven_edge_client::DocumentStore;
    /// # use std::time::Duration;
    /// # fn main() -> raven_edge_client::Result<()> {
    /// let store = DocumentStore::builder("http://a.example.com:8080", "Shop")
    ///     .address("http://b.example.com:8080")
    ///     .header("Authorization", "Bearer abc")
    ///     .timeout(Duration::from_secs(5))
    ///     .build()?;
    /// # drop(store); Ok(()) }
    /// ```
    pub fn builder(url: impl Into<String>, database: impl Into<String>) -> Builder {
        Builder::new(url.into(), database.into())
    }

    #[cfg_attr(
        target_family = "wasm",
        allow(clippy::arc_with_non_send_sync, reason = "natively it moves between threads; here it stays on its own")
    )]
    pub(crate) fn made(inner: Inner, scope: Scope) -> DocumentStore {
        let inner = Arc::new(inner);
        Device::begin(&inner, scope);
        let handle = Handle { inner, disposal: Arc::default() };
        DocumentStore { handle: Arc::new(handle) }
    }

    /// The ids of a counter.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTag`]: RavenDB cannot safely lease numbers for it. [`Error::Disposed`].
    pub fn hilo(&self, tag: &str) -> Result<HiLo> {
        HiLo::new(Arc::clone(&self.handle), tag)
    }

    /// A session: a unit of work.
    pub fn session(&self) -> Session {
        self.session_with(SessionOptions::default())
    }

    /// A session with options.
    pub fn session_with(&self, options: SessionOptions) -> Session {
        Session::new(Arc::clone(&self.handle), options)
    }

    /// What works without a session.
    pub fn operations(&self) -> Operations {
        Operations::new(Arc::clone(&self.handle))
    }

    /// Returns the numbers that are left; afterwards the store refuses work. Numbers whose return fails are gaps, which is no error: see
    /// [`StoreEvent::Returned`].
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOperation`]: the store was never used in a runtime, so there is nothing to return.
    pub async fn dispose(&self) -> Result<()> {
        let (inner, disposal) = (Arc::clone(&self.handle.inner), Arc::clone(&self.handle.disposal));
        // A task of the store: it goes on if the caller's future is dropped.
        let (done, ended) = tokio::sync::oneshot::channel();
        let begun = self.handle.inner.runtime.spawn(async move {
            inner.dispose(&disposal, true).await;
            let _ = done.send(());
        });
        if !begun {
            return Err(Error::operation("dispose() needs a tokio runtime"));
        }
        // If the runtime ends before the task, there is no one left to tell.
        let _ = ended.await;
        Ok(())
    }
}

impl Handle {
    /// The number of a tag.
    pub(crate) fn tag(&self, state: &mut State, name: &str) -> Result<u32> {
        if state.is_disposed {
            return Err(Error::disposed());
        }
        self.inner.tag(state, name)
    }
}

impl Inner {
    fn tag(&self, state: &mut State, name: &str) -> Result<u32> {
        // The server ignores the case of names.
        let key = key::key(name);
        if let Some(tag) = state.names.get(&key) {
            return Ok(*tag);
        }
        let tag = state.core.add(name, self.keep)?;
        state.names.insert(key, tag);
        state.tags.push(inner::Tag::default());
        Ok(tag)
    }

    /// `empties`: parked numbers are returned, too, unless the device has other stores of the database.
    async fn dispose(self: &Arc<Self>, disposal: &tokio::sync::Mutex<bool>, empties: bool) {
        let mut is_done = disposal.lock().await;
        if *is_done {
            return;
        }
        self.close();
        // The numbers of leases under way are returned, too; a lease that hangs is given up.
        let _ = within(GOODBYE, self.all_ended()).await;
        self.close();
        if let Some(device) = self.device() {
            // Also what earlier stores of the device have parked.
            let parked = if empties { device.tags().await } else { Vec::new() };
            device.ask_siblings(self).await;
            // A name that cannot be leased was not parked by this version.
            self.enter(|state, _| parked.iter().for_each(|name| drop(self.tag(state, name))));
            self.close();
            let count = self.state().tags.len() as u32;
            for tag in 0..count {
                self.let_go(tag, Some(if empties { 0 } else { u64::MAX })).await;
            }
        }
        self.give_back(true).await;
        if let Some(device) = self.device() {
            device.end(self);
        }
        *is_done = true;
    }

    /// Prepares the return of a tag's numbers in memory, and of parked ones beyond `keep`; `None`: the usual number stays.
    pub(crate) async fn let_go(self: &Arc<Self>, tag: u32, keep: Option<u64>) {
        let surrender = || self.enter(|state, calls| calls.surrender(state, tag));
        surrender();
        if let Some(task) = self.enter(|state, _| state.core.let_go(tag, keep)) {
            // If it fails, the numbers stay, or are burnt.
            drop(self.complete(task).await);
        }
        surrender();
    }

    fn close(self: &Arc<Self>) {
        self.enter(|state, calls| {
            state.is_disposed = true;
            calls.close(state);
        });
    }

    async fn all_ended(&self) {
        loop {
            let ended = self.ended.notified();
            let mut ended = pin!(ended);
            ended.as_mut().enable();
            if self.state().tags.iter().all(|tag| tag.running == 0) {
                return;
            }
            ended.await;
        }
    }

    /// Returns what was emptied: one request per node. `refence`: what has no fence gets one first, and is returned under it.
    pub(crate) async fn give_back(self: &Arc<Self>, refence: bool) {
        loop {
            let mut returns = Vec::new();
            while let Some(task) =
                self.enter(|state, calls| calls.core(state, |core, host| core.give_back(host, refence)))
            {
                returns.push(task);
            }
            if returns.is_empty() {
                return;
            }
            for task in returns {
                // What became of it is an event.
                drop(self.complete(task).await);
            }
            if !refence {
                return;
            }
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut state = self.inner.state();
        if state.is_disposed || state.tags.is_empty() {
            return;
        }
        state.is_disposed = true;
        drop(state);
        let (inner, disposal) = (Arc::clone(&self.inner), Arc::clone(&self.disposal));
        // Parked numbers stay: the page's next store has them.
        let returns = async move { inner.dispose(&disposal, false).await };
        let is_returning = is_running() && self.inner.runtime.spawn(returns);
        if !is_returning {
            self.inner.emit(StoreEvent::NotReturned);
        }
    }
}
