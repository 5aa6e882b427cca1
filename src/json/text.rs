//! Reading of JSON strings.

use alloc::borrow::Cow;
use alloc::string::String;

/// The text of a JSON string, with escapes resolved.
pub fn string(value: &[u8]) -> Option<String> {
    text(value).map(Cow::into_owned)
}

/// The text of a JSON string, copied only if it has escapes.
pub fn text(value: &[u8]) -> Option<Cow<'_, str>> {
    let mut rest = core::str::from_utf8(value.strip_prefix(b"\"")?.strip_suffix(b"\"")?).ok()?;
    let mut resolved = String::new();
    while let Some(at) = rest.bytes().position(|byte| byte == b'\\') {
        let (plain, escaped) = rest.split_at_checked(at)?;
        resolved.push_str(plain);
        let (letter, length) = unescaped(escaped.as_bytes())?;
        resolved.push(letter);
        rest = escaped.get(length..)?;
    }
    if resolved.is_empty() {
        return Some(Cow::Borrowed(rest));
    }
    resolved.push_str(rest);
    Some(Cow::Owned(resolved))
}

/// The character of the escape at the start of a text, and the length of the escape in bytes.
fn unescaped(text: &[u8]) -> Option<(char, usize)> {
    let letter = match text.get(1)? {
        b'b' => '\x08',
        b'f' => '\x0c',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let code = unit(text)?;
            if !(0xD800..0xDC00).contains(&code) {
                return Some((char::from_u32(code)?, 6));
            }
            let low = unit(text.get(6..)?)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
            return Some((char::from_u32(0x10000 + ((code - 0xD800) << 10) + low)?, 12));
        }
        other @ (b'"' | b'\\' | b'/') => char::from(*other),
        _ => return None,
    };
    Some((letter, 2))
}

/// The UTF-16 unit of the escape at the start of a text, such as `\u00fc`.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn resolves_escapes() {
        assert_eq!(string(br#""a\"\\\/\n\u00fc\ud83d\ude00""#).as_deref(), Some("a\"\\/\nü😀"));
        assert_eq!(string(br#""\ud83d""#), None, "half a surrogate pair is not a character");
        assert_eq!(string(br#""\x""#), None);
    }

    proptest::proptest! {
        #[test]
        fn no_input_panics(bytes: Vec<u8>) {
            string(&bytes);
        }

        #[test]
        fn strings_of_serde_json_are_read(text: String) {
            let written = serde_json::to_vec(&text).unwrap();
            proptest::prop_assert_eq!(string(&written), Some(text));
        }
    }
}
