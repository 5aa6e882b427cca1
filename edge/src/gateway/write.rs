//! Writes: documents of a batch, or one by its own route.

use super::answer::{Answer, Upstream, failure, picked};
use super::collections::{Collection, Right, check_id};
use super::config::Config;
use super::give_back::only;
use super::plan::{Forward, Operation};
use super::refusal::{Kind, Refusal, refused};
use raven_edge::http::push_encoded;
use raven_edge::json;
use raven_edge_authority::json::{Object, Value, write, write_string};
use std::collections::BTreeSet;

/// Documents to be written, with what was understood of them and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    form: Form,
    /// Whether the caller may know what a document has become meanwhile.
    reads: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Batch(String),
    Put { id: String, expected: Option<String>, document: String },
    Delete { id: String, expected: Option<String> },
}

/// What the server makes itself. Stored by a PUT it would come back twice, and a reader could take the wrong one.
const OF_SERVER: [&str; 8] =
    ["@id", "@change-vector", "@last-modified", "@flags", "@etag", "@index-score", "@counters", "@projection"];

/// Dates on which a document leaves its place.
const LEAVING: [&str; 2] = ["@expires", "@archive-at"];

/// What a caller may know of a write.
const SHOWN: [&str; 10] = [
    "Type",
    "@id",
    "@collection",
    "@change-vector",
    "@last-modified",
    "@flags",
    "Id",
    "Deleted",
    "ChangeVector",
    "Result",
];

impl Write {
    /// The documents of a batch.
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
                _ => return Err(refused(Kind::Document, "a command of this type does not pass")),
            }
        }
        text.push_str("]}");
        let ids: BTreeSet<&String> = operations.iter().flat_map(|operation| &operation.ids).collect();
        if ids.len() > config.limits.ids {
            return Err(refused(Kind::Limit, "the request is about too many ids"));
        }
        Ok(Self::new(Form::Batch(text), operations, config))
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
        // RavenDB knows what is attached. Told of it by this route it tells whether it has such a file, whoever's it is.
        if let Some(Value::Object(mut metadata)) = document.remove("@metadata") {
            metadata.remove("@attachments");
            document.set("@metadata", Value::Object(metadata));
        }
        let mut text = String::new();
        write(&mut text, &Value::Object(document));
        Ok(Self::new(Form::Put { id: id.into(), expected, document: text }, operations, config))
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
        Ok(Self::new(Form::Delete { id: id.into(), expected }, vec![operation], config))
    }

    fn new(form: Form, operations: Vec<Operation>, config: &Config) -> (Self, Vec<Operation>) {
        let mut ids = operations.iter().flat_map(|operation| &operation.ids);
        let reads = ids.all(|id| config.collections.allowed(id, Right::Read).is_ok());
        (Self { form, reads }, operations)
    }

    pub(super) fn forward(&self, config: &Config) -> Forward {
        let base = config.base();
        let one = |id: &str| {
            let mut path = format!("{base}/docs?id=");
            push_encoded(&mut path, id);
            path
        };
        match &self.form {
            Form::Batch(body) => Forward::post(format!("{base}/bulk_docs"), body.clone()),
            Form::Put { id, expected, document } => {
                Forward { method: "PUT", path: one(id), if_match: expected.clone(), body: Some(document.clone()) }
            }
            Form::Delete { id, expected } => {
                Forward { method: "DELETE", path: one(id), if_match: expected.clone(), body: None }
            }
        }
    }

    pub(super) fn answer(&self, said: &Upstream, target: &str) -> Answer {
        let shown = match (&self.form, said.status) {
            (Form::Batch(_), 201) => json::get(&said.body, "Results").map(|results| {
                let shown: Vec<String> = json::elements(results).map(|result| picked(result, &SHOWN)).collect();
                Answer::json(201, format!("{{\"Results\":[{}]}}", shown.join(",")))
            }),
            (Form::Put { .. }, 201) => Some(Answer::json(201, picked(&said.body, &["Id", "ChangeVector"]))),
            (Form::Delete { .. }, 204) => Some(Answer::empty(204)),
            _ => None,
        };
        shown.unwrap_or_else(|| failure(said, target, self.reads))
    }
}

