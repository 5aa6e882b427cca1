//! Reads: documents by id, and listings by prefix. Each document in the response is checked by its own metadata.

use super::collections::{Collection, Right};
use super::config::Config;
use super::plan::{Forward, Operation};
use super::refusal::{Kind, Refusal, refused};
use super::request::Query;
use super::response::{Response, SubResponse, UpstreamResponse, failure, nothing, part};
use raven_edge::http::push_encoded;
use raven_edge::json;
use raven_edge::protocol::metadata;
use raven_edge_authority::json::{Object, Value, read_strict, write_string};

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
    form: Form,
    /// The other parameters, besides the ids.
    query: String,
    ids: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
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
    pub(super) fn get(query: &str, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        if query.split('&').any(|part| part.starts_with("startsWith=")) {
            list(query, config)
        } else {
            by_url(query, config)
        }
    }

    /// `HEAD docs`.
    pub(super) fn head(query: &str, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        let query = Query::read(query, &["id"])?;
        let ids: Vec<String> = query.all("id").map(Into::into).collect();
        if ids.len() != 1 {
            return Err(refused(Kind::Malformed, "HEAD needs exactly one id"));
        }
        let operations = permitted(&ids, config)?;
        Ok((Self { form: Form::Head, query: "&metadataOnly=true".into(), ids }, operations))
    }

    /// `POST docs`, with the ids in the body.
    pub(super) fn post(query: &str, body: &Object, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        let query = Query::read(query, BY_ID.get(1..).unwrap_or_default())?;
        let Some(Value::Array(ids)) = body.get("Ids").filter(|_| body.iter().count() == 1) else {
            return Err(refused(Kind::Malformed, "the body must have Ids and nothing else"));
        };
        let ids: Option<Vec<String>> = ids.iter().map(|id| id.as_str().map(Into::into)).collect();
        let ids = ids.ok_or_else(|| refused(Kind::Malformed, "Ids must be strings"))?;
        let operations = permitted(&ids, config)?;
        Ok((Self { form: Form::ByBody, query: beside(&query)?, ids }, operations))
    }

    /// How many ids the request contains.
    pub(super) fn count(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn forward(&self, config: &Config) -> Forward {
        let path = format!("{}/docs{}", config.base(), self.target());
        if self.form != Form::ByBody {
            return Forward::get(path);
        }
        let mut body = String::from("{\"Ids\":[");
        for id in &self.ids {
            if !body.ends_with('[') {
                body.push(',');
            }
            write_string(&mut body, id);
        }
        body.push_str("]}");
        Forward::post(path, body)
    }

    /// The query, including the question mark.
    pub(super) fn target(&self) -> String {
        let mut query = String::new();
        if self.form != Form::ByBody {
            for id in &self.ids {
                push_parameter(&mut query, "id", id);
            }
        }
        query.push_str(&self.query);
        query.strip_prefix('&').map(|query| format!("?{query}")).unwrap_or_default()
    }

    pub(super) fn response(&self, config: &Config, upstream: &UpstreamResponse, target: &str) -> Response {
        let single = self.form != Form::List && self.ids.len() == 1;
        // RavenDB's 404 has no body. A 404 with a body comes from a proxy and means something else.
        if single && upstream.status == 404 && upstream.body.is_empty() {
            return Response::empty(404);
        }
        let Some(visible) = self.visible_part(config, upstream.status, &upstream.body) else {
            return failure(upstream, target, true);
        };
        // A document of another collection is reported as RavenDB reports a document that does not exist.
        if single && visible.nothing {
            return Response::empty(404);
        }
        if visible.hides {
            return beside_hidden().response(target);
        }
        let mut response =
            if self.form == Form::Head { Response::empty(200) } else { Response::json(200, visible.text) };
        response.included = visible.included;
        // The ETag of several documents depends on all that RavenDB found, including hidden ones.
        if single
            && self.query.find("include=").is_none()
            && let Some(etag) = upstream.header("etag")
        {
            response.with("ETag", etag);
        }
        response
    }

    /// The same for a part of a `multi_get`, as JSON text. Adds included documents to `included`.
    pub(super) fn sub_response(
        &self,
        config: &Config,
        upstream: &SubResponse<'_>,
        target: &str,
        included: &mut Vec<Operation>,
    ) -> String {
        let single = self.form != Form::List && self.ids.len() == 1;
        match self.visible_part(config, upstream.status, upstream.body) {
            Some(visible) if single && visible.nothing => nothing(),
            Some(visible) if visible.hides => part(&beside_hidden().response(target)),
            Some(visible) => {
                included.extend(visible.included);
                format!("{{\"Result\":{},\"StatusCode\":200,\"Headers\":{{}}}}", visible.text)
            }
            None if upstream.status == 404 => nothing(),
            None => {
                let upstream =
                    UpstreamResponse { status: upstream.status, headers: Vec::new(), body: upstream.body.to_vec() };
                part(&failure(&upstream, target, true))
            }
        }
    }

    /// The part of a response that the caller may see.
    fn visible_part(&self, config: &Config, status: u16, body: &[u8]) -> Option<VisiblePart> {
        (status == 200).then_some(())?;
        let results = json::get(body, "Results")?;
        let mut text = String::from("{\"Results\":[");
        let (mut nothing, mut hidden) = (true, false);
        let mut included = Vec::new();
        for document in json::elements(results) {
            let visible = visible(document, config).is_some();
            if self.form == Form::List && !visible {
                continue;
            }
            if !text.ends_with('[') {
                text.push(',');
            }
            text.push_str(if visible { core::str::from_utf8(document).ok()? } else { "null" });
            nothing &= !visible;
            hidden |= !visible && document != b"null";
        }
        text.push(']');
        if self.form != Form::List {
            text.push_str(",\"Includes\":{");
            for (id, document) in json::get(body, "Includes").into_iter().flat_map(json::members) {
                if let Some((own, collection)) = visible(document, config) {
                    add(&mut included, collection, &own);
                    text.push_str(if text.ends_with('{') { "\"" } else { ",\"" });
                    text.push_str(core::str::from_utf8(id).ok()?);
                    text.push_str("\":");
                    text.push_str(core::str::from_utf8(document).ok()?);
                }
            }
            text.push('}');
        }
        text.push('}');
        Some(VisiblePart { text, nothing, hides: hidden && self.query.contains("include="), included })
    }
}

