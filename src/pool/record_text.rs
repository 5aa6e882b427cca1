//! The text of a record. It has a version, and is rejected as a whole if any part differs from what was written.
//!
//! JavaScript has the same functions (`pkg/src/device/parked-numbers.ts`); the vectors of `tests/twin` hold the two together.

use alloc::string::String;
use alloc::vec::Vec;

use crate::hilo::Range;
use crate::ids::key;
use crate::json;

/// Versions of the format; records of others are not read. A record without tokens has the first one, so that pages that still run the
/// release before can use it beside this one.
const PLAIN: u64 = 1;
const WITH_TOKENS: u64 = 2;

/// As [`Token`](super::Token), with its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenText {
    /// The whole lease.
    pub lease: Range,
    /// The text, which only the gateway can read.
    pub text: String,
}

/// Parked numbers, with the texts that belong to them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ParkedText {
    /// The numbers.
    pub range: Range,
    /// The part of the id before the number.
    pub prefix: String,
    /// The node tag.
    pub node_tag: String,
    /// For numbers that a gateway has leased.
    pub token: Option<TokenText>,
}

/// A record with its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecordText {
    /// The incarnation of the database that granted the numbers.
    pub incarnation: String,
    /// Parked numbers, in any order: the release before has written them in the order in which it leased them.
    pub parked: Vec<ParkedText>,
    /// The highest number known to be issued, per node tag.
    pub issued: Vec<(String, u64)>,
    /// How many numbers the device has used.
    pub used: u64,
}

impl RecordText {
    /// The text that is stored.
    pub fn write(&self) -> String {
        let version = if self.parked.iter().any(|parked| parked.token.is_some()) { WITH_TOKENS } else { PLAIN };
        let mut text = String::from("{\"version\":");
        json::push_integer(&mut text, version);
        text.push_str(",\"incarnation\":");
        json::push_string(&mut text, &self.incarnation);
        text.push_str(",\"parked\":[");
        for (position, parked) in self.parked.iter().enumerate() {
            text.push_str(if position > 0 { ",[" } else { "[" });
            push_range(&mut text, parked.range);
            for part in [&parked.prefix, &parked.node_tag] {
                text.push(',');
                json::push_string(&mut text, part);
            }
            if let Some(token) = &parked.token {
                text.push(',');
                push_range(&mut text, token.lease);
                text.push(',');
                json::push_string(&mut text, &token.text);
            }
            text.push(']');
        }
        text.push_str("],\"issued\":[");
        for (position, (tag, highest)) in self.issued.iter().enumerate() {
            text.push_str(if position > 0 { ",[" } else { "[" });
            json::push_string(&mut text, tag);
            text.push(',');
            json::push_integer(&mut text, *highest);
            text.push(']');
        }
        text.push_str("],\"used\":");
        json::push_integer(&mut text, self.used);
        text.push('}');
        text
    }

    /// Whether a later release has written a text, in a version that this one does not know.
    pub fn is_of_newer_version(text: &str) -> bool {
        let version = json::get(text.as_bytes(), "version").and_then(json::integer);
        version.is_some_and(|version| version > WITH_TOKENS)
    }

