//! Cutting the answer to a save.

use alloc::borrow::Cow;
use core::cell::Cell;

use super::window::{Text, Window};
use crate::json::{self, Item, Members};

/// What the result of a PUT says of its document: where it stands in the text, for it is kept in another form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    id: Place,
    change_vector: Place,
    last_modified: Place,
}

impl Stamp {
    fn of(text: &[u8], members: &mut Members<'_>) -> Option<Stamp> {
        let mut stamp = Stamp::default();
        for (key, value) in members {
            let place = match key {
                b"@id" => &mut stamp.id,
                b"@change-vector" => &mut stamp.change_vector,
                b"@last-modified" => &mut stamp.last_modified,
                _ => continue,
            };
            // The last one of a name counts, and counts as missing where it is no text.
            let from = value.as_ptr() as usize - text.as_ptr() as usize;
            *place = if value.starts_with(b"\"") { (from, from + value.len()) } else { Place::default() };
        }
        let complete = stamp.id != Place::default() && stamp.change_vector != Place::default();
        complete.then_some(stamp)
    }

    /// The id as the server spells it.
    pub(super) fn id<'a>(&self, text: &'a [u8]) -> Option<Cow<'a, str>> {
        string(text, self.id)
    }

    /// The change vector.
    pub(super) fn change_vector<'a>(&self, text: &'a [u8]) -> Option<Cow<'a, str>> {
        string(text, self.change_vector)
    }

    /// When it was last written, as the server says it.
    pub(super) fn last_modified<'a>(&self, text: &'a [u8]) -> Option<Cow<'a, str>> {
        string(text, self.last_modified)
    }
}

fn string(text: &[u8], (from, to): Place) -> Option<Cow<'_, str>> {
    json::text(text.get(from..to)?)
}

/// A place in an answer: its beginning and end.
type Place = (usize, usize);

/// Gets the text of a result and what it says of a document; nothing where it is the result of something else.
type Found<'a> = &'a mut dyn FnMut(&[u8], Option<Stamp>) -> Option<()>;

/// Reads the answer to a batch, of so many bytes, and calls `found` with each result.
pub(super) fn stamps<T: Text>(text: &T, length: usize, size: usize, found: Found<'_>) -> Option<()> {
    let seen = Cell::new(None);
    let mut read = |text: &[u8]| {
        let mut members = json::members(text);
        seen.set(Stamp::of(text, &mut members));
        members.end()
    };
    let mut window = Window::new(text, length, size);
    let (mut at, mut complete) = (0, false);
    let member = Cell::new((false, 0));
    let mut name = |text: &[u8]| {
        let (key, value) = json::key(text)?;
        member.set((key == b"Results", *text.get(value)?));
        Some(value)
    };
    while let Item::Is(_, value) = window.item(at, b'}', &mut name)? {
        at = match member.get() {
            (true, b'[') => {
                complete = true;
                window.each(value, b']', &mut read, &mut |text, _| found(text, seen.take()))?
            }
            _ => window.skip(value)?,
        };
    }
    complete.then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    /// Id, change vector and time of each result.
    fn read(text: &str, size: usize) -> Option<Vec<Option<[String; 3]>>> {
        let mut all = Vec::new();
        stamps(&text.as_bytes(), text.len(), size, &mut |text, stamp| {
            all.push(stamp.map(|stamp| {
                let said = [stamp.id(text), stamp.change_vector(text), stamp.last_modified(text)];
                said.map(|text| text.unwrap_or_default().into_owned())
            }));
            Some(())
        })?;
        Some(all)
    }

    #[test]
    fn results_are_read_whatever_the_window_shows() {
        let text = r#" {"X":[{}],"Results":[{"Type":"PUT","@id":"a\"b","@change-vector":"A:1","@last-modified":"now"} ,{"Deleted":true},
            {"@id":"stale","@change-vector":"A:1","@id":"c","@change-vector":"A:2"}],"Y":{"Results":1}}"#;
        let stamp = |id: &str, vector: &str, modified: &str| Some([id, vector, modified].map(String::from));
        for size in 1..text.len() + 2 {
            assert_eq!(
                read(text, size),
                Some(alloc::vec![stamp("a\"b", "A:1", "now"), None, stamp("c", "A:2", "")]),
                "{size}"
            );
        }
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for text in ["", "{}", "[]", "null", r#"{"Results":[{}"#, r#"{"Results":[],"X":{"a":{}"#, r#"{"Results":[1]}"#]
        {
            assert_eq!(read(text, 4), None, "{text}");
        }
        assert_eq!(read(r#"{"Results":[]}"#, 4), Some(Vec::new()));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>, size in 1usize..20) {
            stamps(&&bytes[..], bytes.len(), size, &mut |_, _| Some(()));
        }
    }
}
