//! What the shell does for a conversation of the hub with its source, and what it reports.

use raven_edge::http::{Attempt, Conversation, Executor, Input, Next, Repeat, Request};
use raven_edge::source::{AnyExchange, Expects, Lease, Output, Single};

/// One request.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) method: &'static str,
    pub(super) url: String,
    pub(super) body: Option<Vec<u8>>,
    /// Milliseconds until it is given up.
    pub(super) limit: u64,
}

/// What became of the last effect, and when.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) input: Input,
    /// Milliseconds of any clock that does not go back.
    pub(super) now: u64,
    /// Any number, for the jitter of a pause.
    pub(super) random: u32,
}

/// A conversation with one executor of its own.
#[derive(Debug)]
pub(super) struct Asking {
    executor: Executor,
    urls: Vec<String>,
    conversation: Conversation<AnyExchange>,
}

impl Asking {
    /// A lease at the first of these addresses that answers.
    pub(super) fn lease(executor: Executor, urls: &[String], lease: Lease, now: u64) -> Self {
        Self::new(executor, urls, AnyExchange::Lease(lease), now)
    }

    /// One request to one node, sent once: what becomes of it is not guessed.
    pub(super) fn single(executor: Executor, url: &str, request: Request, now: u64) -> Self {
        let request = Request { repeat: Repeat::Never, ..request };
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

    /// The request of the last [`Next::Send`], and where it goes.
    pub(super) fn sending(&self, attempt: Attempt) -> Sending {
        let request = self.conversation.request();
        let method = request.map_or("GET", |request| request.method.name());
        let body = request.and_then(|request| request.body.clone());
        Sending { method, url: attempt.url, body, limit: attempt.limit }
    }

    /// The address of a node.
    pub(super) fn url(&self, node: raven_edge::http::NodeId) -> String {
        self.urls.get(node.0 as usize).cloned().unwrap_or_default()
    }
}
