//! Reads: documents by id, and listings by prefix. Each document in the response is checked by its own metadata.

use super::receipt;
use crate::gateway::collections::{Collection, Right};
use crate::gateway::config::Config;
use crate::gateway::fold;
use crate::gateway::plan::{Answered, Caller, Forward, Operation};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::request::Query;
use crate::gateway::response::{Response, SubResponse, UpstreamResponse, failure, nothing, part};
use crate::gateway::rows::member;
use raven_edge::http::push_encoded;
use raven_edge::json;
use raven_edge::protocol::metadata;
use raven_edge_authority::json::{Object, Value, write_string};
use std::borrow::Cow;
use std::collections::BTreeMap;

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

/// How often the documents of a read with includes are read at most. Once suffices if all of them are visible, twice if
/// not; a third time is needed only if one of them was deleted or hidden in between.
const MAX_ROUNDS: u8 = 3;
/// Bytes that a response may have more than RavenDB's, because the caller named an id or a part of a `multi_get` more than
/// once. Without this limit one document named a thousand times would fill the Worker's memory.
pub(crate) const MAX_REPEATED_BYTES: usize = 1 << 20;

/// A request for documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    form: Form,
    /// The other parameters, besides the ids.
    query: String,
    /// The ids that are sent: each document once, by the comparison of ids.
    ids: Vec<String>,
    /// For each id of the caller, in its order: the index in `ids`; `None`: known to be invisible.
    slots: Vec<Option<usize>>,
    /// Number of include paths.
    includes: usize,
    /// How often RavenDB was asked already.
    rounds: u8,
    /// Whether the caller gets the metadata of documents only.
    metadata_only: bool,
    /// Whether whole documents are requested, although the caller gets metadata only: rows are judged by members.
    whole: bool,
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
        let ids: Vec<String> = query.all("id").map(Into::into).collect();
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
        let ids: Option<Vec<String>> = ids.iter().map(|id| id.as_str().map(Into::into)).collect();
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
            let slot = *known.entry(fold::key(id)).or_insert_with(|| {
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
        let keys = |read: &Self| read.ids.iter().map(|id| fold::key(id)).collect::<Vec<_>>();
        let form = |read: &Self| (read.form, read.metadata_only);
        (form(self), &self.query, &self.slots) == (form(other), &other.query, &other.slots) && keys(self) == keys(other)
    }

    pub(crate) fn forward(&self, config: &Config) -> Forward {
        let path = format!("{}/docs{}", config.base(), self.target());
        if self.form != Form::ByBody {
            return Forward::get(path);
        }
        Forward::post(path, ids_body(self.ids.iter().map(String::as_str)))
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

    /// The response to the caller, or the next read that it takes.
    pub(crate) fn response(
        &self,
        config: &Config,
        caller: &Caller,
        upstream: &UpstreamResponse,
        target: &str,
    ) -> Answered<Self> {
        // RavenDB's 404 has no body. A 404 with a body comes from a proxy and means something else.
        let missing = self.ids.len() == 1 && upstream.status == 404 && upstream.body.is_empty();
        let mut repeated = 0;
        let shown = match self.shown(config, caller, upstream.status, &upstream.body, missing, &mut repeated) {
            Some(Answered::Response(shown)) => shown,
            Some(Answered::Next(next)) => return Answered::Next(next),
            None => return Answered::Response(failure(upstream, target, true)),
        };
        Answered::Response(match shown {
            // A document of another collection is reported as RavenDB reports a document that does not exist.
            Shown::Nothing => Response::empty(404),
            Shown::Refusal(refusal) => refusal.response(target),
            Shown::Documents { text, included } => {
                let mut response =
                    if self.form == Form::Head { Response::empty(200) } else { Response::json(200, text) };
                response.included = included;
                // The ETag of several documents depends on all that RavenDB found, including hidden ones.
                if self.is_single()
                    && self.includes == 0
                    && let Some(etag) = upstream.header("etag")
                {
                    response.with("ETag", etag);
                }
                response
            }
        })
    }

    /// The same for a part of a `multi_get`, as JSON text. Adds included documents to `included`, and the bytes of documents
    /// that the text contains more than once to `repeated`.
    pub(crate) fn sub_response(
        &self,
        config: &Config,
        caller: &Caller,
        upstream: &SubResponse<'_>,
        target: &str,
        included: &mut Vec<Operation>,
        repeated: &mut usize,
    ) -> Answered<Self, String> {
        let missing = upstream.status == 404 && self.form != Form::List;
        Answered::Response(match self.shown(config, caller, upstream.status, upstream.body, missing, repeated) {
            Some(Answered::Next(next)) => return Answered::Next(next),
            Some(Answered::Response(Shown::Nothing)) => nothing(),
            Some(Answered::Response(Shown::Refusal(refusal))) => part(&refusal.response(target)),
            Some(Answered::Response(Shown::Documents { text, included: more })) => {
                included.extend(more);
                format!("{{\"Result\":{text},\"StatusCode\":200,\"Headers\":{{}}}}")
            }
            None => {
                let upstream =
                    UpstreamResponse { status: upstream.status, headers: Vec::new(), body: upstream.body.to_vec() };
                part(&failure(&upstream, target, true))
            }
        })
    }

    /// What the caller gets of a visible document.
    fn part<'a>(&self, (document, metadata): Document<'a>) -> Cow<'a, [u8]> {
        match metadata.filter(|_| self.metadata_only && self.whole) {
            Some(stated) => [b"{\"", metadata::MEMBER.as_bytes(), b"\":", stated, b"}"].concat().into(),
            None => document.into(),
        }
    }

    /// Whether the caller asked for one document, for which RavenDB has responses of its own.
    fn is_single(&self) -> bool {
        self.form != Form::List && self.slots.len() == 1
    }

    /// What the caller may see of a response; `None` if the response is not one of RavenDB's to such a read. `missing`: the
    /// only document does not exist. Adds the bytes of documents that are shown more than once to `repeated`.
    fn shown(
        &self,
        config: &Config,
        caller: &Caller,
        status: u16,
        body: &[u8],
        missing: bool,
        repeated: &mut usize,
    ) -> Option<Answered<Self, Shown>> {
        let found = if missing {
            Found { results: vec![(&b"null"[..], None)], includes: Vec::new(), others: Vec::new() }
        } else {
            (status == 200).then(|| found(body, self.form != Form::List))??
        };
        let visible: Vec<Option<Cow<'_, [u8]>>> =
            found.results.iter().map(|found| is_shown(*found, config, caller).then(|| self.part(*found))).collect();
        if self.form == Form::List {
            let texts = visible.iter().flatten().map(Cow::as_ref);
            let mut text = opening(body);
            join(&mut text, texts)?;
            text.push_str("]}");
            return Some(Answered::Response(Shown::Documents { text, included: Vec::new() }));
        }
        if visible.len() != self.ids.len() {
            return None;
        }
        if self.is_single() && visible.iter().all(Option::is_none) {
            return Some(Answered::Response(Shown::Nothing));
        }
        // What a hidden document refers to must not be told. Missing documents are handled alike, so that nobody can
        // tell the one from the other: RavenDB is asked again for the visible ones alone.
        let some_visible = visible.iter().any(Option::is_some);
        if self.includes > 0 && some_visible && visible.iter().any(Option::is_none) {
            return Some(match self.without(&visible) {
                Some(next) => Answered::Next(next),
                None => Answered::Response(Shown::Refusal(refused(
                    Kind::Response,
                    "the documents were changed while they were read; try again",
                ))),
            });
        }
        let mut told = vec![false; visible.len()];
        let mut texts = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            let text = slot.and_then(|slot| visible.get(slot)).and_then(Option::as_deref);
            if let (Some(text), Some(told)) = (text, slot.and_then(|slot| told.get_mut(slot))) {
                *repeated += if *told { text.len() } else { 0 };
                *told = true;
            }
            texts.push(text.unwrap_or(b"null"));
        }
        if *repeated > MAX_REPEATED_BYTES {
            return Some(Answered::Response(Shown::Refusal(too_often())));
        }
        let mut text = opening(body);
        join(&mut text, texts.into_iter())?;
        text.push_str("],\"Includes\":{");
        let mut included = Vec::new();
        for (id, (document, stated)) in found.includes.iter().filter(|_| some_visible) {
            if let Some((own, collection)) = visible_document((document, *stated), config, caller) {
                add(&mut included, collection, &own);
                text.push_str(if text.ends_with('{') { "\"" } else { ",\"" });
                text.push_str(core::str::from_utf8(id).ok()?);
                text.push_str("\":");
                text.push_str(core::str::from_utf8(document).ok()?);
            }
        }
        text.push_str("}}");
        Some(Answered::Response(Shown::Documents { text, included }))
    }

    /// The same read of the visible documents alone; `None` if the documents change faster than they can be read.
    fn without(&self, visible: &[Option<Cow<'_, [u8]>>]) -> Option<Self> {
        let rounds = self.rounds + 1;
        let mut ids = Vec::new();
        let kept: Vec<Option<usize>> = visible
            .iter()
            .zip(&self.ids)
            .map(|(document, id)| {
                document.as_ref().map(|_| {
                    ids.push(id.clone());
                    ids.len() - 1
                })
            })
            .collect();
        let slots = self.slots.iter().map(|slot| slot.and_then(|slot| kept.get(slot).copied().flatten())).collect();
        (rounds < MAX_ROUNDS).then(|| Self { ids, slots, rounds, ..self.clone() })
    }
}

