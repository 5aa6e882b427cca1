//! Claims: what `authorize` says about a caller, under the names that the configuration declares.

use super::compare_values::Scalar;
use crate::gateway::gather::complete;
use crate::prelude::*;
use raven_edge_authority::json::{Object, Value, write, write_string};

/// The claims of a caller. A claim that is missing, null or undefined is absent, and satisfies no condition; so are values of a list that
/// are null or undefined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims(Vec<(String, Value, Claim)>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Claim {
    One(Scalar),
    List(Vec<Scalar>),
}

impl Claims {
    /// Reads what `authorize` returned; `declared` are the names that it may use. An error begins with the name of the claim.
    pub(crate) fn read(raw: &Object, declared: &[String]) -> Result<Self, String> {
        let mut claims = Vec::new();
        for (name, value) in raw.iter() {
            let mut value = value.clone();
            match &mut value {
                Value::Null => continue,
                Value::Array(list) => list.retain(|one| !matches!(one, Value::Null)),
                _ => {}
            }
            if !declared.iter().any(|known| known == name) {
                return Err(format!("{name}: authorize returned a claim that is not declared in `claims`"));
            }
            let claim = match &value {
                Value::Array(list) => complete(list.iter().map(Scalar::of)).map(Claim::List),
                one => Scalar::of(one).map(Claim::One),
            };
            let claim =
                claim.ok_or_else(|| format!("{name}: a claim is a text, a number, a boolean or a list of those"))?;
            claims.push((name.into(), value, claim));
        }
        Ok(Self(claims))
    }

    /// All claims as one text. Equal texts mean equal claims.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (name, value, _) in &self.0 {
            write_string(&mut text, name);
            write(&mut text, value);
        }
        text
    }

    fn find(&self, name: &str) -> Option<&(String, Value, Claim)> {
        self.0.iter().find(|(of, ..)| of == name)
    }

    /// The value of a claim as `authorize` returned it.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.find(name).map(|(_, value, _)| value)
    }

    /// The value of a claim that is a single value.
    pub(super) fn one(&self, name: &str) -> Option<&Scalar> {
        match self.find(name) {
            Some((_, _, Claim::One(value))) => Some(value),
            _ => None,
        }
    }

    /// The values of a claim that is a list.
    pub(super) fn list(&self, name: &str) -> Option<&[Scalar]> {
        match self.find(name) {
            Some((_, _, Claim::List(values))) => Some(values),
            _ => None,
        }
    }
}

/// Checks the declared names of claims.
pub(crate) fn declared(names: &[String]) -> Result<(), String> {
    for (at, name) in names.iter().enumerate() {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if name.is_empty() || !name.chars().all(plain) || name.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Err(format!("claims.{at}: a name consists of letters, digits and underscores"));
        }
        if names.iter().take(at).any(|other| other == name) {
            return Err(format!("claims.{at}: \"{name}\" is declared twice"));
        }
    }
    Ok(())
}
