//! The source that the app has chosen, as an enum: callers need not be generic over it.

use alloc::boxed::Box;

#[cfg(feature = "sources")]
use super::custom::{self, CustomSource};
#[cfg(feature = "sources")]
use super::document::{self, Document};
use super::server::{self, Server};
use super::{Ask, Capabilities, Exchange, Grant, Return, Source, Step};
use crate::error::Error;
use crate::http::{NodeId, Request, Response};

/// Any of the sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnySource {
    /// RavenDB's `hilo/next`.
    Server(Server),
    /// Counter documents that the client writes itself.
    #[cfg(feature = "sources")]
    Document(Document),
    /// A function of the app.
    #[cfg(feature = "sources")]
    Custom(CustomSource),
}

impl AnySource {
    /// The routes that read counter documents to get fences; a function of the app has none.
    pub fn counters(&self) -> Option<&Server> {
        match self {
            AnySource::Server(source) => Some(source),
            #[cfg(feature = "sources")]
            AnySource::Document(source) => Some(source.counters()),
            #[cfg(feature = "sources")]
            AnySource::Custom(_) => None,
        }
    }
}

impl Source for AnySource {
    type LeaseExchange = LeaseExchange;

    fn capabilities(&self) -> Capabilities {
        match self {
            AnySource::Server(source) => source.capabilities(),
            #[cfg(feature = "sources")]
            AnySource::Document(source) => source.capabilities(),
            #[cfg(feature = "sources")]
            AnySource::Custom(source) => source.capabilities(),
        }
    }

    fn lease(&self, ask: Ask) -> LeaseExchange {
        match self {
            AnySource::Server(source) => LeaseExchange::Server(source.lease(ask)),
            #[cfg(feature = "sources")]
            AnySource::Document(source) => LeaseExchange::Document(source.lease(ask)),
            #[cfg(feature = "sources")]
            AnySource::Custom(source) => LeaseExchange::Custom(source.lease(ask)),
        }
    }

    fn give_back(&self, returns: &[Return], node: NodeId) -> Box<Request> {
        match self {
            AnySource::Server(source) => source.give_back(returns, node),
            #[cfg(feature = "sources")]
            AnySource::Document(source) => source.give_back(returns, node),
            #[cfg(feature = "sources")]
            AnySource::Custom(source) => source.give_back(returns, node),
        }
    }

    fn applied(&self, response: &Response, position: usize) -> bool {
        match self {
            AnySource::Server(source) => source.applied(response, position),
            #[cfg(feature = "sources")]
            AnySource::Document(source) => source.applied(response, position),
            #[cfg(feature = "sources")]
            AnySource::Custom(source) => source.applied(response, position),
        }
    }
}

/// A lease in progress, of any source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LeaseExchange {
    /// From RavenDB's `hilo/next`.
    Server(server::LeaseExchange),
    /// From a counter document.
    #[cfg(feature = "sources")]
    Document(document::LeaseExchange),
    /// From the app.
    #[cfg(feature = "sources")]
    Custom(custom::LeaseExchange),
}

impl Exchange for LeaseExchange {
    type Output = Box<Grant>;

    fn step(&mut self, input: Option<Result<Box<Response>, Error>>) -> Step<Box<Grant>> {
        match self {
            LeaseExchange::Server(lease) => lease.step(input),
            #[cfg(feature = "sources")]
            LeaseExchange::Document(lease) => lease.step(input),
            #[cfg(feature = "sources")]
            LeaseExchange::Custom(lease) => lease.step(input),
        }
    }
}
