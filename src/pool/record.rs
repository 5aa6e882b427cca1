//! The record of one scope, as text. It has a version, and is rejected as a whole if any part differs from what was written.

use alloc::string::String;
use alloc::vec::Vec;

use crate::hilo::Range;
use crate::ids::key;
use crate::json;

/// Version of the format. Records of other versions are not read.
const VERSION: u64 = 1;

/// Numbers parked on the device, with the prefix and node tag that belong to them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parked {
    /// The numbers.
    pub range: Range,
    /// The part of the id before the number.
    pub prefix: String,
    /// The node tag.
    pub tag: String,
}

impl Parked {
    /// Whether the numbers have this node tag. Case is ignored, as in ids.
    pub fn is_of(&self, tag: &str) -> bool {
        key::surely_same(&self.tag, tag)
    }
}

/// What a device stores for one scope: source, server, database, tag and separator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// The incarnation of the database that granted the numbers.
    pub incarnation: String,
    /// Parked numbers, in the order in which they will be used.
    pub parked: Vec<Parked>,
    /// The highest number known to be issued, per node tag.
    pub issued: Vec<(String, u64)>,
    /// How many numbers the device has used. More usage means more parked numbers.
    pub used: u64,
}

impl Record {
    /// The text that is stored.
    pub fn write(&self) -> String {
        let mut text = String::from("{\"version\":1,\"incarnation\":");
        json::push_string(&mut text, &self.incarnation);
        text.push_str(",\"parked\":[");
        for (position, parked) in self.parked.iter().enumerate() {
            text.push_str(if position > 0 { ",[" } else { "[" });
            json::push_integer(&mut text, parked.range.low());
            text.push(',');
            json::push_integer(&mut text, parked.range.high());
            for part in [&parked.prefix, &parked.tag] {
                text.push(',');
                json::push_string(&mut text, part);
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

    /// How many numbers are parked.
    pub fn count(&self) -> u64 {
        self.parked.iter().map(|parked| parked.range.len()).sum()
    }

    /// Whether one of these numbers is parked.
    pub fn holds(&self, numbers: &Parked) -> bool {
        self.parked.iter().any(|parked| parked.is_of(&numbers.tag) && parked.range.overlaps(numbers.range))
    }

    /// Marks all numbers of a node tag up to `number` as issued.
    pub fn mark(&mut self, tag: &str, number: u64) {
        match self.issued.iter_mut().find(|(of, _)| key::surely_same(of, tag)) {
            Some((_, highest)) => *highest = number.max(*highest),
            None => self.issued.push((String::from(tag), number)),
        }
    }

    /// Withdraws the marks of numbers that were handed out for issuing and are returned unused: the server may grant them again
    /// without having gone back in time. `taken`: parked numbers between them that are returned too.
    pub fn unmark(&mut self, unused: &[Parked], taken: &[Parked]) {
        for (tag, highest) in &mut self.issued {
            let ends = |unused: &&Parked, highest| unused.range.high() == highest && unused.is_of(tag);
            while let Some(top) = unused.iter().chain(taken).find(|unused| ends(unused, *highest)) {
                *highest = top.range.low() - 1;
            }
        }
    }

    /// Reads a stored text. `None` for anything that was not written by [`Record::write`] of this version: its numbers are burnt,
    /// because guessing them could issue an id twice.
    pub fn read(text: &str) -> Option<Record> {
        let bytes = text.as_bytes();
        if json::integer(json::get(bytes, "version")?)? != VERSION {
            return None;
        }
        let mut record = Record {
            incarnation: json::string(json::get(bytes, "incarnation")?)?,
            used: json::integer(json::get(bytes, "used")?)?,
            ..Record::default()
        };
        for entry in json::elements(json::get(bytes, "parked")?) {
            let mut parts = json::elements(entry);
            let mut number = || json::integer(parts.next()?);
            let range = Range::new(number()?, number()?)?;
            let prefix = json::string(parts.next()?)?;
            let tag = json::string(parts.next()?)?;
            let parked = Parked { range, prefix, tag };
            // A number stored twice would be issued twice.
            if record.holds(&parked) {
                return None;
            }
            record.parked.push(parked);
        }
        for entry in json::elements(json::get(bytes, "issued")?) {
            let mut parts = json::elements(entry);
            record.issued.push((json::string(parts.next()?)?, json::integer(parts.next()?)?));
        }
        (record.write() == text).then_some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    fn record() -> Record {
        Record {
            incarnation: "tN/M0".into(),
            parked: vec![Parked { range: Range::new(2, 9).unwrap(), prefix: "orders/".into(), tag: "A".into() }],
            issued: vec![("A".into(), 1)],
            used: 1,
        }
    }

    #[test]
    fn the_schema() {
        let text = r#"{"version":1,"incarnation":"tN/M0","parked":[[2,9,"orders/","A"]],"issued":[["A",1]],"used":1}"#;
        assert_eq!(record().write(), text);
        assert_eq!(Record::read(text), Some(record()));
    }

    #[test]
    fn another_version_is_not_read() {
        assert_eq!(Record::read(&record().write().replace("\"version\":1", "\"version\":2")), None);
    }

    #[test]
    fn numbers_that_are_there_twice_are_not_read() {
        let mut twice = record();
        twice.parked.push(twice.parked[0].clone());
        assert_eq!(Record::read(&twice.write()), None);
        twice.parked[1].tag = "B".into();
        assert_eq!(Record::read(&twice.write()), Some(twice), "under another node tag these are other ids");
    }

    proptest! {
        #[test]
        fn a_damaged_record_is_refused_and_never_invents_numbers(at in 0..80usize, byte in any::<u8>()) {
            let mut bytes = record().write().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(text) = String::from_utf8(bytes)
                && let Some(read) = Record::read(&text)
            {
                prop_assert_eq!(read.write(), text);
            }
        }

        #[test]
        fn records_read_back(incarnation: String, prefix: String, tag: String, low in 1..1_000u64, len in 0..1_000u64) {
            let range = Range::new(low, low + len).unwrap();
            let parked = vec![Parked { range, prefix, tag: tag.clone() }];
            let record = Record { incarnation, parked, issued: vec![(tag, low)], used: len };
            prop_assert_eq!(Record::read(&record.write()), Some(record));
        }
    }
}
