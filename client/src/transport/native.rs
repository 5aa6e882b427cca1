//! The transport of native programs: `reqwest`.

use super::{Body, BoxFuture, HttpRequest, HttpResponse, NoResponse, Transport};
use crate::{Error, Result};

/// What the app has chosen for connections.
#[derive(Default)]
pub(crate) struct Options {
    /// The client's certificate and its key, in PEM.
    pub(crate) certificate: Option<Vec<u8>>,
    /// Certificates of authorities that the app trusts, in PEM.
    pub(crate) authorities: Vec<Vec<u8>>,
}

pub(crate) struct Reqwest(reqwest::Client);

impl Reqwest {
    pub(crate) fn new(options: &Options) -> Result<Reqwest> {
        // A redirected POST becomes a GET, or is sent again.
        let mut builder =
            reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).retry(reqwest::retry::never());
        if let Some(pem) = &options.certificate {
            let identity = reqwest::Identity::from_pem(pem)
                .map_err(|error| Error::argument(format!("the certificate cannot be used: {}", reason(&error))))?;
            builder = builder.identity(identity);
        }
        for pem in &options.authorities {
            let authority = reqwest::Certificate::from_pem(pem)
                .map_err(|error| Error::argument(format!("the authority cannot be used: {}", reason(&error))))?;
            builder = builder.add_root_certificate(authority);
        }
        let client = builder.build().map_err(|error| Error::argument(reason(&error)))?;
        Ok(Reqwest(client))
    }
}

impl Transport for Reqwest {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, NoResponse>> {
        Box::pin(async move {
            let HttpRequest { method, url, headers, body } = request;
            let method = reqwest::Method::from_bytes(method.as_bytes())
                .map_err(|_| NoResponse { reason: "the method is invalid".into(), unsent: true })?;
            let mut builder = self.0.request(method, url);
            for (name, value) in headers {
                builder = builder.header(name, value);
            }
            if !body.is_empty() {
                builder = builder.body(body);
            }
            let response = builder.send().await.map_err(|error| missing(&error))?;
            let headers = response.headers().iter();
            let headers = headers
                .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
                .collect();
            Ok(HttpResponse { status: response.status().as_u16(), headers, body: Box::new(Incoming(response)) })
        })
    }
}

struct Incoming(reqwest::Response);

impl Body for Incoming {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, NoResponse>> {
        Box::pin(async {
            let chunk = self.0.chunk().await;
            chunk.map(|chunk| chunk.map(Into::into)).map_err(|error| NoResponse { unsent: false, ..missing(&error) })
        })
    }
}

/// Without a connection, and without a request that can be written, nothing was sent.
fn missing(error: &reqwest::Error) -> NoResponse {
    NoResponse { reason: reason(error), unsent: error.is_connect() || error.is_builder() }
}

/// The message with those of its causes: `reqwest` says "error sending request" alone.
fn reason(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
