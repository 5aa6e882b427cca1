//! Named queries and patches: the text stays in the Worker, and callers send a name and declared parameters.

mod parameter_types;
mod parameters;
mod patch;
mod query;
mod query_page;
mod results_scanner;
mod rql;
mod stream;
mod sync;

#[cfg(test)]
mod sync_tests;
#[cfg(test)]
mod tests;

use crate::gateway::collections::Collections;
use crate::gateway::gather::all;
use crate::prelude::*;
use alloc::rc::Rc;
use parameters::Parameters;
pub(crate) use patch::{NamedPatch, Patches};
use query::NamedQuery;
pub(crate) use query_page::Scan;
use raven_edge_authority::json::Value;
pub(crate) use stream::{Flow, Stream};
pub(crate) use sync::{Comparison, Sync};

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
        all(raw.iter().map(read)).map(Self)
    }

    /// Adds the sets of whole collections, which are queries of their own. An error begins with the name of the set.
    pub(crate) fn with_sets(mut self, raw: Option<&Value>, known: &Collections) -> Result<Self, String> {
        const FORM: &str = "must be an object, such as { items: { collection: \"Items\" } }";
        let raw = match raw {
            None => return Ok(self),
            Some(Value::Object(raw)) => raw,
            Some(_) => return Err(format!("sets: {FORM}")),
        };
        for (name, value) in raw.iter() {
            let Value::Object(words) = value else { return Err(format!("sets.{name}: {FORM}")) };
            if let Some(word) = words.unknown(&["collection"]) {
                return Err(format!("sets.{name}.{word}: is not known; a set has collection"));
            }
            if self.named(name).is_some() {
                return Err(format!("sets.{name}: a query has this name"));
            }
            let collection = words.get("collection").and_then(Value::as_str);
            let collection = collection.ok_or_else(|| format!("sets.{name}.collection: the name is missing"))?;
            let query = NamedQuery::of_collection(name, collection, known);
            self.0.push(Rc::new(query.map_err(|reason| format!("sets.{name}.collection: {reason}"))?));
        }
        Ok(self)
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
