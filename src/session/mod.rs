//! The unit of work: what a session knows of its documents, the text of a batch, the pieces of an answer.
//!
//! Entities stay with JavaScript; the core knows documents by their slot and keeps ids, collections and change vectors of
//! those that are saved. What was only loaded it does not hear of: the engine's `JSON.parse` has read that already, and a
//! second reader would cost more than all the rest. Text comes in bulk and leaves in bulk; a document's own text is cut,
//! never parsed.

mod answer;
mod batch;
mod document;
mod window;

pub use batch::{Batch, Rules};
pub use window::Text;

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::ids::Maker;
use crate::json;
use answer::Stamp;
use document::Document;

/// Whether a document must be in the state that the session knows, when it is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Check {
    /// If the session works with optimistic concurrency.
    #[default]
    Auto,
    /// Always. A new document must not exist yet: the last line of defence against an id that was issued twice.
    Forced,
    /// Never.
    Disabled,
}

/// What documents have in common: their collection, and the name of their class where they have one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kind {
    collection: String,
    class: String,
}

/// The documents of a session, by slot.
#[derive(Clone, Debug, Default)]
pub struct Session {
    documents: Vec<Document>,
    kinds: Vec<Kind>,
}

impl Session {
    /// The number of a collection and a class name (empty: none), for [`Session::store`].
    pub fn kind(&mut self, collection: &str, class: &str) -> usize {
        let known = self.kinds.iter().position(|known| known.collection == collection && known.class == class);
        known.unwrap_or_else(|| {
            self.kinds.push(Kind { collection: String::from(collection), class: String::from(class) });
            self.kinds.len() - 1
        })
    }

    /// A new document takes a slot.
    pub fn store(&mut self, slot: usize, id: &str, kind: usize, check: Check, change_vector: Option<&str>) {
        *self.slot(slot) = Document::new(id, kind as u32, check, change_vector, None);
    }

    /// A document that was loaded is to be saved or deleted.
    pub fn adopt(&mut self, slot: usize, id: &str, kind: usize, change_vector: &str, last_modified: Option<&str>) {
        *self.slot(slot) = Document::new(id, kind as u32, Check::Auto, Some(change_vector), last_modified);
    }

    /// What is kept of a slot; those before it that were only loaded keep nothing.
    fn slot(&mut self, slot: usize) -> &mut Document {
        if slot >= self.documents.len() {
            self.documents.resize(slot + 1, Document::default());
        }
        &mut self.documents[slot]
    }

    /// The app states anew how a document is to be checked.
    pub fn check(&mut self, slot: usize, check: Check, change_vector: Option<&str>) {
        if let Some(document) = self.documents.get_mut(slot) {
            document.check = check;
            if change_vector.is_some() {
                *document = document.told(document.id(), change_vector, document.last_modified());
            }
        }
    }

    /// A document was read again.
    pub fn revise(&mut self, slot: usize, change_vector: &str, last_modified: &str) {
        if let Some(document) = self.documents.get_mut(slot) {
            *document = document.told(document.id(), Some(change_vector), Some(last_modified));
        }
    }

    /// The session is done with a document.
    pub fn forget(&mut self, slot: usize) {
        if let Some(document) = self.documents.get_mut(slot) {
            *document = Document::default();
        }
    }

    /// The id of the document in a slot.
    fn id(&self, slot: usize) -> Option<&str> {
        self.documents.get(slot).map(Document::id)
    }

