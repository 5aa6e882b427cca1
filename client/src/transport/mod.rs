//! How requests reach a server: one trait, which an app can implement itself.

mod native;

pub(crate) use native::{Options, Reqwest};

use std::future::Future;
use std::pin::Pin;

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A request to send.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpRequest {
    /// `GET`, `POST` …
    pub method: &'static str,
    /// The whole address.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// JSON in UTF-8; empty: no body.
    pub body: Vec<u8>,
}

/// A response: its head, and a body that is read piece by piece.
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// Names and values. Names may have any case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Box<dyn Body>,
}

impl HttpResponse {
    /// A response whose body has been read.
    pub fn whole(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> HttpResponse {
        HttpResponse { status, headers, body: Box::new(Whole(Some(body))) }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The body of a response.
pub trait Body: Send {
    /// The next piece; `None`: the body has ended, whole. A body that breaks off is an error.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, NoResponse>>;
}

struct Whole(Option<Vec<u8>>);

impl Body for Whole {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, NoResponse>> {
        let body = self.0.take();
        Box::pin(async move { Ok(body) })
    }
}

/// Why there is no response.
#[derive(Clone, Debug)]
pub struct NoResponse {
    /// The reason, for people.
    pub reason: String,
    /// Whether it is *certain* that the server has received nothing of the request. A save is then reported as not saved, so a transport
    /// that repeats requests by itself must not say so.
    pub unsent: bool,
}

/// Sends requests. The client decides about nodes, time limits and repetitions: a transport sends each request once, and follows no
/// redirection. The future is dropped when the time limit has passed.
///
/// ```
/// use raven_edge_client::{BoxFuture, DocumentStore, HttpRequest, HttpResponse, NoResponse, Transport};
///
/// /// A server that is always down.
/// struct Down;
///
/// impl Transport for Down {
///     fn send(&self, _: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, NoResponse>> {
///         Box::pin(async { Err(NoResponse { reason: "down".into(), unsent: true }) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> raven_edge_client::Result<()> {
/// let store = DocumentStore::builder("http://example.com", "Shop").transport(Down).build()?;
/// assert_eq!(store.session().exists("orders/1-A").await.unwrap_err().code(), "Unreachable");
/// # Ok(()) }
/// ```
pub trait Transport: Send + Sync + 'static {
    /// Sends a request.
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, NoResponse>>;
}
