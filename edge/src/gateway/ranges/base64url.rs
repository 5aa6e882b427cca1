//! Bytes as base64url without padding. The library for it weighs 2 KB more in a Worker; tests compare both.

use crate::prelude::*;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 2);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        count += 8;
        while count >= 6 {
            count -= 6;
            text.push(digit(bits >> count));
        }
    }
    if count > 0 {
        text.push(digit(bits << (6 - count)));
    }
    text
}

fn digit(bits: u32) -> char {
    DIGITS.get((bits & 63) as usize).map_or('A', |digit| char::from(*digit))
}

/// `None` for anything that [`encode`] does not return.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.bytes() {
        bits = (bits << 6 | u32::try_from(DIGITS.iter().position(|digit| *digit == letter)?).ok()?) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 255) as u8);
        }
    }
    // The last letter has no bits but those of the last byte, and every letter has some.
    (count < 6 && bits & ((1 << count) - 1) == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::proofs::random::Random;
    use base64::Engine;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;

    #[test]
    fn texts_are_those_of_the_library() {
        let mut random = Random(3);
        for length in (0..200).chain([1_000]) {
            let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
            let text = encode(&bytes);
            assert_eq!(text, BASE64_URL_SAFE_NO_PAD.encode(&bytes));
            assert_eq!(decode(&text), Some(bytes));
        }
    }

    #[test]
    fn a_text_is_refused_where_the_library_refuses_it() {
        let mut random = Random(4);
        let mut refused = 0;
        for _ in 0..20_000 {
            let text: String =
                (0..random.below(9)).map(|_| *random.pick(&['A', 'Q', 'g', 'w', '_', '-', '=', '+', 'é'])).collect();
            let expected = BASE64_URL_SAFE_NO_PAD.decode(&text).ok();
            refused += usize::from(expected.is_none());
            assert_eq!(decode(&text), expected, "{text}");
        }
        assert!(refused > 1_000, "{refused}");
    }
}
