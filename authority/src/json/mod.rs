//! JSON whose numbers keep their notation.
//!
//! RavenDB stores the notation of a number unchanged: `1.10`, `1E5`, a number of forty digits. General JSON libraries
//! convert numbers to floats, or mark them with special keys, which a document could contain, too. The reader also
//! reports why it refused a text: truncated, invalid, or not strict JSON although RavenDB accepts it.

mod decimal;
mod read;
mod write;

use crate::prelude::*;
pub use decimal::Decimal;
pub use read::{JsonError, read, read_object, read_strict};
pub use write::{write, write_string};

/// A JSON value; numbers are stored as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written (`-0` becomes `0`, as in RavenDB).
    Number(String),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Self>),
    /// An object.
    Object(Object),
}

/// The members of an object in order, without duplicate names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object(Vec<(String, Value)>);

impl Value {
    /// The text of a string value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The members of an object.
    #[must_use]
    pub const fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The value of a number.
    #[must_use]
    pub fn as_decimal(&self) -> Option<Decimal> {
        match self {
            Self::Number(text) => Decimal::read(text.as_bytes()),
            _ => None,
        }
    }

    /// RavenDB's name for the first token of such a value.
    pub(crate) const fn token(&self) -> &'static str {
        match self {
            Self::Null => "Null",
            Self::Bool(true) => "True",
            Self::Bool(false) => "False",
            Self::Number(_) => "Integer",
            Self::String(_) => "String",
            Self::Array(_) => "StartArray",
            Self::Object(_) => "StartObject",
        }
    }
}

impl Object {
    /// Creates an object; of equal names the last one counts.
    #[must_use]
    pub fn new(members: Vec<(String, Value)>) -> Self {
        let mut last = alloc::collections::BTreeMap::new();
        for (at, (name, _)) in members.iter().enumerate() {
            last.insert(name.as_str(), at);
        }
        if last.len() == members.len() {
            return Self(members);
        }
        let mut kept = vec![false; members.len()];
        for at in last.into_values() {
            if let Some(kept) = kept.get_mut(at) {
                *kept = true;
            }
        }
        Self(members.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(member, _)| member).collect())
    }

    /// Creates an object; `None` if two names are equal.
    fn distinct(members: Vec<(String, Value)>) -> Option<Self> {
        // A few names are compared with each other; many are not, because a text of a caller may have thousands.
        let is_distinct = if members.len() <= 8 {
            members.iter().enumerate().all(|(at, (name, _))| members.iter().take(at).all(|(other, _)| other != name))
        } else {
            let mut known = alloc::collections::BTreeMap::new();
            members.iter().all(|(name, _)| known.insert(name.clone(), 0_usize).is_none())
        };
        is_distinct.then_some(Self(members))
    }

    /// The value of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// The value of a member that is not null.
    #[must_use]
    pub fn stated(&self, name: &str) -> Option<&Value> {
        self.get(name).filter(|value| !matches!(value, Value::Null))
    }

    /// The first name that is none of these.
    #[must_use]
    pub fn unknown(&self, known: &[&str]) -> Option<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).find(|name| !known.contains(name))
    }

    /// Removes a member.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(n, _)| n == name)?;
        Some(self.0.remove(at).1)
    }

    /// Sets a member; an existing one keeps its position.
    pub fn set(&mut self, name: &str, value: Value) {
        match self.0.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.into(), value)),
        }
    }

    /// Keeps the members for which `keep` returns true.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.0.retain(|(name, _)| keep(name));
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v))
    }
}
