//! Document ids: which are valid, and those that the server completes.

use crate::error::Error;
use crate::prelude::*;

/// Maximum length of an id in bytes.
const MAX_BYTES: usize = 512;

/// Refuses an id that no document may have.
pub(crate) fn check_new(id: &str) -> Result<(), Error> {
    if id.ends_with('|') {
        return Err(Error::not_supported(format!(
            "Document ids cannot end with '|', but was called with {id}. Identities are only generated for external requests, not calls to PutDocument and such."
        )));
    }
    // Control characters that have a short escape in JSON are allowed, other C0 characters are not.
    if id.chars().any(|c| c < ' ' && !matches!(c, '\u{8}' | '\t' | '\n' | '\u{c}' | '\r')) {
        let escaped: String =
            id.chars().map(|c| if c < ' ' { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }).collect();
        return Err(Error::not_supported(format!(
            "Document ID cannot contain control characters: '{escaped}' (escaped version)"
        )));
    }
    check_length(id)
}

/// Refuses an id that is too long for a lookup.
pub(crate) fn check_lookup(id: &str) -> Result<(), Error> {
    // An id with other characters than ASCII is simply not found if it is too long.
    if id.is_ascii() { check_length(id) } else { Ok(()) }
}

fn check_length(id: &str) -> Result<(), Error> {
    if id.len() <= MAX_BYTES {
        return Ok(());
    }
    Err(Error::argument(format!(
        "Document ID cannot exceed {MAX_BYTES} bytes, but the ID was {} bytes. The invalid ID is '{id}'.",
        id.len()
    )))
}

/// Completes an id that ends in `/`: `users/` becomes `users/0000000000000000027-A`.
pub(crate) fn of_etag(prefix: &str, etag: u64, node: &str) -> String {
    format!("{prefix}{etag:019}-{node}")
}

/// The name of the identity that an id requests by ending in `|`: `users` for `users|`.
pub(crate) fn asked_identity(id: &str) -> Option<String> {
    id.strip_suffix('|').map(str::to_owned)
}

/// The id with a number of that identity: `users/1`.
pub(crate) fn of_identity(name: &str, value: i64) -> String {
    format!("{name}/{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_an_id_is_counted_in_bytes() {
        assert!(check_new(&"x".repeat(512)).is_ok());
        assert!(check_new(&"x".repeat(513)).is_err());
        assert!(check_new(&"ü".repeat(256)).is_ok());
        assert!(check_new(&"ü".repeat(257)).is_err());
        assert!(check_lookup(&"x".repeat(513)).is_err());
    }

    #[test]
    fn control_characters_and_identities_are_refused() {
        assert!(check_new("a\tb\nc").is_ok());
        assert!(check_new("a\u{7f}").is_ok());
        assert!(check_new("a\u{1}").is_err());
        assert!(check_new("a|").is_err());
        assert_eq!(of_etag("x/", 27, "A"), "x/0000000000000000027-A");
        assert_eq!(asked_identity("x||").map(|name| of_identity(&name, -4)), Some("x|/-4".into()));
        assert_eq!(asked_identity("x/"), None);
    }
}
