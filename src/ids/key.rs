//! The comparison of ids. RavenDB compares ids, and names of counters and databases, ignoring case by rules of its own. JavaScript
//! has the same function as `idKey` (`pkg/src/common/id-key`); a test compares both for every code point.
//!
//! RavenDB (.NET's `ToLowerInvariant`) converts each UTF-16 unit to lower case on its own:
//! - A letter whose lower case is one unit becomes that unit, whatever its neighbours are: `Σ` is `σ` and never `ς`, the Kelvin
//!   sign is `k`, `ẞ` is `ß`, full-width letters have case.
//! - `İ` and `ı` stay as they are, because the lower case of `İ` is two units. `ß` is not `ss`, `ſ` is not `s`.
//! - Letters above U+FFFF (Deseret) have no case, because half of a surrogate pair has none.
//! - Nothing is normalized: `é` as one unit and as two units are two ids.
//!
//! Measured for all code points from U+0020 to U+FFFF, and for all higher ones that have case: RavenDB 7.2.7, 6.2.4 and 5.4.0 give
//! the same results. The result depends on the Unicode version of the server's platform (these: ICU 72, Unicode 15). With .NET's own
//! data (`DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1`, Unicode 16), 7.2.7 converts five letters more. Letters newer than Unicode 15
//! (`YOUNG`) are therefore never converted here: if equal ids are taken for different ones, the cost is a gap or a conflict; if
//! different ids were taken for equal ones, two tags could share a counter and ids would be issued twice.

use alloc::string::String;

/// Capital letters added by Unicode 16 and 17: whether RavenDB converts them to lower case depends on its platform.
const YOUNG: [char; 8] =
    ['\u{1c89}', '\u{a7cb}', '\u{a7cc}', '\u{a7ce}', '\u{a7d2}', '\u{a7d4}', '\u{a7da}', '\u{a7dc}'];

/// The key of an id: equal ids have the same key.
#[must_use]
pub fn key(id: &str) -> String {
    id.chars().map(lower).collect()
}

/// The key of an id with lower case letters of the caller's: a module that runs in an engine needs no tables. `lower_of`: the
/// lower case of a letter that is not ASCII, if it is one letter.
#[must_use]
pub fn key_by(id: &str, lower_of: impl Fn(char) -> Option<char>) -> String {
    id.chars().map(|letter| lower_by(letter, &lower_of)).collect()
}

/// Whether two ids are equal.
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

/// Whether two ids are equal for every server, whatever its Unicode version: only the case of ASCII letters may differ. For
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

/// Whether two ids may be equal: any two letters beyond ASCII count as equal. For the package's module, to which the tables of [`key`]
/// would add kilobytes. The Kelvin sign does not count as equal to `k` here.
#[must_use]
pub fn may_be_same(left: &str, right: &str) -> bool {
    let alike = |left: char, right: char| left.eq_ignore_ascii_case(&right) || !left.is_ascii() && !right.is_ascii();
    let mut others = right.chars();
    left.chars().all(|letter| others.next().is_some_and(|other| alike(letter, other))) && others.next().is_none()
}

fn lower(letter: char) -> char {
    lower_by(letter, |letter| {
        let mut lower = letter.to_lowercase();
        lower.next().filter(|_| lower.next().is_none())
    })
}

fn lower_by(letter: char, lower_of: impl Fn(char) -> Option<char>) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    if letter > '\u{ffff}' || YOUNG.contains(&letter) {
        return letter;
    }
    lower_of(letter).unwrap_or(letter)
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
    fn ids_are_equal_if_they_name_the_same_document_in_ravendb() {
        for (left, right, expected) in PAIRS {
            assert_eq!(same(left, right), expected, "{left} {right}");
            assert_eq!(key(left) == key(right), expected, "{left} {right}");
            assert_eq!(begins(&[left, "/1"].concat(), &[right, "/"].concat()), expected, "{left} {right}");
            assert!(!surely_same(left, right) || expected, "{left} {right}");
        }
        assert!(begins("a", "") && begins("a", "A") && !begins("a", "ab") && !same("a", "ab"));
    }

    /// A newer compiler may have a newer Unicode version, whose capital letters must be added to [`YOUNG`].
    #[test]
    fn the_number_of_letters_with_case_is_ravendbs() {
        let changed = |letter: &char| lower(*letter) != *letter;
        assert_eq!(('\0'..=char::MAX).filter(changed).count(), 1_172);
    }

    #[test]
    fn a_prefix_that_ends_inside_a_letter_matches_nothing() {
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
        fn ids_are_equal_if_each_begins_with_the_other(left in "\\PC{0,6}", right in "\\PC{0,6}") {
            prop_assert_eq!(same(&left, &right), begins(&left, &right) && begins(&right, &left));
        }
    }
}