/// What the caller gets.
enum Shown {
    /// The only document is missing or hidden.
    Nothing,
    Refusal(Refusal),
    /// The body, and which documents are included.
    Documents {
        text: String,
        included: Vec<Operation>,
    },
}

/// A document's text, and the text of its metadata if it has one of these.
pub(crate) type Document<'a> = (&'a [u8], Option<&'a [u8]>);

/// The parts of a response.
pub(crate) struct Found<'a> {
    pub(crate) results: Vec<Document<'a>>,
    /// Each with its key.
    pub(crate) includes: Vec<(&'a [u8], Document<'a>)>,
    /// The members besides these.
    others: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Found<'a> {
    /// The value of another member.
    pub(crate) fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.others.iter().find(|(of, _)| *of == name.as_bytes()).map(|(_, value)| *value)
    }
}

/// Whether a single document, found anywhere else than in a read, may be seen.
pub(crate) fn is_visible(document: &[u8], config: &Config, caller: &Caller) -> bool {
    let mut stated = None;
    measured(document, &mut stated).is_some() && visible_document((document, stated), config, caller).is_some()
}

/// Finds the documents of a response and their metadata. Every byte is read once: documents that the caller must not see
/// should take no longer than necessary.
pub(crate) fn found(body: &[u8], with_includes: bool) -> Option<Found<'_>> {
    let mut found = Found { results: Vec::new(), includes: Vec::new(), others: Vec::new() };
    let mut has_results = false;
    let mut top = json::members(body);
    while let Some(name) = top.key() {
        match name {
            b"Results" if !has_results => {
                has_results = true;
                top.value_by(&mut |text| {
                    let mut all = json::elements(text);
                    let mut stated = None;
                    while let Some(document) = all.read(&mut |text| measured(text, &mut stated)) {
                        found.results.push((document, stated.take()));
                    }
                    all.end()
                })?;
            }
            b"Results" => return None,
            b"Includes" if with_includes => {
                top.value_by(&mut |text| {
                    let mut all = json::members(text);
                    let mut stated = None;
                    while let Some(id) = all.key() {
                        let document = all.value_by(&mut |text| measured(text, &mut stated))?;
                        found.includes.push((id, (document, stated.take())));
                    }
                    all.end()
                })?;
            }
            name => found.others.push((name, top.value()?)),
        }
    }
    (has_results && top.end().is_some()).then_some(found)
}

