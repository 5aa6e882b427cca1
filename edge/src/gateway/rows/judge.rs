//! Judges a document by its own text. Nothing is built: members are found where they stand, and other members are skipped.

use super::claims::Claims;
use super::compare_values::Scalar;
use super::{Condition, Operand, Rows, Test};
use raven_edge::json;

impl Rows {
    /// Whether all conditions hold for a document. `document` is its JSON text, without text before or after it.
    pub(crate) fn permit(&self, document: &[u8], claims: &Claims) -> bool {
        self.0.iter().all(|condition| condition.holds(document, claims))
    }
}

impl Condition {
    fn holds(&self, document: &[u8], claims: &Claims) -> bool {
        let value = self.path.iter().try_fold(document, |object, name| member(object, name));
        value.is_some_and(|value| self.test.holds(value, claims))
    }
}

impl Test {
    fn holds(&self, value: &[u8], claims: &Claims) -> bool {
        match self {
            Self::Is(operand) => operand.value(claims).is_some_and(|wanted| wanted.is(value)),
            Self::In(operands) => operands.iter().filter_map(|one| one.value(claims)).any(|wanted| wanted.is(value)),
            Self::InClaim(name) => claims.list(name).is_some_and(|values| values.iter().any(|wanted| wanted.is(value))),
            Self::Contains(operand) => {
                operand.value(claims).is_some_and(|wanted| json::elements(value).any(|element| wanted.is(element)))
            }
        }
    }
}

impl Operand {
    fn value<'a>(&'a self, claims: &'a Claims) -> Option<&'a Scalar> {
        match self {
            Self::Constant(value) => Some(value),
            Self::Claim(name) => claims.one(name),
        }
    }
}

/// The value of a member; `None` if the object is not complete, or states the member not exactly once: readers disagree about
/// which of two equal names counts.
pub(crate) fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut members = json::members(object);
    let mut found = None;
    for (key, value) in members.by_ref() {
        if is_named(key, name) && found.replace(value).is_some() {
            return None;
        }
    }
    found.filter(|_| members.end() == Some(object.len()))
}

/// Whether a key, as it stands between its quotes, is this name. A key may be written with escapes.
fn is_named(key: &[u8], name: &str) -> bool {
    if !key.contains(&b'\\') {
        return key == name.as_bytes();
    }
    json::text(&[b"\"", key, b"\""].concat()).is_some_and(|text| text == name)
}