    /// Reads a stored text. `None` for anything that was not written by [`RecordText::write`] of this version: its numbers are burnt,
    /// because guessing them could issue an id twice.
    pub fn read(text: &str) -> Option<RecordText> {
        let bytes = text.as_bytes();
        let mut record = RecordText {
            incarnation: json::string(json::get(bytes, "incarnation")?)?,
            used: json::integer(json::get(bytes, "used")?)?,
            ..RecordText::default()
        };
        for entry in json::elements(json::get(bytes, "parked")?) {
            let mut parts = json::elements(entry);
            let mut number = || json::integer(parts.next()?);
            let range = Range::new(number()?, number()?)?;
            let prefix = json::string(parts.next()?)?;
            let node_tag = json::string(parts.next()?)?;
            let token = match parts.next() {
                Some(low) => Some(TokenText {
                    lease: Range::new(json::integer(low)?, json::integer(parts.next()?)?)?,
                    text: json::string(parts.next()?)?,
                }),
                None => None,
            };
            // A number stored twice would be issued twice.
            let twice =
                |parked: &ParkedText| key::surely_same(&parked.node_tag, &node_tag) && parked.range.overlaps(range);
            if record.parked.iter().any(twice) {
                return None;
            }
            record.parked.push(ParkedText { range, prefix, node_tag, token });
        }
        for entry in json::elements(json::get(bytes, "issued")?) {
            let mut parts = json::elements(entry);
            record.issued.push((json::string(parts.next()?)?, json::integer(parts.next()?)?));
        }
        // Compares all that was not read, too: the version, and what follows in each entry.
        (record.write() == text).then_some(record)
    }
}

fn push_range(text: &mut String, range: Range) {
    json::push_integer(text, range.low());
    text.push(',');
    json::push_integer(text, range.high());
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    fn record() -> RecordText {
        RecordText {
            incarnation: "tN/M0".into(),
            parked: vec![ParkedText {
                range: Range::new(2, 9).unwrap(),
                prefix: "orders/".into(),
                node_tag: "A".into(),
                token: None,
            }],
            issued: vec![("A".into(), 1)],
            used: 1,
        }
    }

    #[test]
    fn the_schema() {
        let text = r#"{"version":1,"incarnation":"tN/M0","parked":[[2,9,"orders/","A"]],"issued":[["A",1]],"used":1}"#;
        assert_eq!(record().write(), text);
        assert_eq!(RecordText::read(text), Some(record()));
    }

    #[test]
    fn another_version_is_not_read() {
        for version in ["2", "3"] {
            let text = record().write().replace("\"version\":1", &["\"version\":", version].concat());
            assert_eq!(RecordText::read(&text), None);
            assert_eq!(RecordText::is_of_newer_version(&text), version == "3");
        }
        assert!(!RecordText::is_of_newer_version("numbers") && !RecordText::is_of_newer_version(""));
    }

    #[test]
    fn a_token_makes_a_record_of_the_second_version() {
        let text = r#"{"version":2,"incarnation":"tN/M0","parked":[[2,9,"orders/","A",1,32,"AQ-x"]],"issued":[["A",1]],"used":1}"#;
        let mut sealed = record();
        sealed.parked[0].token = Some(TokenText { lease: Range::new(1, 32).unwrap(), text: "AQ-x".into() });
        assert_eq!(sealed.write(), text);
        assert_eq!(RecordText::read(text), Some(sealed));
        assert_eq!(RecordText::read(&text.replace("\"version\":2", "\"version\":1")), None);
    }

    #[test]
    fn numbers_that_are_there_twice_are_not_read() {
        let mut twice = record();
        twice.parked.push(twice.parked[0].clone());
        assert_eq!(RecordText::read(&twice.write()), None);
        twice.parked[1].node_tag = "B".into();
        assert_eq!(RecordText::read(&twice.write()), Some(twice), "under another node tag these are other ids");
    }

    proptest! {
        #[test]
        fn a_damaged_record_is_refused_and_never_invents_numbers(at in 0..80usize, byte in any::<u8>()) {
            let mut bytes = record().write().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(text) = String::from_utf8(bytes)
                && let Some(read) = RecordText::read(&text)
            {
                prop_assert_eq!(read.write(), text);
            }
        }

        #[test]
        fn records_read_back(incarnation: String, prefix: String, tag: String, low in 1..1_000u64, len in 0..1_000u64) {
            let range = Range::new(low, low + len).unwrap();
            let parked = vec![ParkedText { range, prefix, node_tag: tag.clone(), token: None }];
            let record = RecordText { incarnation, parked, issued: vec![(tag, low)], used: len };
            prop_assert_eq!(RecordText::read(&record.write()), Some(record));
        }
    }
}
