//! Ids of documents: who generates them, and which are refused before they are sent.
//!
//! See "Document Identifier Generation" and "Working with Document Identifiers" in RavenDB's documentation.

use alloc::string::String;

use super::tag::has_control;
use crate::error::{Code, Error};
use crate::json;

/// Who generates the id of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// The client: the app has chosen the id, or it contains a HiLo number. It is final.
    Client,
    /// The server, for a prefix that ends in `/`: `companies/0000000000000000027-A`.
    Server,
    /// The cluster, for a prefix that ends in `|`: `companies/1`.
    Identity,
    /// The server, for an empty id: a GUID.
    Guid,
}

impl Maker {
    /// Who generates the final id of a document that is sent with this id.
    pub fn of(id: &str) -> Maker {
        match id.as_bytes().last() {
            None => Maker::Guid,
            Some(b'/') => Maker::Server,
            Some(b'|') => Maker::Identity,
            Some(_) => Maker::Client,
        }
    }
}

/// The limits that the app has configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest id, in bytes. RavenDB's documentation says 2,025; servers from version 5 on refuse more than 512.
    pub bytes: usize,
    /// Whether ids may contain `\`: the documentation forbids it, the server accepts it.
    pub backslash: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 512, backslash: false }
    }
}

/// Refuses texts that cannot be ids.
pub fn check(id: &str, limits: Limits) -> Result<Maker, Error> {
    let maker = Maker::of(id);
    let stem = match maker {
        Maker::Server | Maker::Identity => id.get(..id.len() - 1).unwrap_or_default(),
        Maker::Client | Maker::Guid => id,
    };
    let reason = if id.len() > limits.bytes {
        "is too long; the limit in bytes is "
    } else if maker != Maker::Guid && (stem.is_empty() || stem.ends_with(['/', '|'])) {
        "has an empty part before its end"
    } else if id.starts_with('/') {
        "begins with '/'"
    } else if !limits.backslash && id.bytes().any(|byte| byte == b'\\') {
        "has a '\\'"
    } else if has_control(id.as_bytes()) {
        "has a control character"
    } else {
        return Ok(maker);
    };
    let mut message = String::from("the id ");
    json::push_string(&mut message, if id.len() > limits.bytes { "…" } else { id });
    message.push(' ');
    message.push_str(reason);
    if id.len() > limits.bytes {
        json::push_integer(&mut message, limits.bytes as u64);
    }
    Err(Error::new(Code::InvalidId, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_character_decides_who_generates_the_id() {
        for (id, maker) in [
            ("orders/1-A", Maker::Client),
            ("companies/", Maker::Server),
            ("companies|", Maker::Identity),
            ("", Maker::Guid),
            ("a b%+#?&=\"'.. 😀", Maker::Client),
        ] {
            assert_eq!(check(id, Limits::default()), Ok(maker), "{id}");
        }
    }

    #[test]
    fn texts_that_cannot_be_ids_are_refused() {
        for id in ["/", "|", "a//", "a||", "a/|", "a|/", "/a", "a\\b", "a\nb", "a\u{85}b", "\0"] {
            assert_eq!(check(id, Limits::default()).map_err(|error| error.code), Err(Code::InvalidId), "{id:?}");
        }
        assert!(check("a\\b", Limits { backslash: true, ..Limits::default() }).is_ok());
        let long = "x".repeat(513);
        assert!(check(&long, Limits::default()).unwrap_err().message.ends_with("512"));
        assert!(check(&long, Limits { bytes: 2_025, ..Limits::default() }).is_ok());
    }
}
