//! The text of `POST bulk_docs`, made from the texts of the entities in bulk.

use alloc::string::String;
use alloc::vec::Vec;

use super::Session;
use crate::error::{Code, Error};
use crate::json;

/// Metadata that the server makes; `PUT` would store it and later reads would return keys twice.
const OF_SERVER: [&str; 8] =
    ["@id", "@change-vector", "@last-modified", "@flags", "@etag", "@index-score", "@counters", "@collection"];

/// A batch that is being written, chunk by chunk.
#[derive(Clone, Debug)]
pub struct Batch {
    body: Vec<u8>,
    slots: Vec<u32>,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch { body: b"{\"Commands\":[".to_vec(), slots: Vec::new() }
    }
}

impl Batch {
    /// Adds a PUT for each slot. `texts` is a JSON array of their entities in the same order; the member named
    /// `identity` and the server's own metadata are left out.
    pub fn put(&mut self, session: &Session, slots: &[u32], texts: &[u8], identity: &str) -> Result<(), Error> {
        let mut texts = json::elements(texts);
        for &slot in slots {
            let entity = texts.next().filter(|text| text.starts_with(b"{"));
            let document = session.documents.get(slot as usize);
            let (Some(entity), Some(document)) = (entity, document) else {
                return Err(Error::new(
                    Code::InvalidArgument,
                    "an entity is not an object in JSON; check its toJSON and whether it was replaced by a value",
                ));
            };
            if !self.slots.is_empty() {
                self.body.push(b',');
            }
            self.slots.push(slot);
            self.command(session, document, entity, identity);
        }
        Ok(())
    }

    fn command(&mut self, session: &Session, document: &super::Document, entity: &[u8], identity: &str) {
        let mut head = String::from("{\"Type\":\"PUT\",\"Id\":");
        json::push_string(&mut head, &document.id);
        head.push_str(",\"ChangeVector\":");
        head.push_str(if document.must_be_new { "\"\"" } else { "null" });
        head.push_str(",\"Document\":{");
        self.body.extend_from_slice(head.as_bytes());
        let mut metadata: &[u8] = b"";
        for (key, value) in json::members(entity) {
            if key == b"@metadata" {
                metadata = value;
            } else if key != identity.as_bytes() {
                self.member(key, value);
                self.body.push(b',');
            }
        }
        self.body.extend_from_slice(b"\"@metadata\":{");
        let mut comma = false;
        if let Some(collection) = session.collections.get(document.collection).filter(|name| !name.is_empty()) {
            let mut member = String::from("\"@collection\":");
            json::push_string(&mut member, collection);
            self.body.extend_from_slice(member.as_bytes());
            comma = true;
        }
        for (key, value) in json::members(metadata) {
            if !OF_SERVER.iter().any(|name| name.as_bytes() == key) {
                if core::mem::replace(&mut comma, true) {
                    self.body.push(b',');
                }
                self.member(key, value);
            }
        }
        self.body.extend_from_slice(b"}}}");
    }

    fn member(&mut self, key: &[u8], value: &[u8]) {
        self.body.push(b'"');
        self.body.extend_from_slice(key);
        self.body.extend_from_slice(b"\":");
        self.body.extend_from_slice(value);
    }

    /// Ends the batch: its body and its slots.
    pub fn finish(mut self) -> (Vec<u8>, Vec<u32>) {
        self.body.extend_from_slice(b"]}");
        (self.body, self.slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn body(texts: &str) -> Value {
        let mut session = Session::default();
        let orders = session.collection("Orders");
        session.store("orders/1-A", orders, true);
        session.store("my \"order\"", orders, false);
        let mut batch = Batch::default();
        batch.put(&session, &[0], texts.as_bytes(), "id").unwrap();
        batch.put(&session, &[1], b"[{}]", "id").unwrap();
        serde_json::from_slice(&batch.finish().0).unwrap()
    }

    #[test]
    fn the_text_of_a_batch() {
        let texts = r#"[{"id":"orders/1-A","n":9007199254740993,"x":{"id":1},"@metadata":{"@collection":"Other","@id":"y","@expires":"2030","@change-vector":"A:1"}}]"#;
        assert_eq!(
            body(texts),
            json!({ "Commands": [
                { "Type": "PUT", "Id": "orders/1-A", "ChangeVector": "",
                  "Document": { "n": 9007199254740993u64, "x": { "id": 1 }, "@metadata": { "@collection": "Orders", "@expires": "2030" } } },
                { "Type": "PUT", "Id": "my \"order\"", "ChangeVector": null, "Document": { "@metadata": { "@collection": "Orders" } } },
            ] })
        );
    }

    #[test]
    fn a_document_without_a_collection_stays_without() {
        let mut session = Session::default();
        let none = session.collection("");
        session.store("loose/1", none, false);
        let mut batch = Batch::default();
        batch.put(&session, &[0], br#"[{"a":1,"@metadata":{"x":2,"y":3}}]"#, "id").unwrap();
        let body: Value = serde_json::from_slice(&batch.finish().0).unwrap();
        assert_eq!(body["Commands"][0]["Document"], json!({ "a": 1, "@metadata": { "x": 2, "y": 3 } }));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let mut session = Session::default();
        let orders = session.collection("Orders");
        session.store("orders/1-A", orders, true);
        for texts in [&b"[null]"[..], b"[1]", b"[]", b"", b"[[]]"] {
            assert!(Batch::default().put(&session, &[0], texts, "id").is_err());
        }
    }

    proptest::proptest! {
        #[test]
        fn any_object_arrives_whole(keys in proptest::collection::vec("[a-z\"\\\\ü{}\\[\\]:,]{0,8}", 0..6), text: String) {
            let map: serde_json::Map<_, _> = keys.into_iter().filter(|key| key != "id").map(|key| (key, json!([text, { "a": null }]))).collect();
            let sent = serde_json::to_string(&[&map]).unwrap();
            let mut document = body(&sent)["Commands"][0]["Document"].clone();
            document.as_object_mut().unwrap().remove("@metadata");
            proptest::prop_assert_eq!(document, Value::Object(map));
        }
    }
}
