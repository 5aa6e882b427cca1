//! The protocol of RavenDB's older clients as a source: read the counter document and the server's prefix, add the
//! capacity, put it back under optimistic concurrency.

use raven_edge::error::{Code, Error};
use raven_edge::hilo::Range;
use raven_edge::http::{Answer, Method, NodeId, Repeat, Request, push_encoded};
use raven_edge::json;
use raven_edge::source::server::Server;
use raven_edge::source::{Ask, Capabilities, Exchange, Grant, Return, Source, Step};

pub(crate) struct Document {
    base: String,
    capacity: u64,
    /// Returns are the same fenced PATCH whatever the range came from.
    returns: Server,
}

impl Document {
    pub(crate) fn new(database: &str, capacity: u64) -> Document {
        Document { base: format!("/databases/{database}"), capacity, returns: Server::new(database, '/') }
    }
}

impl Source for Document {
    type Lease = Lease;

    fn capabilities(&self) -> Capabilities {
        Capabilities { returnable: true, fenced: true, scoped: true }
    }

    fn lease(&self, ask: Ask) -> Lease {
        let Document { base, capacity, returns } = self;
        let (base, capacity, returns) = (base.clone(), *capacity, returns.clone());
        Lease { base, capacity, returns, ask, putting: None, granted: None }
    }

    fn give_back(&self, returns: &[Return], node: NodeId) -> Request {
        self.returns.give_back(returns, node)
    }

    fn applied(&self, answer: &Answer, position: usize) -> bool {
        self.returns.applied(answer, position)
    }
}

pub(crate) struct Lease {
    base: String,
    capacity: u64,
    returns: Server,
    ask: Ask,
    /// The range that is ours once the PUT is through, and the prefix of its ids.
    putting: Option<(Range, String)>,
    /// What waits for its fence: the answer to the PUT tells only half of it.
    granted: Option<Grant>,
}

impl Lease {
    fn counter(&self) -> String {
        format!("Raven/Hilo/{}", self.ask.tag)
    }

    fn path(&self, ids: &[&str]) -> String {
        let mut path = format!("{}/docs", self.base);
        for (position, id) in ids.iter().enumerate() {
            path.push_str(if position == 0 { "?id=" } else { "&id=" });
            push_encoded(&mut path, id);
        }
        path
    }

    fn read(&mut self) -> Step<Grant> {
        self.putting = None;
        Step::Send(Request::get(self.path(&[&self.counter(), "Raven/ServerPrefixForHilo"])))
    }

    fn put(&mut self, answer: &Answer) -> Option<Request> {
        let mut results = json::elements(json::get(&answer.body, "Results")?);
        let counter = results.next()?;
        let prefix = results.next().and_then(|document| json::string(json::get(document, "ServerPrefix")?));
        let max = json::get(counter, "Max").and_then(json::integer).unwrap_or(0).max(self.ask.above);
        let vector = json::get(counter, "@metadata").and_then(|metadata| json::get(metadata, "@change-vector"));
        let range = Range::new(max + 1, max + self.capacity)?;
        self.putting = Some((range, format!("{}/{}", self.ask.tag, prefix.unwrap_or_default())));
        Some(Request {
            method: Method::Put,
            path: self.path(&[&self.counter()]),
            body: Some(format!(r#"{{"Max":{},"@metadata":{{"@collection":"@hilo"}}}}"#, range.high()).into_bytes()),
            if_match: Some(vector.and_then(json::string).unwrap_or_default()),
            repeat: Repeat::Never,
            node: Some(answer.node),
        })
    }
}

impl Exchange for Lease {
    type Output = Grant;

    fn step(&mut self, input: Option<Result<Answer, Error>>) -> Step<Grant> {
        if let Some(mut grant) = self.granted.take() {
            let found = input.and_then(Result::ok).and_then(|answer| self.returns.fence(&answer, 0));
            grant.fence = found.and_then(|(max, fence, _)| (max == grant.range.high()).then_some(fence));
            return Step::Done(grant);
        }
        let answer = match input {
            None => return self.read(),
            Some(Err(error)) => return Step::Fail(error),
            Some(Ok(answer)) => answer,
        };
        match self.putting.take() {
            None => match self.put(&answer) {
                Some(request) => Step::Send(request),
                None => Step::Fail(Error::new(Code::BadAnswer, "no documents")),
            },
            // Somebody was quicker: what was put is not ours.
            Some(_) if answer.status == 409 => self.read(),
            Some((range, prefix)) => {
                let mut read = self.returns.read([self.ask.tag.clone()].into_iter());
                read.node = Some(answer.node);
                self.granted = Some(Grant {
                    range,
                    prefix,
                    tag: String::new(),
                    fence: None,
                    node: answer.node,
                    echo: None,
                    incarnation: answer.incarnation,
                });
                Step::Send(read)
            }
        }
    }
}
