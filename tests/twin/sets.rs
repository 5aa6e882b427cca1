//! The hashes and sums with which a device tells what it has of a set.

use crate::values::{some, text};
use proptest::prelude::*;
use raven_edge::ids::key;
use raven_edge::offline::sets::{self, Hashes, Sums};
use serde_json::{Value, json};

/// Change vectors, also damaged ones.
fn vector() -> impl Strategy<Value = String> {
    let entry = ("[A-Z]{1,4}", any::<u64>(), "[a-zA-Z0-9+/]{2,22}");
    let entry = prop_oneof![
        9 => entry.prop_map(|(tag, etag, database)| format!("{tag}:{etag}-{database}")),
        1 => proptest::sample::select(&["", "A:5", "A-b", "x", ":1-a", " A:1-b ", "A:1-b-c"][..]).prop_map(String::from),
    ];
    (proptest::collection::vec(entry, 0..4), proptest::sample::select(&[",", ", "][..]))
        .prop_map(|(entries, between)| entries.join(between))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn vectors() -> Vec<Value> {
    let document = (text(), vector());
    let documents = proptest::collection::vec(document, 1..12);
    let mut vectors = Vec::new();
    for (bytes, documents) in some(600, (any::<[u8; 16]>(), documents)) {
        let own = sets::key(&bytes).expect("16 bytes");
        let hashes: Vec<Hashes> = documents.iter().map(|(id, vector)| Hashes::of(own, &key::key(id), vector)).collect();
        let mut sums = Sums::default();
        hashes.iter().for_each(|each| sums.add(*each));
        let mut without = sums.clone();
        hashes.iter().step_by(2).for_each(|each| without.remove(*each));
        let shown = hashes.iter().map(|each| {
            let version = each.version;
            json!([each.bucket(), version as u32, (version >> 32) as u32])
        });
        let expected = json!({
            "hashes": shown.collect::<Vec<_>>(),
            "sums": hex(&sums.write()),
            "without": hex(&without.write()),
            "differing": sums.differing(&without).collect::<Vec<_>>(),
        });
        vectors.push(json!({ "kind": "sums", "key": bytes, "documents": documents, "expected": expected }));
    }
    vectors
}
