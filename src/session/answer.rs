//! Cutting the answer to a load.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cell::Cell;

use super::window::{Read, Text, Window};
use crate::json::{self, Item, Members};

/// What the session keeps of a document of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// What the server says of it.
    pub stamp: Stamp,
    /// Whether it has numbers so long that JavaScript may not hold them: see [`super::inexact`].
    pub long_numbers: bool,
}

impl Loaded {
    /// Reads the document that a text begins with, and how long it is; no document for a missing one (`null`) and for
    /// what has no id and change vector.
    pub fn read(text: &[u8]) -> Option<(Option<Loaded>, usize)> {
        if text.first() != Some(&b'{') {
            return Some((None, json::value(text)?));
        }
        let mut top = json::members(text);
        let mut stamp = None;
        while let Some(key) = top.key() {
            if key == b"@metadata" && text.get(top.at()) == Some(&b'{') {
                stamp = top.inner(|members| Stamp::of(text, members))?;
            } else {
                top.value()?;
            }
        }
        let length = top.end()?;
        Some((stamp.map(|stamp| Loaded { stamp, long_numbers: top.has_long_numbers() }), length))
    }
}

/// What the server says of a document, in its metadata or in the result of a PUT: where it stands in the text, for it is
/// kept in another form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    id: Place,
    change_vector: Place,
    collection: Place,
    last_modified: Place,
}

impl Stamp {
    fn of(text: &[u8], members: &mut Members<'_>) -> Option<Stamp> {
        let mut stamp = Stamp::default();
        let mut part = false;
        for (key, value) in members {
            let place = match key {
                b"@id" => &mut stamp.id,
                b"@change-vector" => &mut stamp.change_vector,
                b"@collection" => &mut stamp.collection,
                b"@last-modified" => &mut stamp.last_modified,
                // A part of a document is none: to save it would lose the rest.
                b"@projection" => {
                    part = value == b"true";
                    continue;
                }
                _ => continue,
            };
            // The last one of a name counts, and counts as missing where it is no text.
            let from = value.as_ptr() as usize - text.as_ptr() as usize;
            *place = if json::text(value).is_some() { (from, from + value.len()) } else { Place::default() };
        }
        let complete = !part && stamp.id != Place::default() && stamp.change_vector != Place::default();
        complete.then_some(stamp)
    }

    /// The id as the server spells it.
    pub fn id<'a>(&self, text: &'a [u8]) -> Cow<'a, str> {
        string(text, self.id).unwrap_or_default()
    }

    /// The change vector.
    pub fn change_vector<'a>(&self, text: &'a [u8]) -> Cow<'a, str> {
        string(text, self.change_vector).unwrap_or_default()
    }

    /// The collection; empty when it has none.
    pub fn collection<'a>(&self, text: &'a [u8]) -> Cow<'a, str> {
        string(text, self.collection).unwrap_or_default()
    }

    /// When it was last written, as the server says it.
    pub fn last_modified<'a>(&self, text: &'a [u8]) -> Option<Cow<'a, str>> {
        string(text, self.last_modified)
    }
}

fn string(text: &[u8], (from, to): Place) -> Option<Cow<'_, str>> {
    json::text(text.get(from..to)?)
}

/// A place in an answer: its beginning and end.
pub type Place = (usize, usize);

