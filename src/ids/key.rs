//! The one comparison of ids. RavenDB compares ids, and names of counters and databases, without regard to case, in a way
//! of its own; JavaScript has the twin `idKey` (`pkg/src/common/id-key`), which a test compares with [`key`] at every code point.
//!
//! RavenDB (.NET's `ToLowerInvariant`) lowers each UTF-16 unit on its own:
//! - A letter whose lower case is one unit becomes that one, whatever stands around it: `Σ` is `σ` and never `ς`, the Kelvin
//!   sign is `k`, `ẞ` is `ß`, full-width letters have case.
//! - `İ` and `ı` are letters of their own, for the lower case of `İ` is two units. `ß` is not `ss`, `ſ` is not `s`.
//! - Letters beyond U+FFFF (Deseret) have no case, for a half of a surrogate pair has none.
//! - Nothing is normalized: `é` in one unit and in two are two ids.
//!
//! Measured at all code points from U+0020 to U+FFFF, and at all beyond that have case: RavenDB 7.2.7, 6.2.4 and 5.4.0 are
//! alike. What makes a difference is which version of Unicode the server's computer knows (ICU 72, Unicode 15, for these):
//! with .NET's own data (`DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1`, Unicode 16) 7.2.7 lowers five letters more. So the letters
//! that are younger than Unicode 15 stay apart here (`YOUNG`): ids that are the same and pass for two cost a gap or a
//! conflict, ids that are two and pass for one could share a counter, and numbers would be issued twice.

use alloc::string::String;

/// Capital letters that Unicode 16 and 17 added: whether RavenDB lowers them depends on the computer that it runs on.
const YOUNG: [char; 8] =
    ['\u{1c89}', '\u{a7cb}', '\u{a7cc}', '\u{a7ce}', '\u{a7d2}', '\u{a7d4}', '\u{a7da}', '\u{a7dc}'];

/// What all ids that are the same have in common.
#[must_use]
pub fn key(id: &str) -> String {
    id.chars().map(lower).collect()
}

/// Whether two ids are the same.
#[must_use]
pub fn same(left: &str, right: &str) -> bool {
    left.chars().map(lower).eq(right.chars().map(lower))
}

/// Whether an id begins with a prefix.
#[must_use]
pub fn begins(id: &str, prefix: &str) -> bool {
    let mut letters = id.chars().map(lower);
    prefix.chars().map(lower).all(|letter| letters.next() == Some(letter))
}

/// Whether two ids are the same for every server, whatever Unicode it knows: only the case of ASCII may differ. For
/// permissions, and for node tags, which are ASCII.
#[must_use]
pub fn surely_same(left: impl AsRef<[u8]>, right: impl AsRef<[u8]>) -> bool {
    left.as_ref().eq_ignore_ascii_case(right.as_ref())
}

/// Whether an id begins with a prefix for every server.
#[must_use]
pub fn surely_begins(id: &str, prefix: &str) -> bool {
    id.as_bytes().get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// Whether two ids may be the same: letters beyond ASCII count as equal. For the module of the package, to which the tables
/// of [`key`] would add kilobytes. The Kelvin sign is not found to be a `k`.
#[must_use]
pub fn may_be_same(left: &str, right: &str) -> bool {
    let alike = |left: char, right: char| left.eq_ignore_ascii_case(&right) || !left.is_ascii() && !right.is_ascii();
    let mut others = right.chars();
    left.chars().all(|letter| others.next().is_some_and(|other| alike(letter, other))) && others.next().is_none()
}

fn lower(letter: char) -> char {
    if letter > '\u{ffff}' || YOUNG.contains(&letter) {
        return letter;
    }
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAIRS: [(&str, &str, bool); 18] = [
        ("Orders/1-A", "orders/1-a", true),
        ("Ü", "ü", true),
        ("Σ", "σ", true),
        ("Σ", "ς", false),
        ("ΟΔΟΣ", "οδος", false),
        ("ẞ", "ß", true),
        ("ß", "ss", false),
        ("ǅ", "ǆ", true),
        ("Ა", "ა", true),
        ("Ａ", "ａ", true),
        ("\u{212a}", "k", true),
        ("İ", "i", false),
        ("İ", "i\u{307}", false),
        ("ı", "I", false),
        ("ſ", "s", false),
        ("é", "e\u{301}", false),
        ("\u{1c89}", "\u{1c8a}", false),
        ("𐐀", "𐐨", false),
    ];

    #[test]
    fn ids_are_the_same_where_ravendb_has_one_document() {
        for (left, right, expected) in PAIRS {
            assert_eq!(same(left, right), expected, "{left} {right}");
            assert_eq!(key(left) == key(right), expected, "{left} {right}");
            assert_eq!(begins(&[left, "/1"].concat(), &[right, "/"].concat()), expected, "{left} {right}");
            assert!(!surely_same(left, right) || expected, "{left} {right}");
        }
        assert!(begins("a", "") && begins("a", "A") && !begins("a", "ab") && !same("a", "ab"));
    }

    /// A new compiler brings a new Unicode, whose letters belong to [`YOUNG`].
    #[test]
    fn as_many_letters_have_case_as_with_ravendb() {
        let changed = |letter: &char| lower(*letter) != *letter;
        assert_eq!(('\0'..=char::MAX).filter(changed).count(), 1_172);
    }

    #[test]
    fn a_prefix_that_ends_within_a_letter_begins_nothing() {
        assert!(surely_begins("Orders/1-A", "orders/") && !surely_begins("orders", "orders/"));
        assert!(!surely_begins("é", "e") && !surely_begins("Über/1", "über/"));
    }

    #[test]
    fn without_tables_letters_beyond_ascii_count_as_equal() {
        assert!(may_be_same("Raven/Hilo/ΟΔΟΣ", "raven/hilo/οδοσ") && may_be_same("Ö", "ü"));
        assert!(!may_be_same("a/ö", "a/o") && !may_be_same("a", "ab") && !may_be_same("ab", "a"));
    }

    proptest! {
        #[test]
        fn a_key_is_its_own_key(id in "\\PC{0,20}") {
            prop_assert_eq!(key(&key(&id)), key(&id));
        }

        #[test]
        fn what_begins_and_is_as_long_is_the_same(left in "\\PC{0,6}", right in "\\PC{0,6}") {
            prop_assert_eq!(same(&left, &right), begins(&left, &right) && begins(&right, &left));
        }
    }
}
