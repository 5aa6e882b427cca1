//! Percent-encoding of path segments and query values.

use alloc::string::String;

/// Appends `text`, encoded like the platform's `encodeURIComponent`. The `url` crate would add 84 KB.
pub fn push_encoded(out: &mut String, text: &str) {
    for &byte in text.as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'!' | b'\'' | b'(' | b')' | b'*' => {
                out.push(char::from(byte));
            }
            _ => {
                out.push('%');
                for digit in [byte >> 4, byte & 15] {
                    out.push(char::from(b"0123456789ABCDEF".get(usize::from(digit)).copied().unwrap_or(b'0')));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_encoded_like_encode_uri_component() {
        let mut out = String::new();
        push_encoded(&mut out, "a/b c+ü|&=#?%-_.!~*'()");
        assert_eq!(out, "a%2Fb%20c%2B%C3%BC%7C%26%3D%23%3F%25-_.!~*'()");
    }
}