    /// What the server last said of these documents, as JSON: `[["<change vector>","<last modified>","<collection>"],…]`,
    /// `null` for what is not known.
    pub fn stamps(&self, slots: &[u32]) -> String {
        let mut text = String::from("[");
        for (at, slot) in slots.iter().enumerate() {
            text.push_str(if at > 0 { ",[" } else { "[" });
            let document = self.documents.get(*slot as usize);
            let kind = document.and_then(|document| self.kinds.get(document.kind as usize));
            let known = [
                document.and_then(Document::change_vector),
                document.and_then(Document::last_modified),
                kind.map(|kind| kind.collection.as_str()),
            ];
            for (at, value) in known.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                match value {
                    Some(value) => json::push_string(&mut text, value),
                    None => text.push_str("null"),
                }
            }
            text.push(']');
        }
        text.push(']');
        text
    }

    /// Whether these are all new documents under ids of this client's own, which nobody else can have written.
    pub fn is_fresh(&self, slots: &[u32]) -> bool {
        slots.iter().all(|slot| {
            self.documents.get(*slot as usize).is_some_and(|document| {
                let is_own = document.check == Check::Forced && Maker::of(document.id()) == Maker::Client;
                is_own && document.change_vector().is_none()
            })
        })
    }

    /// Takes over the answer to a batch, which has so many bytes; gives the slots that the server has given their ids.
    ///
    /// Either the whole answer fits the batch, or nothing is taken over.
    pub fn saved<T: Text>(
        &mut self,
        items: &[Option<u32>],
        answer: &T,
        length: usize,
        window: usize,
    ) -> Result<Vec<(u32, String)>, Error> {
        let mut left = items.iter();
        answer::stamps(answer, length, window, &mut |text, stamp| {
            let Some(slot) = *left.next()? else { return Some(()) };
            let sent = self.id(slot as usize).unwrap_or_default();
            let stamp = stamp?;
            stamp.change_vector(text)?;
            Maker::of(sent).has_made(sent, &stamp.id(text)?).then_some(())
        })
        .filter(|()| left.next().is_none())
        .ok_or_else(unclear)?;
        let mut made = Vec::new();
        let mut slots = items.iter();
        // Twice through the answer: to keep what it says until all of it is known would take more memory than itself.
        answer::stamps(answer, length, window, &mut |text, stamp| {
            if let Some(slot) = *slots.next()? {
                self.stamp(slot, text, stamp?, &mut made)?;
            }
            Some(())
        });
        Ok(made)
    }

    fn stamp(&mut self, slot: u32, text: &[u8], stamp: Stamp, made: &mut Vec<(u32, String)>) -> Option<()> {
        let document = self.documents.get_mut(slot as usize)?;
        let (vector, modified) = (stamp.change_vector(text)?, stamp.last_modified(text));
        if Maker::of(document.id()) == Maker::Client {
            *document = document.told(document.id(), Some(&vector), modified.as_deref());
            return Some(());
        }
        let id = stamp.id(text)?;
        *document = document.told(&id, Some(&vector), modified.as_deref());
        made.push((slot, id.into_owned()));
        Some(())
    }
}

/// The error of an answer that does not fit what was asked or sent; nothing of it was used.
fn unclear() -> Error {
    Error::new(Code::BadAnswer, "the answer does not fit the request; load the documents again before saving more")
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn session() -> Session {
        let mut session = Session::default();
        let orders = session.kind("Orders", "");
        session.store(0, "orders/1-A", orders, Check::Forced, None);
        session.store(1, "orders/2-A", orders, Check::Forced, None);
        session
    }

    #[test]
    fn results_are_matched_by_position_and_id() {
        let mut session = session();
        let body = br#"{"Results":[{"Type":"PUT","@id":"orders/2-A","@change-vector":"A:2"},{"Id":"x","Type":"DELETE","Deleted":true},{"Type":"PUT","@id":"ORDERS/1-a","@change-vector":"A:1","@last-modified":"now"}]}"#;
        assert_eq!(session.saved(&[Some(1), None, Some(0)], &&body[..], body.len(), 9), Ok(vec![]));
        assert_eq!(session.stamps(&[0, 1, 7]), r#"[["A:1","now","Orders"],["A:2",null,"Orders"],[null,null,null]]"#);
    }

    #[test]
    fn ids_that_the_server_made_are_taken_over() {
        let mut session = Session::default();
        let kind = session.kind("Companies", "Company");
        for (slot, id) in ["companies/", "companies|", ""].into_iter().enumerate() {
            session.store(slot, id, kind, Check::Auto, None);
        }
        let answer = |ids: [&str; 3]| {
            let result = |id: &str| alloc::format!(r#"{{"Type":"PUT","@id":"{id}","@change-vector":"A:1"}}"#);
            alloc::format!(r#"{{"Results":[{}]}}"#, ids.map(result).join(",")).into_bytes()
        };
        let items = [Some(0), Some(1), Some(2)];
        let saved = |session: &mut Session, answer: Vec<u8>| session.saved(&items, &&answer[..], answer.len(), 9);
        assert!(saved(&mut session, answer(["other/1", "companies/1", "x"])).is_err());
        let ids = ["companies/0000000000000000027-A", "companies/1", "0ab"];
        let made = saved(&mut session, answer(ids)).unwrap();
        assert_eq!(made, ids.iter().enumerate().map(|(slot, id)| (slot as u32, String::from(*id))).collect::<Vec<_>>());
        assert!(saved(&mut session, answer(["companies/9", "companies/1", "0ab"])).is_err(), "from now on it is fixed");
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
            let items = [Some(0), Some(1)];
            assert_eq!(session.saved(&items, &body, body.len(), 9).map_err(|error| error.code), Err(Code::BadAnswer));
            assert_eq!(session.stamps(&[0, 1]), r#"[[null,null,"Orders"],[null,null,"Orders"]]"#);
        }
    }
}
