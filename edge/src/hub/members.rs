//! Members of JSON objects: each must be there and have its type.

use crate::prelude::*;
use alloc::collections::BTreeMap;
use raven_edge_authority::json::{Object, Value, read_object};

/// The members of an object; a reader that fails names the member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Members<'a>(&'a Object);

type Result<T> = core::result::Result<T, String>;

/// Reads a text that is a JSON object.
pub(super) fn read<T>(text: &str, from: impl FnOnce(Members<'_>) -> Result<T>) -> Result<T> {
    let object = read_object(text.as_bytes()).map_err(|_| "not a JSON object".to_owned())?;
    from(Members(&object))
}

impl<'a> Members<'a> {
    fn member<T>(self, name: &str, from: impl FnOnce(&'a Value) -> Option<T>) -> Result<T> {
        self.0.get(name).and_then(from).ok_or_else(|| format!("`{name}` is missing or has the wrong type"))
    }

    pub(super) fn text(self, name: &str) -> Result<String> {
        self.member(name, text)
    }

    /// A text; `None`: the member is absent or null.
    pub(super) fn optional_text(self, name: &str) -> Result<Option<String>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.text(name).map(Some),
        }
    }

    pub(super) fn texts(self, name: &str) -> Result<Vec<String>> {
        self.member(name, |value| match value {
            Value::Array(items) => items.iter().map(text).collect(),
            _ => None,
        })
    }

    pub(super) fn number(self, name: &str) -> Result<u64> {
        self.member(name, number)
    }

    pub(super) fn numbers(self, name: &str) -> Result<BTreeMap<String, u64>> {
        let mut numbers = BTreeMap::new();
        // Collected one by one: `collect` would bring the code that sorts many.
        for (tag, value) in self.object(name)?.0.iter() {
            let number = number(value).ok_or_else(|| format!("`{name}` has other members than numbers"))?;
            numbers.insert(tag.to_owned(), number);
        }
        Ok(numbers)
    }

    pub(super) fn flag(self, name: &str) -> Result<bool> {
        self.member(name, |value| match value {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        })
    }

    pub(super) fn object(self, name: &str) -> Result<Self> {
        self.member(name, |value| match value {
            Value::Object(object) => Some(Self(object)),
            _ => None,
        })
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}
