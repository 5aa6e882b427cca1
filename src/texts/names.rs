//! Texts that have numbers.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::hilo;
use crate::ids::key;
use crate::pool::{Parked, ParkedText, Record, RecordText, Token, TokenText};
use crate::source::{self, Ask, Echo, Grant, Return, Size};

/// The tag of texts that are never forgotten.
const LASTING: u32 = u32::MAX;

/// What belongs to a lease: its fence, and the server's timestamp.
#[derive(Clone, Debug, Default)]
struct LeaseTexts {
    /// The number of its tag. [`LASTING`] if a gateway has sealed the fence: numbers on the device keep it, and a move of them may be
    /// under way at any time.
    tag: u32,
    fence: Option<String>,
    at: String,
}

/// The texts of a store that have numbers.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// The names of tags.
    pub(super) tags: Vec<String>,
    /// Prefixes and node tags, as they are spelled.
    affixes: Vec<(String, String)>,
    /// The first spelling of each node tag.
    node_tags: Vec<String>,
    /// Incarnations; number 0 means none.
    incarnations: Vec<String>,
    leases: BTreeMap<u32, LeaseTexts>,
    newest_lease: u32,
}

fn number<T: PartialEq>(known: &mut Vec<T>, of: T) -> u32 {
    let at = known.iter().position(|known| *known == of).unwrap_or_else(|| {
        known.push(of);
        known.len() - 1
    });
    at as u32
}

impl Names {
    pub(super) fn new() -> Names {
        // The incarnation of numbers that do not belong to a database is the empty text.
        let incarnations = Vec::from([String::new(); hilo::NO_DATABASE as usize]);
        let (tags, affixes, node_tags, leases) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
        Names { tags, affixes, node_tags, incarnations, leases, newest_lease: 0 }
    }

    pub(super) fn tag(&self, number: u32) -> &str {
        self.tags.get(number as usize).map_or("", String::as_str)
    }

    /// The number of an incarnation; 0: none.
    pub(super) fn incarnation(&mut self, text: Option<&str>) -> u32 {
        text.map_or(0, |text| number(&mut self.incarnations, String::from(text)) + 1)
    }

    /// The incarnation of a number.
    pub(super) fn incarnation_of(&self, number: u32) -> Option<&str> {
        self.incarnations.get((number as usize).checked_sub(1)?).map(String::as_str)
    }

    fn affixes(&mut self, prefix: &str, node_tag: &str) -> u32 {
        number(&mut self.affixes, (String::from(prefix), String::from(node_tag)))
    }

    /// The number of a node tag. Case is ignored, as in ids.
    fn node_tag(&mut self, node_tag: &str) -> u32 {
        let same = |known: &String| key::surely_same(known, node_tag);
        let at = self.node_tags.iter().position(same).unwrap_or_else(|| {
            self.node_tags.push(String::from(node_tag));
            self.node_tags.len() - 1
        });
        at as u32
    }

    fn keep(&mut self, texts: LeaseTexts) -> u32 {
        self.newest_lease += 1;
        self.leases.insert(self.newest_lease, texts);
        self.newest_lease
    }

    /// The request for a range, with its texts. Forgets the texts of the tag that are not needed any more.
    pub(super) fn ask(&mut self, ask: &hilo::Ask) -> Ask {
        self.leases.retain(|number, texts| texts.tag != ask.tag || *number >= ask.oldest_texts);
        let fence = |number: u32| self.leases.get(&number)?.fence.clone();
        let size =
            match ask.size {
                hilo::Size::Exact(size) => Size::Exact(size),
                hilo::Size::Adaptive(echo) => Size::Adaptive(echo.and_then(|hilo::Echo { size, texts }| {
                    Some(Echo { size, at: self.leases.get(&texts)?.at.clone() })
                })),
            };
        Ask {
            tag: String::from(self.tag(ask.tag)),
            size,
            above: ask.above,
            proof: fence(ask.proof).map(String::into_boxed_str),
            incarnation: self.incarnation_of(ask.incarnation).map(Into::into),
            nonce: ask.nonce,
        }
    }

    /// A grant of a tag as numbers.
    pub(super) fn grant(&mut self, tag: u32, grant: &Grant) -> hilo::Grant {
        let at = grant.echo.as_ref().map_or(String::new(), |echo| echo.at.clone());
        let tag = if grant.is_sealed() { LASTING } else { tag };
        hilo::Grant {
            range: grant.range,
            affixes: self.affixes(&grant.prefix, &grant.tag),
            node_tag: self.node_tag(&grant.tag),
            texts: self.keep(LeaseTexts { tag, fence: grant.fence.clone(), at }),
            fenced: grant.fence.is_some(),
            sealed: grant.is_sealed(),
            single_node: grant.is_single_node(),
            node: grant.node,
            incarnation: self.incarnation(grant.incarnation.as_deref()),
        }
    }

    /// A grant with its texts.
    pub(super) fn grant_of(&self, grant: &hilo::Grant) -> Box<Grant> {
        let (prefix, tag) = self.affixes.get(grant.affixes as usize).cloned().unwrap_or_default();
        let texts = self.leases.get(&grant.texts);
        Box::new(Grant {
            range: grant.range,
            prefix,
            tag,
            fence: texts.and_then(|texts| texts.fence.clone()),
            node: grant.node,
            echo: texts.map(|texts| Echo { size: grant.range.len(), at: texts.at.clone() }),
            incarnation: self.incarnation_of(grant.incarnation).map(String::from),
        })
    }

