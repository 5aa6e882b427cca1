//! Responses to the caller. They are built from RavenDB's response member by member, so that nothing is forwarded by
//! accident.

use super::gather::complete;
use super::plan::Operation;
use super::refusal::{Kind, refused};
use crate::prelude::*;
use crate::reply;
use raven_edge::json;
use raven_edge::protocol::header;
use raven_edge_authority::json::write_string;

/// A response of the server.
#[derive(Clone, Debug)]
pub(crate) struct UpstreamResponse {
    /// The HTTP status.
    pub(crate) status: u16,
    /// Pairs; names in lower case, as the platform provides them.
    pub(crate) headers: Vec<(String, String)>,
    /// The bytes of the body.
    pub(crate) body: Vec<u8>,
}

impl UpstreamResponse {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// A response to the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    /// The HTTP status.
    pub(crate) status: u16,
    /// Pairs.
    pub(crate) headers: Vec<(String, String)>,
    /// The bytes of the body; the shell reads them with a separate call.
    pub(crate) body: Vec<u8>,
    /// Included documents. Only RavenDB's response tells which these are, so they must be authorized afterwards.
    pub(crate) included: Vec<Operation>,
}

/// The response headers that the client uses, besides `ETag`, which is forwarded for single documents only.
const FORWARDED_HEADERS: [&str; 3] = [header::INCARNATION, header::REFRESH_TOPOLOGY, header::REFRESH_CONFIGURATION];

impl Response {
    /// A response without a body.
    pub(crate) fn empty(status: u16) -> Self {
        // `no-store` also for GET: a lease changes the server although part of it is a GET.
        let headers = vec![("Cache-Control".into(), "no-store".into())];
        Self { status, headers, body: Vec::new(), included: Vec::new() }
    }

    /// A response with a JSON body.
    pub(crate) fn json(status: u16, text: String) -> Self {
        let mut response = Self { body: text.into_bytes(), ..Self::empty(status) };
        response.with("Content-Type", "application/json; charset=utf-8");
        response.with("X-Content-Type-Options", "nosniff");
        response
    }

    /// Adds a header.
    pub(crate) fn with(&mut self, name: &str, value: &str) {
        self.headers.push((name.into(), value.into()));
    }

    /// Adds those of the server's headers that the client uses.
    pub(super) fn pass(&mut self, upstream: &UpstreamResponse) {
        for name in FORWARDED_HEADERS {
            if let Some(value) = upstream.header(name) {
                self.with(name, value);
            }
        }
    }

    /// A header's value.
    #[cfg(test)]
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// A response inside that of a `multi_get`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubResponse<'a> {
    pub(super) status: u16,
    pub(super) body: &'a [u8],
}

/// The responses inside that of a `multi_get`.
pub(super) fn sub_responses(body: &[u8]) -> Option<Vec<SubResponse<'_>>> {
    let read = |part| {
        let status = json::get(part, "StatusCode").and_then(json::integer)?;
        Some(SubResponse { status: u16::try_from(status).ok()?, body: json::get(part, "Result").unwrap_or(b"null") })
    };
    complete(json::elements(json::get(body, "Results")?).map(read))
}

/// A response as a part of that to a `multi_get`.
pub(super) fn part(response: &Response) -> String {
    let text = core::str::from_utf8(&response.body).unwrap_or_default();
    format!("{{\"Result\":{text},\"StatusCode\":{},\"Headers\":{{}}}}", response.status)
}

/// The part of a `multi_get` response that says "not found".
pub(super) fn nothing() -> String {
    "{\"Result\":null,\"StatusCode\":404,\"Headers\":{}}".into()
}

/// An error of RavenDB about a document or an attachment that does not exist, as [`failure`] shows it.
pub(super) fn missing(target: &str, kind: &str) -> Response {
    Response::json(500, reply::error(target, kind, REFUSED, ""))
}

/// The message of an error of RavenDB.
const REFUSED: &str = "RavenDB refused the request";

/// The `Type` of RavenDB's conflicts.
const CONFLICT: &str = "Raven.Client.Exceptions.ConcurrencyException";

/// The conflict that RavenDB reports for a document that is not in the state that the request expects. `actual` is its change
/// vector, empty if the caller knows of no document.
pub(super) fn conflict(target: &str, id: &str, expected: &str, actual: &str) -> Response {
    let mut more = String::new();
    for (name, value) in [("Id", id), ("ExpectedChangeVector", expected), ("ActualChangeVector", actual)] {
        more.push_str(&format!(",\"{name}\":"));
        match value {
            "" => more.push_str("null"),
            value => write_string(&mut more, value),
        }
    }
    Response::json(409, reply::error(target, CONFLICT, NOT_AS_EXPECTED, &more))
}

/// The message of a conflict.
const NOT_AS_EXPECTED: &str =
    "a document is not in the state that the request expects: it was changed or deleted, or is not the caller's";

/// Copies these members of an object unchanged.
pub(super) fn picked(object: &[u8], names: &[&str]) -> String {
    let mut text = String::from("{");
    for (name, value) in json::members(object) {
        let (Ok(name), Ok(value)) = (core::str::from_utf8(name), core::str::from_utf8(value)) else { continue };
        if names.contains(&name) {
            text.push_str(if text.ends_with('{') { "\"" } else { ",\"" });
            text.push_str(name);
            text.push_str("\":");
            text.push_str(value);
        }
    }
    text.push('}');
    text
}