fn put(command: &Object, config: &Config, text: &mut String) -> Result<Vec<Operation>, Refusal> {
    let Some(value @ Value::Object(document)) =
        command.get("Document").filter(|_| only(command, &["Type", "Id", "ChangeVector", "Document"]))
    else {
        return Err(refused(Kind::Document, "a PUT has an Id, a ChangeVector and a Document, and nothing else"));
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
        return Err(refused(Kind::Document, "a DELETE has an Id and a ChangeVector, and nothing else"));
    }
    let (id, expected) = (id_of(command)?, vector_of(command)?);
    let collection = config.collections.allowed(id, Right::Delete)?;
    push_head(text, "DELETE", id, expected);
    text.push('}');
    Ok(Operation::on("delete", &collection.name, Some(id)))
}

/// Documents that were only read must still be as they were: whoever asks learns whether they are.
fn track(command: &Object, config: &Config, text: &mut String) -> Result<Vec<Operation>, Refusal> {
    let wrong = || refused(Kind::Document, "BatchTrackChanges has TrackedEntities, and nothing else");
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

/// Whether a document may be stored like this. What must not be there yet is created, what must be there is changed, and
/// without a change vector RavenDB does whichever it comes to; where another collection's document has the id, it refuses
/// to change its collection.
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
        // A date on which RavenDB takes a document away is a deletion, only later.
        if *right == Right::Change && LEAVING.iter().any(|name| metadata.get(name).is_some()) {
            config.collections.allowed(id, Right::Delete)?;
        }
        operations.push(Operation::on(right.name(), &collection.name, Some(id)));
    }
    Ok(operations)
}

fn check_metadata<'a>(document: &'a Object, collection: &Collection) -> Result<&'a Object, Refusal> {
    let Some(Value::Object(metadata)) = document.get("@metadata") else {
        return Err(refused(Kind::Document, "a document has @metadata with its @collection"));
    };
    if metadata.get("@collection").and_then(Value::as_str) != Some(&collection.name) {
        return Err(refused(Kind::Document, "the @collection of a document is that of its id"));
    }
    for (name, _) in metadata.iter() {
        // RavenDB reads some names of older versions as if they were those of today; the others are names of classes.
        let legacy = name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("raven-"));
        let class = name.ends_with("-Type") || name == "Raven-Java-Class";
        if OF_SERVER.contains(&name) || (legacy && !class) {
            return Err(refused(Kind::Document, "the document has metadata that is the server's own"));
        }
    }
    Ok(metadata)
}

fn id_of(command: &Object) -> Result<&str, Refusal> {
    command.get("Id").and_then(Value::as_str).ok_or_else(|| refused(Kind::Document, "a command needs an Id"))
}

fn vector_of(command: &Object) -> Result<Option<&str>, Refusal> {
    match command.get("ChangeVector") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(vector)) => check_vector(vector).map(Some),
        Some(_) => Err(refused(Kind::Document, "a ChangeVector is a text or null")),
    }
}

/// In `If-Match` a vector stands in quotes.
fn expected_by(if_match: Option<&str>) -> Result<Option<String>, Refusal> {
    let Some(quoted) = if_match else { return Ok(None) };
    let vector = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let vector = vector.ok_or_else(|| refused(Kind::Malformed, "If-Match has a change vector in quotes"))?;
    check_vector(vector).map(|vector| Some(vector.into()))
}

fn check_vector(vector: &str) -> Result<&str, Refusal> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b":-+/=,_ ".contains(&byte);
    if vector.len() <= 2_048 && vector.bytes().all(plain) {
        return Ok(vector);
    }
    Err(refused(Kind::Document, "this is no change vector"))
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
