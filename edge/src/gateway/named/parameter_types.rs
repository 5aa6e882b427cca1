//! Types of parameters: which values each of them accepts.

use crate::prelude::*;
use raven_edge::json;
use raven_edge_authority::json::{Decimal, Object, Value, write};

/// Characters of a text, if nothing else is declared.
const DEFAULT_LENGTH: u64 = 256;
/// Bytes of an object, if nothing else is declared.
const DEFAULT_BYTES: u64 = 1_024;
/// The largest whole number: a double has gaps above it, so JavaScript and RavenDB would read different ones.
const MAX_INTEGER: u64 = 9_007_199_254_740_991;
/// Items of an array, if nothing else is declared.
const DEFAULT_ITEMS: u64 = 100;

/// The type of a parameter, with its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// A text, by its number of characters.
    Text {
        least: u64,
        most: u64,
    },
    /// A number; `whole`: without a fraction and without an exponent.
    Number {
        whole: bool,
        least: Option<Bound>,
        most: Option<Bound>,
    },
    Boolean,
    /// A date as RavenDB and JavaScript write it.
    Date,
    /// One of these values.
    Enum(Vec<Value>),
    /// An object whose JSON text, as the caller sends it, has at most `most_bytes` bytes.
    Object {
        most_bytes: u64,
    },
    Array {
        of: Box<Rule>,
        most: u64,
    },
}

/// A limit of a number, and its text for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound(Decimal, String);

impl Rule {
    /// Reads a declaration. `more`: further words that may stand beside those of the rule.
    pub(super) fn read(words: &Object, more: &[&str]) -> Result<Self, String> {
        let kind = words.get("type").and_then(Value::as_str).unwrap_or_default();
        let bound = |name: &str| match words.get(name) {
            None => Ok(None),
            Some(Value::Number(text)) => Ok(Decimal::read(text.as_bytes()).map(|number| Bound(number, text.clone()))),
            Some(_) => Err(format!("{name}: must be a number")),
        };
        let count = |name: &str, absent: u64| match words.get(name) {
            None => Ok(absent),
            Some(value) => whole_number(value).ok_or_else(|| format!("{name}: must be a whole number")),
        };
        let (rule, known): (Self, &[&str]) = match kind {
            "string" => {
                let (least, most) = (count("minLength", 0)?, count("maxLength", DEFAULT_LENGTH)?);
                (Self::Text { least, most }, &["minLength", "maxLength"])
            }
            "number" | "integer" => {
                let (least, most) = (bound("min")?, bound("max")?);
                (Self::Number { whole: kind == "integer", least, most }, &["min", "max"])
            }
            "boolean" => (Self::Boolean, &[]),
            "date" => (Self::Date, &[]),
            "object" => (Self::Object { most_bytes: count("maxBytes", DEFAULT_BYTES)? }, &["maxBytes"]),
            "enum" => match words.get("values") {
                Some(Value::Array(values)) if !values.is_empty() && values.iter().all(is_single) => {
                    (Self::Enum(values.clone()), &["values"])
                }
                _ => return Err("values: must be a list of texts, numbers or booleans".into()),
            },
            "array" => match words.get("of") {
                Some(Value::Object(of)) if of.get("type").and_then(Value::as_str) != Some("array") => {
                    let of = Self::read(of, &[]).map_err(|reason| format!("of: {reason}"))?;
                    (Self::Array { of: Box::new(of), most: count("maxItems", DEFAULT_ITEMS)? }, &["of", "maxItems"])
                }
                _ => return Err("of: must say what the items are, such as { type: \"string\" }".into()),
            },
            _ => {
                let kinds = "string, number, integer, boolean, date, object, enum or array";
                return Err(format!("type: must be {kinds}"));
            }
        };
        if let Some((word, _)) =
            words.iter().find(|(word, _)| *word != "type" && !known.contains(word) && !more.contains(word))
        {
            return Err(format!("{word}: is not known for the type {kind}"));
        }
        match rule {
            Self::Text { least, most } if least > most => Err("minLength: is above maxLength".into()),
            Self::Number { least: Some(Bound(least, _)), most: Some(Bound(most, _)), .. } if least > most => {
                Err("min: is above max".into())
            }
            rule => Ok(rule),
        }
    }

