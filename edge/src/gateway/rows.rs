//! Rows: which documents of a collection a caller may use, by conditions on their members.
//!
//! The judge reads the document's own text along the path of each condition. Whatever RavenDB could read differently
//! matches nothing: a name that occurs twice on the path, an invalid escape, a text that ends too early.

use raven_edge::json;
use raven_edge_authority::json::{Object, Value, read};

/// The conditions of a collection. All of them must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows(Vec<Row>);

/// A condition on one member.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// The names from the document to the member.
    path: Vec<String>,
    condition: Condition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    /// The member is this value.
    Equal(Operand),
    /// The member is one of these values.
    In(Operands),
    /// The member is an array with this value.
    Contains(Operand),
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Operand {
    /// A claim of the caller.
    Claim(String),
    Constant(Scalar),
}

/// Values to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Operands {
    /// A claim of the caller that is an array.
    Claim(String),
    Listed(Vec<Operand>),
}

/// A string, a number or a boolean. Two scalars of different types are never equal.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scalar {
    Text(String),
    Number(Decimal),
    Bool(bool),
}

/// The exact value of a JSON number: `1`, `1.0` and `10e-1` are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    /// Without zeros at either end; empty for 0.
    digits: String,
    /// The power of ten of the last digit; 0 for 0.
    exponent: i64,
}

impl Rows {
    /// Reads `{ "customerId": "$name", "team": { "in": "$teams" }, "members": { "contains": "$name" } }`. `at` is the path of
    /// the field in the configuration, `claims` are the declared names.
    pub(crate) fn read(value: &Value, at: &str, claims: &[String]) -> Result<Self, String> {
        let Value::Object(members) = value else { return Err(format!("{at}: must be an object of conditions")) };
        let rows: Result<Vec<Row>, String> = members
            .iter()
            .map(|(path, condition)| {
                let at = format!("{at}.{path}");
                let path: Vec<String> = path.split('.').map(Into::into).collect();
                if path.iter().any(String::is_empty) {
                    return Err(format!("{at}: a path has names with dots between them"));
                }
                Ok(Row { path, condition: Condition::read(condition, &at, claims)? })
            })
            .collect();
        let rows = rows?;
        if rows.is_empty() {
            return Err(format!("{at}: name at least one condition"));
        }
        Ok(Self(rows))
    }

    /// Whether a caller with these claims may use the document with this text.
    pub(crate) fn hold(&self, document: &[u8], claims: &Object) -> bool {
        self.0.iter().all(|row| row.holds(document, claims).unwrap_or(false))
    }
}

impl Condition {
    fn read(value: &Value, at: &str, claims: &[String]) -> Result<Self, String> {
        let Value::Object(condition) = value else { return Operand::read(value, at, claims).map(Self::Equal) };
        let mut parts = condition.iter();
        match (parts.next(), parts.next()) {
            (Some(("in", Value::Array(values))), None) if !values.is_empty() => {
                let listed = values.iter().enumerate();
                let listed = listed.map(|(index, value)| Operand::read(value, &format!("{at}.in.{index}"), claims));
                Ok(Self::In(Operands::Listed(listed.collect::<Result<_, _>>()?)))
            }
            (Some(("in", value)), None) => match Operand::read(value, &format!("{at}.in"), claims)? {
                Operand::Claim(name) => Ok(Self::In(Operands::Claim(name))),
                Operand::Constant(_) => Err(format!("{at}.in: must be a claim, or values in an array")),
            },
            (Some(("contains", value)), None) => {
                Operand::read(value, &format!("{at}.contains"), claims).map(Self::Contains)
            }
            _ => Err(format!("{at}: must be a value, {{ in }} or {{ contains }}")),
        }
    }
}

impl Operand {
    fn read(value: &Value, at: &str, claims: &[String]) -> Result<Self, String> {
        if let Some(name) = value.as_str().and_then(|text| text.strip_prefix('$')) {
            // Two of them stand for one in a constant.
            if name.starts_with('$') {
                return Ok(Self::Constant(Scalar::Text(name.into())));
            }
            return match claims.iter().any(|claim| claim == name) {
                true => Ok(Self::Claim(name.into())),
                false => Err(format!("{at}: \"${name}\" is not among the claims")),
            };
        }
        scalar(value)
            .map(Self::Constant)
            .ok_or_else(|| format!("{at}: must be a claim, a string, a number or a boolean"))
    }

    /// The value; `None` if the caller lacks the claim, or the claim is not a scalar.
    fn value(&self, claims: &Object) -> Option<Scalar> {
        match self {
            Self::Claim(name) => scalar(claims.get(name)?),
            Self::Constant(value) => Some(value.clone()),
        }
    }
}

impl Row {
    fn holds(&self, document: &[u8], claims: &Object) -> Option<bool> {
        let mut text = document;
        for name in &self.path {
            text = member(text, name)?;
        }
        let value = read(text).ok()?;
        Some(match &self.condition {
            Condition::Equal(operand) => operand.value(claims)? == scalar(&value)?,
            Condition::Contains(operand) => {
                let Value::Array(items) = &value else { return None };
                let wanted = operand.value(claims)?;
                items.iter().any(|item| scalar(item).as_ref() == Some(&wanted))
            }
            Condition::In(operands) => {
                let value = scalar(&value)?;
                match operands {
                    Operands::Listed(listed) => {
                        listed.iter().any(|operand| operand.value(claims).as_ref() == Some(&value))
                    }
                    Operands::Claim(name) => {
                        let Value::Array(items) = claims.get(name)? else { return None };
                        items.iter().any(|item| scalar(item).as_ref() == Some(&value))
                    }
                }
            }
        })
    }
}

/// The text of a member; `None` if the object has no such member, or two of them, or is not an object.
fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut members = json::members(object);
    let mut found = None;
    while let Some(key) = members.key() {
        let value = members.value()?;
        // Only a name with an escape is decoded.
        let is_same = if key.contains(&b'\\') {
            read(&[b"\"", key, b"\""].concat()).ok()?.as_str()? == name
        } else {
            key == name.as_bytes()
        };
        if is_same && found.replace(value).is_some() {
            return None;
        }
    }
    let end = members.end()?;
    object.get(end..)?.iter().all(u8::is_ascii_whitespace).then_some(found?)
}

fn scalar(value: &Value) -> Option<Scalar> {
    match value {
        Value::String(text) => Some(Scalar::Text(text.clone())),
        Value::Number(text) => Decimal::read(text).map(Scalar::Number),
        Value::Bool(value) => Some(Scalar::Bool(*value)),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

impl Decimal {
    /// Reads a JSON number; `None` if its exponent is beyond all numbers that a document can hold.
    fn read(number: &str) -> Option<Self> {
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let digits = all.trim_end_matches('0');
        let zeros = i64::try_from(all.len() - digits.len()).ok()?;
        let exponent =
            exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(zeros)?;
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        Some(Self { negative, digits: digits.into(), exponent })
    }
}

#[cfg(test)]
mod tests;
