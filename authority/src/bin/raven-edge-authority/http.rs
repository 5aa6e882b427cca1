//! HTTP/1.1 around the authority.

use crate::nodes::Nodes;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use raven_edge_authority::{Request, Response};
use std::rc::Rc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// RavenDB closes connections that have been idle for this long.
const IDLE: Duration = Duration::from_secs(131);
/// How long running requests may take when the server stops.
const GRACE: Duration = Duration::from_secs(2);
/// Longer request lines get 414.
const MAX_TARGET: usize = 16 * 1024;

pub(crate) async fn serve(listener: TcpListener, node: usize, nodes: Rc<Nodes>, mut stopped: watch::Receiver<bool>) {
    let graceful = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // For example out of file handles: the next accept may succeed.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            },
            _ = stopped.changed() => break,
        };
        // Responses are small; Nagle's algorithm would delay each by 40 ms.
        let _ = stream.set_nodelay(true);
        let nodes = Rc::clone(&nodes);
        let service = service_fn(move |request| respond(Rc::clone(&nodes), node, request));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::task::spawn_local(async move {
            // An error here means that the client disconnected.
            let _ = connection.await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
}

async fn respond(
    nodes: Rc<Nodes>,
    node: usize,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, hyper::Error> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let url = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    if url.len() > MAX_TARGET {
        return Ok(to_http(Response::new(414, "")));
    }
    let mut inner = Request::new(parts.method.as_str(), url).body(body);
    for (name, value) in &parts.headers {
        inner = inner.header(name.as_str(), String::from_utf8_lossy(value.as_bytes()));
    }
    Ok(to_http(nodes.handle(node, &inner)))
}

fn to_http(response: Response) -> hyper::Response<Full<Bytes>> {
    let mut http = hyper::Response::new(Full::from(response.body));
    *http.status_mut() =
        hyper::StatusCode::from_u16(response.status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in response.headers {
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_bytes()))
        {
            http.headers_mut().insert(name, value);
        }
    }
    http
}
