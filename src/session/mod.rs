//! The unit of work: what a session knows of its documents, the text of a batch, the pieces of an answer.
//!
//! Entities stay with JavaScript; the core knows documents by their slot and keeps ids, collections and change
//! vectors. Text comes in bulk and leaves in bulk; a document's own text is cut, never parsed.

mod answer;
mod batch;

pub use answer::Loaded;
pub use batch::Batch;

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::json;

/// What the session knows of one document.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Document {
    id: String,
    collection: usize,
    /// Change vector as last seen; `None`: never saved and never loaded.
    change_vector: Option<String>,
    /// A new document may not exist yet: the last line of defence against an id that was issued twice.
    must_be_new: bool,
}

/// The documents of a session, by slot.
#[derive(Clone, Debug, Default)]
pub struct Session {
    documents: Vec<Document>,
    collections: Vec<String>,
}

impl Session {
    /// The number of a collection's name, for [`Session::store`].
    pub fn collection(&mut self, name: &str) -> usize {
        self.collections.iter().position(|known| known == name).unwrap_or_else(|| {
            self.collections.push(String::from(name));
            self.collections.len() - 1
        })
    }

    /// A new document takes the next slot; `must_be_new` for ids that the client made.
    pub fn store(&mut self, id: &str, collection: usize, must_be_new: bool) -> usize {
        self.documents.push(Document { id: String::from(id), collection, change_vector: None, must_be_new });
        self.documents.len() - 1
    }

    /// A document that was loaded takes the next slot.
    pub fn adopt(&mut self, loaded: &Loaded) -> usize {
        let collection = self.collection(&loaded.collection);
        self.documents.push(Document {
            id: loaded.id.clone(),
            collection,
            change_vector: Some(loaded.change_vector.clone()),
            must_be_new: false,
        });
        self.documents.len() - 1
    }

    /// The id of the document in a slot.
    pub fn id(&self, slot: usize) -> Option<&str> {
        self.documents.get(slot).map(|document| document.id.as_str())
    }

    /// The change vector of the document in a slot, once it was saved or loaded.
    pub fn change_vector(&self, slot: usize) -> Option<&str> {
        self.documents.get(slot)?.change_vector.as_deref()
    }

    /// Takes over the answer to a batch of these slots, in the order in which they were put.
    ///
    /// Either the whole answer fits the batch, or nothing is taken over.
    pub fn saved(&mut self, slots: &[u32], body: &[u8]) -> Result<(), Error> {
        let results = json::get(body, "Results").ok_or_else(unclear)?;
        let text = |result, name| json::get(result, name).and_then(json::string);
        let mut fitting = 0;
        for (slot, result) in slots.iter().zip(json::elements(results)) {
            let sent = self.id(*slot as usize).unwrap_or_default();
            let fits = text(result, "@id").is_some_and(|id| id.eq_ignore_ascii_case(sent));
            fitting += usize::from(fits && text(result, "@change-vector").is_some());
        }
        if fitting != slots.len() || json::elements(results).count() != fitting {
            return Err(unclear());
        }
        for (slot, result) in slots.iter().zip(json::elements(results)) {
            if let Some(document) = self.documents.get_mut(*slot as usize) {
                document.change_vector = text(result, "@change-vector");
                document.must_be_new = false;
            }
        }
        Ok(())
    }
}

/// The error of an answer that does not fit what was asked or sent; nothing of it was used.
pub fn unclear() -> Error {
    Error::new(
        Code::BadAnswer,
        "the answer does not fit the request; after a save, load the documents again before saving more",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        let mut session = Session::default();
        let orders = session.collection("Orders");
        session.store("orders/1-A", orders, true);
        session.store("orders/2-A", orders, true);
        session
    }

    #[test]
    fn results_are_matched_by_position_and_id() {
        let mut session = session();
        let body = br#"{"Results":[{"Type":"PUT","@id":"orders/2-A","@change-vector":"A:2"},{"Type":"PUT","@id":"ORDERS/1-a","@change-vector":"A:1"}]}"#;
        session.saved(&[1, 0], body).unwrap();
        assert_eq!((session.change_vector(0), session.change_vector(1)), (Some("A:1"), Some("A:2")));
    }

    #[test]
    fn an_answer_that_does_not_fit_changes_nothing() {
        for body in [
            &br#"{"Results":[]}"#[..],
            br#"{"Results":[{"Type":"PUT","@id":"orders/1-A","@change-vector":"A:1"}]}"#,
            br#"{"Results":[{"Type":"PUT","@id":"orders/1-A","@change-vector":"A:1"},{"Type":"PUT","@id":"orders/9-A","@change-vector":"A:2"}]}"#,
            br#"{"Results":[{"Type":"PUT","@id":"orders/1-A"},{"Type":"PUT","@id":"orders/2-A","@change-vector":"A:2"}]}"#,
            b"nonsense",
        ] {
            let mut session = session();
            assert_eq!(session.saved(&[0, 1], body).map_err(|error| error.code), Err(Code::BadAnswer));
            assert_eq!((session.change_vector(0), session.change_vector(1)), (None, None));
        }
    }
}
