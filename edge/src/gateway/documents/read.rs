//! Requests for documents: by id, and listings by prefix.

use super::receipt;
use crate::gateway::collections::{Collection, Right};
use crate::gateway::config::Config;
use crate::gateway::gather::{complete, gathered};
use crate::gateway::id_key;
use crate::gateway::plan::Operation;
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::request::{Query, has_control};
use crate::prelude::*;
use alloc::collections::BTreeMap;
use raven_edge::http::push_encoded;
use raven_edge_authority::json::{Object, Value, write_string};

/// The longest value of a parameter, in bytes.
const MAX_PARAMETER_BYTES: usize = 512;
/// Maximum number of include paths.
const MAX_INCLUDES: usize = 32;
/// Maximum number of `*` in a pattern of a listing. RavenDB tries all combinations: with eight, a single id of 40
/// characters takes a second, and each further `*` multiplies that.
const MAX_STARS: usize = 2;
/// The placeholder in an include path such as `Owner[{0}/details]`. RavenDB passes the path to .NET's formatter,
/// which turns `{0,999999}` into a million characters and repeats the value once per placeholder.
const PLACEHOLDER: &str = "{0}";

/// A request for documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(super) form: Form,
    /// The other parameters, besides the ids.
    pub(super) query: String,
    /// The ids that are sent: each document once, by the comparison of ids.
    pub(super) ids: Vec<String>,
    /// For each id of the caller, in its order: the index in `ids`; `None`: known to be invisible.
    pub(super) slots: Vec<Option<usize>>,
    /// Number of include paths.
    pub(super) includes: usize,
    /// How often RavenDB was asked already.
    pub(super) rounds: u8,
    /// Whether the caller gets the metadata of documents only.
    pub(super) metadata_only: bool,
    /// Whether whole documents are requested, although the caller gets metadata only: rows are judged by members.
    pub(super) whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    ByUrl,
    ByBody,
    /// Whether a document exists. It is requested as a GET, because only its metadata shows its collection.
    Head,
    List,
}

const BY_ID: [&str; 3] = ["id", "include", "metadataOnly"];
const LISTING: [&str; 7] = ["startsWith", "matches", "exclude", "startAfter", "start", "pageSize", "metadataOnly"];

impl Read {
    /// `GET docs`.
    pub(crate) fn get(query: &str, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        if query.split('&').any(|part| part.starts_with("startsWith=")) {
            list(query, config)
        } else {
            by_url(query, config)
        }
    }

    /// `HEAD docs`.
    pub(crate) fn head(query: &str, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        let query = Query::read(query, &["id"])?;
        let ids: Vec<String> = gathered(query.all("id").map(Into::into));
        if ids.len() != 1 {
            return Err(refused(Kind::Malformed, "HEAD needs exactly one id"));
        }
        Self::by_id(Form::Head, &ids, (String::new(), 0), true, config)
    }

    /// `POST docs`, with the ids in the body.
    pub(crate) fn post(query: &str, body: &Object, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        let query = Query::read(query, BY_ID.get(1..).unwrap_or_default())?;
        let Some(Value::Array(ids)) = body.get("Ids").filter(|_| body.iter().count() == 1) else {
            return Err(refused(Kind::Malformed, "the body must have Ids and nothing else"));
        };
        let ids: Option<Vec<String>> = complete(ids.iter().map(|id| id.as_str().map(Into::into)));
        let ids = ids.ok_or_else(|| refused(Kind::Malformed, "Ids must be strings"))?;
        Self::by_id(Form::ByBody, &ids, includes_of(&query)?, is_metadata_only(&query)?, config)
    }

    /// A read of these ids; also returns what is to be authorized.
    fn by_id(
        form: Form,
        named: &[String],
        (query, includes): (String, usize),
        metadata_only: bool,
        config: &Config,
    ) -> Result<(Self, Vec<Operation>), Refusal> {
        // RavenDB lists the whole database if a request names no ids.
        if named.is_empty() {
            return Err(refused(Kind::Route, "read documents by id, or list them with startsWith"));
        }
        check_ids(named.len(), config)?;
        let mut operations: Vec<Operation> = Vec::new();
        let mut ids: Vec<String> = Vec::new();
        let mut known = BTreeMap::new();
        let mut slots = Vec::with_capacity(named.len());
        for id in named {
            // A receipt is in no collection; its text says whose it is.
            let is_receipt = receipt::is_id(id);
            let collection = if is_receipt { None } else { Some(config.collections.allowed(id, Right::Read)?) };
            let slot = *known.entry(id_key::key(id)).or_insert_with(|| {
                if let Some(collection) = collection {
                    add(&mut operations, collection, id);
                }
                ids.push(id.clone());
                ids.len() - 1
            });
            slots.push(Some(slot));
        }
        check_includes(ids.len().saturating_mul(includes), config)?;
        let whole = has_rows(config);
        Ok((Self { form, query, ids, slots, includes, rounds: 0, metadata_only, whole }, operations))
    }

    /// How many ids the request contains, and how many ids times include paths.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.slots.len(), self.ids.len().saturating_mul(self.includes))
    }

    /// Whether RavenDB would be asked the same twice.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let keys = |read: &Self| read.ids.iter().map(|id| id_key::key(id)).collect::<Vec<_>>();
        let form = |read: &Self| (read.form, read.metadata_only);
        (form(self), &self.query, &self.slots) == (form(other), &other.query, &other.slots) && keys(self) == keys(other)
    }

    /// The query, including the question mark.
    pub(crate) fn target(&self) -> String {
        let mut query = String::new();
        if self.form != Form::ByBody {
            for id in &self.ids {
                push_parameter(&mut query, "id", id);
            }
        }
        query.push_str(&self.query);
        if self.metadata_only && !self.whole {
            query.push_str("&metadataOnly=true");
        }
        query.strip_prefix('&').map(|query| format!("?{query}")).unwrap_or_default()
    }
}