/// What an answer to a load has.
pub enum Part<'a> {
    /// A document that was asked for, with its text.
    Result(Loaded, &'a [u8]),
    /// Where the array of all of them is; it has `null`s between them.
    Results(Place),
    /// A document that was included, with its text and where that begins.
    Included(Loaded, &'a [u8], usize),
    /// Where the object of all of them is.
    Includes(Place),
}

/// Reads the answer to a load, and calls `found` with each part. `None` where it is not one.
pub fn documents<T: Text>(text: &T, place: Place, size: usize, found: &mut dyn FnMut(Part<'_>)) -> Option<()> {
    let seen = Cell::new(None);
    let see = |text: &[u8]| {
        let (loaded, length) = Loaded::read(text)?;
        seen.set(loaded);
        Some(length)
    };
    top(text, place, size, &mut |window, name, first, at| match (name, first) {
        (Name::Results, b'[') => {
            let end = window.each(at, b']', &mut { see }, &mut |text, _| {
                if let Some(loaded) = seen.take() {
                    found(Part::Result(loaded, text));
                }
                Some(())
            })?;
            found(Part::Results((at, end)));
            Some(end)
        }
        (Name::Includes, b'{') => {
            let skipped = Cell::new(0);
            let mut member = |text: &[u8]| {
                let (_, value) = json::key(text)?;
                skipped.set(value);
                Some(value + see(text.get(value..)?)?)
            };
            let end = window.each(at, b'}', &mut member, &mut |text, from| {
                if let Some(loaded) = seen.take() {
                    found(Part::Included(loaded, text.get(skipped.get()..)?, from + skipped.get()));
                }
                Some(())
            })?;
            found(Part::Includes((at, end)));
            Some(end)
        }
        _ => window.skip(at),
    })
}

/// The answers of a `multi_get`, in order: status, and place of the result.
pub fn answers<T: Text>(text: &T, place: Place, size: usize) -> Option<Vec<(u16, Place)>> {
    let mut all = Vec::new();
    results(text, place, size, &mut { json::value }, &mut |text, at| {
        let (status, (from, to)) = answer(text)?;
        all.push((status, (at + from, at + to)));
        Some(())
    })?;
    Some(all)
}

/// Reads the items of the array `Results`, and calls `found` with each one's text and where that begins.
fn results<T: Text>(
    text: &T,
    place: Place,
    size: usize,
    read: Read<'_>,
    found: &mut dyn FnMut(&[u8], usize) -> Option<()>,
) -> Option<()> {
    top(text, place, size, &mut |window, name, first, at| match (name, first) {
        (Name::Results, b'[') => window.each(at, b']', read, found),
        _ => window.skip(at),
    })
}

/// Reads the answer to a batch, and calls `found` with each result: its text, and what it says of a document; nothing where
/// it is the result of something else.
pub(super) fn stamps<T: Text>(
    text: &T,
    place: Place,
    size: usize,
    found: &mut dyn FnMut(&[u8], Option<Stamp>) -> Option<()>,
) -> Option<()> {
    let seen = Cell::new(None);
    let mut read = |text: &[u8]| {
        let mut members = json::members(text);
        seen.set(Stamp::of(text, &mut members));
        members.end()
    };
    results(text, place, size, &mut read, &mut |text, _| found(text, seen.take()))
}

/// Gets the name of a member, its value's first byte and where that is, and gives the position behind it.
type Visit<'a, 'b, T> = &'b mut dyn FnMut(&mut Window<'a, T>, Name, u8, usize) -> Option<usize>;

/// Goes through the members of an answer, which must have `Results`.
fn top<'a, T: Text>(text: &'a T, (from, to): Place, size: usize, visit: Visit<'a, '_, T>) -> Option<()> {
    let mut window = Window::new(text, to, size);
    let (mut at, mut complete) = (from, false);
    let member = Cell::new((Name::Other, 0));
    let mut name = |text: &[u8]| {
        let (key, value) = json::key(text)?;
        let name = match key {
            b"Results" => Name::Results,
            b"Includes" => Name::Includes,
            _ => Name::Other,
        };
        member.set((name, *text.get(value)?));
        Some(value)
    };
    while let Item::Is(_, value) = window.item(at, b'}', &mut name)? {
        let (name, first) = member.get();
        at = visit(&mut window, name, first, value)?;
        complete |= name == Name::Results;
    }
    complete.then_some(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Results,
    Includes,
    Other,
}

/// An answer of a `multi_get`: its status, and the place of its result in the text.
fn answer(text: &[u8]) -> Option<(u16, Place)> {
    let mut members = json::members(text);
    let (mut status, mut result) = (0, Place::default());
    while let Some(key) = members.key() {
        let from = members.at();
        let value = members.value()?;
        match key {
            b"StatusCode" => status = json::integer(value).unwrap_or_default() as u16,
            b"Result" => result = (from, from + value.len()),
            _ => {}
        }
    }
    Some((status, result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn missing_documents_are_left_out_and_the_last_key_counts() {
        let body = br#"{"a":1,"@metadata":{"@collection":"Orders","@id":"stale","@change-vector":"A:1","@id":"orders/1-A","@change-vector":"A:2"}}"#;
        let (loaded, length) = Loaded::read(body).unwrap();
        let Loaded { stamp, long_numbers } = loaded.unwrap();
        assert_eq!((long_numbers, length), (false, body.len()));
        assert_eq!((stamp.id(body), stamp.change_vector(body)), ("orders/1-A".into(), "A:2".into()));
        assert_eq!((stamp.collection(body), stamp.last_modified(body)), ("Orders".into(), None));
        assert_eq!(Loaded::read(b"null"), Some((None, 4)));
        assert_eq!(Loaded::read(br#"{"no":"metadata"}"#), Some((None, 17)));
        assert_eq!(Loaded::read(&body[..body.len() - 1]), None);
        let part = br#"{"a":1,"@metadata":{"@projection":true,"@id":"x","@change-vector":"A:1"}}"#;
        assert_eq!(Loaded::read(part), Some((None, part.len())));
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
            assert_eq!(Loaded::read(document.as_bytes()).unwrap().0.unwrap().long_numbers, long, "{member}");
        }
    }

    #[test]
    fn results_and_includes_are_taken_apart() {
        let document = |id: &str| alloc::format!(r#"{{"n":[1],"@metadata":{{"@id":"{id}","@change-vector":"A:1"}}}}"#);
        let (a, b, c) = (document("a"), document("b"), document("c"));
        let text = alloc::format!(
            r#" {{"X":[{{}}],"Results":[{a} ,null,{b}],"Includes":{{"9":{c},"8":null, "a\"b":{a}}},"Y":1}}"#
        );
        for size in 1..text.len() + 2 {
            let mut seen = Vec::new();
            documents(&text.as_bytes(), (0, text.len()), size, &mut |part| match part {
                Part::Result(loaded, text) => seen.push(("result", loaded.stamp.id(text).into_owned(), text.to_vec())),
                Part::Results((from, to)) => seen.push(("results", String::new(), text.as_bytes()[from..to].to_vec())),
                Part::Includes(_) => {}
                Part::Included(loaded, shown, from) => {
                    assert_eq!(&text.as_bytes()[from..from + shown.len()], shown);
                    seen.push(("included", loaded.stamp.id(shown).into_owned(), shown.to_vec()));
                }
            })
            .unwrap();
            let all = alloc::format!("[{a} ,null,{b}]");
            let expected = [
                ("result", "a", &a),
                ("result", "b", &b),
                ("results", "", &all),
                ("included", "c", &c),
                ("included", "a", &a),
            ];
            assert_eq!(seen, expected.map(|(part, id, text)| (part, id.into(), text.clone().into_bytes())), "{size}");
        }
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for text in
            ["", "{}", "[]", "null", r#"{"Results":[{}"#, r#"{"Results":[],"Includes":{"a":{}"#, r#"{"Includes":{}}"#]
        {
            assert_eq!(documents(&text.as_bytes(), (0, text.len()), 4, &mut |_| {}), None, "{text}");
        }
        for text in [r#"{"Results":null}"#, r#"{"Results":[],"Includes":{}}"#] {
            assert_eq!(documents(&text.as_bytes(), (0, text.len()), 4, &mut |_| {}), Some(()), "{text}");
        }
    }

    #[test]
    fn the_answers_of_several_requests() {
        let text = r#"{"Results":[{"StatusCode":200,"Result":{"Results":[]}},{"Result":null,"StatusCode":404},{}]}"#;
        let found = answers(&text.as_bytes(), (0, text.len()), 5).unwrap();
        let found: Vec<_> = found.into_iter().map(|(status, (from, to))| (status, &text[from..to])).collect();
        assert_eq!(found, [(200, r#"{"Results":[]}"#), (404, "null"), (0, &text[12..12])]);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>, size in 1usize..20) {
            let text = &bytes[..];
            documents(&text, (0, bytes.len()), size, &mut |_| {});
            answers(&text, (0, bytes.len()), size);
        }
    }
}
