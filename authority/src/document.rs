//! Stored documents, and their representation in responses.

use crate::change_vector::ChangeVector;
use crate::error::{Error, json_string};
use crate::json::{Object, Value, write};
use crate::prelude::*;
use crate::time::Timestamp;

/// Collection of the counter documents.
const HILO_COLLECTION: &str = "@hilo";
/// RavenDB's name for the collection of documents without one.
pub(crate) const EMPTY_COLLECTION: &str = "@empty";

/// What is stored under an id: a document or a tombstone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The id in the spelling in which it was last written.
    pub id: String,
    /// Increases with each write on *this* node; each etag is used once.
    pub etag: u64,
    /// The state of the document across all nodes.
    pub change_vector: String,
    /// When it was last modified.
    pub modified: Timestamp,
    /// The content; `None` for a tombstone, which replication and conflict detection need.
    pub content: Option<Content>,
}

/// The content of a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Content {
    /// The document without `@metadata`, as compact JSON: `{"Max":32}`.
    pub body: String,
    /// The client's metadata, without what the server adds: `{"@collection":"@hilo"}`.
    pub metadata: String,
}

/// A document to be written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Incoming {
    pub(crate) body: Object,
    pub(crate) metadata: Object,
}

impl Incoming {
    /// A new counter document.
    pub(crate) fn hilo() -> Self {
        let collection = ("@collection".into(), Value::String(HILO_COLLECTION.into()));
        Self { body: Object::default(), metadata: Object::new(vec![collection]) }
    }

    /// Separates the metadata from a document that a client sent, and drops what only the server may set.
    ///
    /// `bulk_docs` of RavenDB drops these names as well. `PUT docs` of RavenDB stores some of them and then returns
    /// names twice; readers take the last one, which is the server's, so the result for readers is the same.
    pub(crate) fn from_client(mut body: Object) -> Result<Self, Error> {
        let mut metadata = match body.remove("@metadata") {
            None => Object::default(),
            Some(Value::Object(metadata)) => metadata,
            Some(Value::Null) => return Err(Error::null_reference("@metadata")),
            Some(other) => return Err(Error::format(&other, "Sparrow.Json.BlittableJsonReaderObject")),
        };
        metadata.retain(|name| !SERVER_METADATA.contains(&name));
        for name in ["@expires", "@refresh", "@archive-at"] {
            if metadata.get(name).is_some() {
                return Err(Error::not_implemented(format!(
                    "Documents with '{name}' in their metadata: this authority never expires or refreshes any."
                )));
            }
        }
        match metadata.get("@collection") {
            None => {}
            Some(Value::String(name)) if !name.is_empty() => {}
            Some(_) => {
                return Err(Error::not_implemented(
                    "'@collection' must be a name; leave it out for documents without a collection.",
                ));
            }
        }
        Ok(Self { body, metadata })
    }

    /// Reads a stored document in order to change it.
    pub(crate) fn from_stored(content: &Content) -> Result<Self, Error> {
        Ok(Self {
            body: crate::json::read_object(content.body.as_bytes())?,
            metadata: crate::json::read_object(content.metadata.as_bytes())?,
        })
    }

    pub(crate) fn collection(&self) -> &str {
        self.metadata.get("@collection").and_then(Value::as_str).unwrap_or(EMPTY_COLLECTION)
    }

    pub(crate) fn into_content(self) -> Content {
        let text = |object| {
            let mut out = String::new();
            write(&mut out, &Value::Object(object));
            out
        };
        Content { body: text(self.body), metadata: text(self.metadata) }
    }
}

const SERVER_METADATA: [&str; 8] =
    ["@id", "@change-vector", "@last-modified", "@flags", "@etag", "@index-score", "@counters", "@archived"];

impl Record {
    /// The change vector, parsed.
    pub(crate) fn vector(&self) -> ChangeVector {
        // Only this crate writes vectors. An unreadable one becomes empty and conflicts with all others.
        ChangeVector::parse(&self.change_vector).unwrap_or_default()
    }

    /// Appends the document with its metadata, or only its metadata.
    pub(crate) fn show(&self, out: &mut String, metadata_only: bool) {
        let Some(content) = &self.content else {
            out.push_str("null");
            return;
        };
        let members = if metadata_only { "" } else { inner(&content.body) };
        let given = inner(&content.metadata);
        let comma = |text: &str| if text.is_empty() { "" } else { "," };
        out.push('{');
        out.push_str(members);
        out.push_str(comma(members));
        out.push_str("\"@metadata\":{");
        out.push_str(given);
        out.push_str(comma(given));
        out.push_str("\"@change-vector\":");
        out.push_str(&json_string(&self.change_vector));
        out.push_str(",\"@id\":");
        out.push_str(&json_string(&self.id));
        out.push_str(",\"@last-modified\":\"");
        out.push_str(&self.modified.to_string());
        out.push_str("\"}}");
    }
}

/// The text between the braces.
fn inner(object: &str) -> &str {
    object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read_object;

    fn incoming(text: &str) -> Result<Incoming, Error> {
        Incoming::from_client(read_object(text.as_bytes())?)
    }

    #[test]
    fn a_document_is_shown_with_the_metadata_of_client_and_server() {
        let content =
            incoming(r#"{"n":1.10,"@metadata":{"@collection":"C","@id":"zz","@change-vector":"q","@flags":"x"}}"#)
                .map(Incoming::into_content);
        let record = Record {
            id: "a/1".into(),
            etag: 1,
            change_vector: "A:1-x".into(),
            modified: Timestamp::default(),
            content: content.ok(),
        };
        let mut out = String::new();
        record.show(&mut out, false);
        assert_eq!(
            out,
            r#"{"n":1.10,"@metadata":{"@collection":"C","@change-vector":"A:1-x","@id":"a/1","@last-modified":"0001-01-01T00:00:00.0000000Z"}}"#
        );
        let mut out = String::new();
        record.show(&mut out, true);
        assert!(out.starts_with(r#"{"@metadata":{"#), "{out}");
    }

    #[test]
    fn invalid_metadata_is_refused() {
        for (text, status) in [
            (r#"{"@metadata":null}"#, 500),
            (r#"{"@metadata":"x"}"#, 500),
            (r#"{"@metadata":[]}"#, 500),
            (r#"{"@metadata":{"@collection":5}}"#, 501),
            (r#"{"@metadata":{"@collection":""}}"#, 501),
            (r#"{"@metadata":{"@expires":"2030-01-01T00:00:00.0000000Z"}}"#, 501),
        ] {
            assert_eq!(incoming(text).map_err(|e| e.status), Err(status), "{text}");
        }
    }
}
