//! The collections that callers may use, and their rights.
//!
//! A document belongs to a collection if both its metadata says so and its id begins with the collection's prefix.
//! Ids are compared ignoring ASCII case. RavenDB also ignores the case of other letters, so an id that begins with a
//! prefix here also begins with it there.

use crate::gateway::attachments::AttachmentLimits;
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::rows::{Claims, Rows};
use crate::prelude::*;
use raven_edge::ids::key;
use raven_edge::json;
use raven_edge::protocol::metadata;

/// A right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// To lease ranges of ids.
    Lease,
    /// To create documents.
    Create,
    /// To load and list documents.
    Read,
    /// To overwrite existing documents.
    Change,
    /// To delete documents.
    Delete,
    /// To store, delete, rename, move and copy attachments of existing documents.
    Attach,
    /// To read attachments.
    ReadAttachments,
}

impl Right {
    const ALL: [Self; 7] =
        [Self::Lease, Self::Create, Self::Read, Self::Change, Self::Delete, Self::Attach, Self::ReadAttachments];
    /// What `write` grants: rights to attachments are granted by their own names.
    const WRITE: [Self; 5] = [Self::Lease, Self::Create, Self::Read, Self::Change, Self::Delete];

    /// The name in the configuration and in an operation.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Lease => "lease",
            Self::Create => "create",
            Self::Read => "read",
            Self::Change => "change",
            Self::Delete => "delete",
            Self::Attach => "attach",
            Self::ReadAttachments => "readAttachments",
        }
    }

    /// The rights that a word of the configuration grants.
    pub(crate) fn of_word(word: &str) -> Option<Vec<Self>> {
        match word {
            "write" => Some(Self::WRITE.to_vec()),
            // Creating documents requires ids for them.
            "create" => Some(vec![Self::Lease, Self::Create]),
            _ => Self::ALL.into_iter().find(|right| right.name() == word).map(|right| vec![right]),
        }
    }
}

/// A collection that callers may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collection {
    /// The value of `@collection`.
    pub(crate) name: String,
    /// The prefix of its ids, such as `orders/`.
    pub(crate) prefix: String,
    /// What callers may do.
    pub(crate) rights: Vec<Right>,
    /// With which documents; without rows, with all of the collection.
    pub(crate) rows: Option<Rows>,
    /// Which attachments its documents may get.
    pub(crate) attachments: AttachmentLimits,
}

impl Collection {
    /// Whether callers have this right.
    pub(crate) fn allows(&self, right: Right) -> bool {
        self.rights.contains(&right)
    }

    /// Whether the rows permit a document with this text.
    pub(crate) fn permits(&self, document: &[u8], claims: &Claims) -> bool {
        self.rows.as_ref().is_none_or(|rows| rows.permit(document, claims))
    }

    /// Whether a document belongs to the collection by its metadata, and the rows permit it.
    pub(crate) fn holds(&self, document: &[u8], claims: &Claims) -> bool {
        let metadata = json::get(document, metadata::MEMBER);
        let stated = metadata.and_then(|metadata| json::get(metadata, metadata::COLLECTION)).and_then(json::string);
        stated.is_some_and(|stated| key::surely_same(&self.name, stated)) && self.permits(document, claims)
    }

    /// Whether an id begins with the prefix.
    pub(crate) fn owns(&self, id: &str) -> bool {
        id.len() > self.prefix.len() && key::surely_begins(id, &self.prefix)
    }
}

/// All collections. No prefix is the beginning of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collections(pub(crate) Vec<Collection>);

impl Collections {
    /// The collection of an id, by its prefix.
    pub(crate) fn of_id(&self, id: &str) -> Option<&Collection> {
        self.0.iter().find(|collection| collection.owns(id))
    }

