//! The text of `POST bulk_docs`, made from the texts of the entities in bulk.

use alloc::string::String;
use alloc::vec::Vec;

use super::document::Document;
use super::{Check, Session};
use crate::error::{Code, Error};
use crate::ids::Maker;
use crate::json::{self, Item};

/// The name of an entity's class, by which npm `ravendb` makes an instance of it again.
const CLASS: &str = "Raven-Node-Type";

/// Metadata that the server makes; `PUT` would store it and later reads would return keys twice.
const OF_SERVER: [&str; 8] =
    ["@id", "@change-vector", "@last-modified", "@flags", "@etag", "@index-score", "@counters", "@collection"];

/// How the batch is to be carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Whether documents must be as the session knows them ([`Check::Auto`]).
    pub optimistic: bool,
    /// One transaction of the whole cluster: change vectors always count there.
    pub cluster: bool,
}

impl Rules {
    /// What is sent as `ChangeVector`; `None`: `null`, no check.
    fn expected(self, document: &Document) -> Option<&str> {
        let known = document.change_vector().unwrap_or_default();
        let checks = match document.check {
            Check::Forced => true,
            Check::Auto => self.optimistic || self.cluster,
            Check::Disabled => false,
        };
        // Of an id that is yet to be made nothing can be expected; RavenDB refuses it for identities.
        (checks && Maker::of(document.id()) == Maker::Client).then_some(known)
    }
}

/// A batch that is being written, chunk by chunk.
#[derive(Clone, Debug)]
pub struct Batch {
    body: Vec<u8>,
    /// Whose result stands where in the answer.
    items: Vec<Option<u32>>,
    rules: Rules,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch::new(Rules::default())
    }
}

impl Batch {
    /// A batch without commands.
    pub fn new(rules: Rules) -> Batch {
        Batch { body: b"{\"Commands\":[".to_vec(), items: Vec::new(), rules }
    }

    fn next(&mut self, item: Option<u32>) {
        if !self.items.is_empty() {
            self.body.push(b',');
        }
        self.items.push(item);
    }

    /// Adds the deletion of a document.
    pub fn delete(&mut self, session: &Session, slot: u32) {
        let Some(document) = session.documents.get(slot as usize) else { return };
        let mut text = String::from("{\"Type\":\"DELETE\",\"Id\":");
        json::push_string(&mut text, document.id());
        text.push_str(",\"ChangeVector\":");
        let checks = self.rules.optimistic || self.rules.cluster;
        push_vector(&mut text, document.change_vector().filter(|_| checks));
        text.push('}');
        self.command(&text, None);
    }

    /// Adds a command as it is; `slot`: the document that the session has under its id.
    pub fn command(&mut self, text: &str, slot: Option<u32>) {
        self.next(slot);
        self.body.extend_from_slice(text.as_bytes());
    }

    /// Adds a PUT for each slot. `texts` is a JSON array of their entities in the same order; the member named
    /// `identity` and the server's own metadata are left out.
    pub fn put(&mut self, session: &Session, slots: &[u32], texts: &[u8], identity: &str) -> Result<(), Error> {
        let mut rest = texts;
        for &slot in slots {
            let document = session.documents.get(slot as usize);
            let mut add = |text: &[u8]| self.document(session, (slot, document?), text, identity);
            let Some(Item::Is(_, end)) = json::item(rest, b']', &mut add) else {
                return Err(Error::new(
                    Code::InvalidArgument,
                    "an entity is not an object in JSON; check its toJSON and whether it was replaced by a value",
                ));
            };
            rest = rest.get(end..).unwrap_or_default();
        }
        Ok(())
    }

    /// Adds the document whose entity a text begins with; gives how long that is.
    fn document(
        &mut self,
        session: &Session,
        (slot, document): (u32, &Document),
        entity: &[u8],
        identity: &str,
    ) -> Option<usize> {
        entity.starts_with(b"{").then_some(())?;
        self.next(Some(slot));
        let mut head = String::from("{\"Type\":\"PUT\",\"Id\":");
        json::push_string(&mut head, document.id());
        head.push_str(",\"ChangeVector\":");
        push_vector(&mut head, self.rules.expected(document));
        head.push_str(",\"Document\":{");
        self.body.extend_from_slice(head.as_bytes());
        let mut metadata: &[u8] = b"";
        let mut members = json::members(entity);
        // Members are copied together, with the commas behind them, up to one that is left out.
        let mut from = members.at();
        loop {
            let at = members.at();
            let Some(key) = members.key() else { break };
            let value = members.value()?;
            if key == b"@metadata" {
                metadata = value;
            } else if key != identity.as_bytes() {
                continue;
            }
            self.body.extend_from_slice(entity.get(from..at)?);
            from = members.at();
        }
        if from < members.at() {
            self.body.extend_from_slice(entity.get(from..members.at())?);
            self.body.push(b',');
        }
        self.metadata(session, document, metadata);
        members.end()
    }

