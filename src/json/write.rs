//! Writing of JSON strings and whole numbers.

use alloc::string::String;

/// Appends `text` as a JSON string, quotes included.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        let (plain, special) = rest.split_at_checked(at).unwrap_or_default();
        out.push_str(plain);
        let mut letters = special.chars();
        push_escaped(out, letters.next().unwrap_or_default());
        rest = letters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn push_escaped(out: &mut String, letter: char) {
    out.push('\\');
    match letter {
        '\n' => out.push('n'),
        '\r' => out.push('r'),
        '\t' => out.push('t'),
        '\0'..='\x1f' => {
            out.push_str(if letter < '\x10' { "u000" } else { "u001" });
            out.push(char::from_digit(letter as u32 & 15, 16).unwrap_or_default());
        }
        _ => out.push(letter),
    }
}

/// Appends a whole number in decimal. `format!` would add more code to the shipped module.
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