/// The length of the document at the beginning of a text. Finds its metadata, which must occur once.
fn measured<'a>(text: &'a [u8], metadata: &mut Option<&'a [u8]>) -> Option<usize> {
    *metadata = None;
    if text.first() != Some(&b'{') {
        return json::value(text).map(<[u8]>::len);
    }
    let mut count = 0;
    let mut members = json::members(text);
    while let Some(name) = members.key() {
        let value = members.value()?;
        if name == metadata::MEMBER.as_bytes() {
            count += 1;
            *metadata = Some(value);
        }
    }
    if count != 1 {
        *metadata = None;
    }
    members.end()
}

/// The beginning of a response, with room for what is shown of RavenDB's: a text that grows is copied, and needs twice its bytes.
fn opening(body: &[u8]) -> String {
    let mut text = String::with_capacity(body.len() + 64);
    text.push_str("{\"Results\":[");
    text
}

/// Appends texts, separated by commas.
fn join<'a>(to: &mut String, texts: impl Iterator<Item = &'a [u8]>) -> Option<()> {
    for text in texts {
        if !to.ends_with('[') {
            to.push(',');
        }
        to.push_str(core::str::from_utf8(text).ok()?);
    }
    Some(())
}

/// Why a response is refused that repeats documents too often.
pub(crate) fn too_often() -> Refusal {
    refused(Kind::Limit, "the request names large documents more than once; name each id once")
}

/// Whether the caller may see a document that it has asked for: one of its collections, or its own receipt.
fn is_shown(found: Document<'_>, config: &Config, caller: &Caller) -> bool {
    visible_document(found, config, caller).is_some()
        || found.1.is_some_and(|stated| receipt::is_own(found.0, stated, caller))
}

/// The id and collection of a document that the caller may see. Its metadata must occur once and contain each name
/// once; its `@collection` must be readable and match its id; and the rows of the collection must permit it.
pub(crate) fn visible_document<'a>(
    (document, metadata): Document<'_>,
    config: &'a Config,
    caller: &Caller,
) -> Option<(String, &'a Collection)> {
    let text = |name| member(metadata?, name).and_then(json::text);
    let (id, collection) = text(metadata::ID).zip(text(metadata::COLLECTION))?;
    let collection = config.collections.showing(&id, &collection)?;
    collection.permits(document, &caller.claims).then(|| (id.into(), collection))
}

fn by_url(query: &str, config: &Config) -> Result<(Read, Vec<Operation>), Refusal> {
    let query = Query::read(query, &BY_ID)?;
    let ids: Vec<String> = query.all("id").map(Into::into).collect();
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
fn add(operations: &mut Vec<Operation>, collection: &Collection, id: &str) {
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
