//! Records of parked numbers, in both directions.

use crate::values::some;
use proptest::prelude::*;
use raven_edge::hilo::Range;
use raven_edge::pool::{ParkedText, RecordText, TokenText};
use serde_json::{Value, json};

fn records() -> impl Strategy<Value = RecordText> {
    let range = |low: u64, len: u64| Range::new(low, low + len).expect("a range");
    let token = (1..1_000_u64, 0..50_u64, "[A-Z]{0,2} ?\\PC{0,3}");
    let token =
        proptest::option::of(token.prop_map(move |(low, len, text)| TokenText { lease: range(low, len), text }));
    let parked = (1..1_000_u64, 0..50_u64, "\\PC{0,4}", "[AB]", token);
    let parked = parked.prop_map(move |(low, len, prefix, node_tag, token)| ParkedText {
        range: range(low, len),
        prefix,
        node_tag,
        token,
    });
    let issued = proptest::sample::subsequence(vec![("A", 3), ("B", 9), ("C", 1 << 53)], 0..3);
    (any::<String>(), proptest::collection::vec(parked, 0..4), issued, 0..1_u64 << 53).prop_map(
        |(incarnation, parked, issued, used)| RecordText {
            incarnation,
            parked,
            issued: issued.into_iter().map(|(tag, highest)| (String::from(tag), highest - 1)).collect(),
            used,
        },
    )
}

/// A text, intact, with a damaged byte, or of another version.
fn texts() -> impl Strategy<Value = String> {
    (records(), any::<proptest::sample::Index>(), any::<u8>(), 0..6_u8).prop_map(|(record, at, byte, how)| {
        let mut text = record.write();
        if how > 3 {
            text.replace_range("{\"version\":".len()..="{\"version\":".len(), &(byte % 20).to_string());
        }
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            _ => {}
        }
        String::from_utf8(bytes).unwrap_or_default()
    })
}

pub(crate) fn vectors() -> Vec<Value> {
    // What Rust reads is also what TypeScript writes: the two texts are the same.
    let read = |text: &str| {
        let is_newer = RecordText::is_of_newer_version(text);
        if is_newer { Some("newer".to_owned()) } else { RecordText::read(text).map(|read| read.write()) }
    };
    let vector = |text: &String| json!({ "kind": "record", "text": text, "expected": read(text) });
    some(1_000, texts()).iter().map(vector).collect()
}