struct VisiblePart {
    text: String,
    /// Whether no document is visible.
    nothing: bool,
    /// Whether the included documents would reveal what a hidden document refers to.
    hides: bool,
    /// The included documents.
    included: Vec<Operation>,
}

fn beside_hidden() -> Refusal {
    refused(Kind::Document, "one of the documents may not be read, so nothing can be included; leave that document out")
}

/// The id and collection of a document that the caller may see. Its metadata must occur once and contain each name
/// once; its `@collection` must be readable and match its id.
fn visible<'a>(document: &[u8], config: &'a Config) -> Option<(String, &'a Collection)> {
    let mut stated =
        json::members(document).filter(|(name, _)| *name == metadata::MEMBER.as_bytes()).map(|(_, value)| value);
    let (Some(stated), None) = (stated.next(), stated.next()) else { return None };
    let stated = read_strict(stated).ok()?;
    let text = |name| stated.get(name).and_then(Value::as_str);
    let (id, collection) = text(metadata::ID).zip(text(metadata::COLLECTION))?;
    config.collections.showing(id, collection).map(|collection| (id.to_owned(), collection))
}

fn by_url(query: &str, config: &Config) -> Result<(Read, Vec<Operation>), Refusal> {
    let query = Query::read(query, &BY_ID)?;
    let ids: Vec<String> = query.all("id").map(Into::into).collect();
    let operations = permitted(&ids, config)?;
    Ok((Read { form: Form::ByUrl, query: beside(&query)?, ids }, operations))
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
        if let Some(value) = query.get(name) {
            check_length(value)?;
            push_parameter(&mut text, name, value);
        }
    }
    check_flag(&query)?;
    // A listing that starts after an id still returns only ids with the prefix.
    let mut operation = Operation::on("list", &collection.name, None);
    operation.prefix = Some(prefix.into());
    Ok((Read { form: Form::List, query: text, ids: Vec::new() }, vec![operation]))
}

/// The operations of reading these ids.
fn permitted(ids: &[String], config: &Config) -> Result<Vec<Operation>, Refusal> {
    // RavenDB lists the whole database if a request names no ids.
    if ids.is_empty() {
        return Err(refused(Kind::Route, "read documents by id, or list them with startsWith"));
    }
    if ids.len() > config.limits.ids {
        return Err(refused(Kind::Limit, format!("a request has at most {} ids", config.limits.ids)));
    }
    let mut operations: Vec<Operation> = Vec::new();
    for id in ids {
        add(&mut operations, config.collections.allowed(id, Right::Read)?, id);
    }
    Ok(operations)
}

/// Adds the read of a document to the operations.
fn add(operations: &mut Vec<Operation>, collection: &Collection, id: &str) {
    match operations.iter_mut().find(|known| known.collection.as_ref() == Some(&collection.name)) {
        Some(known) => known.ids.push(id.into()),
        None => operations.push(Operation::on("read", &collection.name, Some(id))),
    }
}

/// The parameters besides the ids.
fn beside(query: &Query) -> Result<String, Refusal> {
    let mut text = String::new();
    if query.all("include").count() > MAX_INCLUDES {
        return Err(refused(Kind::Limit, format!("a request has at most {MAX_INCLUDES} includes")));
    }
    for path in query.all("include") {
        check_length(path)?;
        if path.replacen(PLACEHOLDER, "", 1).contains(['{', '}']) {
            return Err(refused(
                Kind::Limit,
                format!("an include may contain {PLACEHOLDER} once, and no other braces"),
            ));
        }
        push_parameter(&mut text, "include", path);
    }
    if check_flag(query)? {
        text.push_str("&metadataOnly=true");
    }
    Ok(text)
}

fn check_flag(query: &Query) -> Result<bool, Refusal> {
    match query.get("metadataOnly") {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(refused(Kind::Malformed, "metadataOnly must be true or false")),
    }
}

fn check_length(value: &str) -> Result<(), Refusal> {
    if value.len() > MAX_PARAMETER_BYTES || value.chars().any(char::is_control) {
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
