//! A conversation of the hub with its source: what the shell sends for it, and what the shell reports back.

use crate::prelude::*;
use raven_edge::http::{Repeat, Request};
use raven_edge::source::{AnyExchange, Expects, LeaseExchange, Output, Single};
use raven_edge::texts::{Attempt, Conversation, Executor, Input, Next};

/// A request for the shell to send.
#[derive(Debug)]
pub(super) struct OutgoingRequest {
    pub(super) method: &'static str,
    pub(super) url: String,
    pub(super) body: Option<Vec<u8>>,
    /// Timeout in milliseconds.
    pub(super) limit: u64,
}

/// The result of the last action.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) input: Input,
    /// Milliseconds of a monotonic clock.
    pub(super) now: u64,
    /// Random, for the jitter of a pause.
    pub(super) random: u32,
}

/// A conversation and its own executor.
#[derive(Debug)]
pub(super) struct SourceConversation {
    executor: Executor,
    urls: Vec<String>,
    conversation: Conversation<AnyExchange>,
}

impl SourceConversation {
    /// A lease, from the first of these addresses that responds.
    pub(super) fn lease(executor: Executor, urls: &[String], lease: LeaseExchange, now: u64) -> Self {
        Self::new(executor, urls, AnyExchange::Lease(lease), now)
    }

    /// A single request to one node. It is sent once only, because the outcome of a failed attempt is unknown.
    pub(super) fn single(executor: Executor, url: &str, request: Box<Request>, now: u64) -> Self {
        let request = request.repeated(Repeat::Never);
        Self::new(executor, &[url.to_owned()], AnyExchange::Single(Single::new(request, Expects::Any)), now)
    }

    fn new(mut executor: Executor, urls: &[String], exchange: AnyExchange, now: u64) -> Self {
        urls.iter().for_each(|url| executor.add(url));
        let conversation = Conversation::new(exchange, executor.call(now, u64::MAX));
        Self { executor, urls: urls.to_vec(), conversation }
    }

    pub(super) fn step(&mut self, report: Report) -> Next<Output> {
        let Report { input, now, random } = report;
        self.conversation.step(&mut self.executor, input, now, random)
    }

    /// The request of the last [`Next::Send`], and its address.
    pub(super) fn outgoing(&self, attempt: Attempt) -> OutgoingRequest {
        let request = self.conversation.request();
        let method = request.map_or("GET", |request| request.method.name());
        let body = request.and_then(|request| request.body.clone());
        OutgoingRequest { method, url: attempt.url, body, limit: attempt.limit }
    }

    /// The address of a node.
    pub(super) fn url(&self, node: raven_edge::http::NodeId) -> String {
        self.urls.get(node.0 as usize).cloned().unwrap_or_default()
    }
}