    fn metadata(&mut self, session: &Session, document: &Document, metadata: &[u8]) {
        self.body.extend_from_slice(b"\"@metadata\":{");
        let mut comma = false;
        let mut ours = [("@collection", ""), (CLASS, "")];
        if let Some(kind) = session.kinds.get(document.kind as usize) {
            ours[0].1 = &kind.collection;
            ours[1].1 = &kind.class;
        }
        for (name, value) in ours.iter().filter(|(_, value)| !value.is_empty()) {
            let mut member = String::from(if core::mem::replace(&mut comma, true) { ",\"" } else { "\"" });
            member.push_str(name);
            member.push_str("\":");
            json::push_string(&mut member, value);
            self.body.extend_from_slice(member.as_bytes());
        }
        let is_ours = |key: &[u8]| key == CLASS.as_bytes() && !ours[1].1.is_empty();
        for (key, value) in json::members(metadata) {
            if !is_ours(key) && !OF_SERVER.iter().any(|name| name.as_bytes() == key) {
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

    /// The text so far, which is no longer kept here.
    pub fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.body)
    }

    /// Ends the batch: the rest of its body, and whose result stands where in the answer.
    pub fn finish(mut self) -> (Vec<u8>, Vec<Option<u32>>) {
        // RavenDB reads the mode only where it follows the array.
        let end: &[u8] = if self.rules.cluster { b"],\"TransactionMode\":\"ClusterWide\"}" } else { b"]}" };
        self.body.extend_from_slice(end);
        (self.body, self.items)
    }
}

fn push_vector(text: &mut String, vector: Option<&str>) {
    match vector {
        Some(vector) => json::push_string(text, vector),
        None => text.push_str("null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn body(texts: &str) -> Value {
        let mut session = Session::default();
        let orders = session.kind("Orders", "");
        session.store(0, "orders/1-A", orders, Check::Forced, None);
        session.store(1, "my \"order\"", orders, Check::Auto, None);
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
        let none = session.kind("", "");
        session.store(0, "loose/1", none, Check::Auto, None);
        let mut batch = Batch::default();
        batch.put(&session, &[0], br#"[{"a":1,"@metadata":{"x":2,"y":3}}]"#, "id").unwrap();
        let body: Value = serde_json::from_slice(&batch.finish().0).unwrap();
        assert_eq!(body["Commands"][0]["Document"], json!({ "a": 1, "@metadata": { "x": 2, "y": 3 } }));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let mut session = Session::default();
        let orders = session.kind("Orders", "");
        session.store(0, "orders/1-A", orders, Check::Forced, None);
        for texts in [&b"[null]"[..], b"[1]", b"[]", b"", b"[[]]"] {
            assert!(Batch::default().put(&session, &[0], texts, "id").is_err());
        }
    }

    /// The `ChangeVector`s of a PUT, and of a DELETE, for each way to check.
    fn vectors(rules: Rules, known: Option<&str>) -> Vec<Value> {
        let mut session = Session::default();
        let kind = session.kind("Orders", "Order");
        let mut batch = Batch::new(rules);
        for (slot, check) in [Check::Auto, Check::Forced, Check::Disabled].into_iter().enumerate() {
            session.store(slot, "orders/1-A", kind, check, known);
            batch.put(&session, &[slot as u32], b"[{}]", "id").unwrap();
        }
        session.store(3, "orders|", kind, Check::Forced, None);
        batch.put(&session, &[3], b"[{}]", "id").unwrap();
        batch.delete(&session, 0);
        let (body, items) = batch.finish();
        assert_eq!(items, [Some(0), Some(1), Some(2), Some(3), None]);
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["Commands"][0]["Document"]["@metadata"]["Raven-Node-Type"], "Order");
        assert_eq!(body["TransactionMode"], if rules.cluster { json!("ClusterWide") } else { Value::Null });
        body["Commands"].as_array().unwrap().iter().map(|command| command["ChangeVector"].clone()).collect()
    }

    #[test]
    fn what_is_expected_of_the_document() {
        let plain = Rules::default();
        let optimistic = Rules { optimistic: true, ..plain };
        let cluster = Rules { cluster: true, ..plain };
        let no = Value::Null;
        assert_eq!(vectors(plain, None), [no.clone(), json!(""), no.clone(), no.clone(), no.clone()]);
        assert_eq!(vectors(plain, Some("A:1")), [no.clone(), json!("A:1"), no.clone(), no.clone(), no.clone()]);
        for rules in [optimistic, cluster] {
            assert_eq!(vectors(rules, None), [json!(""), json!(""), no.clone(), no.clone(), no.clone()]);
            assert_eq!(vectors(rules, Some("A:1")), [json!("A:1"), json!("A:1"), no.clone(), no.clone(), json!("A:1")]);
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
