//! Cutting an answer that comes in pieces, and may have no end, into its items.
//!
//! Nothing of it is kept here: a scanner goes through the bytes once and says which of them are what, so that memory stays
//! the same whatever passes. What the pieces say is put together outside, and becomes objects there.

use alloc::vec::Vec;

/// A piece, which is elsewhere: an answer may have megabytes, and WebAssembly memory never shrinks.
pub trait Piece {
    /// Fills `into` with the bytes from `at` on; there are so many.
    fn read(&self, at: usize, into: &mut [u8]);
}

impl Piece for &[u8] {
    fn read(&self, at: usize, into: &mut [u8]) {
        if let Some(bytes) = self.get(at..at + into.len()) {
            into.copy_from_slice(bytes);
        }
    }
}

/// How much of a piece is in here at a time, in bytes.
const WINDOW: usize = 1 << 14;

/// The part of the answer that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Part {
    /// What stands before the items: `{"IndexName":"…","Results":[`.
    #[default]
    Head,
    /// Items, all of them objects.
    Items,
    /// What stands behind them: `],"Error":"…"}`.
    Tail,
    /// Nothing more: the answer is complete.
    End,
}

/// What a piece has: places of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Cut {
    /// Where the head ends.
    pub head: usize,
    /// Where the items that are complete now begin; the first may have begun in an earlier piece.
    pub from: usize,
    /// Where the last of them ends; 0 where none is.
    pub to: usize,
    /// Where an item begins, or goes on, that is not complete.
    pub rest: usize,
    /// Where the tail begins.
    pub tail: usize,
}

/// What may come where an item is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Next {
    #[default]
    ItemOrEnd,
    Item,
    CommaOrEnd,
}

#[derive(Clone, Debug, Default)]
struct Scan {
    part: Part,
    next: Next,
    /// How many objects and arrays are open.
    depth: u32,
    string: bool,
    escaped: bool,
    /// An item has begun that was not complete yet; `to` of an earlier one may be before it.
    open: bool,
}

/// Finds the items of `{…,"Results":[{…},{…}],…}` in pieces of any length.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    scan: Scan,
    window: Vec<u8>,
}

impl Splitter {
    /// The part that the next piece begins with.
    pub fn part(&self) -> Part {
        self.scan.part
    }

    /// What the next piece has, of so many bytes; `None` where it does not go on as an answer does.
    pub fn feed<P: Piece>(&mut self, piece: &P, length: usize) -> Option<Cut> {
        let Splitter { scan, window } = self;
        let after = |part: bool| if part { length } else { 0 };
        let mut cut = Cut {
            head: after(scan.part == Part::Head),
            rest: after(!scan.open),
            tail: after(matches!(scan.part, Part::Head | Part::Items)),
            ..Cut::default()
        };
        let mut at = 0;
        while at < length {
            window.resize(WINDOW.min(length - at), 0);
            piece.read(at, window);
            scan.pass(window, at, &mut cut)?;
            at += window.len();
        }
        if !scan.open {
            cut.rest = length;
        }
        Some(cut)
    }
}

impl Scan {
    fn pass(&mut self, bytes: &[u8], base: usize, cut: &mut Cut) -> Option<()> {
        let mut rest = bytes.iter().enumerate();
        loop {
            // Most of what passes are texts, and what stands between them inside of items.
            let (mut string, mut escaped) = (self.string, self.escaped);
            let next = rest.find(|(_, byte)| {
                if !string {
                    return self.depth < 3 || matches!(**byte, b'"' | b'{' | b'}' | b'[' | b']');
                }
                if escaped {
                    escaped = false;
                } else {
                    escaped = **byte == b'\\';
                    string = **byte != b'"';
                }
                false
            });
            (self.string, self.escaped) = (string, escaped);
            let Some((at, byte)) = next else { return Some(()) };
            self.token(*byte, base + at + 1, cut)?;
        }
    }

