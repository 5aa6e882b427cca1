//! Document ids: what counts as the same id, and which ids are allowed.

use crate::error::Error;

/// Longest id in bytes.
const MAX_BYTES: usize = 512;

/// The key under which an id is stored: ids are the same in any case (protocol.md §11).
///
/// Folds as the server does: letter by letter, letters outside the basic plane and the dotted
/// capital I stay as they are.
#[must_use]
pub fn fold(id: &str) -> String {
    id.chars().map(fold_char).collect()
}

fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    // The server's Unicode has no pairs of these yet: what it keeps apart would be one counter.
    let young = matches!(
        c,
        '\u{1c89}' | '\u{a7cb}' | '\u{a7cc}' | '\u{a7ce}' | '\u{a7d2}' | '\u{a7d4}' | '\u{a7da}' | '\u{a7dc}'
    );
    if c > '\u{ffff}' || c == 'İ' || young {
        return c;
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Refuses an id that no document can have.
pub(crate) fn check_new(id: &str) -> Result<(), Error> {
    if id.ends_with('|') {
        return Err(Error::not_supported(format!(
            "Document ids cannot end with '|', but was called with {id}. Identities are only generated for external requests, not calls to PutDocument and such."
        )));
    }
    // Those with an escape of one letter in JSON are legal, the rest of the C0 range is not.
    if id.chars().any(|c| c < ' ' && !matches!(c, '\u{8}' | '\t' | '\n' | '\u{c}' | '\r')) {
        let escaped: String =
            id.chars().map(|c| if c < ' ' { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }).collect();
        return Err(Error::not_supported(format!(
            "Document ID cannot contain control characters: '{escaped}' (escaped version)"
        )));
    }
    check_length(id)
}

/// Refuses an id that is too long to look for.
pub(crate) fn check_lookup(id: &str) -> Result<(), Error> {
    // Over-long ids with letters beyond ASCII are looked for in vain instead.
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

/// The id that `prefix`, which ends in `/`, becomes: `users/0000000000000000027-A`.
pub(crate) fn of_etag(prefix: &str, etag: u64, node: &str) -> String {
    format!("{prefix}{etag:019}-{node}")
}

/// The name of the identity that an id asks for by its last `|`: `users` of `users|`.
pub(crate) fn asked_identity(id: &str) -> Option<String> {
    id.strip_suffix('|').map(str::to_owned)
}

/// The id that it becomes: `users/1`.
pub(crate) fn of_identity(name: &str, value: i64) -> String {
    format!("{name}/{value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folds_like_the_server() {
        for (a, b, same) in [
            ("Orders/1-A", "orders/1-a", true),
            ("Ü", "ü", true),
            ("Σ", "σ", true),
            ("Σ", "ς", false),
            ("ẞ", "ß", true),
            ("ǅ", "ǆ", true),
            ("Ა", "ა", true),
            ("İ", "i", false),
            ("İ", "i\u{307}", false),
            ("ſ", "s", false),
            ("\u{a7d0}", "\u{a7d1}", true),
            ("\u{a7cb}", "\u{264}", false),
            ("\u{1c89}", "\u{1c8a}", false),
            ("𐐀", "𐐨", false),
        ] {
            assert_eq!(fold(a) == fold(b), same, "{a} {b}");
        }
    }

    #[test]
    fn lengths_are_counted_in_bytes() {
        assert!(check_new(&"x".repeat(512)).is_ok());
        assert!(check_new(&"x".repeat(513)).is_err());
        assert!(check_new(&"ü".repeat(256)).is_ok());
        assert!(check_new(&"ü".repeat(257)).is_err());
        assert!(check_lookup(&"x".repeat(513)).is_err());
    }

    #[test]
    fn control_characters_and_generated_ids() {
        assert!(check_new("a\tb\nc").is_ok());
        assert!(check_new("a\u{7f}").is_ok());
        assert!(check_new("a\u{1}").is_err());
        assert!(check_new("a|").is_err());
        assert_eq!(of_etag("x/", 27, "A"), "x/0000000000000000027-A");
        assert_eq!(asked_identity("x||").map(|name| of_identity(&name, -4)), Some("x|/-4".into()));
        assert_eq!(asked_identity("x/"), None);
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(id in "\\PC{0,20}") {
            prop_assert_eq!(fold(&fold(&id)), fold(&id));
        }
    }
}