    /// Whether a value fits; the error continues "the parameter x …".
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        match (self, value) {
            (Self::Text { least, most }, Value::String(text)) => {
                let length = text.chars().count() as u64;
                expect((*least..=*most).contains(&length), || format!("must have {least} to {most} characters"))
            }
            (Self::Text { .. }, _) => Err("must be a text".into()),
            (Self::Number { whole, least, most }, Value::Number(text)) => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                let is_whole = json::integer(digits.as_bytes()).is_some_and(|number| number <= MAX_INTEGER);
                expect(!whole || is_whole, || "must be a whole number".into())?;
                let Some(number) = Decimal::read(text.as_bytes()) else { return Err("must be a number".into()) };
                for (limit, word, is_met) in [
                    (least, "at least", least.as_ref().is_none_or(|least| number >= least.0)),
                    (most, "at most", most.as_ref().is_none_or(|most| number <= most.0)),
                ] {
                    let text = limit.as_ref().map_or("", |limit| limit.1.as_str());
                    expect(is_met, || format!("must be {word} {text}"))?;
                }
                Ok(())
            }
            (Self::Number { whole, .. }, _) => {
                Err(if *whole { "must be a whole number" } else { "must be a number" }.into())
            }
            (Self::Boolean, value) => expect(matches!(value, Value::Bool(_)), || "must be true or false".into()),
            (Self::Date, value) => expect(value.as_str().is_some_and(is_date), || {
                "must be a date such as \"2026-11-23T12:00:00.000Z\"".into()
            }),
            (Self::Enum(values), value) => expect(values.contains(value), || {
                let values: Vec<String> = values.iter().map(shown).collect();
                format!("must be one of {}", values.join(", "))
            }),
            (Self::Object { most_bytes }, Value::Object(_)) => {
                let bytes = shown(value).len() as u64;
                expect(bytes <= *most_bytes, || format!("must have {most_bytes} bytes at most"))
            }
            (Self::Object { .. }, _) => Err("must be an object".into()),
            (Self::Array { of, most }, Value::Array(items)) => {
                expect(items.len() as u64 <= *most, || format!("must have {most} items at most"))?;
                items.iter().try_for_each(|item| of.check(item).map_err(|reason| format!("has an item that {reason}")))
            }
            (Self::Array { .. }, _) => Err("must be a list".into()),
        }
    }
}

fn whole_number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(text) => json::integer(text.as_bytes()),
        _ => None,
    }
}

fn expect(holds: bool, reason: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(reason()) }
}

fn is_single(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_))
}

fn shown(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

/// `2026-11-23`, or with a time: `2026-11-23T12:00:00`, up to seven digits of a second, and `Z`.
fn is_date(text: &str) -> bool {
    let (day, time) = text.split_once('T').map_or((text, None), |(day, time)| (day, Some(time)));
    let number = |text: &str, digits: usize, from: u32, to: u32| {
        text.len() == digits
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && text.parse().is_ok_and(|number: u32| (from..=to).contains(&number))
    };
    let mut parts = day.split('-');
    let (Some(year), Some(month), Some(of_month), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let is_day = number(year, 4, 1, 9_999) && number(month, 2, 1, 12) && number(of_month, 2, 1, 31);
    let is_time = time.is_none_or(|time| {
        let time = time.strip_suffix('Z').unwrap_or(time);
        let (clock, fraction) = time.split_once('.').map_or((time, None), |(clock, fraction)| (clock, Some(fraction)));
        let is_fraction =
            |digits: &str| (1..=7).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        let mut parts = clock.split(':');
        let (Some(hour), Some(minute), Some(second), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        fraction.is_none_or(is_fraction)
            && number(hour, 2, 0, 23)
            && number(minute, 2, 0, 59)
            && number(second, 2, 0, 59)
    });
    is_day && is_time
}
