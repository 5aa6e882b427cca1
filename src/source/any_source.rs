//! The source that the app has chosen, as an enum: callers need not be generic over it.

use alloc::boxed::Box;

use super::custom::{self, CustomSource};
use super::document::{self, Document};
use super::server::{self, Server};
use super::{Ask, Capabilities, Exchange, Grant, Return, Source, Step};
use crate::error::Error;
use crate::hilo;
use crate::http::{NodeId, Request, Response};
use crate::protocol::source as kind;

/// Any of the sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnySource {
    /// RavenDB's `hilo/next`.
    Server(Server),
    /// Counter documents that the client writes itself.
    Document(Document),
    /// A function of the app.
    Custom(CustomSource),
}

impl AnySource {
    /// The routes that read counter documents to get fences; a function of the app has none.
    pub fn counters(&self) -> Option<&Server> {
        match self {
            AnySource::Server(source) => Some(source),
            AnySource::Document(source) => Some(source.counters()),
            AnySource::Custom(_) => None,
        }
    }
}

impl AnySource {
    /// What the core has to know of it.
    pub(crate) fn facts(&self) -> hilo::Source {
        let Capabilities { returnable, scoped, .. } = self.capabilities();
        let of = match self {
            AnySource::Server(_) => kind::SERVER,
            AnySource::Document(_) => kind::DOCUMENT,
            AnySource::Custom(_) if returnable => kind::OWN,
            AnySource::Custom(_) => kind::CLASSIC,
        };
        hilo::Source::new(of, returnable, scoped)
    }
}

impl Source for AnySource {
    type LeaseExchange = LeaseExchange;

    fn capabilities(&self) -> Capabilities {
        match self {
            AnySource::Server(source) => source.capabilities(),
            AnySource::Document(source) => source.capabilities(),
            AnySource::Custom(source) => source.capabilities(),
        }
    }

    fn lease(&self, ask: Ask) -> LeaseExchange {
        match self {
            AnySource::Server(source) => LeaseExchange::Server(source.lease(ask)),
            AnySource::Document(source) => LeaseExchange::Document(source.lease(ask)),
            AnySource::Custom(source) => LeaseExchange::Custom(source.lease(ask)),
        }
    }

    fn give_back(&self, returns: &[Return], node: NodeId) -> Box<Request> {
        match self {
            AnySource::Server(source) => source.give_back(returns, node),
            AnySource::Document(source) => source.give_back(returns, node),
            AnySource::Custom(source) => source.give_back(returns, node),
        }
    }

    fn applied(&self, response: &Response, position: usize) -> bool {
        match self {
            AnySource::Server(source) => source.applied(response, position),
            AnySource::Document(source) => source.applied(response, position),
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
    Document(document::LeaseExchange),
    /// From the app.
    Custom(custom::LeaseExchange),
}

impl Exchange for LeaseExchange {
    type Output = Box<Grant>;

    fn step(&mut self, input: Option<Result<Box<Response>, Error>>) -> Step<Box<Grant>> {
        match self {
            LeaseExchange::Server(lease) => lease.step(input),
            LeaseExchange::Document(lease) => lease.step(input),
            LeaseExchange::Custom(lease) => lease.step(input),
        }
    }
}
