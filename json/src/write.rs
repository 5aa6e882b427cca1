//! Writing: strings with their escapes, whole numbers.

use alloc::string::String;

/// Appends `text` as a JSON string, quotes included.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    if !text.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        out.push_str(text);
        out.push('"');
        return;
    }
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1f' => {
                let code = letter as u32;
                out.push_str("\\u00");
                out.push(char::from_digit(code >> 4, 16).unwrap_or('0'));
                out.push(char::from_digit(code & 15, 16).unwrap_or('0'));
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
}

/// Appends a whole number in decimal; `format!` would cost the shipped module more than this loop.
pub fn push_integer(out: &mut String, number: u64) {
    if number >= 10 {
        push_integer(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    proptest::proptest! {
        #[test]
        fn strings_read_back(text: String) {
            let mut out = String::new();
            push_string(&mut out, &text);
            proptest::prop_assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        }

        #[test]
        fn integers_read_back(number: u64) {
            let mut out = String::new();
            push_integer(&mut out, number);
            proptest::prop_assert_eq!(out, number.to_string());
        }
    }
}
