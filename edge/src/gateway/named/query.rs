//! A named query as the configuration declares it.

use super::parameters::Parameters;
use super::rql::Query;
use super::{bound, sync, whole};
use crate::gateway::collections::{Collections, Right, shortened};
use crate::gateway::config::flag;
use crate::gateway::gather::{all, complete};
use crate::gateway::plan::{Caller, Operation};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::picked;
use crate::prelude::*;
use raven_edge::ids::key;
use raven_edge::json;
use raven_edge::protocol::metadata;
use raven_edge_authority::json::{Object, Value, write, write_string};

/// Most results that one page may have, whatever the configuration says.
const MAX_PAGE: u64 = 1_024;
/// Results of a page, if nothing is declared.
const DEFAULT_PAGE: u64 = 25;
/// The longest time that a query may wait for its index, in milliseconds.
const MAX_WAIT_MS: u64 = 30_000;
/// The words of a query's configuration.
const WORDS: [&str; 8] = ["query", "parameters", "page", "projection", "total", "wait", "collections", "set"];

/// A query of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedQuery {
    pub(super) name: String,
    pub(super) query: Query,
    pub(super) parameters: Parameters,
    /// The claims that the text uses.
    claims: Vec<String>,
    /// Results of a page if the caller says nothing, and at most.
    pub(super) page: (u64, u64),
    /// The members that callers get; without it, whole documents.
    projection: Option<Vec<String>>,
    /// The collections that it reads, if that is known.
    collections: Vec<String>,
    /// Whether the response says how many results there are, hidden ones included.
    pub(super) total: bool,
    /// Whether callers may keep all its results up to date on their devices.
    pub(super) is_set: bool,
    /// How long RavenDB may wait until the index has seen all writes, in milliseconds.
    wait_ms: Option<u64>,
}

impl NamedQuery {
    pub(super) fn read(name: &str, words: &Object, declared: &[String], known: &Collections) -> Result<Self, String> {
        if let Some(word) = words.unknown(&WORDS) {
            return Err(format!("{word}: is not known; a query has {}", WORDS.join(", ")));
        }
        let text = words.get("query").and_then(Value::as_str).ok_or("query: the text of the query is missing")?;
        let query = Query::read(text).map_err(|reason| format!("query: {reason}"))?;
        let parameters = Parameters::read(words.get("parameters")).map_err(|reason| format!("parameters.{reason}"))?;
        let claims = bound("query", &query.used, &parameters, declared)?;
        let (total, is_set) = (flag(words.get("total"), "total")?, flag(words.get("set"), "set")?);
        let no_set = query.no_set.or(query.includes.then_some("includes documents"));
        if let Some(reason) = no_set.or(words.get("projection").map(|_| "has a projection")).filter(|_| is_set) {
            return Err(format!("set: a query that {reason} cannot be a set"));
        }
        let collections = collections(words.get("collections"), &query, known)?;
        Ok(Self {
            name: name.into(),
            collections,
            query,
            parameters,
            claims,
            page: page(words.get("page"))?,
            projection: words.get("projection").map(|value| names(value, "projection")).transpose()?,
            total,
            is_set,
            wait_ms: words.get("wait").map(|value| number(value, "wait", 1, MAX_WAIT_MS)).transpose()?,
        })
    }

    /// All documents of a collection.
    pub(super) fn of_collection(name: &str, collection: &str, known: &Collections) -> Result<Self, String> {
        let text = sync::of_collection(collection);
        let query =
            Query { text, used: Vec::new(), includes: false, collection: Some(collection.into()), no_set: None };
        let collections = collections(None, &query, known)?;
        Ok(Self {
            name: name.into(),
            collections,
            query,
            parameters: Parameters::default(),
            claims: Vec::new(),
            page: (DEFAULT_PAGE, DEFAULT_PAGE),
            projection: None,
            total: false,
            is_set: true,
            wait_ms: None,
        })
    }

    /// Fails if the body of a request has other members than these.
    pub(super) fn only(&self, body: &Object, names: &[&str]) -> Result<(), Refusal> {
        match body.unknown(names) {
            Some(name) => Err(refused(
                Kind::Malformed,
                format!("{} is not known; this request has {}", shortened(name), names.join(", ")),
            )),
            None => Ok(()),
        }
    }

