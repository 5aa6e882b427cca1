//! Requests and responses, independent of any HTTP library.

use crate::prelude::*;

/// One HTTP request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Request {
    /// `GET`, `PUT`, …
    pub method: String,
    /// Path and query as on the request line: `/databases/Shop/docs?id=orders%2F1-A`.
    pub url: String,
    /// Names in any case.
    pub headers: Vec<(String, String)>,
    /// The body, decoded.
    pub body: Vec<u8>,
}

impl Request {
    /// A request without headers and body.
    #[must_use]
    pub fn new(method: &str, url: impl Into<String>) -> Self {
        Self { method: method.into(), url: url.into(), ..Self::default() }
    }

    /// A `GET`.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url)
    }

    /// The request with a body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The request with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn header_value(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    pub(crate) fn path(&self) -> &str {
        self.url.split_once('?').map_or(self.url.as_str(), |(path, _)| path)
    }

    pub(crate) fn query(&self) -> &str {
        self.url.split_once('?').map_or("", |(_, query)| query)
    }
}

/// The response to a [`Request`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Headers, without `Content-Length` and `Date`.
    pub headers: Vec<(&'static str, String)>,
    /// Always text; empty if there is no body.
    pub body: String,
}

impl Response {
    /// A response with a JSON body, or without a body.
    #[must_use]
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}
