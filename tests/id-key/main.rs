//! Compares `raven_edge::ids::key` with its JavaScript twin `idKey` for every code point, in different surroundings.
//! Lone surrogates, which cannot occur in Rust's text, do not change.

use raven_edge::ids::key::key;
use std::path::Path;
use std::process::Command;

/// The JavaScript function's key of each code point.
fn twin() -> Vec<u32> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/id-key/twin.mjs");
    let output = Command::new("node").arg(script).output().expect("Node.js is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (points, rest) = output.stdout.as_chunks();
    assert!(rest.is_empty());
    points.iter().map(|point| u32::from_le_bytes(*point)).collect()
}

#[test]
fn rust_and_javascript_have_the_same_key_for_every_code_point() {
    let twin = twin();
    assert_eq!(twin.len(), 0x11_0000);
    for (point, twin) in (0..).zip(twin) {
        let expected = match char::from_u32(point) {
            Some(letter) => key(&String::from(letter)).chars().map(u32::from).collect(),
            None => vec![point],
        };
        assert_eq!([twin][..], expected, "U+{point:04X}");
    }
}
