//! Options of a store.

use std::time::Duration;

use raven_edge::ids::{Limits, key, tag};
use raven_edge::pool::presence::KeepOptions;
use raven_edge::protocol::prefix;
use raven_edge::source::document::Document;
use raven_edge::source::server::Server;
use raven_edge::source::{AnySource, MAX_SIZE};
use raven_edge::texts::{Executor, Store as Core};

use super::inner::{Inner, Listener};
use super::send::Sending;
use super::{DocumentStore, StoreEvent};
use crate::device::Scope;
use crate::runtime::{MaybeSend, MaybeSync, absolute};
use crate::transport::{Options, Own, Transport};
use crate::{Error, Result};

/// The default time limit, in milliseconds: that of the package.
const TIMEOUT: u64 = 15_000;

/// Where the numbers of ids come from. Both may be used for the same collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// RavenDB leases them: `orders/1-A`.
    #[default]
    Server,
    /// The protocol of RavenDB's older clients: the client itself writes the counter documents, `Raven/Hilo/orders`. Ids have no node tag:
    /// `orders/1`, or `orders/NorthServer/1` where the document `Raven/ServerPrefixForHilo` says so. All leases go to the store's first
    /// address, which must be the same node for all clients of a database.
    Document,
}

/// Options of a [`DocumentStore`].
#[must_use = "call build()"]
pub struct Builder {
    urls: Vec<String>,
    database: String,
    headers: Vec<(String, String)>,
    timeout: Duration,
    capacity: Option<u32>,
    keep: Option<u64>,
    separator: String,
    source: Source,
    learns_nodes: bool,
    connections: Options,
    transport: Option<Box<dyn Transport>>,
    listener: Option<Listener>,
}

impl Builder {
    pub(super) fn new(url: String, database: String) -> Builder {
        Builder {
            urls: vec![url],
            database,
            headers: Vec::new(),
            timeout: Duration::from_millis(TIMEOUT),
            capacity: None,
            keep: None,
            separator: "/".to_owned(),
            source: Source::default(),
            learns_nodes: true,
            connections: Options::default(),
            transport: None,
            listener: None,
        }
    }

    /// Adds the address of another node.
    pub fn address(mut self, url: impl Into<String>) -> Builder {
        self.urls.push(url.into());
        self
    }

    /// Adds a header to each request.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Builder {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The client's certificate and its key, in PEM. Absent in pages and Workers: their platforms have their own.
    #[cfg(not(target_family = "wasm"))]
    pub fn certificate(mut self, pem: impl Into<Vec<u8>>) -> Builder {
        self.connections.certificate = Some(pem.into());
        self
    }

    /// Trusts another authority, in PEM, beside those that browsers trust. Absent in pages and Workers.
    #[cfg(not(target_family = "wasm"))]
    pub fn authority(mut self, pem: impl Into<Vec<u8>>) -> Builder {
        self.connections.authorities.push(pem.into());
        self
    }

    /// The time limit of a request with its repetitions, and of waiting for an id; default: 15 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Builder {
        self.timeout = timeout;
        self
    }

    /// The size of ranges to lease, 1 to 1,048,576; default: follows demand.
    pub fn capacity(mut self, numbers: u32) -> Builder {
        self.capacity = Some(numbers);
        self
    }

    /// How many numbers of each counter stay parked on the device, in pages: they outlive the page, and need no connection. Default: 8, and
    /// more the more numbers the device uses. 0: none; `u64::MAX`: all. Native programs and Workers park none.
    pub fn keep(mut self, numbers: u64) -> Builder {
        self.keep = Some(numbers);
        self
    }

    /// The character between prefix and number of ids; default: `/`.
    pub fn identity_parts_separator(mut self, separator: char) -> Builder {
        self.separator = separator.into();
        self
    }

    /// Where the numbers of ids come from; default: [`Source::Server`].
    pub fn source(mut self, source: Source) -> Builder {
        self.source = source;
        self
    }

    /// Uses only the addresses that the app gives, whatever nodes the server reports.
    pub fn disable_topology_updates(mut self) -> Builder {
        self.learns_nodes = false;
        self
    }

    /// Sends requests by a transport of the app. Certificates are its own matter then.
    pub fn transport(mut self, transport: impl Transport) -> Builder {
        self.transport = Some(Box::new(transport));
        self
    }

    /// Calls a function when something happens. It must not block.
    pub fn on_event(mut self, listener: impl Fn(StoreEvent) + MaybeSend + MaybeSync + 'static) -> Builder {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Makes the store. Sends nothing.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: an option is invalid.
    pub fn build(self) -> Result<DocumentStore> {
        let Builder { urls, database, headers, timeout, capacity, separator, source, learns_nodes, keep, .. } = self;
        let urls: Vec<String> = urls.into_iter().map(absolute).collect();
        let is_address = |url: &String| {
            let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
            rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !rest.contains(['?', '#', ' ']))
        };
        if let Some(url) = urls.iter().find(|url| !is_address(url)) {
            return Err(Error::argument(format!(
                "the address \"{url}\" is not one that begins with http:// or https://"
            )));
        }
        if database.trim().is_empty() || database.len() > Limits::default().bytes {
            return Err(Error::argument("a store needs the name of a database"));
        }
        let is_header = |text: &String| text.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte));
        if let Some((name, _)) = headers.iter().find(|(name, value)| {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            name.is_empty() || !name.bytes().all(is_name) || !is_header(value)
        }) {
            return Err(Error::argument(format!("the header \"{}\" cannot be sent", name.escape_debug())));
        }
        let timeout = u64::try_from(timeout.as_millis()).ok().filter(|millis| (1..=i32::MAX as u64).contains(millis));
        let timeout = timeout.ok_or_else(|| Error::argument("the timeout is from 1 ms to 2^31 - 1 ms"))?;
        let capacity = capacity.map(u64::from);
        if capacity.is_some_and(|numbers| !(1..=MAX_SIZE).contains(&numbers)) {
            return Err(Error::argument("the capacity is from 1 to 1,048,576"));
        }
        let separator = tag::check_separator(&separator)?;
        let mut executor = Executor::new(&database, timeout);
        urls.iter().for_each(|url| executor.add(url));
        let (name, counters) = match source {
            Source::Server => ("server", None),
            Source::Document => ("document", Some(prefix::HILO)),
        };
        let source = match counters {
            None => AnySource::Server(Server::new(&database, separator)),
            Some(counters) => AnySource::Document(Document::new(&database, separator, counters)),
        };
        let core = Core::new(executor, source, separator, false);
        #[cfg(target_family = "wasm")]
        let is_own = self.transport.is_none();
        let transport = match self.transport {
            Some(transport) => transport,
            None => Box::new(Own::new(&self.connections)?),
        };
        let counters = counters.map(|counters| key::key(counters.trim_end_matches('/')));
        let scope = Scope { source: name, counters, server: urls[0].clone(), database, separator: separator.into() };
        let sending = Sending {
            transport,
            #[cfg(target_family = "wasm")]
            is_own,
            headers,
            urls,
            learns_nodes,
        };
        let keep = KeepOptions::new(keep, capacity.unwrap_or(0));
        Ok(DocumentStore::made(Inner::new(core, sending, keep, timeout, self.listener), scope))
    }
}
