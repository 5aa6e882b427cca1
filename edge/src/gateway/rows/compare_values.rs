//! Values that can be compared: texts, numbers, booleans and null.

use crate::prelude::*;
use raven_edge::json;
use raven_edge_authority::json::{Decimal, Value};

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

    /// Whether this JSON text has this value.
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
