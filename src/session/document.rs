//! What the session knows of one document, in as few bytes as it takes: a session may hold many.

use alloc::boxed::Box;
use alloc::string::String;

use super::Check;

/// What the session knows of one document.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Document {
    /// Id, change vector and time of the last change, one behind the other.
    text: Box<str>,
    /// Where the id ends.
    id: u32,
    /// Where the change vector ends.
    vector: u32,
    pub(super) kind: u32,
    pub(super) check: Check,
    has_vector: bool,
    has_modified: bool,
}

impl Document {
    /// `change_vector`: as last seen, or as the app gave it; `None`: never saved and never loaded.
    pub(super) fn new(
        id: &str,
        kind: u32,
        check: Check,
        change_vector: Option<&str>,
        last_modified: Option<&str>,
    ) -> Document {
        let (vector, modified) = (change_vector.unwrap_or_default(), last_modified.unwrap_or_default());
        let mut text = String::with_capacity(id.len() + vector.len() + modified.len());
        text.extend([id, vector, modified]);
        Document {
            text: text.into_boxed_str(),
            id: id.len() as u32,
            vector: (id.len() + vector.len()) as u32,
            kind,
            check,
            has_vector: change_vector.is_some(),
            has_modified: last_modified.is_some(),
        }
    }

    /// The same document after the server, or the app, has told something of it.
    pub(super) fn told(&self, id: &str, change_vector: Option<&str>, last_modified: Option<&str>) -> Document {
        Document::new(id, self.kind, self.check, change_vector, last_modified)
    }

    /// As it is sent: for an id that the server makes its prefix, with `/` or `|`, or nothing.
    pub(super) fn id(&self) -> &str {
        self.text.get(..self.id as usize).unwrap_or_default()
    }

    /// Change vector as last seen, or as the app gave it; `None`: never saved and never loaded.
    pub(super) fn change_vector(&self) -> Option<&str> {
        self.text.get(self.id as usize..self.vector as usize).filter(|_| self.has_vector)
    }

    /// `@last-modified` as last seen.
    pub(super) fn last_modified(&self) -> Option<&str> {
        self.text.get(self.vector as usize..).filter(|_| self.has_modified)
    }
}