fn by_url(query: &str, config: &Config) -> Result<(Read, Vec<Operation>), Refusal> {
    let query = Query::read(query, &BY_ID)?;
    let ids: Vec<String> = gathered(query.all("id").map(Into::into));
    Read::by_id(Form::ByUrl, &ids, includes_of(&query)?, is_metadata_only(&query)?, config)
}

fn list(query: &str, config: &Config) -> Result<(Read, Vec<Operation>), Refusal> {
    let query = Query::read(query, &LISTING)?;
    let prefix = query.get("startsWith").unwrap_or_default();
    let collection = config.collections.listable(prefix)?;
    let page = query.integer("pageSize")?.ok_or_else(|| refused(Kind::Malformed, "a listing needs a pageSize"))?;
    // On 32-bit targets the number may exceed `usize`.
    if !usize::try_from(page).is_ok_and(|page| page <= config.limits.page) {
        return Err(refused(Kind::Limit, format!("a page has at most {} documents", config.limits.page)));
    }
    query.integer("start")?;
    for name in ["matches", "exclude"] {
        let patterns = query.get(name).unwrap_or_default().split('|');
        if patterns.into_iter().any(|pattern| pattern.matches('*').count() > MAX_STARS) {
            return Err(refused(Kind::Limit, format!("a pattern has at most {MAX_STARS} stars")));
        }
    }
    let mut text = String::new();
    for name in LISTING {
        if let Some(value) = query.get(name).filter(|_| name != "metadataOnly") {
            check_length(value)?;
            push_parameter(&mut text, name, value);
        }
    }
    let metadata_only = is_metadata_only(&query)?;
    // A listing that starts after an id still returns only ids with the prefix.
    let mut operation = Operation::on("list", &collection.name, None);
    operation.prefix = Some(prefix.into());
    let (ids, slots, whole) = (Vec::new(), Vec::new(), has_rows(config));
    let read = Read { form: Form::List, query: text, ids, slots, includes: 0, rounds: 0, metadata_only, whole };
    Ok((read, vec![operation]))
}

/// The body of a read of these ids.
pub(crate) fn ids_body<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut body = String::from("{\"Ids\":[");
    for id in ids {
        if !body.ends_with('[') {
            body.push(',');
        }
        write_string(&mut body, id);
    }
    body.push_str("]}");
    body
}

/// Whether some collection has rows: then whole documents must be read, because included ones may be of that collection.
fn has_rows(config: &Config) -> bool {
    config.collections.0.iter().any(|collection| collection.rows.is_some())
}

/// Fails if a request names too many ids.
pub(crate) fn check_ids(count: usize, config: &Config) -> Result<(), Refusal> {
    if count > config.limits.ids {
        return Err(refused(Kind::Limit, format!("a request has at most {} ids", config.limits.ids)));
    }
    Ok(())
}

/// Fails if RavenDB would have to follow too many includes: one path over a long list costs it milliseconds.
pub(crate) fn check_includes(count: usize, config: &Config) -> Result<(), Refusal> {
    if count > config.limits.includes {
        let most = config.limits.includes;
        return Err(refused(Kind::Limit, format!("ids times includes are at most {most} in a request, not {count}")));
    }
    Ok(())
}

/// Adds the read of a document to the operations.
pub(super) fn add(operations: &mut Vec<Operation>, collection: &Collection, id: &str) {
    match operations.iter_mut().find(|known| known.collection.as_ref() == Some(&collection.name)) {
        Some(known) => known.ids.push(id.into()),
        None => operations.push(Operation::on("read", &collection.name, Some(id))),
    }
}

/// The include paths as parameters, and their number.
fn includes_of(query: &Query) -> Result<(String, usize), Refusal> {
    let mut text = String::new();
    let includes = query.all("include").count();
    if includes > MAX_INCLUDES {
        return Err(refused(Kind::Limit, format!("a request has at most {MAX_INCLUDES} includes")));
    }
    for path in query.all("include") {
        check_length(path)?;
        if !has_one_placeholder(path) {
            return Err(refused(
                Kind::Limit,
                format!("an include may contain {PLACEHOLDER} once, and no other braces"),
            ));
        }
        push_parameter(&mut text, "include", path);
    }
    Ok((text, includes))
}

/// Whether a path has no braces, or those of one placeholder.
fn has_one_placeholder(path: &str) -> bool {
    match path.split_once('{') {
        None => !path.contains('}'),
        Some((_, rest)) => rest.strip_prefix("0}").is_some_and(|rest| !rest.contains(['{', '}'])),
    }
}

fn is_metadata_only(query: &Query) -> Result<bool, Refusal> {
    match query.get("metadataOnly") {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(refused(Kind::Malformed, "metadataOnly must be true or false")),
    }
}

fn check_length(value: &str) -> Result<(), Refusal> {
    if value.len() > MAX_PARAMETER_BYTES || has_control(value) {
        return Err(refused(Kind::Limit, "a parameter is too long or contains control characters"));
    }
    Ok(())
}

fn push_parameter(query: &mut String, name: &str, value: &str) {
    query.push('&');
    query.push_str(name);
    query.push('=');
    push_encoded(query, value);
}
