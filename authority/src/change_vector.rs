//! Change vectors: `A:17-<database id>, B:3-<database id>`.

use crate::prelude::*;
use core::fmt;

/// The state of a document, or of a whole database: for each node the last etag that went into it.
///
/// Each etag is used once per database and node, also across deletions, so no two states of a document share a
/// vector. Clients treat the text as opaque.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChangeVector(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Entry {
    node: String,
    etag: u64,
    database_id: String,
}

/// The relation of two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The left one includes everything in the right one, and possibly more.
    Covers,
    /// The right one includes more than the left one.
    CoveredBy,
    /// Each includes something that the other one does not.
    Conflict,
}

impl ChangeVector {
    /// Parses a vector; `None` if this crate cannot have written the text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut vector = Self::default();
        for part in text.split(',').map(str::trim_start).filter(|part| !part.is_empty()) {
            let (node, rest) = part.split_once(':')?;
            let (etag, database_id) = rest.split_once('-')?;
            vector.raise(node, etag.parse().ok()?, database_id);
        }
        Some(vector)
    }

    /// Raises this node's entry to `etag`; a lower etag changes nothing.
    pub fn raise(&mut self, node: &str, etag: u64, database_id: &str) {
        match self.0.iter_mut().find(|e| e.database_id == database_id) {
            Some(entry) => entry.etag = entry.etag.max(etag),
            None => {
                let place = self.0.partition_point(|e| (&*e.node, &*e.database_id) < (node, database_id));
                self.0.insert(place, Entry { node: node.into(), etag, database_id: database_id.into() });
            }
        }
    }

    /// Takes the higher value of each entry.
    pub fn merge(&mut self, other: &Self) {
        for entry in &other.0 {
            self.raise(&entry.node, entry.etag, &entry.database_id);
        }
    }

    fn covers(&self, other: &Self) -> bool {
        other.0.iter().all(|o| self.0.iter().any(|e| e.database_id == o.database_id && e.etag >= o.etag))
    }

    pub(crate) fn relation(&self, other: &Self) -> Relation {
        match (self.covers(other), other.covers(self)) {
            (true, _) => Relation::Covers,
            (false, true) => Relation::CoveredBy,
            (false, false) => Relation::Conflict,
        }
    }
}

impl fmt::Display for ChangeVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, entry) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{}:{}-{}", entry.node, entry.etag, entry.database_id)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(text: &str) -> ChangeVector {
        ChangeVector::parse(text).expect(text)
    }

    #[test]
    fn a_vector_round_trips_as_text_sorted_by_node() {
        assert_eq!(vector("B:3-y, A:5-x").to_string(), "A:5-x, B:3-y");
        assert_eq!(vector("").to_string(), "");
        assert_eq!(ChangeVector::parse("garbage"), None);
    }

    #[test]
    fn merging_takes_the_higher_value_of_each_entry() {
        let mut a = vector("A:5-x");
        a.merge(&vector("B:3-y, A:4-x"));
        assert_eq!(a.to_string(), "A:5-x, B:3-y");
    }

    #[test]
    fn vectors_cover_each_other_or_conflict() {
        assert_eq!(vector("A:5-x").relation(&vector("A:5-x")), Relation::Covers);
        assert_eq!(vector("A:5-x, B:1-y").relation(&vector("A:5-x")), Relation::Covers);
        assert_eq!(vector("A:4-x").relation(&vector("A:5-x")), Relation::CoveredBy);
        assert_eq!(vector("A:5-x").relation(&vector("B:1-y")), Relation::Conflict);
        // The same node tag with another id is another database, created anew.
        assert_eq!(vector("A:5-x").relation(&vector("A:4-z")), Relation::Conflict);
    }
}
