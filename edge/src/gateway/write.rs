//! Writes: documents in a batch, or a single one by its own route.

use super::collections::{Collection, Right, check_id};
use super::config::Config;
use super::give_back::only;
use super::guard;
use super::plan::{Answered, Caller, Forward, Operation};
use super::refusal::{Kind, Refusal, refused};
use super::response::{Conflict, Response, UpstreamResponse, failure_of_write, picked};
use crate::reply;
use raven_edge::http::push_encoded;
use raven_edge::json;
use raven_edge::protocol::{list, metadata, path};
use raven_edge_authority::json::{Object, Value, write, write_string};
use std::collections::BTreeSet;

/// Documents to write, rebuilt from what the gateway understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    route: Route,
    /// As the caller sent them.
    pub(super) commands: Vec<Command>,
    /// Whether the caller may know the document's current change vector.
    reads: bool,
    /// Of documents with rows: the commands as they may be sent, once the stored documents were judged.
    judged: Option<Judged>,
    /// How often the stored documents were judged again, because another caller was faster.
    retries: u32,
}

/// The commands of a write after the stored documents were judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) commands: Vec<Command>,
    /// Deletions that are not sent because there is nothing to delete: their places in the request, and their ids.
    pub(super) skipped: Vec<(usize, String)>,
    /// Whether a command has an expectation that the caller did not state.
    pub(super) is_guarded: bool,
}

/// How often a write is judged and sent again if only the gateway's own expectation was not met.
const RETRIES: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Batch,
    Put,
    Delete,
}

/// One command. The routes for single documents have exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Put {
        id: String,
        expected: Option<String>,
        document: String,
    },
    Delete {
        id: String,
        expected: Option<String>,
    },
    /// Documents that must not have changed, with their change vectors.
    Track(Vec<(String, String)>),
}

/// Dates at which RavenDB deletes or archives a document.
const REMOVAL_DATES: [&str; 2] = ["@expires", "@archive-at"];

/// The members of a result that a caller may see.
const VISIBLE_MEMBERS: [&str; 10] = [
    "Type",
    metadata::ID,
    metadata::COLLECTION,
    metadata::CHANGE_VECTOR,
    metadata::LAST_MODIFIED,
    metadata::FLAGS,
    "Id",
    "Deleted",
    "ChangeVector",
    "Result",
];

impl Write {
    /// Reads the documents of a batch.
    pub(super) fn batch(commands: &[&Object], config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        let mut read = Vec::new();
        let mut operations: Vec<Operation> = Vec::new();
        for command in commands {
            let (command, of_it) = match command.get("Type").and_then(Value::as_str) {
                Some("PUT") => put(command, config)?,
                Some("DELETE") => delete(command, config)?,
                Some("BatchTrackChanges") => track(command, config)?,
                _ => return Err(refused(Kind::Document, "commands of this type are not accepted")),
            };
            read.push(command);
            operations.extend(of_it);
        }
        let ids: BTreeSet<&String> = operations.iter().flat_map(|operation| &operation.ids).collect();
        if ids.len() > config.limits.ids {
            return Err(refused(Kind::Limit, "the request contains too many ids"));
        }
        Ok(Self::new(Route::Batch, read, operations, config))
    }

    /// `PUT docs`.
    pub(super) fn one(
        id: &str,
        if_match: Option<&str>,
        mut document: Object,
        config: &Config,
    ) -> Result<(Self, Vec<Operation>), Refusal> {
        let expected = expected_by(if_match)?;
        let operations = storing(id, expected.as_deref(), &document, config)?;
        // RavenDB tracks attachments itself. If a PUT listed some, the response would reveal whether RavenDB stores
        // such a file for any document.
        if let Some(Value::Object(mut names)) = document.remove(metadata::MEMBER) {
            names.remove("@attachments");
            document.set(metadata::MEMBER, Value::Object(names));
        }
        let mut text = String::new();
        write(&mut text, &Value::Object(document));
        Ok(Self::new(Route::Put, vec![Command::Put { id: id.into(), expected, document: text }], operations, config))
    }

