//! RavenDB for Rust programs: final ids without a request for each, sessions, queries, patches.
//!
//! Two laws hold, as in the npm package `raven-edge`, whose core this crate shares: **an id is never issued twice**, and **what the app was
//! told is saved is saved, once**. If the response to a save is lost, the session finds out what became of it, or says that it does not
//! know ([`Error::OutcomeUnknown`]) and what to do. It never guesses.
//!
//! ```
//! use raven_edge_client::{Document, DocumentStore, Entity, Result};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Order {
//!     total: f64,
//! }
//!
//! impl Document for Order {
//!     const COLLECTION: &'static str = "Orders";
//! }
//!
//! # #[allow(dead_code)] mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/support.rs")); }
//! #[tokio::main]
//! async fn main() -> Result<()> {
//!     # let database = support::Database::new();
//!     # let (url, name) = (database.url.as_str(), database.name.as_str()); let _ = r#"
//!     let (url, name) = ("http://localhost:8080", "Shop");
//!     # "#;
//!     let store = DocumentStore::new(url, name)?;
//!     let session = store.session();
//!     let mut order = session.store(Order { total: 10.0 }).await?;
//!     assert_eq!(order.id(), "orders/1-A"); // final, although nothing was saved yet
//!     session.save().await?; // one request
//!
//!     order.update(|order| order.total += 2.0)?;
//!     session.save().await?; // sends the change
//!
//!     let again: Option<Entity<Order>> = store.session().load("orders/1-A").await?;
//!     assert_eq!(again.map(|order| order.total), Some(12.0));
//!
//!     let session = store.session();
//!     let large = session.query::<Order>("from Orders where total > $min").bind("min", 11);
//!     let large = large.wait_for_non_stale_results(std::time::Duration::from_secs(15)).all().await?;
//!     assert_eq!(large[0].id(), "orders/1-A");
//!
//!     let ids = store.hilo("orders")?;
//!     assert_eq!(ids.next().await?, "orders/2-A");
//!     store.dispose().await // returns the numbers that are left
//! }
//! ```
//!
//! # What dropping means
//!
//! - A future of [`HiLo::next`] that is dropped takes no number.
//! - A [`Session::save`] that is dropped in the middle has an unknown outcome; the next save of the session resolves or reports it.
//! - The last handle of a store ([`DocumentStore`], [`Session`], [`HiLo`]) returns the numbers in memory if it is dropped in a page, or in a
//!   tokio runtime that goes on; else they are gaps, and [`StoreEvent::NotReturned`] says so. What a page has parked stays parked.
//!   [`DocumentStore::dispose`] waits for the return, and returns what is parked, too.
//!
//! # Where it runs
//!
//! - In native programs, on tokio with timers and I/O enabled (feature `native`): [requests](Transport) by `reqwest`, with rustls and `ring`.
//! - In pages, compiled to WebAssembly (feature `web`): requests by `fetch`, an address that begins with `/` is one of the page's server.
//!   Some numbers are parked on the device ([`Builder::keep`]), so that they outlive the page and need no connection; the others are
//!   returned when the page is left. Pages of an origin share them, also with pages that use the npm package.
//! - In Workers: numbers are in memory only. Each request makes a store of its own and disposes it in `waitUntil`: a Worker's runtime ends a
//!   request that waits for another one.
//!
//! In WebAssembly futures are not `Send`. Values of JavaScript can be stored and loaded as they are: `Session::store_js`, `load_js`.
//!
//! Both features are on by default; each takes effect on its own platforms.
//!
//! # Absent
//!
//! Attachments, counters, time series, revisions, subscriptions, changes, bulk insert, compare exchange and cluster-wide transactions,
//! the gateway's named queries, sources of ids beside [`Source`], waiting for replication in a save, a derive macro for [`Document`].
//! Server-wide administration: send it by `curl` or the studio.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

#[cfg(all(not(target_family = "wasm"), not(feature = "native")))]
compile_error!("native programs need the feature `native` of raven-edge-client");
#[cfg(all(target_family = "wasm", not(feature = "web")))]
compile_error!("pages and Workers need the feature `web` of raven-edge-client");

mod device;
mod error;
mod numbers;
mod operations;
mod runtime;
mod session;
mod store;
mod transport;

pub use error::{Detail, Error, Outcome, Result, WhatToDo};
pub use numbers::{CurrentLease, HiLo, HiLoStatus};
pub use operations::{ByQuery, IndexDefinition, Operation, Operations};
pub use runtime::{MaybeSend, MaybeSync};
pub use session::{
    Document, Entity, Including, Patch, PatchStatus, Query, QueryResults, QueryStream, Row, Session, SessionOptions,
    Statistics,
};
pub use store::{Builder, DocumentStore, Source, StoreEvent};
pub use transport::{Body, BoxFuture, HttpRequest, HttpResponse, NoResponse, Transport};

/// The examples of the page.
#[cfg(doctest)]
#[doc = include_str!("../../docs/rust.md")]
struct Page;
