//! The source that the app chose, for those who do not want to be generic over it.

use alloc::boxed::Box;

use super::document::{self, Document};
use super::own::{self, Own};
use super::server::{self, Server};
use super::{Ask, Capabilities, Exchange, Grant, Return, Source, Step};
use crate::error::Error;
use crate::http::{Answer, NodeId, Request};

/// One of the sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// RavenDB's `hilo/next`.
    Server(Server),
    /// Counter documents that the client writes itself.
    Document(Document),
    /// The app.
    Own(Own),
}

impl Choice {
    /// The routes that read counter documents again, for fences; the app has none.
    pub fn counters(&self) -> Option<&Server> {
        match self {
            Choice::Server(source) => Some(source),
            Choice::Document(source) => Some(source.counters()),
            Choice::Own(_) => None,
        }
    }
}

impl Source for Choice {
    type Lease = Lease;

    fn capabilities(&self) -> Capabilities {
        match self {
            Choice::Server(source) => source.capabilities(),
            Choice::Document(source) => source.capabilities(),
            Choice::Own(source) => source.capabilities(),
        }
    }

    fn lease(&self, ask: Ask) -> Lease {
        match self {
            Choice::Server(source) => Lease::Server(source.lease(ask)),
            Choice::Document(source) => Lease::Document(source.lease(ask)),
            Choice::Own(source) => Lease::Own(source.lease(ask)),
        }
    }

    fn give_back(&self, returns: &[Return], node: NodeId) -> Box<Request> {
        match self {
            Choice::Server(source) => source.give_back(returns, node),
            Choice::Document(source) => source.give_back(returns, node),
            Choice::Own(source) => source.give_back(returns, node),
        }
    }

    fn applied(&self, answer: &Answer, position: usize) -> bool {
        match self {
            Choice::Server(source) => source.applied(answer, position),
            Choice::Document(source) => source.applied(answer, position),
            Choice::Own(source) => source.applied(answer, position),
        }
    }
}

/// A lease of any source on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lease {
    /// From RavenDB's `hilo/next`.
    Server(server::Lease),
    /// From a counter document.
    Document(document::Lease),
    /// From the app.
    Own(own::Lease),
}

impl Exchange for Lease {
    type Output = Box<Grant>;

    fn step(&mut self, input: Option<Result<Box<Answer>, Error>>) -> Step<Box<Grant>> {
        match self {
            Lease::Server(lease) => lease.step(input),
            Lease::Document(lease) => lease.step(input),
            Lease::Own(lease) => lease.step(input),
        }
    }
}