    /// `DELETE docs`.
    pub(super) fn deletion(
        id: &str,
        if_match: Option<&str>,
        config: &Config,
    ) -> Result<(Self, Vec<Operation>), Refusal> {
        let expected = expected_by(if_match)?;
        let collection = config.collections.allowed(id, Right::Delete)?;
        let operation = Operation::on("delete", &collection.name, Some(id));
        Ok(Self::new(Route::Delete, vec![Command::Delete { id: id.into(), expected }], vec![operation], config))
    }

    fn new(
        route: Route,
        commands: Vec<Command>,
        operations: Vec<Operation>,
        config: &Config,
    ) -> (Self, Vec<Operation>) {
        let mut ids = operations.iter().flat_map(|operation| &operation.ids);
        // A conflict may be about a document that the caller's rows do not permit.
        let reads = ids.all(|id| config.collections.allowed(id, Right::Read).is_ok_and(|one| one.rows.is_none()));
        (Self { route, commands, reads, judged: None, retries: 0 }, operations)
    }

    /// The next request: for the stored documents, if some must be judged, or the write itself.
    pub(super) fn forward(&self, config: &Config, caller: &Caller) -> Result<Forward, Refusal> {
        if self.judged.is_none() {
            guard::judge_new(&self.commands, config, caller)?;
            let ids = guard::ids_to_read(&self.commands, config);
            if !ids.is_empty() {
                return Ok(guard::request(&ids, config));
            }
        }
        Ok(self.send(config))
    }

    fn send(&self, config: &Config) -> Forward {
        let base = config.base();
        let one = |id: &str| {
            let mut path = format!("{base}/docs?id=");
            push_encoded(&mut path, id);
            path
        };
        let commands = self.judged.as_ref().map_or(&self.commands, |judged| &judged.commands);
        match (self.route, commands.as_slice()) {
            (Route::Put, [Command::Put { id, expected, document }]) => {
                Forward { method: "PUT", path: one(id), if_match: expected.clone(), body: Some(document.clone()) }
            }
            (Route::Delete, [Command::Delete { id, expected }]) => {
                Forward { method: "DELETE", path: one(id), if_match: expected.clone(), body: None }
            }
            (_, commands) => {
                let mut body = String::from("{\"Commands\":[");
                for command in commands {
                    if !body.ends_with('[') {
                        body.push(',');
                    }
                    command.push(&mut body);
                }
                body.push_str("]}");
                Forward::post(format!("{base}/{}", path::BATCH), body)
            }
        }
    }

    /// The response to the caller, or the next request that the write takes.
    pub(super) fn response(
        &self,
        config: &Config,
        caller: &Caller,
        upstream: &UpstreamResponse,
        target: &str,
    ) -> Answered<Self> {
        let ids = guard::ids_to_read(&self.commands, config);
        match &self.judged {
            None if !ids.is_empty() => match guard::judged(&self.commands, &ids, config, caller, upstream, target) {
                Err(response) => Answered::Response(response),
                Ok(judged) if judged.commands.is_empty() => Answered::Response(self.nothing_to_send(&judged)),
                Ok(judged) => Answered::Next(Self { judged: Some(judged), ..self.clone() }),
            },
            Some(judged) if judged.is_guarded && upstream.status == 409 && self.retries < RETRIES => {
                Answered::Next(Self { judged: None, retries: self.retries + 1, ..self.clone() })
            }
            _ => Answered::Response(self.last_response(upstream, target)),
        }
    }

    fn last_response(&self, upstream: &UpstreamResponse, target: &str) -> Response {
        let none = Judged::default();
        let judged = self.judged.as_ref().unwrap_or(&none);
        let shown = match (self.route, upstream.status) {
            (Route::Batch, 201) => json::get(&upstream.body, "Results").map(|results| {
                judged.results(json::elements(results).map(|result| picked(result, &VISIBLE_MEMBERS)).collect())
            }),
            (Route::Put, 201) => Some(Response::json(201, picked(&upstream.body, &["Id", "ChangeVector"]))),
            (Route::Delete, 204) => Some(Response::empty(204)),
            _ => None,
        };
        shown.unwrap_or_else(|| {
            let own = self.expectation().filter(|_| !judged.is_guarded);
            let conflict = if self.reads { Conflict::Readable } else { Conflict::Unreadable(own) };
            failure_of_write(upstream, target, conflict)
        })
    }

