//! Cutting the answer to a load.

use alloc::string::String;
use alloc::vec::Vec;

use crate::json;

/// What the session keeps of a document of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// What the server says of it.
    pub stamp: Stamp,
    /// Whether it has numbers so long that JavaScript may not hold them: see [`super::inexact`].
    pub long_numbers: bool,
}

impl Loaded {
    /// Reads a document of an answer; `None` for a missing one (`null`) and for what has no id and change vector.
    pub fn read(document: &[u8]) -> Option<Loaded> {
        let mut top = json::members(document);
        let mut metadata: &[u8] = b"";
        for (key, value) in top.by_ref() {
            if key == b"@metadata" {
                metadata = value;
            }
        }
        let stamp = Stamp::read(metadata)?;
        Some(Loaded { stamp, long_numbers: top.has_long_numbers() })
    }
}

/// What the server says of a document: in its metadata, and in the result of a PUT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The id as the server spells it.
    pub id: String,
    /// Its change vector.
    pub change_vector: String,
    /// Its collection; empty when it has none.
    pub collection: String,
    /// When it was last written, as the server says it.
    pub last_modified: Option<String>,
}

impl Stamp {
    pub(super) fn read(metadata: &[u8]) -> Option<Stamp> {
        let (mut id, mut change_vector, mut collection, mut last_modified) = (None, None, None, None);
        for (key, value) in json::members(metadata) {
            match key {
                b"@id" => id = json::string(value),
                b"@change-vector" => change_vector = json::string(value),
                b"@collection" => collection = json::string(value),
                b"@last-modified" => last_modified = json::string(value),
                _ => {}
            }
        }
        let collection = collection.unwrap_or_default();
        Some(Stamp { id: id?, change_vector: change_vector?, collection, last_modified })
    }
}

/// The documents of an answer, as JSON arrays: its results, and what they include.
pub fn parts(body: &[u8]) -> Option<(&[u8], Option<Vec<u8>>)> {
    let (mut results, mut includes) = (None, None);
    for (key, value) in json::members(body) {
        match key {
            b"Results" => results = Some(value),
            b"Includes" => includes = Some(value),
            _ => {}
        }
    }
    Some((results?, includes.and_then(array)))
}

/// The values of an object as an array, in order; `None` when there are none.
fn array(object: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for (_, value) in json::members(object) {
        text.push(if text.is_empty() { b'[' } else { b',' });
        text.extend_from_slice(value);
    }
    text.push(b']');
    (text.len() > 1).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_documents_are_left_out_and_the_last_key_counts() {
        let body = br#"{"a":1,"@metadata":{"@collection":"Orders","@id":"stale","@change-vector":"A:1","@id":"orders/1-A","@change-vector":"A:2"}}"#;
        let stamp = Stamp {
            id: "orders/1-A".into(),
            change_vector: "A:2".into(),
            collection: "Orders".into(),
            last_modified: None,
        };
        let expected = Loaded { stamp, long_numbers: false };
        assert_eq!(Loaded::read(body), Some(expected));
        assert_eq!(Loaded::read(b"null"), None);
        assert_eq!(Loaded::read(br#"{"no":"metadata"}"#), None);
    }

    #[test]
    fn long_numbers_are_noticed_wherever_they_are() {
        let metadata = r#""@metadata":{"@id":"x","@change-vector":"A:1"}"#;
        for (member, long) in [
            (r#""n":9007199254740993"#, true),
            (r#""n":[{"m":[-0.30000000000000004]}]"#, true),
            (r#""n":123456789012345"#, false),
            (r#""n":"9007199254740993""#, false),
        ] {
            let document = alloc::format!("{{{member},{metadata}}}");
            assert_eq!(Loaded::read(document.as_bytes()).unwrap().long_numbers, long, "{member}");
        }
    }

    #[test]
    fn results_and_includes_are_taken_apart() {
        let body = br#"{"Results":[1,null],"Includes":{"9":{"a":1},"b":2}}"#;
        let (results, includes) = parts(body).unwrap();
        assert_eq!((results, includes.as_deref()), (&b"[1,null]"[..], Some(&br#"[{"a":1},2]"#[..])));
        assert_eq!(parts(br#"{"Results":[],"Includes":{}}"#), Some((&b"[]"[..], None)));
        assert_eq!(parts(br#"{"Includes":{}}"#), None);
    }
}
