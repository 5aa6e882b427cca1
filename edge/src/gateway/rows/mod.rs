//! Rows: which documents of a collection a caller may see and write, by conditions on their members.
//!
//! ```js
//! rows: { customerId: "$name", "team.id": { in: "$teams" }, members: { contains: "$name" }, archived: false }
//! ```
//!
//! All conditions must hold. A condition that cannot be judged does not hold: the member or the claim is missing, has another
//! type, or the document states the member twice.

mod claims;
mod compare_values;
mod judge;

#[cfg(test)]
mod tests;

use crate::gateway::gather::{all, gathered};
use crate::prelude::*;
pub(crate) use claims::{Claims, declared};
use compare_values::Scalar;
pub(crate) use judge::member;
use raven_edge_authority::json::{Object, Value};

/// Most conditions of a collection.
const MAX_CONDITIONS: usize = 32;
/// Most steps of a path.
const MAX_STEPS: usize = 8;
/// Most values of a list in the configuration.
const MAX_VALUES: usize = 256;

/// The conditions of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows(Vec<Condition>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    /// The names of the members that lead to the value.
    path: Vec<String>,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    /// The member equals this.
    Is(Operand),
    /// The member equals one of these.
    In(Vec<Operand>),
    /// The member equals one value of this claim, which is a list.
    InClaim(String),
    /// The member is an array with this value in it.
    Contains(Operand),
}

/// What a member is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Operand {
    Constant(Scalar),
    Claim(String),
}

impl Rows {
    /// Reads the conditions of a collection; `claims` are the declared names. An error begins with the path of the condition.
    pub(crate) fn read(raw: &Object, claims: &[String]) -> Result<Self, String> {
        let count = raw.iter().count();
        if count == 0 {
            return Err("name at least one condition, such as { customerId: \"$name\" }".into());
        }
        if count > MAX_CONDITIONS {
            return Err(format!("a collection has at most {MAX_CONDITIONS} conditions"));
        }
        let read = |(path, value)| condition(path, value, claims).map_err(|reason| format!("{path}: {reason}"));
        all(raw.iter().map(read)).map(Self)
    }
}

fn condition(path: &str, value: &Value, claims: &[String]) -> Result<Condition, String> {
    let path: Vec<String> = gathered(path.split('.').map(Into::into));
    if path.len() > MAX_STEPS || path.iter().any(String::is_empty) {
        return Err(format!("a path has 1 to {MAX_STEPS} names with dots between them"));
    }
    if path.first().is_some_and(|name| name.starts_with('@')) {
        return Err("conditions are about members of the document, not about its metadata".into());
    }
    Ok(Condition { path, test: test(value, claims)? })
}

fn test(value: &Value, claims: &[String]) -> Result<Test, String> {
    let Value::Object(words) = value else { return Ok(Test::Is(operand(value, claims)?)) };
    let mut words = words.iter();
    match (words.next(), words.next()) {
        (Some(("in", list)), None) => match (list, operand(list, claims)) {
            (Value::Array(list), _) if list.is_empty() || list.len() > MAX_VALUES => {
                Err(format!("in: a list has 1 to {MAX_VALUES} values"))
            }
            (Value::Array(list), _) => {
                let operands = all(list.iter().map(|one| operand(one, claims)));
                Ok(Test::In(operands.map_err(|reason| format!("in: {reason}"))?))
            }
            (_, Ok(Operand::Claim(name))) => Ok(Test::InClaim(name)),
            (_, Ok(Operand::Constant(_))) => Err("in: needs a list or a claim that is one".into()),
            (_, Err(reason)) => Err(format!("in: {reason}")),
        },
        (Some(("contains", one)), None) => {
            Ok(Test::Contains(operand(one, claims).map_err(|reason| format!("contains: {reason}"))?))
        }
        _ => Err("a condition is a value, a claim such as \"$name\", { in: […] } or { contains: … }".into()),
    }
}

/// A text that begins with `$` names a claim; one that begins with `$$` is the text behind the first `$`.
fn operand(value: &Value, claims: &[String]) -> Result<Operand, String> {
    let Some(named) = value.as_str().and_then(|text| text.strip_prefix('$')) else {
        let constant = Scalar::of(value).ok_or("a list or an object cannot be compared; use { in: […] } for a list")?;
        return Ok(Operand::Constant(constant));
    };
    if named.starts_with('$') {
        return Ok(Operand::Constant(Scalar::Text(named.into())));
    }
    if claims.iter().any(|claim| claim == named) {
        return Ok(Operand::Claim(named.into()));
    }
    Err(format!("\"${named}\" is not a claim; the declared claims are: {}", claims.join(", ")))
}
