//! What a hub stores: its state, and the records of grants, free numbers and loans.

use super::members;
use crate::prelude::*;
use alloc::collections::BTreeMap;
use raven_edge::hilo::Range;
use raven_edge_authority::error::json_string;

/// The state of a hub; stored as JSON in one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HubState {
    /// The database whose counter this is.
    pub(super) database: String,
    /// The counter's name.
    pub(super) tag: String,
    /// The configured source's identity. The same number of another source is another id.
    pub(super) source: String,
    /// The database's incarnation according to the last grant.
    pub(super) incarnation: Option<String>,
    /// An incarnation that a client reported and that the source did not confirm.
    pub(super) refuted: Option<String>,
    /// Highest number by node tag that this hub holds or has lent; a new grant must lie above it.
    pub(super) highest_granted: BTreeMap<String, u64>,
    /// Highest number by node tag that any client may have; free numbers above it were never lent.
    pub(super) highest_lent: BTreeMap<String, u64>,
    /// Time of the last loan, in ticks; unique for each loan.
    pub(super) last_at: u64,
    /// Number of ranges that the source has granted.
    pub(super) grants: u64,
    /// Number of loans made.
    pub(super) loans: u64,
    /// Size of the last range from the source.
    pub(super) size: u64,
    /// When the last range was granted, in milliseconds since 1970.
    pub(super) granted_at: u64,
    /// When the last loan was made, in milliseconds since 1970.
    pub(super) lent_at: u64,
}

impl HubState {
    /// Reads a stored state. A member that is missing is an error: numbers could be lent twice if one counted as empty.
    pub(super) fn read(stored: &str) -> Result<Self, String> {
        members::read(stored, |state| {
            Ok(Self {
                database: state.text("database")?,
                tag: state.text("tag")?,
                source: state.text("source")?,
                incarnation: state.optional_text("incarnation")?,
                refuted: state.optional_text("refuted")?,
                highest_granted: state.numbers("marks")?,
                highest_lent: state.numbers("tops")?,
                last_at: state.number("last_at")?,
                grants: state.number("grants")?,
                loans: state.number("loans")?,
                size: state.number("size")?,
                granted_at: state.number("granted_at")?,
                lent_at: state.number("lent_at")?,
            })
        })
    }

    /// The stored form, whose names must not change.
    pub(super) fn stored(&self) -> String {
        let Self { last_at, grants, loans, size, granted_at, lent_at, .. } = self;
        let [database, tag, source] = [&self.database, &self.tag, &self.source].map(|text| json_string(text));
        let [incarnation, refuted] =
            [&self.incarnation, &self.refuted].map(|text| text.as_deref().map_or_else(|| "null".into(), json_string));
        let [marks, tops] = [&self.highest_granted, &self.highest_lent].map(numbers);
        format!(
            r#"{{"database":{database},"tag":{tag},"source":{source},"incarnation":{incarnation},"refuted":{refuted},"marks":{marks},"tops":{tops},"last_at":{last_at},"grants":{grants},"loans":{loans},"size":{size},"granted_at":{granted_at},"lent_at":{lent_at}}}"#
        )
    }
}

fn numbers(by_tag: &BTreeMap<String, u64>) -> String {
    let members: Vec<_> = by_tag.iter().map(|(tag, number)| format!("{}:{number}", json_string(tag))).collect();
    format!("{{{}}}", members.join(","))
}

/// A range that the source granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GrantRecord {
    /// Consecutive number of the grant.
    pub(super) id: u64,
    /// Its highest number.
    pub(super) high: u64,
    /// The node tag of its numbers.
    pub(super) tag: String,
    /// Proof that lets the hub return the end of the range; `None` after a return was attempted.
    pub(super) fence: Option<String>,
    /// Address of the node that granted the range. Only this node may receive the fence.
    pub(super) url: String,
}

/// Free numbers that the hub holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// The grant that they are part of.
    pub(super) grant: u64,
    /// The numbers.
    pub(super) range: Range,
}

/// Numbers that a client has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loan {
    /// Consecutive number of the loan.
    pub(super) id: u64,
    /// Only the client knows it, and must send it to return the end of the loan. `None` after a return.
    pub(super) secret: Option<String>,
    /// The grant that the numbers are part of.
    pub(super) grant: u64,
    /// The lowest number.
    pub(super) low: u64,
    /// The highest number that the client still has; `low` − 1 if it has returned all.
    pub(super) high: u64,
    /// When the loan was made, in ticks. The client sends this time with its next request.
    pub(super) at: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_of_the_state_does_not_change() {
        let stored = concat!(
            r#"{"database":"Shop","tag":"orders","source":"server","incarnation":"i","refuted":null,"#,
            r#""marks":{"A":64},"tops":{"A":32},"last_at":7,"grants":1,"loans":2,"size":64,"granted_at":5,"lent_at":6}"#
        );
        let state = HubState::read(stored).unwrap();
        assert_eq!((state.highest_granted.get("A"), state.highest_lent.get("A")), (Some(&64), Some(&32)));
        assert_eq!(state.stored(), stored);
    }

    #[test]
    fn a_state_without_one_of_its_numbers_is_not_read() {
        let stored =
            HubState { incarnation: Some("a \"b\" \n".into()), last_at: u64::MAX, ..HubState::default() }.stored();
        assert_eq!(HubState::read(&stored).unwrap().stored(), stored);
        for name in
            ["database", "source", "marks", "tops", "last_at", "grants", "loans", "size", "granted_at", "lent_at"]
        {
            let other = stored.replace(&format!("\"{name}\""), "\"other\"");
            assert!(HubState::read(&other).unwrap_err().contains(name), "{name}");
        }
        let wrong = stored.replace("\"marks\":{}", "\"marks\":{\"A\":-1}");
        assert!(HubState::read(&wrong).is_err());
    }
}