    /// Id and expected change vector of the only command that can conflict, if there is only one.
    fn expectation(&self) -> Option<(&str, &str)> {
        let tracks = self.commands.iter().any(|command| matches!(command, Command::Track(_)));
        let mut all = self.commands.iter().filter_map(Command::expectation);
        match (all.next(), all.next()) {
            (Some(only), None) if !tracks => Some(only),
            _ => None,
        }
    }

    /// The response where nothing is left to send.
    fn nothing_to_send(&self, judged: &Judged) -> Response {
        if self.route == Route::Delete { Response::empty(204) } else { judged.results(Vec::new()) }
    }
}

impl Judged {
    /// The results in the order of the caller's commands; a deletion that was not sent has the result that RavenDB gives for
    /// a document that does not exist.
    fn results(&self, mut results: Vec<String>) -> Response {
        for (at, id) in &self.skipped {
            let mut result = String::from("{\"Id\":");
            write_string(&mut result, id);
            result.push_str(",\"Type\":\"DELETE\",\"Deleted\":false}");
            results.insert((*at).min(results.len()), result);
        }
        Response::json(201, reply::batch(&results))
    }
}

impl Command {
    /// Id and expected change vector, if one is expected.
    fn expectation(&self) -> Option<(&str, &str)> {
        match self {
            Self::Put { id, expected: Some(vector), .. } | Self::Delete { id, expected: Some(vector) } => {
                Some((id, vector))
            }
            _ => None,
        }
    }

    fn push(&self, text: &mut String) {
        match self {
            Self::Put { id, expected, document } => {
                push_head(text, "PUT", id, expected.as_deref());
                text.push_str(",\"Document\":");
                text.push_str(document);
            }
            Self::Delete { id, expected } => push_head(text, "DELETE", id, expected.as_deref()),
            Self::Track(documents) => {
                text.push_str("{\"Type\":\"BatchTrackChanges\",\"TrackedEntities\":{");
                for (at, (id, vector)) in documents.iter().enumerate() {
                    if at > 0 {
                        text.push(',');
                    }
                    write_string(text, id);
                    text.push(':');
                    write_string(text, vector);
                }
                text.push('}');
            }
        }
        text.push('}');
    }
}

fn put(command: &Object, config: &Config) -> Result<(Command, Vec<Operation>), Refusal> {
    let Some(value @ Value::Object(document)) =
        command.get("Document").filter(|_| only(command, &["Type", "Id", "ChangeVector", "Document"]))
    else {
        return Err(refused(Kind::Document, "a PUT must have an Id, a ChangeVector and a Document, and nothing else"));
    };
    let (id, expected) = (id_of(command)?, vector_of(command)?);
    let operations = storing(id, expected, document, config)?;
    let mut text = String::new();
    write(&mut text, value);
    Ok((Command::Put { id: id.into(), expected: expected.map(Into::into), document: text }, operations))
}

fn delete(command: &Object, config: &Config) -> Result<(Command, Vec<Operation>), Refusal> {
    if !only(command, &["Type", "Id", "ChangeVector"]) {
        return Err(refused(Kind::Document, "a DELETE must have an Id and a ChangeVector, and nothing else"));
    }
    let (id, expected) = (id_of(command)?, vector_of(command)?);
    let collection = config.collections.allowed(id, Right::Delete)?;
    let operation = Operation::on("delete", &collection.name, Some(id));
    Ok((Command::Delete { id: id.into(), expected: expected.map(Into::into) }, vec![operation]))
}

/// Checks that documents have not changed. The response reveals whether they have, so this needs the right to read
/// them.
fn track(command: &Object, config: &Config) -> Result<(Command, Vec<Operation>), Refusal> {
    let wrong = || refused(Kind::Document, "BatchTrackChanges must have TrackedEntities and nothing else");
    let Some(Value::Object(entities)) =
        command.get("TrackedEntities").filter(|_| only(command, &["Type", "TrackedEntities"]))
    else {
        return Err(wrong());
    };
    let mut operations = Vec::new();
    let mut documents = Vec::new();
    for (id, vector) in entities.iter() {
        let vector = check_vector(vector.as_str().ok_or_else(wrong)?)?;
        let collection = config.collections.allowed(id, Right::Read)?;
        operations.push(Operation::on("read", &collection.name, Some(id)));
        documents.push((id.into(), vector.into()));
    }
    Ok((Command::Track(documents), operations))
}

