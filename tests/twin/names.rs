//! Which tags, separators and ids are refused, and why; what an error means for a save.

use crate::values::{some, text};
use proptest::prelude::*;
use raven_edge::error::Code;
use raven_edge::http::describe;
use raven_edge::ids::{self, Limits, tag};
use raven_edge::session::failure;
use serde_json::{Value, json};

/// Texts with what is refused in them.
fn names() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        text(),
        proptest::sample::select(&["/", "|", "\\", " ", "-", "\n", "\u{85}", "\u{7f}", "", "😀", "1"][..])
            .prop_map(String::from),
        Just("ü".repeat(60)),
        Just("q".repeat(250)),
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn refused(error: Result<(), raven_edge::error::Error>) -> Value {
    error.err().map_or(Value::Null, |error| json!({ "code": error.code.name(), "message": error.message }))
}

pub(crate) fn vectors() -> Vec<Value> {
    let mut vectors = Vec::new();
    for name in some(500, names()) {
        vectors.push(json!({ "kind": "tag", "text": name, "expected": refused(tag::check(&name, '-')) }));
        for backslash in [false, true] {
            let limits = Limits { bytes: 300, backslash };
            let expected = refused(ids::check(&name, limits).map(drop));
            vectors.push(json!({ "kind": "id", "text": name, "backslash": backslash, "expected": expected }));
        }
    }
    for point in (0..0x3100).chain([0xffff, 0x1_0000, 0x1_f600]).filter_map(char::from_u32) {
        let text = String::from(point);
        vectors.push(
            json!({ "kind": "separator", "text": text, "expected": refused(tag::check_separator(&text).map(drop)) }),
        );
    }
    let types = [
        "",
        "System.InvalidOperationException",
        "Raven.Client.Exceptions.RavenTimeoutException",
        "Raven.Client.Exceptions.ConcurrencyException",
        "RavenEdge.Gateway.UpstreamUnreachable",
        "RavenEdge.Gateway.RateLimited",
    ];
    for status in [400_u16, 401, 403, 404, 408, 409, 410, 412, 429, 500, 502, 503, 504, 520, 530] {
        let typed = types.map(|kind| format!(r#"{{"Type":"{kind}","Message":"m"}}"#));
        for text in typed.into_iter().chain(["".into(), "<html>".into(), r#"{"Type":"T","Mess"#.into(), "{}".into()]) {
            let error = describe(status, text.as_bytes());
            let code = if error.code == Code::Server && error.is_outage() { "outage" } else { error.code.name() };
            let expected = json!({ "code": code, "failure": failure(&error) });
            vectors.push(json!({ "kind": "refusal", "status": status, "text": text, "expected": expected }));
        }
    }
    vectors
}
