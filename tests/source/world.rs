//! An authority in memory, and the loop of an adapter.

use raven_edge::error::Error;
use raven_edge::http::{NodeId, Request, Response};
use raven_edge::source::{Exchange, Step};
use raven_edge_authority::cluster::Cluster;
use raven_edge_authority::{Node, Request as ServerRequest, Timestamp};

#[derive(Clone)]
pub(crate) struct World {
    cluster: Cluster,
    pub(crate) millis: u64,
}

impl World {
    pub(crate) fn new() -> World {
        let mut cluster = Cluster::new(vec![Node { tag: "A".into(), url: "http://a".into() }], false);
        cluster.create("Shop", &mut random()).unwrap();
        World { cluster, millis: 1_800_000_000_000 }
    }

    /// Sends a request of the core to the authority.
    pub(crate) fn send(&mut self, request: &Request) -> Box<Response> {
        self.millis += 1;
        let mut message = ServerRequest::new(request.method.name(), request.path.clone());
        if let Some(vector) = &request.if_match {
            message = message.header("If-Match", vector.clone());
        }
        if let Some(body) = &request.body {
            message = message.header("Content-Type", "application/json").body(body.clone());
        }
        let now = Timestamp::from_unix_millis(self.millis);
        let response = self.cluster.handle(0, &message, now, &mut random());
        Box::new(Response { status: response.status, body: response.body.into(), node: NodeId(0), incarnation: None })
    }

    pub(crate) fn put(&mut self, id: &str, text: &str) {
        let mut path = String::from("/databases/Shop/docs?id=");
        raven_edge::http::push_encoded(&mut path, id);
        let request = ServerRequest::new("PUT", path).body(text);
        let response = self.cluster.handle(0, &request, Timestamp::from_unix_millis(self.millis), &mut random());
        assert_eq!(response.status, 201);
    }

    pub(crate) fn run<E: Exchange>(&mut self, mut exchange: E) -> Result<E::Output, Error> {
        self.run_from(&mut exchange, None)
    }

    pub(crate) fn run_from<E: Exchange>(
        &mut self,
        exchange: &mut E,
        mut input: Option<Result<Box<Response>, Error>>,
    ) -> Result<E::Output, Error> {
        loop {
            match exchange.step(input) {
                Step::Send(request) | Step::Again(request, _) => input = Some(Ok(self.send(&request))),
                Step::Done(output) => return Ok(output),
                Step::Fail(error) => return Err(error),
            }
        }
    }
}

/// Identities of databases must differ, but need not be unpredictable.
fn random() -> impl FnMut() -> [u8; 16] {
    let mut count = 0;
    move || {
        count += 1;
        [count; 16]
    }
}