    /// What `authorize` is asked. `parameters`: as they were checked, without braces.
    pub(super) fn operation(&self, parameters: &str) -> Operation {
        let named = Some((self.name.clone(), format!("{{{parameters}}}")));
        Operation { collection: None, named, ..Operation::on("query", "", None) }
    }

    /// The body of the request to RavenDB, without its end; `None` if the caller lacks a claim that the query uses.
    pub(super) fn body(&self, parameters: &str, caller: &Caller) -> Option<String> {
        let mut body = String::from("{\"Query\":");
        write_string(&mut body, &self.query.text);
        body.push_str(",\"QueryParameters\":{");
        body.push_str(parameters);
        for name in &self.claims {
            if !body.ends_with('{') {
                body.push(',');
            }
            write_string(&mut body, name);
            body.push(':');
            write(&mut body, caller.claims.value(name)?);
        }
        body.push('}');
        if let Some(wait) = self.wait_ms {
            let (seconds, millis) = (wait / 1_000, wait % 1_000);
            let time = format!("00:00:{seconds:02}.{millis:03}0000");
            body.push_str(&format!(",\"WaitForNonStaleResults\":true,\"WaitForNonStaleResultsTimeout\":\"{time}\""));
        }
        Some(body)
    }

    /// Appends a document as the caller gets it, with a comma before it if it is not the first one; `None` if it is not text.
    pub(super) fn push_shown(&self, document: &[u8], is_first: bool, text: &mut String) -> Option<()> {
        let document = core::str::from_utf8(document).ok()?;
        if !is_first {
            text.push(',');
        }
        let Some(projection) = &self.projection else {
            text.push_str(document);
            return Some(());
        };
        let names: Vec<&str> = projection.iter().map(String::as_str).collect();
        text.push_str(&picked(document.as_bytes(), &names));
        text.pop();
        if !text.ends_with('{') {
            text.push(',');
        }
        let stated = json::get(document.as_bytes(), metadata::MEMBER).unwrap_or_default();
        let mut own = picked(stated, &[metadata::ID, metadata::COLLECTION]);
        own.pop();
        for part in ["\"", metadata::MEMBER, "\":", &own, ",\"", metadata::PROJECTION, "\":true}}"] {
            text.push_str(part);
        }
        Some(())
    }

    /// Appends the number of results according to RavenDB, if callers may know it.
    pub(super) fn push_total(&self, total: Option<u64>, text: &mut String) {
        if let Some(total) = total.filter(|_| self.total) {
            text.push_str(&format!(",\"TotalResults\":{total}"));
        }
    }

    /// Appends what callers may know of a query besides its results.
    pub(super) fn push_facts(&self, total: Option<u64>, text: &mut String) {
        self.push_total(total, text);
        if !self.collections.is_empty() {
            text.push_str(",\"Collections\":[");
            for name in &self.collections {
                if !text.ends_with('[') {
                    text.push(',');
                }
                write_string(text, name);
            }
            text.push(']');
        }
    }
}

/// The collections that a query reads: those that are declared, or the one behind `from`. Callers must be able to read each of them.
fn collections(value: Option<&Value>, query: &Query, known: &Collections) -> Result<Vec<String>, String> {
    let (found, of) = match value {
        Some(value) => (names(value, "collections")?, "collections"),
        None => (query.collection.iter().cloned().collect(), "query"),
    };
    all(found.into_iter().map(|name| {
        let readable = known.0.iter().find(|one| key::surely_same(&one.name, &name) && one.allows(Right::Read));
        readable
            .map(|one| one.name.clone())
            .ok_or_else(|| format!("{of}: callers may not read \"{name}\"; add it to the gateway's `collections`"))
    }))
}

fn page(value: Option<&Value>) -> Result<(u64, u64), String> {
    let words = match value {
        None => return Ok((DEFAULT_PAGE, DEFAULT_PAGE)),
        Some(Value::Object(words)) => words,
        Some(_) => return Err("page: must be an object, such as { default: 25, max: 100 }".into()),
    };
    if let Some(word) = words.unknown(&["default", "max"]) {
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
    whole(value)
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("{name}: must be a whole number from {least} to {most}"))
}

fn names(value: &Value, name: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("{name}: must be a list of names");
    let Value::Array(items) = value else { return Err(wrong()) };
    let names: Option<Vec<String>> = complete(items.iter().map(|item| item.as_str().map(Into::into)));
    names
        .filter(|names| !names.is_empty() && names.iter().all(|name| !name.is_empty() && !name.starts_with('@')))
        .ok_or_else(wrong)
}
