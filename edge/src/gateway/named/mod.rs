//! Named queries and patches: the text stays in the Worker, and callers send a name and declared parameters.

mod parameters;
mod patch;
mod rql;
mod scan;

#[cfg(test)]
mod tests;

use parameters::Parameters;
pub(crate) use patch::{NamedPatch, Patches};
use raven_edge_authority::json::{Object, Value};
use rql::Query;
pub(crate) use scan::Scan;

/// Most results that one page may have, whatever the configuration says.
const MAX_PAGE: u64 = 1_024;
/// Results of a page, if nothing is declared.
const DEFAULT_PAGE: u64 = 25;
/// The longest time that a query may wait for its index, in milliseconds.
const MAX_WAIT_MS: u64 = 30_000;
/// The words of a query's configuration.
const WORDS: [&str; 6] = ["query", "parameters", "page", "projection", "total", "wait"];

/// All named queries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Queries(Vec<NamedQuery>);

/// A query of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedQuery {
    name: String,
    query: Query,
    parameters: Parameters,
    /// The claims that the text uses.
    claims: Vec<String>,
    /// Results of a page if the caller says nothing, and at most.
    page: (u64, u64),
    /// The members that callers get; without it, whole documents.
    projection: Option<Vec<String>>,
    /// Whether callers are told how many results there are, hidden ones included.
    total: bool,
    /// How long RavenDB may wait until the index has seen all writes, in milliseconds.
    wait_ms: Option<u64>,
}

impl Queries {
    /// Reads the queries; `claims` are the declared names. An error begins with the name of the query.
    pub(crate) fn read(raw: Option<&Value>, claims: &[String]) -> Result<Self, String> {
        let raw = match raw {
            None => return Ok(Self::default()),
            Some(Value::Object(raw)) => raw,
            Some(_) => return Err("must be an object, such as { openOrders: { query: \"from Orders\" } }".into()),
        };
        let read = |(name, value): (&str, &Value)| match value {
            Value::Object(words) => NamedQuery::read(name, words, claims).map_err(|reason| format!("{name}.{reason}")),
            _ => Err(format!("{name}: must be an object with a query")),
        };
        raw.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// The query with this name.
    pub(crate) fn named(&self, name: &str) -> Option<&NamedQuery> {
        self.0.iter().find(|query| query.name == name)
    }
}

impl NamedQuery {
    fn read(name: &str, words: &Object, declared: &[String]) -> Result<Self, String> {
        if let Some((word, _)) = words.iter().find(|(word, _)| !WORDS.contains(word)) {
            return Err(format!("{word}: is not known; a query has {}", WORDS.join(", ")));
        }
        let text = words.get("query").and_then(Value::as_str).ok_or("query: the text of the query is missing")?;
        let query = Query::read(text).map_err(|reason| format!("query: {reason}"))?;
        let parameters = Parameters::read(words.get("parameters")).map_err(|reason| format!("parameters.{reason}"))?;
        let claims = bound("query", &query.used, &parameters, declared)?;
        let total = match words.get("total") {
            None => false,
            Some(Value::Bool(total)) => *total,
            Some(_) => return Err("total: must be true or false".into()),
        };
        Ok(Self {
            name: name.into(),
            query,
            parameters,
            claims,
            page: page(words.get("page"))?,
            projection: words.get("projection").map(|value| names(value, "projection")).transpose()?,
            total,
            wait_ms: words.get("wait").map(|value| number(value, "wait", 1, MAX_WAIT_MS)).transpose()?,
        })
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

fn page(value: Option<&Value>) -> Result<(u64, u64), String> {
    let words = match value {
        None => return Ok((DEFAULT_PAGE, DEFAULT_PAGE)),
        Some(Value::Object(words)) => words,
        Some(_) => return Err("page: must be an object, such as { default: 25, max: 100 }".into()),
    };
    if let Some((word, _)) = words.iter().find(|(word, _)| !["default", "max"].contains(word)) {
        return Err(format!("page.{word}: is not known; a page has default and max"));
    }
    let usual = words.get("default").map(|value| number(value, "page.default", 1, MAX_PAGE)).transpose()?;
    let most = words.get("max").map(|value| number(value, "page.max", 1, MAX_PAGE)).transpose()?;
    match (usual, most) {
        (Some(usual), Some(most)) if usual > most => Err("page.default: is above page.max".into()),
        (usual, most) => {
            let most = most.or(usual).unwrap_or(DEFAULT_PAGE);
            Ok((usual.unwrap_or(DEFAULT_PAGE).min(most), most))
        }
    }
}

fn number(value: &Value, name: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = match value {
        Value::Number(text) => raven_edge::json::integer(text.as_bytes()),
        _ => None,
    };
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("{name}: must be a whole number from {least} to {most}"))
}

fn names(value: &Value, name: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("{name}: must be a list of names");
    let Value::Array(items) = value else { return Err(wrong()) };
    let names: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(Into::into)).collect();
    names
        .filter(|names| !names.is_empty() && names.iter().all(|name| !name.is_empty() && !name.starts_with('@')))
        .ok_or_else(wrong)
}
