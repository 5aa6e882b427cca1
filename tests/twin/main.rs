//! Compares the texts of `raven_edge::source`, `pool::RecordText` and `ids` with their twins in TypeScript (`pkg/src/core`,
//! `pkg/src/device/parked-numbers`): requests, what responses mean, also damaged ones, records in both directions, refused names. The hashes
//! of sets have a twin, too (`pkg/src/offline/sets`).
//!
//! Proptest strategies write vectors as JSON; `twin.mjs` runs the TypeScript sources on them and prints what differs.

mod exchanges;
mod names;
mod records;
mod sets;
mod values;

use raven_edge::protocol::{TABLE, Value};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The constants that the build writes to `pkg/gen/protocol.js`.
fn protocol() -> serde_json::Value {
    let constants = TABLE.into_iter().flatten().map(|(module, name, value)| {
        let value = match value {
            Value::Number(number) => json!(number),
            Value::Text(text) => json!(text),
            Value::List(texts) => json!(texts),
        };
        (format!("{}_{name}", module.to_uppercase()), value)
    });
    serde_json::Value::Object(constants.collect())
}

/// Runs the twins on vectors; returns one line for each that differs.
fn differences(vectors: &[serde_json::Value]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/twin/twin.mjs");
    let mut command = Command::new("node");
    command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("Node.js is installed");
    let input = json!({ "protocol": protocol(), "vectors": vectors }).to_string();
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("Node.js reads it");
    let output = child.wait_with_output().expect("Node.js ends");
    assert!(output.status.success(), "the twins ran");
    String::from_utf8(output.stdout).expect("texts")
}

#[test]
fn rust_and_typescript_write_the_same_requests_and_read_the_same_in_responses_and_records() {
    let vectors = [exchanges::vectors(), records::vectors(), names::vectors(), sets::vectors()].concat();
    assert!(vectors.len() > 4_000, "{} vectors", vectors.len());
    let differences = differences(&vectors);
    let shown: Vec<&str> = differences.lines().take(10).collect();
    assert!(shown.is_empty(), "{} of {}:\n{}", differences.lines().count(), vectors.len(), shown.join("\n"));
}

/// The twins see every difference: a vector that says something else is reported.
#[test]
fn a_vector_that_does_not_hold_is_reported() {
    let mut vectors = names::vectors();
    vectors.truncate(1);
    vectors[0]["expected"] = json!("something else");
    assert_eq!(differences(&vectors).lines().count(), 1);
}
