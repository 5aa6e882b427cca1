//! Reads: documents by id, and listings below a prefix. What comes back is judged by what it says of itself.

use super::answer::{Answer, SubAnswer, Upstream, failure, nothing, part};
use super::collections::{Collection, Right};
use super::config::Config;
use super::plan::{Forward, Operation};
use super::refusal::{Kind, Refusal, refused};
use super::request::Query;
use raven_edge::http::push_encoded;
use raven_edge::json;
use raven_edge_authority::json::{Object, Value, read_strict, write_string};

/// The longest text of a parameter, in bytes.
const LONGEST: usize = 512;
/// How many paths of documents to include.
const INCLUDES: usize = 32;
/// How many stars a pattern of a listing has. RavenDB tries every way to place them: with eight, a single id of 40 letters
/// takes it a second, and each further one many times as long.
const STARS: usize = 2;
/// What an include puts the value in for: `Owner[{0}/details]`. RavenDB hands that to .NET's formatter, which makes millions of
/// letters out of `{0,999999}`, and as many copies of a value as it is told.
const PLACE: &str = "{0}";

/// Documents that are wished for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    form: Form,
    /// The parameters beside the ids.
    query: String,
    ids: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    ByUrl,
    ByBody,
    /// Whether there is one: asked for with its metadata, because only that tells whose it is.
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
            return Err(refused(Kind::Malformed, "HEAD asks for one id"));
        }
        let operations = permitted(&ids, config)?;
        Ok((Self { form: Form::Head, query: "&metadataOnly=true".into(), ids }, operations))
    }

    /// `POST docs`: the ids stand in the body.
    pub(super) fn post(query: &str, body: &Object, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        let query = Query::read(query, BY_ID.get(1..).unwrap_or_default())?;
        let Some(Value::Array(ids)) = body.get("Ids").filter(|_| body.iter().count() == 1) else {
            return Err(refused(Kind::Malformed, "the body has Ids, and nothing else"));
        };
        let ids: Option<Vec<String>> = ids.iter().map(|id| id.as_str().map(Into::into)).collect();
        let ids = ids.ok_or_else(|| refused(Kind::Malformed, "Ids are texts"))?;
        let operations = permitted(&ids, config)?;
        Ok((Self { form: Form::ByBody, query: beside(&query)?, ids }, operations))
    }

    /// How many documents are asked for by id.
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

    /// The query, with its question mark.
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

    pub(super) fn answer(&self, config: &Config, said: &Upstream, target: &str) -> Answer {
        let single = self.form != Form::List && self.ids.len() == 1;
        // RavenDB says so without a word; a proxy before it that says more means itself.
        if single && said.status == 404 && said.body.is_empty() {
            return Answer::empty(404);
        }
        let Some(shown) = self.shown(config, said.status, &said.body) else { return failure(said, target, true) };
        // RavenDB says so of a document that is not there, and for a caller one of another collection is not.
        if single && shown.nothing {
            return Answer::empty(404);
        }
        if shown.hides {
            return beside_hidden().answer(target);
        }
        let mut answer = if self.form == Form::Head { Answer::empty(200) } else { Answer::json(200, shown.text) };
        answer.included = shown.included;
        // The tag of several is made of all that RavenDB found, whoever may see it.
        if single
            && self.query.find("include=").is_none()
            && let Some(etag) = said.header("etag")
        {
            answer.with("ETag", etag);
        }
        answer
    }

    /// The same for a part of a `multi_get`, as text. `included` gets what comes along.
    pub(super) fn sub_answer(
        &self,
        config: &Config,
        said: &SubAnswer<'_>,
        target: &str,
        included: &mut Vec<Operation>,
    ) -> String {
        let single = self.form != Form::List && self.ids.len() == 1;
        match self.shown(config, said.status, said.body) {
            Some(shown) if single && shown.nothing => nothing(),
            Some(shown) if shown.hides => part(&beside_hidden().answer(target)),
            Some(shown) => {
                included.extend(shown.included);
                format!("{{\"Result\":{},\"StatusCode\":200,\"Headers\":{{}}}}", shown.text)
            }
            None if said.status == 404 => nothing(),
            None => {
                let said = Upstream { status: said.status, headers: Vec::new(), body: said.body.to_vec() };
                part(&failure(&said, target, true))
            }
        }
    }

    /// What of an answer the caller may see.
    fn shown(&self, config: &Config, status: u16, body: &[u8]) -> Option<Shown> {
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
        Some(Shown { text, nothing, hides: hidden && self.query.contains("include="), included })
    }
}

