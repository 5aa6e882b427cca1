//! Cutting the answer to a load.

use alloc::string::String;

use crate::json;

/// Where a document stands in an answer, and what the session keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The id as the server spells it.
    pub id: String,
    /// Its change vector.
    pub change_vector: String,
    /// Its collection; empty when it has none.
    pub collection: String,
}

impl Loaded {
    /// The documents in the `Results` of an answer, in order; missing ones (`null`) are left out, as is what has no id.
    pub fn all(results: &[u8]) -> impl Iterator<Item = Loaded> {
        json::elements(results).filter_map(Loaded::read)
    }

    fn read(document: &[u8]) -> Option<Loaded> {
        let metadata = json::get(document, "@metadata")?;
        let (mut id, mut change_vector, mut collection) = (None, None, None);
        for (key, value) in json::members(metadata) {
            match key {
                b"@id" => id = json::string(value),
                b"@change-vector" => change_vector = json::string(value),
                b"@collection" => collection = json::string(value),
                _ => {}
            }
        }
        Some(Loaded { id: id?, change_vector: change_vector?, collection: collection.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn missing_documents_are_left_out_and_the_last_key_counts() {
        let body = br#"[null,{"a":1,"@metadata":{"@collection":"Orders","@id":"stale","@change-vector":"A:1","@id":"orders/1-A","@change-vector":"A:2"}},{"no":"metadata"}]"#;
        assert_eq!(
            Loaded::all(body).collect::<Vec<_>>(),
            vec![Loaded { id: "orders/1-A".into(), change_vector: "A:2".into(), collection: "Orders".into() }]
        );
    }
}
