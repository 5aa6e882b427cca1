//! Values that can be compared: texts, numbers, booleans and null.

use raven_edge::json;
use raven_edge_authority::json::Value;
use std::cmp::Ordering;

/// A single value. Values of different types are never equal: 1 is not "1".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Number(Decimal),
    Text(String),
}

impl Scalar {
    /// A value of the configuration or of a claim; `None` for lists and objects.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Number(number) => Decimal::read(number.as_bytes()).map(Self::Number),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Whether the text of a JSON value is this value.
    pub(super) fn is(&self, value: &[u8]) -> bool {
        match self {
            Self::Null => value == b"null",
            Self::Bool(true) => value == b"true",
            Self::Bool(false) => value == b"false",
            Self::Number(number) => Decimal::read(value).is_some_and(|found| found == *number),
            Self::Text(text) => json::text(value).is_some_and(|found| found == text.as_str()),
        }
    }
}

/// A number by its exact decimal value: `1`, `1.0` and `10e-1` are equal, and numbers that no double can hold are
/// distinguished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    is_negative: bool,
    /// Without zeros at the beginning and at the end; empty for zero.
    digits: Vec<u8>,
    /// The power of ten of the last digit; 0 for zero.
    exponent: i64,
}

impl Decimal {
    /// Reads a number in the notation of JSON.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
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
        let mut digits: Vec<u8> = whole.iter().chain(fraction).copied().skip_while(|digit| *digit == b'0').collect();
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
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        // The power of ten of the first digit; zero is below all others.
        let size = |number: &Self| (!number.digits.is_empty(), number.exponent + number.digits.len() as i64);
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
    let power = i64::try_from(json::integer(digits)?).ok()?;
    Some(if text.starts_with(b"-") { -power } else { power })
}
