//! Tags: the name of a collection's counter (`orders` for `Orders`).

use alloc::string::String;

use crate::error::{Code, Error};

/// The longest tag, in bytes: the counter document's id `Raven/Hilo/<tag>` must not exceed RavenDB's 512 bytes.
pub const MAX_BYTES: usize = 501;

/// Refuses tags that RavenDB cannot lease safely.
///
/// For a tag that ends in `/`, every call of `hilo/next` returns the same range (observed with 7.2.7). A tag that ends in `|` is an
/// identity. A tag that ends in the separator makes ids such as `orders//1-A`. Ids cannot contain control characters, and tags
/// longer than [`MAX_BYTES`] make the id of the counter document too long.
pub fn check(tag: &str, separator: char) -> Result<(), Error> {
    // Compares bytes, because comparing `char`s adds more code to the module. All of these are ASCII, except the C1 controls.
    let bytes = tag.as_bytes();
    let mut tail = [0; 4];
    let reason = if bytes.iter().all(|byte| *byte == b' ') {
        "is blank"
    } else if tag.len() > MAX_BYTES {
        "is longer than 501 bytes"
    } else if bytes.ends_with(b"/") {
        "ends in '/'"
    } else if bytes.ends_with(b"|") {
        "ends in '|'"
    } else if bytes.ends_with(separator.encode_utf8(&mut tail).as_bytes()) {
        "ends in the separator"
    } else if has_control(bytes) {
        "has a control character"
    } else {
        return Ok(());
    };
    let mut message = String::from("the tag \"");
    message.push_str(if tag.len() <= 60 && !has_control(bytes) { tag } else { "…" });
    message.push_str("\" ");
    message.push_str(reason);
    message.push_str("; use a name such as \"orders\"");
    Err(Error::new(Code::InvalidTag, message))
}

pub(crate) fn has_control(bytes: &[u8]) -> bool {
    let ascii = bytes.iter().any(|byte| *byte < 0x20 || *byte == 0x7f);
    ascii || bytes.windows(2).any(|pair| matches!(pair, [0xc2, 0x80..=0x9f]))
}

/// Checks the identity parts separator: one UTF-16 unit (`hilo/next` refuses longer ones) that is safe in ids. A digit is not: with the
/// separator `1`, number 211 of `a` and number 1 of `a12` would both be `a1211`.
pub fn check_separator(separator: &str) -> Result<char, Error> {
    let mut letters = separator.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None)
            if letter > ' '
                && letter <= '\u{ffff}'
                && !matches!(letter, '|' | '0'..='9' | '\u{7f}'..='\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{3000}') =>
        {
            Ok(letter)
        }
        _ => Err(Error::new(
            Code::InvalidArgument,
            "identityPartsSeparator must be one visible character, but not '|' or a digit",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_tags_pass() {
        for tag in ["orders", "Überß日本😀", "a b", "a/b", "x\u{e9}"] {
            assert_eq!(check(tag, '/'), Ok(()), "{tag}");
        }
        assert_eq!(check(&"q".repeat(501), '/'), Ok(()));
    }

    #[test]
    fn dangerous_tags_are_refused() {
        for tag in ["", "  ", "x/", "x|", "a\u{0}b", "a\nb", "a\u{85}b", &"q".repeat(502), &"ü".repeat(251)] {
            assert_eq!(check(tag, '/').map_err(|e| e.code), Err(Code::InvalidTag), "{tag}");
        }
        assert!(check("x/", '-').is_err(), "'/' is refused whatever the separator");
        assert!(check("x-", '-').is_err());
        assert!(check("x-", '/').is_ok());
    }

    #[test]
    fn separators() {
        assert_eq!(check_separator("/"), Ok('/'));
        assert_eq!(check_separator("é"), Ok('é'));
        for bad in ["", "--", "😀", "|", " ", "\n", "\u{7f}", "\u{85}", "\u{a0}", "\u{2003}", "\u{3000}", "0", "9"] {
            assert!(check_separator(bad).is_err(), "{bad:?}");
        }
    }
}
