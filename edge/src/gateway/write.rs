//! Writes: documents in a batch, or a single one by its own route.

use super::collections::{Collection, Right, check_id};
use super::config::Config;
use super::give_back::only;
use super::plan::{Forward, Operation};
use super::refusal::{Kind, Refusal, refused};
use super::response::{Conflict, Response, UpstreamResponse, failure_of_write, picked};
use raven_edge::http::push_encoded;
use raven_edge::json;
use raven_edge::protocol::{list, metadata, path};
use raven_edge_authority::json::{Object, Value, write, write_string};
use std::collections::BTreeSet;

/// Documents to write, rebuilt from what the gateway understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    form: Form,
    /// Whether the caller may know the document's current change vector.
    reads: bool,
    /// Id and expected change vector of the only command that can conflict.
    expects: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Batch(String),
    Put { id: String, expected: Option<String>, document: String },
    Delete { id: String, expected: Option<String> },
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
        let mut text = String::from("{\"Commands\":[");
        let mut operations: Vec<Operation> = Vec::new();
        for command in commands {
            if !text.ends_with('[') {
                text.push(',');
            }
            match command.get("Type").and_then(Value::as_str) {
                Some("PUT") => operations.extend(put(command, config, &mut text)?),
                Some("DELETE") => operations.push(delete(command, config, &mut text)?),
                Some("BatchTrackChanges") => operations.extend(track(command, config, &mut text)?),
                _ => return Err(refused(Kind::Document, "commands of this type are not accepted")),
            }
        }
        let mut conditions = commands.iter().filter_map(|command| {
            let expected = command.get("ChangeVector").and_then(Value::as_str)?;
            Some((command.get("Id").and_then(Value::as_str)?.to_owned(), expected.to_owned()))
        });
        let (first, second) = (conditions.next(), conditions.next());
        let tracks =
            commands.iter().any(|command| command.get("Type").and_then(Value::as_str) == Some("BatchTrackChanges"));
        text.push_str("]}");
        let mut ids = BTreeSet::new();
        // One after the other: `collect` would sort them, with a sort that nothing else needs.
        for id in operations.iter().flat_map(|operation| &operation.ids) {
            ids.insert(id);
        }
        if ids.len() > config.limits.ids {
            return Err(refused(Kind::Limit, "the request contains too many ids"));
        }
        Ok(Self::new(Form::Batch(text), first.filter(|_| second.is_none() && !tracks), operations, config))
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
        let expects = expected.clone().map(|expected| (id.into(), expected));
        Ok(Self::new(Form::Put { id: id.into(), expected, document: text }, expects, operations, config))
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
        let expects = expected.clone().map(|expected| (id.into(), expected));
        Ok(Self::new(Form::Delete { id: id.into(), expected }, expects, vec![operation], config))
    }

    fn new(
        form: Form,
        expects: Option<(String, String)>,
        operations: Vec<Operation>,
        config: &Config,
    ) -> (Self, Vec<Operation>) {
        let mut ids = operations.iter().flat_map(|operation| &operation.ids);
        let reads = ids.all(|id| config.collections.allowed(id, Right::Read).is_ok());
        (Self { form, reads, expects }, operations)
    }

    pub(super) fn forward(&self, config: &Config) -> Forward {
        let base = config.base();
        let one = |id: &str| {
            let mut path = format!("{base}/docs?id=");
            push_encoded(&mut path, id);
            path
        };
        match &self.form {
            Form::Batch(body) => Forward::post(format!("{base}/{}", path::BATCH), body.clone()),
            Form::Put { id, expected, document } => {
                Forward { method: "PUT", path: one(id), if_match: expected.clone(), body: Some(document.clone()) }
            }
            Form::Delete { id, expected } => {
                Forward { method: "DELETE", path: one(id), if_match: expected.clone(), body: None }
            }
        }
    }

    pub(super) fn response(&self, upstream: &UpstreamResponse, target: &str) -> Response {
        let shown = match (&self.form, upstream.status) {
            (Form::Batch(_), 201) => json::get(&upstream.body, "Results").map(|results| {
                let shown: Vec<String> =
                    json::elements(results).map(|result| picked(result, &VISIBLE_MEMBERS)).collect();
                Response::json(201, format!("{{\"Results\":[{}]}}", shown.join(",")))
            }),
            (Form::Put { .. }, 201) => Some(Response::json(201, picked(&upstream.body, &["Id", "ChangeVector"]))),
            (Form::Delete { .. }, 204) => Some(Response::empty(204)),
            _ => None,
        };
        shown.unwrap_or_else(|| {
            let own = self.expects.as_ref().map(|(id, expected)| (id.as_str(), expected.as_str()));
            let conflict = if self.reads { Conflict::Readable } else { Conflict::Unreadable(own) };
            failure_of_write(upstream, target, conflict)
        })
    }
}

fn put(command: &Object, config: &Config, text: &mut String) -> Result<Vec<Operation>, Refusal> {
    let Some(value @ Value::Object(document)) =
        command.get("Document").filter(|_| only(command, &["Type", "Id", "ChangeVector", "Document"]))
    else {
        return Err(refused(Kind::Document, "a PUT must have an Id, a ChangeVector and a Document, and nothing else"));
    };
    let (id, expected) = (id_of(command)?, vector_of(command)?);
    let operations = storing(id, expected, document, config)?;
    push_head(text, "PUT", id, expected);
    text.push_str(",\"Document\":");
    write(text, value);
    text.push('}');
    Ok(operations)
}

fn delete(command: &Object, config: &Config, text: &mut String) -> Result<Operation, Refusal> {
    if !only(command, &["Type", "Id", "ChangeVector"]) {
        return Err(refused(Kind::Document, "a DELETE must have an Id and a ChangeVector, and nothing else"));
    }
    let (id, expected) = (id_of(command)?, vector_of(command)?);
    let collection = config.collections.allowed(id, Right::Delete)?;
    push_head(text, "DELETE", id, expected);
    text.push('}');
    Ok(Operation::on("delete", &collection.name, Some(id)))
}

/// Checks that documents have not changed. The response reveals whether they have, so this needs the right to read
/// them.
fn track(command: &Object, config: &Config, text: &mut String) -> Result<Vec<Operation>, Refusal> {
    let wrong = || refused(Kind::Document, "BatchTrackChanges must have TrackedEntities and nothing else");
    let Some(value @ Value::Object(entities)) =
        command.get("TrackedEntities").filter(|_| only(command, &["Type", "TrackedEntities"]))
    else {
        return Err(wrong());
    };
    let mut operations = Vec::new();
    for (id, vector) in entities.iter() {
        check_vector(vector.as_str().ok_or_else(wrong)?)?;
        let collection = config.collections.allowed(id, Right::Read)?;
        operations.push(Operation::on("read", &collection.name, Some(id)));
    }
    text.push_str("{\"Type\":\"BatchTrackChanges\",\"TrackedEntities\":");
    write(text, value);
    text.push('}');
    Ok(operations)
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