    /// A byte outside of texts; `end`: behind it.
    fn token(&mut self, byte: u8, end: usize, cut: &mut Cut) -> Option<()> {
        if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            return Some(());
        }
        if self.part == Part::Items && self.depth == 2 {
            return self.between(byte, end, cut);
        }
        match byte {
            b'{' | b'[' => {
                self.depth = self.depth.checked_add(1)?;
                if self.part == Part::Head && self.depth == 2 && byte == b'[' {
                    self.part = Part::Items;
                    cut.head = end;
                }
            }
            b'}' | b']' => {
                self.depth = self.depth.checked_sub(1)?;
                if self.depth == 0 {
                    // Without items it is another answer.
                    (self.part == Part::Tail).then(|| self.part = Part::End)?;
                } else if self.part == Part::Items && self.depth == 2 {
                    self.open = false;
                    self.next = Next::CommaOrEnd;
                    cut.to = end;
                }
                return Some(());
            }
            b'"' => self.string = true,
            _ => {}
        }
        // Nothing but an object is an answer, and nothing comes behind it.
        (self.depth > 0 && self.part != Part::End).then_some(())
    }

    /// A byte between two items.
    fn between(&mut self, byte: u8, end: usize, cut: &mut Cut) -> Option<()> {
        match (byte, self.next) {
            (b'{', Next::ItemOrEnd | Next::Item) => {
                self.depth += 1;
                self.open = true;
                cut.rest = end - 1;
                if cut.to == 0 {
                    cut.from = end - 1;
                }
            }
            (b',', Next::CommaOrEnd) => self.next = Next::Item,
            (b']', Next::ItemOrEnd | Next::CommaOrEnd) => {
                self.depth = 1;
                self.part = Part::Tail;
                cut.tail = end - 1;
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// Puts together what the pieces have, as the façade does.
    #[derive(Default)]
    struct Reader {
        splitter: Splitter,
        head: Vec<u8>,
        rest: Vec<u8>,
        tail: Vec<u8>,
        items: Vec<Value>,
        most: usize,
    }

    impl Reader {
        fn take(&mut self, piece: &[u8]) -> Option<()> {
            let cut = self.splitter.feed(&piece, piece.len())?;
            self.head.extend(piece.get(..cut.head).unwrap());
            if cut.to > 0 {
                self.rest.extend(piece.get(cut.from..cut.to).unwrap());
                let text = String::from_utf8(core::mem::take(&mut self.rest)).ok()?;
                self.items.extend(serde_json::from_str::<Vec<Value>>(&alloc::format!("[{text}]")).ok()?);
            }
            self.rest.extend(piece.get(cut.rest..).unwrap());
            self.most = self.most.max(self.rest.len());
            self.tail.extend(piece.get(cut.tail..).unwrap());
            Some(())
        }

        fn read(bytes: &[u8], sizes: &[usize]) -> Option<Reader> {
            let mut reader = Reader::default();
            let mut sizes = sizes.iter().cycle();
            let mut left = bytes;
            while !left.is_empty() {
                let (piece, more) = left.split_at(sizes.next().copied().unwrap_or(1).min(left.len()));
                reader.take(piece)?;
                left = more;
            }
            (reader.splitter.part() == Part::End).then_some(reader)
        }

        fn frame(&self) -> Value {
            serde_json::from_slice(&[&self.head[..], &self.tail].concat()).unwrap()
        }
    }

    #[test]
    fn items_come_out_whatever_the_pieces() {
        let text =
            r#" {"IndexName":"a]\"[","T":{"x":[1]},"Results": [{"a":"}ü\\"} , {"b":[{}, []]},{}], "Error":"no"} "#;
        for size in 1..=text.len() {
            let reader = Reader::read(text.as_bytes(), &[size]).unwrap();
            assert_eq!(reader.items, [json!({"a": "}ü\\"}), json!({"b": [{}, []]}), json!({})], "{size}");
            let expected = json!({"IndexName": "a]\"[", "T": {"x": [1]}, "Results": [], "Error": "no"});
            assert_eq!(reader.frame(), expected, "{size}");
        }
    }

    #[test]
    fn what_is_cut_off_is_no_answer() {
        let text = br#"{"Results":[{"a":[1,{}]},{"b":2}]}"#;
        for end in 0..text.len() {
            assert!(Reader::read(&text[..end], &[7]).is_none(), "{end}");
        }
        assert!(Reader::read(text, &[7]).is_some());
    }

    #[test]
    fn what_is_something_else_is_no_answer() {
        for text in [
            "[]",
            "null",
            "<html>",
            r#"{"Error":"no"}"#,
            r#"{"Results":null}"#,
            r#"{"Results":[1]}"#,
            r#"{"Results":[null]}"#,
            r#"{"Results":["a"]}"#,
            r#"{"Results":[{}{}]}"#,
            r#"{"Results":[{},]}"#,
            r#"{"Results":[,{}]}"#,
            r#"{"Results":[{},,{}]}"#,
            r#"{"Results":[{}]}}"#,
            r#"{"Results":[{}]}{}"#,
            r#"{"Results":[{}]} x"#,
            r#"{"Results":[{]}"#,
        ] {
            for size in [1, 3, 100] {
                assert!(Reader::read(text.as_bytes(), &[size]).is_none(), "{text}");
            }
        }
    }

    #[test]
    fn only_what_is_not_complete_is_kept() {
        let item = alloc::format!(r#"{{"a":"{}"}}"#, "x".repeat(100));
        let text = alloc::format!(r#"{{"Results":[{}]}}"#, alloc::vec![item.as_str(); 1_000].join(","));
        let reader = Reader::read(text.as_bytes(), &[64, 1, 333]).unwrap();
        assert_eq!((reader.items.len(), reader.most < item.len()), (1_000, true));
    }

    /// Documents of any shape.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            r#"[a-z\\"{}\[\],:ü🧀\n]{0,12}"#.prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                object(inner).prop_map(Value::Object),
            ]
        })
    }

    fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = serde_json::Map<String, Value>> {
        prop::collection::vec((r#"[a-c"\\\]]{0,3}"#, inner), 0..5).prop_map(|members| members.into_iter().collect())
    }

    proptest! {
        #[test]
        fn agrees_with_a_full_parser(
            items in prop::collection::vec(object(value()), 0..12),
            pretty: bool,
            sizes in prop::collection::vec(1usize..40, 1..8),
        ) {
            let items: Vec<Value> = items.into_iter().map(Value::Object).collect();
            let answer = json!({"IndexName": "ü]", "Results": items});
            let text = if pretty { serde_json::to_vec_pretty(&answer) } else { serde_json::to_vec(&answer) }.unwrap();
            let reader = Reader::read(&text, &sizes).unwrap();
            prop_assert_eq!(&reader.items, &items);
            prop_assert_eq!(reader.frame(), json!({"IndexName": "ü]", "Results": []}));
        }

        #[test]
        fn a_changed_byte_is_noticed_or_changes_a_value(
            items in prop::collection::vec(object(value()), 1..5),
            at: prop::sample::Index,
            byte: u8,
            sizes in prop::collection::vec(1usize..40, 1..8),
        ) {
            let items: Vec<Value> = items.into_iter().map(Value::Object).collect();
            let mut text = serde_json::to_vec(&json!({"Results": items})).unwrap();
            let at = at.index(text.len());
            text[at] = byte;
            // What a full parser refuses is never taken for an answer.
            if let Some(reader) = Reader::read(&text, &sizes) {
                let whole = [&reader.head[..], &reader.tail].concat();
                let taken = serde_json::from_slice::<Value>(&whole).is_ok();
                prop_assert!(!taken || serde_json::from_slice::<Value>(&text).is_ok());
            }
        }

        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>, size in 1usize..20) {
            Reader::read(&bytes, &[size]);
        }
    }
}