/// An error of RavenDB, reduced to what the caller may know: the status, the `Type` and a message of the gateway,
/// without a stack trace. `reads`: whether the caller may know the document's current change vector.
pub(super) fn failure(upstream: &UpstreamResponse, target: &str, reads: bool) -> Response {
    failure_of_write(upstream, target, if reads { Conflict::Readable } else { Conflict::Unreadable(None) })
}

/// What a caller learns of a conflict.
#[derive(Clone, Copy, Debug)]
pub(super) enum Conflict<'a> {
    /// All that RavenDB says: the caller may read the document.
    Readable,
    /// What the caller itself has said, id and expected change vector, if only one command can conflict. RavenDB names
    /// neither for a deletion of a document that does not exist, which would tell it from one that is hidden.
    Unreadable(Option<(&'a str, &'a str)>),
}

/// The response to a write that RavenDB has refused.
pub(super) fn failure_of_write(upstream: &UpstreamResponse, target: &str, conflict: Conflict<'_>) -> Response {
    let text = |name| json::get(&upstream.body, name).and_then(json::string);
    let plain = |kind: &String| {
        let of_type = |byte: u8| byte.is_ascii_alphanumeric() || b".+_`".contains(&byte);
        !kind.is_empty() && kind.len() <= 200 && kind.bytes().all(of_type)
    };
    // RavenDB rejected the gateway's own credentials, which is not the caller's fault.
    let refusing = matches!(upstream.status, 401 | 403);
    let Some(kind) = text("Type").filter(plain).filter(|_| upstream.status >= 400 && !refusing) else {
        // These statuses mean that the server is unavailable now; all others that it did not process the request.
        let away = matches!(upstream.status, 408 | 429 | 502..=504);
        let (kind, message) = if away {
            (Kind::Unreachable, "RavenDB cannot be reached")
        } else {
            (Kind::Response, "RavenDB's response cannot be forwarded")
        };
        return refused(kind, message).response(target);
    };
    if upstream.status != 409 {
        let more = if text("FailImmediately").is_some() || json::get(&upstream.body, "FailImmediately") == Some(b"true")
        {
            ",\"FailImmediately\":true"
        } else {
            ""
        };
        return Response::json(upstream.status, reply::error(target, &kind, REFUSED, more));
    }
    let mut more = String::new();
    match conflict {
        Conflict::Readable => {
            for name in ["Id", "ExpectedChangeVector", "ActualChangeVector"] {
                let value = json::get(&upstream.body, name).and_then(|value| core::str::from_utf8(value).ok());
                more.push_str(&format!(",\"{name}\":{}", value.unwrap_or("null")));
            }
        }
        Conflict::Unreadable(None) => more.push_str(",\"Id\":null,\"ExpectedChangeVector\":null"),
        Conflict::Unreadable(Some((id, expected))) => {
            more.push_str(",\"Id\":");
            write_string(&mut more, id);
            more.push_str(",\"ExpectedChangeVector\":");
            write_string(&mut more, expected);
        }
    }
    Response::json(409, reply::error(target, &kind, NOT_AS_EXPECTED, &more))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream(status: u16, body: &str) -> UpstreamResponse {
        UpstreamResponse { status, headers: Vec::new(), body: body.into() }
    }

    fn shown(status: u16, body: &str, reads: bool) -> (u16, serde_json::Value) {
        let response = failure(&upstream(status, body), "/databases/Shop/docs", reads);
        (response.status, serde_json::from_slice(&response.body).unwrap())
    }

    #[test]
    fn an_error_keeps_its_type_but_not_its_stack_trace() {
        let body = r#"{"Url":"/x","Type":"System.IO.IOException","Message":"/srv/data","Error":"at Raven.Server"}"#;
        let (status, error) = shown(500, body, true);
        assert_eq!((status, &error["Type"]), (500, &"System.IO.IOException".into()));
        assert_eq!(error["Url"], "/databases/Shop/docs");
        assert!(!error.to_string().contains("srv") && !error.to_string().contains("Raven.Server"), "{error}");
    }

    #[test]
    fn a_conflict_reveals_only_what_the_caller_may_know() {
        let body = r#"{"Type":"Raven.Client.Exceptions.ConcurrencyException","Message":"A:5-secret","Id":"orders/1-A",
            "ExpectedChangeVector":"","ActualChangeVector":"A:5-secret"}"#;
        let (status, error) = shown(409, body, false);
        assert_eq!((status, &error["Id"]), (409, &serde_json::Value::Null));
        assert!(!error.to_string().contains("secret"), "{error}");
        assert_eq!(shown(409, body, true).1["ActualChangeVector"], "A:5-secret");
    }

    #[test]
    fn a_response_that_is_not_ravendbs_is_not_forwarded() {
        for (status, body, expected) in [
            (200, "hello", 502),
            (302, "", 502),
            (401, r#"{"Type":"InvalidAuth","Message":"certificate x"}"#, 502),
            (403, "", 502),
            (500, "<html>nginx at 10.0.0.1</html>", 502),
            (500, r#"{"Type":"a b<c>"}"#, 502),
            (503, "", 502),
            (503, r#"{"Type":"Raven.Client.Exceptions.Database.DatabaseDisabledException"}"#, 503),
        ] {
            let (status, error) = shown(status, body, true);
            assert_eq!(status, expected, "{body}");
            assert!(!error.to_string().contains("10.0.0.1") && !error.to_string().contains("certificate"));
        }
    }
}
