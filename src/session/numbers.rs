//! Numbers that JavaScript may not be able to hold: RavenDB keeps every digit, `JSON.parse` does not.

use crate::json;

/// Calls `found(literal)` for each number in a value that a double may not hold: one with many digits or an exponent.
pub fn inexact(value: &[u8], found: &mut impl FnMut(&str)) {
    match value.first() {
        Some(b'{') => json::members(value).for_each(|(_, value)| inexact(value, found)),
        Some(b'[') => json::elements(value).for_each(|value| inexact(value, found)),
        Some(b'-' | b'0'..=b'9') if json::is_long_number(value) => {
            found(core::str::from_utf8(value).unwrap_or_default());
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    #[test]
    fn long_numbers_are_found_wherever_they_are() {
        let document = br#"{"a":1,"b":[0,{"c":9007199254740993}],"s":"9007199254740993","e":-0.12345678901234567,"x":1e-400,"t":true}"#;
        let mut all: Vec<String> = Vec::new();
        inexact(document, &mut |literal| all.push(literal.into()));
        assert_eq!(all, ["9007199254740993", "-0.12345678901234567", "1e-400"]);
    }
}
