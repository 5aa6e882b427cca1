//! What goes back: made anew from what RavenDB said, so that nothing passes by accident.

use super::plan::Operation;
use super::refusal::{Kind, refused};
use crate::reply;
use raven_edge::json;
use serde::Serialize;

/// An answer of the server.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    /// The HTTP status.
    pub(crate) status: u16,
    /// Pairs; names in small letters, as the platform gives them.
    pub(crate) headers: Vec<(String, String)>,
    /// The bytes of the body.
    pub(crate) body: Vec<u8>,
}

impl Upstream {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// An answer for the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Answer {
    /// The HTTP status.
    pub(crate) status: u16,
    /// Pairs.
    pub(crate) headers: Vec<(String, String)>,
    /// The bytes of the body; the shell gets them apart.
    #[serde(skip)]
    pub(crate) body: Vec<u8>,
    /// Documents that come along with those that were asked for: only the answer tells which.
    #[serde(skip)]
    pub(crate) included: Vec<Operation>,
}

/// Beside `ETag`, which only a single document has: what the client goes by.
const PASSED: [&str; 3] = ["Database-Cluster-Tx-Id", "Refresh-Topology", "Refresh-Client-Configuration"];

impl Answer {
    /// Without a body.
    pub(crate) fn empty(status: u16) -> Self {
        // A lease changes the server although part of it is a GET.
        let headers = vec![("Cache-Control".into(), "no-store".into())];
        Self { status, headers, body: Vec::new(), included: Vec::new() }
    }

    /// With a JSON text.
    pub(crate) fn json(status: u16, text: String) -> Self {
        let mut answer = Self { body: text.into_bytes(), ..Self::empty(status) };
        answer.with("Content-Type", "application/json; charset=utf-8");
        answer.with("X-Content-Type-Options", "nosniff");
        answer
    }

    /// Adds a header.
    pub(crate) fn with(&mut self, name: &str, value: &str) {
        self.headers.push((name.into(), value.into()));
    }

    /// Adds what of the server's headers the client goes by.
    pub(super) fn pass(&mut self, said: &Upstream) {
        for name in PASSED {
            if let Some(value) = said.header(name) {
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

/// An answer within that of a `multi_get`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubAnswer<'a> {
    pub(super) status: u16,
    pub(super) body: &'a [u8],
}

/// The answers within that of a `multi_get`.
pub(super) fn sub_answers(body: &[u8]) -> Option<Vec<SubAnswer<'_>>> {
    let read = |part| {
        let status = json::get(part, "StatusCode").and_then(json::integer)?;
        Some(SubAnswer { status: u16::try_from(status).ok()?, body: json::get(part, "Result").unwrap_or(b"null") })
    };
    json::elements(json::get(body, "Results")?).map(read).collect()
}

/// An answer as a part of that to a `multi_get`.
pub(super) fn part(answer: &Answer) -> String {
    let text = core::str::from_utf8(&answer.body).unwrap_or_default();
    format!("{{\"Result\":{text},\"StatusCode\":{},\"Headers\":{{}}}}", answer.status)
}

/// The part of a `multi_get` that has nothing.
pub(super) fn nothing() -> String {
    "{\"Result\":null,\"StatusCode\":404,\"Headers\":{}}".into()
}

/// These members of an object, as they were written.
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

/// An error of RavenDB as the caller may know it: its status and `Type`, a message of ours, no stack trace. `reads`: the
/// caller may know what a document has become.
pub(super) fn failure(said: &Upstream, target: &str, reads: bool) -> Answer {
    let text = |name| json::get(&said.body, name).and_then(json::string);
    let plain = |kind: &String| {
        let of_type = |byte: u8| byte.is_ascii_alphanumeric() || b".+_`".contains(&byte);
        !kind.is_empty() && kind.len() <= 200 && kind.bytes().all(of_type)
    };
    // That the gateway itself is refused is not the caller's fault.
    let refusing = matches!(said.status, 401 | 403);
    let Some(kind) = text("Type").filter(plain).filter(|_| said.status >= 400 && !refusing) else {
        // 503 and its like say that the server is not there now; all else is no answer to what was asked.
        let away = matches!(said.status, 408 | 429 | 502..=504);
        let kind = if away { Kind::Unreachable } else { Kind::Answer };
        return refused(kind, "RavenDB gave no answer that can be passed on").answer(target);
    };
    if said.status != 409 {
        let more = if text("FailImmediately").is_some() || json::get(&said.body, "FailImmediately") == Some(b"true") {
            ",\"FailImmediately\":true"
        } else {
            ""
        };
        return Answer::json(said.status, reply::error(target, &kind, "RavenDB refused the request", more));
    }
    let mut more = String::new();
    let names: &[&str] =
        if reads { &["Id", "ExpectedChangeVector", "ActualChangeVector"] } else { &["Id", "ExpectedChangeVector"] };
    for name in names {
        let value = json::get(&said.body, name).and_then(|value| core::str::from_utf8(value).ok());
        more.push_str(&format!(",\"{name}\":{}", value.unwrap_or("null")));
    }
    Answer::json(409, reply::error(target, &kind, "a document is not in the state that the request expects", &more))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(status: u16, body: &str) -> Upstream {
        Upstream { status, headers: Vec::new(), body: body.into() }
    }

    fn shown(status: u16, body: &str, reads: bool) -> (u16, serde_json::Value) {
        let answer = failure(&said(status, body), "/databases/Shop/docs", reads);
        (answer.status, serde_json::from_slice(&answer.body).unwrap())
    }

    #[test]
    fn an_error_keeps_its_type_and_loses_its_stack_trace() {
        let body = r#"{"Url":"/x","Type":"System.IO.IOException","Message":"/srv/data","Error":"at Raven.Server"}"#;
        let (status, error) = shown(500, body, true);
        assert_eq!((status, &error["Type"]), (500, &"System.IO.IOException".into()));
        assert_eq!(error["Url"], "/databases/Shop/docs");
        assert!(!error.to_string().contains("srv") && !error.to_string().contains("Raven.Server"), "{error}");
    }

    #[test]
    fn a_conflict_says_only_what_the_caller_may_know() {
        let body = r#"{"Type":"Raven.Client.Exceptions.ConcurrencyException","Message":"A:5-secret","Id":"orders/1-A",
            "ExpectedChangeVector":"","ActualChangeVector":"A:5-secret"}"#;
        let (status, error) = shown(409, body, false);
        assert_eq!((status, &error["Id"]), (409, &"orders/1-A".into()));
        assert!(!error.to_string().contains("secret"), "{error}");
        assert_eq!(shown(409, body, true).1["ActualChangeVector"], "A:5-secret");
    }

    #[test]
    fn what_is_no_answer_is_not_passed_on() {
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