struct Shown {
    text: String,
    /// Whether there is no document to be seen.
    nothing: bool,
    /// Whether what comes along, or that nothing does, would tell what a hidden document names.
    hides: bool,
    /// The documents that come along.
    included: Vec<Operation>,
}

fn beside_hidden() -> Refusal {
    refused(Kind::Document, "nothing is included where one of the documents may not be read; leave it out")
}

/// The id and collection of a document that may be seen: its metadata is there once, has each name once, and states a
/// collection that may be read and is that of its id.
fn visible<'a>(document: &[u8], config: &'a Config) -> Option<(String, &'a Collection)> {
    let mut stated = json::members(document).filter(|(name, _)| *name == b"@metadata").map(|(_, value)| value);
    let (Some(metadata), None) = (stated.next(), stated.next()) else { return None };
    let metadata = read_strict(metadata).ok()?;
    let text = |name| metadata.get(name).and_then(Value::as_str);
    let (id, stated) = text("@id").zip(text("@collection"))?;
    config.collections.showing(id, stated).map(|collection| (id.to_owned(), collection))
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
    let page = query.integer("pageSize")?.ok_or_else(|| refused(Kind::Malformed, "a listing has a pageSize"))?;
    // Where a pointer has 32 bits, a number may be too large to be compared as a size.
    if !usize::try_from(page).is_ok_and(|page| page <= config.limits.page) {
        return Err(refused(Kind::Limit, format!("a page has at most {} documents", config.limits.page)));
    }
    query.integer("start")?;
    for name in ["matches", "exclude"] {
        let patterns = query.get(name).unwrap_or_default().split('|');
        if patterns.into_iter().any(|pattern| pattern.matches('*').count() > STARS) {
            return Err(refused(Kind::Limit, format!("a pattern has at most {STARS} stars")));
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
    // The first one after this id is looked for below the prefix only.
    let mut operation = Operation::on("list", &collection.name, None);
    operation.prefix = Some(prefix.into());
    Ok((Read { form: Form::List, query: text, ids: Vec::new() }, vec![operation]))
}

/// The operations of reading these ids.
fn permitted(ids: &[String], config: &Config) -> Result<Vec<Operation>, Refusal> {
    // Asked for no ids at all RavenDB lists the whole database.
    if ids.is_empty() {
        return Err(refused(Kind::Route, "documents are read by id, or listed with startsWith"));
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

/// Adds the reading of a document.
fn add(operations: &mut Vec<Operation>, collection: &Collection, id: &str) {
    match operations.iter_mut().find(|known| known.collection.as_ref() == Some(&collection.name)) {
        Some(known) => known.ids.push(id.into()),
        None => operations.push(Operation::on("read", &collection.name, Some(id))),
    }
}

/// What stands beside the ids.
fn beside(query: &Query) -> Result<String, Refusal> {
    let mut text = String::new();
    if query.all("include").count() > INCLUDES {
        return Err(refused(Kind::Limit, format!("a request has at most {INCLUDES} includes")));
    }
    for path in query.all("include") {
        check_length(path)?;
        if path.replacen(PLACE, "", 1).contains(['{', '}']) {
            return Err(refused(Kind::Limit, format!("an include has {PLACE} once, and no other braces")));
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
        Some(_) => Err(refused(Kind::Malformed, "metadataOnly is true or false")),
    }
}

fn check_length(value: &str) -> Result<(), Refusal> {
    if value.len() > LONGEST || value.chars().any(char::is_control) {
        return Err(refused(Kind::Limit, "a parameter is too long, or has control characters"));
    }
    Ok(())
}

fn push_parameter(query: &mut String, name: &str, value: &str) {
    query.push('&');
    query.push_str(name);
    query.push('=');
    push_encoded(query, value);
}
