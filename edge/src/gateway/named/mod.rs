//! Named queries and patches: the text stays in the Worker, and callers send a name and declared parameters.

mod parameter_types;
mod parameters;
mod patch;
mod query;
mod query_page;
mod rql;
mod stream;

#[cfg(test)]
mod tests;

use crate::gateway::collections::Collections;
use parameters::Parameters;
pub(crate) use patch::{NamedPatch, Patches};
use query::NamedQuery;
pub(crate) use query_page::Scan;
use raven_edge_authority::json::Value;
use std::rc::Rc;
pub(crate) use stream::{Flow, Stream};

/// All named queries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Queries(Vec<Rc<NamedQuery>>);

impl Queries {
    /// Reads the queries; `claims` are the declared names. An error begins with the name of the query.
    pub(crate) fn read(raw: Option<&Value>, claims: &[String], known: &Collections) -> Result<Self, String> {
        let raw = match raw {
            None => return Ok(Self::default()),
            Some(Value::Object(raw)) => raw,
            Some(_) => return Err("must be an object, such as { openOrders: { query: \"from Orders\" } }".into()),
        };
        let read = |(name, value): (&str, &Value)| match value {
            Value::Object(words) => {
                let query = NamedQuery::read(name, words, claims, known);
                query.map(Rc::new).map_err(|reason| format!("{name}.{reason}"))
            }
            _ => Err(format!("{name}: must be an object with a query")),
        };
        raw.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// The query with this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Rc<NamedQuery>> {
        self.0.iter().find(|query| query.name == name)
    }
}

/// The claims among the names that a text uses. Each name must be a parameter or a claim and not both, and each parameter must be
/// used. `of`: what the text is, for errors.
fn bound(of: &str, used: &[String], parameters: &Parameters, declared: &[String]) -> Result<Vec<String>, String> {
    let mut claims = Vec::new();
    for name in used {
        match (parameters.names().any(|known| known == name), declared.contains(name)) {
            (true, true) => return Err(format!("{of}: ${name} is both a parameter and a claim")),
            (false, false) => return Err(format!("{of}: ${name} is neither a parameter nor a claim")),
            (true, false) => {}
            (false, true) => claims.push(name.clone()),
        }
    }
    match parameters.names().find(|name| !used.iter().any(|used| used == name)) {
        Some(unused) => Err(format!("parameters.{unused}: the {of} does not use it")),
        None => Ok(claims),
    }
}

/// A whole number in a request or in the configuration.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(text) => raven_edge::json::integer(text.as_bytes()),
        _ => None,
    }
}