    /// The state of a tag's counter document as numbers, for numbers whose return waits for its fence.
    pub(super) fn counter(&mut self, item: &hilo::Unfenced, max: u64, fence: String) -> hilo::CounterState {
        let node_tag = self.affixes.get(item.affixes as usize).map_or("", |(_, node_tag)| node_tag);
        let single_node = source::is_of_single_node(&fence, node_tag);
        let texts = self.keep(LeaseTexts { tag: item.tag, fence: Some(fence), at: String::new() });
        hilo::CounterState { max, texts, single_node }
    }

    /// A return with its texts.
    pub(super) fn return_of(&self, item: &hilo::Return) -> Return {
        let fence = self.leases.get(&item.texts).and_then(|texts| texts.fence.clone());
        let tag = String::from(self.tag(item.tag));
        Return { tag, fence: fence.unwrap_or_default(), high: item.high, last: item.last }
    }

    /// The number of a text that a gateway has sealed.
    fn token(&mut self, token: &TokenText) -> Token {
        let TokenText { lease, text } = token;
        let same = |texts: &LeaseTexts| texts.tag == LASTING && texts.fence.as_ref() == Some(text);
        let known = self.leases.iter().find(|(_, texts)| same(texts)).map(|(number, _)| *number);
        let text = known
            .unwrap_or_else(|| self.keep(LeaseTexts { tag: LASTING, fence: Some(text.clone()), at: String::new() }));
        Token { lease: *lease, text }
    }

    /// Reads the text of a record.
    pub(super) fn record(&mut self, text: &str) -> Option<Record> {
        let read = RecordText::read(text)?;
        let incarnation = self.incarnation(Some(&read.incarnation));
        let mut record = Record { incarnation, used: read.used, ..Record::default() };
        for parked in &read.parked {
            record.park(Parked {
                range: parked.range,
                affixes: self.affixes(&parked.prefix, &parked.node_tag),
                node_tag: self.node_tag(&parked.node_tag),
                token: parked.token.as_ref().map(|token| self.token(token)),
            });
        }
        record.issued = read.issued.iter().map(|(node_tag, highest)| (self.node_tag(node_tag), *highest)).collect();
        Some(record)
    }

    /// The text of a record.
    pub(super) fn text_of(&self, record: &Record) -> String {
        let parked = record.parked.iter().map(|parked| {
            let (prefix, node_tag) = self.affixes.get(parked.affixes as usize).cloned().unwrap_or_default();
            let token = parked.token.map(|Token { lease, text }| {
                let fence = self.leases.get(&text).and_then(|texts| texts.fence.clone());
                TokenText { lease, text: fence.unwrap_or_default() }
            });
            ParkedText { range: parked.range, prefix, node_tag, token }
        });
        let issued = record
            .issued
            .iter()
            .map(|(node_tag, highest)| (self.node_tags.get(*node_tag as usize).cloned().unwrap_or_default(), *highest));
        let incarnation = self.incarnation_of(record.incarnation).map(String::from).unwrap_or_default();
        RecordText { incarnation, parked: parked.collect(), issued: issued.collect(), used: record.used }.write()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_tags_that_differ_in_case_make_the_same_ids_but_keep_their_spelling() {
        let mut names = Names::new();
        let text =
            r#"{"version":1,"incarnation":"i","parked":[[1,2,"o/","A"],[3,4,"o/","a"]],"issued":[["A",4]],"used":4}"#;
        let record = names.record(text).unwrap();
        assert_eq!(record.parked[0].node_tag, record.parked[1].node_tag);
        assert_eq!(names.text_of(&record), text);
    }

    #[test]
    fn what_the_release_before_has_parked_in_any_order_is_used_in_ascending_order() {
        let text = r#"{"version":1,"incarnation":"i","parked":[[40,41,"o/","A"],[10,12,"o/","A"],[2,9,"o/","A"]],"issued":[],"used":1}"#;
        let record = Names::new().record(text).unwrap();
        let ranges = record.parked.iter().map(|parked| (parked.range.low(), parked.range.high()));
        assert_eq!(ranges.collect::<Vec<_>>(), [(2, 12), (40, 41)]);
    }

    #[test]
    fn a_sealed_text_keeps_its_number() {
        let mut names = Names::new();
        let text = r#"{"version":2,"incarnation":"i","parked":[[2,9,"o/","A",1,32,"AQ t"]],"issued":[],"used":1}"#;
        let record = names.record(text).unwrap();
        let size = hilo::Size::Exact(1);
        let ask = hilo::Ask { tag: 0, size, above: 0, proof: 0, incarnation: 0, nonce: 1, oldest_texts: u32::MAX };
        names.ask(&ask);
        assert_eq!(names.text_of(&record), text, "no lease makes it forgotten");
        assert_eq!(names.record(text), Some(record), "the same text has one number");
    }

    #[test]
    fn texts_of_leases_are_kept_until_a_lease_of_their_tag_no_longer_needs_them() {
        let mut names = Names::new();
        let keep =
            |names: &mut Names, tag| names.keep(LeaseTexts { tag, fence: Some(String::from("f")), at: String::new() });
        let kept = [0, 1, 0].map(|tag| keep(&mut names, tag));
        let size = hilo::Size::Exact(1);
        let ask = hilo::Ask { tag: 0, size, above: 9, proof: 3, incarnation: 0, nonce: 1, oldest_texts: 3 };
        assert_eq!(names.ask(&ask).proof.as_deref(), Some("f"));
        assert_eq!(kept.map(|number| names.leases.contains_key(&number)), [false, true, true]);
    }
}