/// Checks whether a document may be stored. Expecting no document is a creation, expecting a change vector is a
/// change. Without an expectation RavenDB does either, so both rights are needed. If the id belongs to a document of
/// another collection, RavenDB refuses to change its collection.
fn storing(id: &str, expected: Option<&str>, document: &Object, config: &Config) -> Result<Vec<Operation>, Refusal> {
    check_id(id)?;
    let rights: &[Right] = match expected {
        Some("") => &[Right::Create],
        Some(_) => &[Right::Change],
        None => &[Right::Change, Right::Create],
    };
    let mut operations = Vec::new();
    for right in rights {
        let collection = config.collections.allowed(id, *right)?;
        let metadata = check_metadata(document, collection)?;
        // A date at which RavenDB removes the document is a deletion in the future.
        if *right == Right::Change && REMOVAL_DATES.iter().any(|name| metadata.get(name).is_some()) {
            config.collections.allowed(id, Right::Delete)?;
        }
        operations.push(Operation::on(right.name(), &collection.name, Some(id)));
    }
    Ok(operations)
}

fn check_metadata<'a>(document: &'a Object, collection: &Collection) -> Result<&'a Object, Refusal> {
    let Some(Value::Object(names)) = document.get(metadata::MEMBER) else {
        return Err(refused(Kind::Document, "a document needs @metadata with its @collection"));
    };
    if names.get(metadata::COLLECTION).and_then(Value::as_str) != Some(&collection.name) {
        let name = &collection.name;
        return Err(refused(
            Kind::Document,
            format!("a document whose id begins so must have the @collection \"{name}\""),
        ));
    }
    for (name, _) in names.iter() {
        // RavenDB reads some legacy names, which begin with `Raven-`, as today's; the others are names of classes.
        let legacy = name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("raven-"));
        let class = name.ends_with("-Type") || name == "Raven-Java-Class";
        // If a PUT stored what the server creates, RavenDB would return it twice, and a reader could pick the wrong one.
        let of_server = list::METADATA.contains(&name) || name == metadata::PROJECTION;
        if of_server || (legacy && !class) {
            return Err(refused(Kind::Document, "the document contains metadata that only the server may write"));
        }
    }
    Ok(names)
}

fn id_of(command: &Object) -> Result<&str, Refusal> {
    command.get("Id").and_then(Value::as_str).ok_or_else(|| refused(Kind::Document, "a command needs an Id"))
}

fn vector_of(command: &Object) -> Result<Option<&str>, Refusal> {
    match command.get("ChangeVector") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(vector)) => check_vector(vector).map(Some),
        Some(_) => Err(refused(Kind::Document, "a ChangeVector must be a string or null")),
    }
}

/// `If-Match` contains a change vector in quotes.
fn expected_by(if_match: Option<&str>) -> Result<Option<String>, Refusal> {
    let Some(quoted) = if_match else { return Ok(None) };
    let vector = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let vector = vector.ok_or_else(|| refused(Kind::Malformed, "If-Match must contain a change vector in quotes"))?;
    check_vector(vector).map(|vector| Some(vector.into()))
}

fn check_vector(vector: &str) -> Result<&str, Refusal> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b":-+/=,_ ".contains(&byte);
    if vector.len() <= 2_048 && vector.bytes().all(plain) {
        return Ok(vector);
    }
    Err(refused(Kind::Document, "this is not a change vector"))
}

fn push_head(text: &mut String, kind: &str, id: &str, expected: Option<&str>) {
    text.push_str("{\"Type\":\"");
    text.push_str(kind);
    text.push_str("\",\"Id\":");
    write_string(text, id);
    text.push_str(",\"ChangeVector\":");
    match expected {
        Some(vector) => write_string(text, vector),
        None => text.push_str("null"),
    }
}
