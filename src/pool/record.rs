//! The record of one scope, as text. It has a version, and is rejected as a whole if any part differs from what was written.

use alloc::string::String;
use alloc::vec::Vec;

use crate::hilo::Range;
use crate::ids::key;
use crate::json;

/// Versions of the format; records of others are not read. A record without tokens has the first one, so that pages that still run the
/// release before can use it beside this one.
const PLAIN: u64 = 1;
const WITH_TOKENS: u64 = 2;

/// What a gateway gave with a lease in place of the fence. Only under it can parked numbers of the lease be returned: a fence that
/// pages could have read again through a gateway would let a copied page lower `Max` below issued ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// The whole lease.
    pub lease: Range,
    /// The text, which only the gateway can read.
    pub text: String,
}

/// Numbers parked on the device, with the prefix and node tag that belong to them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parked {
    /// The numbers.
    pub range: Range,
    /// The part of the id before the number.
    pub prefix: String,
    /// The node tag.
    pub tag: String,
    /// For numbers that a gateway has leased.
    pub token: Option<Token>,
}

impl Parked {
    /// Whether the numbers have this node tag. Case is ignored, as in ids.
    pub fn is_of(&self, tag: &str) -> bool {
        key::surely_same(&self.tag, tag)
    }

    /// Whether the other numbers follow these, and nothing else distinguishes them.
    fn continues_in(&self, next: &Parked) -> bool {
        self.range.high() + 1 == next.range.low()
            && self.prefix == next.prefix
            && self.tag == next.tag
            && self.token == next.token
    }
}

/// What a device stores for one scope: source, server, database, tag and separator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// The incarnation of the database that granted the numbers.
    pub incarnation: String,
    /// Parked numbers in ascending order, in which they will be used.
    pub parked: Vec<Parked>,
    /// The highest number known to be issued, per node tag.
    pub issued: Vec<(String, u64)>,
    /// How many numbers the device has used. More usage means more parked numbers.
    pub used: u64,
}

impl Record {
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
            for part in [&parked.prefix, &parked.tag] {
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

    /// Puts numbers in: in ascending order, and in one entry with those that they continue.
    pub fn park(&mut self, numbers: Parked) {
        let mut at = 0;
        while self.parked.get(at).is_some_and(|known| known.range <= numbers.range) {
            at += 1;
        }
        self.parked.insert(at, numbers);
        self.join(at);
        self.join(at.wrapping_sub(1));
    }

    /// Joins an entry with the next one, if that continues it.
    fn join(&mut self, at: usize) {
        let (Some(this), Some(next)) = (self.parked.get(at), self.parked.get(at.wrapping_add(1))) else { return };
        if !this.continues_in(next) {
            return;
        }
        let high = self.parked.remove(at + 1).range.high();
        if let Some(this) = self.parked.get_mut(at)
            && let Some(range) = Range::new(this.range.low(), high)
        {
            this.range = range;
        }
    }

    /// How many numbers are parked.
    pub fn count(&self) -> u64 {
        self.parked.iter().map(|parked| parked.range.len()).sum()
    }

    /// Whether one of these numbers is parked.
    pub fn holds(&self, numbers: &Parked) -> bool {
        self.parked.iter().any(|parked| parked.is_of(&numbers.tag) && parked.range.overlaps(numbers.range))
    }

    /// The highest number of a node tag that is marked as issued; 0: none.
    pub fn issued_up_to(&self, tag: &str) -> u64 {
        self.issued.iter().find(|(of, _)| key::surely_same(of, tag)).map_or(0, |(_, highest)| *highest)
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
            let has = |unused: &&Parked, highest| {
                unused.is_of(tag) && unused.range.low() <= highest && highest <= unused.range.high()
            };
            while let Some(top) = unused.iter().chain(taken).find(|unused| has(unused, *highest)) {
                *highest = top.range.low() - 1;
            }
        }
    }

    /// Reads a stored text. `None` for anything that was not written by [`Record::write`] of this version: its numbers are burnt,
    /// because guessing them could issue an id twice.
    pub fn read(text: &str) -> Option<Record> {
        let bytes = text.as_bytes();
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
            let token = match parts.next() {
                Some(low) => Some(Token {
                    lease: Range::new(json::integer(low)?, json::integer(parts.next()?)?)?,
                    text: json::string(parts.next()?)?,
                }),
                None => None,
            };
            let parked = Parked { range, prefix, tag, token };
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
        // Compares all that was not read, too: the version, and what follows in each entry.
        if record.write() != text {
            return None;
        }
        // The release before has parked numbers in the order in which it leased them.
        for parked in core::mem::take(&mut record.parked) {
            record.park(parked);
        }
        Some(record)
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

    fn record() -> Record {
        Record {
            incarnation: "tN/M0".into(),
            parked: vec![Parked {
                range: Range::new(2, 9).unwrap(),
                prefix: "orders/".into(),
                tag: "A".into(),
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
        assert_eq!(Record::read(text), Some(record()));
    }

    #[test]
    fn another_version_is_not_read() {
        for version in ["2", "3"] {
            let text = record().write().replace("\"version\":1", &["\"version\":", version].concat());
            assert_eq!(Record::read(&text), None);
        }
    }

    #[test]
    fn a_token_makes_a_record_of_the_second_version() {
        let text = r#"{"version":2,"incarnation":"tN/M0","parked":[[2,9,"orders/","A",1,32,"AQ-x"]],"issued":[["A",1]],"used":1}"#;
        let mut sealed = record();
        sealed.parked[0].token = Some(Token { lease: Range::new(1, 32).unwrap(), text: "AQ-x".into() });
        assert_eq!(sealed.write(), text);
        assert_eq!(Record::read(text), Some(sealed));
    }

    #[test]
    fn what_the_release_before_has_parked_in_any_order_is_used_in_ascending_order() {
        let text = r#"{"version":1,"incarnation":"i","parked":[[40,41,"orders/","A"],[10,12,"orders/","A"],[2,9,"orders/","A"]],"issued":[],"used":1}"#;
        let ranges = Record::read(text).unwrap().parked.iter().map(|parked| parked.range).collect::<Vec<_>>();
        assert_eq!(ranges, [Range::new(2, 12).unwrap(), Range::new(40, 41).unwrap()]);
    }

    #[test]
    fn numbers_that_continue_others_are_one_entry_unless_they_are_of_another_lease() {
        let part = |low, high, text: &str| {
            let token = Some(Token { lease: Range::new(1, 9).unwrap(), text: text.into() });
            Parked { range: Range::new(low, high).unwrap(), token, ..record().parked.remove(0) }
        };
        let mut parts = Record::default();
        for entry in [part(4, 5, "a"), part(8, 9, "b"), part(2, 3, "a"), part(6, 7, "a")] {
            parts.park(entry);
        }
        assert_eq!(parts.parked, [part(2, 7, "a"), part(8, 9, "b")]);
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
            let parked = vec![Parked { range, prefix, tag: tag.clone(), token: None }];
            let record = Record { incarnation, parked, issued: vec![(tag, low)], used: len };
            prop_assert_eq!(Record::read(&record.write()), Some(record));
        }
    }
}
