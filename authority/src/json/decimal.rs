//! Numbers by their exact decimal value. `f64` is not used: the standard library's parser for it has
//! tables that would be a tenth of a module.

use crate::prelude::*;
use core::cmp::Ordering;
use raven_edge::json::integer;

/// A number by its exact decimal value: `1`, `1.0` and `10e-1` are equal, and numbers that no double can hold are
/// distinguished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    is_negative: bool,
    /// Without zeros at the beginning and at the end; empty for zero.
    digits: Vec<u8>,
    /// The power of ten of the last digit; 0 for zero.
    exponent: i64,
}

impl Decimal {
    /// Reads a number in the notation of JSON.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let (is_negative, text) = text.strip_prefix(b"-").map_or((false, text), |rest| (true, rest));
        let (number, power) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(at) => (text.get(..at)?, exponent(text.get(at + 1..)?)?),
            None => (text, 0),
        };
        let (whole, fraction) = match number.iter().position(|byte| *byte == b'.') {
            Some(at) => (number.get(..at)?, number.get(at + 1..).filter(|digits| !digits.is_empty())?),
            None => (number, &b""[..]),
        };
        let is_padded = whole.len() > 1 && whole.first() == Some(&b'0');
        if whole.is_empty() || is_padded || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
            return None;
        }
        let mut digits = Vec::new();
        for digit in whole.iter().chain(fraction) {
            if !digits.is_empty() || *digit != b'0' {
                digits.push(*digit);
            }
        }
        let mut exponent = power.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent = exponent.checked_add(1)?;
        }
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits, exponent: 0 });
        }
        Some(Self { is_negative, digits, exponent })
    }

    /// Whether it has no fraction.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.exponent >= 0
    }

    /// The number without its fraction; `i64::MIN` or `i64::MAX` if it does not fit into 64 bits.
    #[must_use]
    pub fn truncated(&self) -> i64 {
        let digits = self.digits.iter().copied().chain(core::iter::repeat(b'0'));
        // 20 digits are always beyond the range.
        let length = self.size().clamp(0, 20);
        let number = digits.zip(0..length).fold(0_i128, |number, (digit, _)| number * 10 + i128::from(digit - b'0'));
        let number = if self.is_negative { -number } else { number };
        i64::try_from(number).unwrap_or(if self.is_negative { i64::MIN } else { i64::MAX })
    }

    /// The number of digits before the decimal point: 2 for 12.5, 0 for 0.5, -1 for 0.05.
    fn size(&self) -> i64 {
        self.exponent.saturating_add(i64::try_from(self.digits.len()).unwrap_or(i64::MAX))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        // Compares absolute values, of which zero is the smallest.
        let size = |number: &Self| (!number.digits.is_empty(), number.size());
        let by_size = || size(self).cmp(&size(other)).then_with(|| self.digits.cmp(&other.digits));
        match (self.is_negative, other.is_negative) {
            (false, false) => by_size(),
            (true, true) => by_size().reverse(),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn exponent(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-")).unwrap_or(text);
    let power = i64::try_from(integer(digits)?).ok()?;
    Some(if text.starts_with(b"-") { -power } else { power })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Decimal {
        Decimal::read(text.as_bytes()).expect(text)
    }

    #[test]
    fn fractions_are_cut_off_and_the_range_is_64_bits() {
        for (text, whole, expected) in [
            ("0", true, 0),
            ("-0.0", true, 0),
            ("5.7", false, 5),
            ("-5.7", false, -5),
            ("0.07", false, 0),
            ("70e-1", true, 7),
            ("1.5e1", true, 15),
            ("1e3", true, 1000),
            ("9223372036854775807", true, i64::MAX),
            ("9223372036854775808", true, i64::MAX),
            ("-9223372036854775808", true, i64::MIN),
            ("-1e30", true, i64::MIN),
            ("1e9000000000000000000", true, i64::MAX),
            ("1e-9000000000000000000", false, 0),
        ] {
            assert_eq!((read(text).is_whole(), read(text).truncated()), (whole, expected), "{text}");
        }
    }

    proptest! {
        #[test]
        fn integers_in_any_notation_are_read_exactly(number: i64, zeros in 0usize..5) {
            let text = format!("{number}{}e-{zeros}", "0".repeat(zeros));
            prop_assert_eq!(read(&text).truncated(), number);
            prop_assert_eq!(read(&text), read(&number.to_string()));
        }

        #[test]
        fn the_order_is_that_of_the_numbers(one: i32, other: i32) {
            let (a, b) = (format!("{one}e-3"), format!("{other}e-3"));
            prop_assert_eq!(read(&a).cmp(&read(&b)), one.cmp(&other));
        }
    }
}