    /// The collection with this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Collection> {
        self.0.iter().find(|collection| collection.name == name)
    }

    /// The collection whose ids come from this counter.
    fn of_tag(&self, tag: &str, separator: char) -> Option<&Collection> {
        self.0.iter().find(|collection| {
            let own = collection.prefix.strip_suffix(separator);
            own.is_some_and(|own| key::surely_same(own, tag))
        })
    }

    /// The collection of an id, if callers have this right for it.
    pub(crate) fn allowed(&self, id: &str, right: Right) -> Result<&Collection, Refusal> {
        check_id(id)?;
        self.permitted(self.of_id(id), right, "the id", id)
    }

    /// The collection whose ids come from this counter, if they may be leased.
    pub(crate) fn leasable(&self, tag: &str, separator: char) -> Result<&Collection, Refusal> {
        self.permitted(self.of_tag(tag, separator), Right::Lease, "the counter", tag)
    }

    /// The collection of all ids with this prefix, if it may be read.
    pub(crate) fn listable(&self, prefix: &str) -> Result<&Collection, Refusal> {
        let within = |collection: &&Collection| prefix.len() == collection.prefix.len() || collection.owns(prefix);
        let begins = |collection: &&Collection| key::surely_begins(prefix, &collection.prefix);
        let found = self.0.iter().find(|collection| within(collection) && begins(collection));
        self.permitted(found, Right::Read, "the prefix", prefix)
    }

    /// The message is the same for forbidden and for unknown collections. It names what was asked for, and what the
    /// configuration permits.
    fn permitted<'a>(
        &self,
        found: Option<&'a Collection>,
        right: Right,
        what: &str,
        asked: &str,
    ) -> Result<&'a Collection, Refusal> {
        found.filter(|collection| collection.allows(right)).ok_or_else(|| {
            let allowed = self.0.iter().filter(|collection| collection.allows(right));
            let prefixes: Vec<String> = allowed.map(|collection| format!("\"{}\"", collection.prefix)).collect();
            let passes = if prefixes.is_empty() {
                "no collection permits it".to_owned()
            } else {
                format!("ids may begin with {}", prefixes.join(" or "))
            };
            let why = if right == Right::Lease { ", which new documents need," } else { "" };
            let (right, asked) = (right.name(), shortened(asked));
            let message = format!("the gateway does not permit \"{right}\"{why} for {what} {asked}: {passes}");
            refused(Kind::Collection, message)
        })
    }

    /// The collection of a document with this id and this `@collection`, if it may be read.
    pub(crate) fn showing(&self, id: &str, stated: &str) -> Option<&Collection> {
        // RavenDB reports a collection in the spelling in which it was last written.
        let known = self.of_id(id).filter(|collection| key::surely_same(&collection.name, stated));
        known.filter(|collection| collection.allows(Right::Read))
    }
}

/// A text of the caller, in quotes, for a message.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let cut: String = text.chars().take(MOST).collect();
    if cut.len() < text.len() { format!("\"{cut}…\"") } else { format!("\"{cut}\"") }
}

/// Fails unless this is a complete id without `.` and `..` as path segments.
pub(crate) fn check_id(id: &str) -> Result<(), Refusal> {
    use raven_edge::ids::{Limits, Maker, check};
    let steps = id.split('/').any(|part| part == "." || part == "..");
    match check(id, Limits::default()) {
        Ok(Maker::Client) if !steps => Ok(()),
        Ok(_) => Err(refused(
            Kind::Document,
            "the id must be complete: the gateway does not forward ids that the server completes",
        )),
        Err(_) => Err(refused(Kind::Document, "this is not a valid id")),
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
            rows: None,
            attachments: AttachmentLimits::default(),
        };
        Collections(vec![of("Orders", "orders/", "create"), of("Products", "products/", "read")])
    }

    #[test]
    fn an_id_belongs_to_the_collection_of_its_prefix() {
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
    fn levels_grant_rights() {
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
    fn listings_need_the_prefix_of_a_readable_collection() {
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
        assert!(all.showing("orders/1-A", "Orders").is_none(), "it may not be read");
    }

    #[test]
    fn incomplete_and_invalid_ids_are_refused() {
        for id in ["", "orders/", "orders|", "orders/../users/1", "orders/./1", "orders/..", "a\nb", "a\u{0}", "a\\b"] {
            assert!(check_id(id).is_err(), "{id:?}");
        }
        for id in ["orders/1-A", "orders/1-A/lines/2", "orders/..1", "orders/ü 😀", "orders/%2e%2e/1"] {
            assert!(check_id(id).is_ok(), "{id}");
        }
    }
}
