//! Which collections there are for callers, and what may be done with them.
//!
//! A document belongs to a collection when two things agree: its metadata says so, and its id begins with the
//! collection's prefix. Ids are compared by ASCII case alone: RavenDB takes more letters for alike than that, but never
//! fewer, so that whatever begins with a prefix here begins with it there.

use super::refusal::{Kind, Refusal, refused};

/// What may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// Ranges of ids.
    Lease,
    /// Documents that are not there yet.
    Create,
    /// Loading and listing.
    Read,
    /// Writing over what is there.
    Change,
    /// Deleting.
    Delete,
}

impl Right {
    const ALL: [Self; 5] = [Self::Lease, Self::Create, Self::Read, Self::Change, Self::Delete];

    /// As it is called in the configuration and in an intent.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Lease => "lease",
            Self::Create => "create",
            Self::Read => "read",
            Self::Change => "change",
            Self::Delete => "delete",
        }
    }

    /// What a word of the configuration stands for.
    pub(crate) fn of_word(word: &str) -> Option<Vec<Self>> {
        match word {
            "write" => Some(Self::ALL.to_vec()),
            // Whoever makes documents needs ids for them.
            "create" => Some(vec![Self::Lease, Self::Create]),
            _ => Self::ALL.into_iter().find(|right| right.name() == word).map(|right| vec![right]),
        }
    }
}

/// A collection for callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collection {
    /// As it stands in `@collection`.
    pub(crate) name: String,
    /// What its ids begin with: `orders/`.
    pub(crate) prefix: String,
    /// What may be done.
    pub(crate) rights: Vec<Right>,
}

impl Collection {
    /// Whether it may be done.
    pub(crate) fn allows(&self, right: Right) -> bool {
        self.rights.contains(&right)
    }

    fn owns(&self, id: &str) -> bool {
        let start = id.as_bytes().get(..self.prefix.len());
        id.len() > self.prefix.len() && start.is_some_and(|start| start.eq_ignore_ascii_case(self.prefix.as_bytes()))
    }
}

/// All of them; no prefix begins with another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collections(pub(crate) Vec<Collection>);

impl Collections {
    /// The collection of an id, by its prefix.
    pub(crate) fn of_id(&self, id: &str) -> Option<&Collection> {
        self.0.iter().find(|collection| collection.owns(id))
    }

    /// The collection whose ids a counter makes.
    fn of_tag(&self, tag: &str, separator: char) -> Option<&Collection> {
        self.0.iter().find(|collection| {
            let own = collection.prefix.strip_suffix(separator);
            own.is_some_and(|own| own.eq_ignore_ascii_case(tag))
        })
    }

    /// The collection of an id for which this may be done.
    pub(crate) fn allowed(&self, id: &str, right: Right) -> Result<&Collection, Refusal> {
        check_id(id)?;
        permitted(self.of_id(id), right)
    }

    /// The collection whose ids a counter makes, if they may be leased.
    pub(crate) fn leasable(&self, tag: &str, separator: char) -> Result<&Collection, Refusal> {
        permitted(self.of_tag(tag, separator), Right::Lease)
    }

    /// The collection of all ids that begin like this, if it may be read.
    pub(crate) fn listable(&self, prefix: &str) -> Result<&Collection, Refusal> {
        let within = |collection: &&Collection| prefix.len() == collection.prefix.len() || collection.owns(prefix);
        let begins = |collection: &&Collection| {
            let start = prefix.as_bytes().get(..collection.prefix.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(collection.prefix.as_bytes()))
        };
        permitted(self.0.iter().find(|collection| within(collection) && begins(collection)), Right::Read)
    }

    /// The collection of a document with this id, whose metadata states this collection, if it may be seen.
    pub(crate) fn showing(&self, id: &str, stated: &str) -> Option<&Collection> {
        // RavenDB shows a collection in the letters in which it was written last.
        let known = self.of_id(id).filter(|collection| collection.name.eq_ignore_ascii_case(stated));
        known.filter(|collection| collection.allows(Right::Read))
    }
}

fn permitted(found: Option<&Collection>, right: Right) -> Result<&Collection, Refusal> {
    // One answer for what is not permitted and for what is unknown here: which others there are is nobody's business.
    found
        .filter(|collection| collection.allows(right))
        .ok_or_else(|| refused(Kind::Collection, format!("the gateway does not permit \"{}\" here", right.name())))
}

/// Fails unless this is an id in its final form, and nothing that looks like a path with steps back.
pub(crate) fn check_id(id: &str) -> Result<(), Refusal> {
    use raven_edge::ids::{Limits, Maker, check};
    let steps = id.split('/').any(|part| part == "." || part == "..");
    match check(id, Limits::default()) {
        Ok(Maker::Client) if !steps => Ok(()),
        Ok(_) => Err(refused(Kind::Document, "the id must be final, and none that the server makes")),
        Err(_) => Err(refused(Kind::Document, "this is no id")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collections() -> Collections {
        let of = |name: &str, prefix: &str, word: &str| Collection {
            name: name.into(),
            prefix: prefix.into(),
            rights: Right::of_word(word).unwrap(),
        };
        Collections(vec![of("Orders", "orders/", "create"), of("Products", "products/", "read")])
    }

    #[test]
    fn an_id_belongs_by_its_prefix() {
        let all = collections();
        for (id, expected) in [
            ("orders/1-A", Some("Orders")),
            ("ORDERS/1-a", Some("Orders")),
            ("orders/", None),
            ("orders", None),
            ("ordersx/1", None),
            ("order\u{17f}/1", None),
            ("Raven/Hilo/orders", None),
            ("", None),
        ] {
            assert_eq!(all.of_id(id).map(|collection| collection.name.as_str()), expected, "{id}");
        }
    }

    #[test]
    fn words_stand_for_rights() {
        let all = collections();
        assert!(all.allowed("orders/1-A", Right::Create).is_ok());
        assert!(all.leasable("Orders", '/').is_ok());
        assert!(all.leasable("orders", '-').is_err());
        assert!(all.leasable("products", '/').is_err());
        assert!(all.allowed("orders/1-A", Right::Read).is_err());
        assert!(all.allowed("orders/1-A", Right::Change).is_err());
        assert!(all.allowed("products/1-A", Right::Read).is_ok());
        assert_eq!(Right::of_word("write").unwrap().len(), 5);
        assert_eq!(Right::of_word("admin"), None);
    }

    #[test]
    fn listings_stay_below_a_prefix() {
        let all = collections();
        for (prefix, expected) in
            [("products/", true), ("PRODUCTS/1", true), ("product", false), ("", false), ("orders/", false)]
        {
            assert_eq!(all.listable(prefix).is_ok(), expected, "{prefix}");
        }
    }

    #[test]
    fn a_document_is_shown_when_id_and_metadata_agree() {
        let all = collections();
        assert!(all.showing("products/1-A", "products").is_some());
        assert!(all.showing("products/1-A", "Secrets").is_none());
        assert!(all.showing("secrets/1-A", "Products").is_none());
        assert!(all.showing("orders/1-A", "Orders").is_none(), "may not be read");
    }

    #[test]
    fn what_is_no_final_id_is_refused() {
        for id in ["", "orders/", "orders|", "orders/../users/1", "orders/./1", "orders/..", "a\nb", "a\u{0}", "a\\b"] {
            assert!(check_id(id).is_err(), "{id:?}");
        }
        for id in ["orders/1-A", "orders/1-A/lines/2", "orders/..1", "orders/ü 😀", "orders/%2e%2e/1"] {
            assert!(check_id(id).is_ok(), "{id}");
        }
    }
}
