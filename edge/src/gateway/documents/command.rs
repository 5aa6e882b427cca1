//! The commands of a write: read from the request, and written anew for RavenDB.

use crate::gateway::attachments::AttachmentCommand;
use crate::gateway::collections::{Collection, Right, check_id, shortened};
use crate::gateway::config::Config;
use crate::gateway::give_back::only;
use crate::gateway::plan::{Caller, Operation};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::picked;
use crate::prelude::*;
use crate::reply;
use raven_edge::json;
use raven_edge::protocol::{list, metadata};
use raven_edge_authority::json::{Object, Value, write, write_string};

/// One command. The routes for single documents have exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Put {
        id: String,
        expected: Option<String>,
        document: String,
    },
    Delete {
        id: String,
        expected: Option<String>,
    },
    /// A named patch. `values`: its checked parameters, the members of a JSON object. `returns`: whether the caller wants the
    /// document as the patch leaves it.
    Patch {
        id: String,
        expected: Option<String>,
        name: String,
        values: String,
        returns: bool,
    },
    Attachment(AttachmentCommand),
    /// Documents that must not have changed, with their change vectors.
    Track(Vec<(String, String)>),
}

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

/// The members of the result of a patch that a caller may see; the document is judged.
const PATCH_MEMBERS: [&str; 5] = ["Id", "ChangeVector", "LastModified", "Type", "PatchStatus"];

/// A command, and what it does.
type Read = (Command, Vec<Operation>);

/// Dates at which RavenDB deletes or archives a document.
const REMOVAL_DATES: [&str; 2] = ["@expires", "@archive-at"];

impl Command {
    /// Reads a command of a batch.
    pub(super) fn read(command: &Object, config: &Config) -> Result<Read, Refusal> {
        match command.get("Type").and_then(Value::as_str) {
            Some("PUT") => put(command, config),
            Some("DELETE") => delete(command, config),
            Some("PATCH") => patch(command, config),
            Some("BatchTrackChanges") => track(command, config),
            _ => match AttachmentCommand::read(command, config) {
                Some(read) => read.map(|(command, operations)| (Self::Attachment(command), operations)),
                None => Err(refused(Kind::Document, "commands of this type are not accepted")),
            },
        }
    }

    /// The ids of the documents that the command is about.
    pub(super) fn ids(&self) -> Vec<&str> {
        match self {
            Self::Put { id, .. } | Self::Delete { id, .. } | Self::Patch { id, .. } => vec![id],
            Self::Attachment(command) => command.ids(),
            Self::Track(documents) => documents.iter().map(|(id, _)| id.as_str()).collect(),
        }
    }

    /// Id and expected change vector, if one is expected.
    pub(super) fn expectation(&self) -> Option<(&str, &str)> {
        match self {
            Self::Put { id, expected: Some(vector), .. }
            | Self::Patch { id, expected: Some(vector), .. }
            | Self::Delete { id, expected: Some(vector) } => Some((id, vector)),
            _ => None,
        }
    }

    /// What the caller sees of RavenDB's result.
    pub(super) fn result(&self, result: &[u8], config: &Config, caller: &Caller) -> String {
        let (id, returns) = match self {
            Self::Patch { id, returns, .. } => (id, returns),
            Self::Attachment(_) => return AttachmentCommand::result(result),
            _ => return picked(result, &VISIBLE_MEMBERS),
        };
        let mut text = picked(result, &PATCH_MEMBERS);
        text.pop();
        text.push_str(",\"Debug\":null");
        if *returns {
            // The patch, or somebody else before it, may have made it a document that the caller must not see.
            let document = json::get(result, "ModifiedDocument").unwrap_or_default();
            let shown = config
                .collections
                .of_id(id)
                .is_some_and(|collection| collection.allows(Right::Read) && collection.holds(document, &caller.claims));
            text.push_str(",\"ModifiedDocument\":");
            text.push_str(core::str::from_utf8(document).ok().filter(|_| shown).unwrap_or("null"));
        }
        text + "}"
    }

    /// The result if there is no document for the command, as RavenDB writes it; `None` if that takes a request.
    pub(super) fn result_without_document(&self) -> Option<String> {
        match self {
            Self::Delete { id, .. } => {
                let mut result = String::from("{\"Id\":");
                write_string(&mut result, id);
                Some(result + ",\"Type\":\"DELETE\",\"Deleted\":false}")
            }
            Self::Patch { id, returns, .. } => {
                let mut result = reply::patched(id, "DocumentDoesNotExist");
                if *returns {
                    result.pop();
                    result.push_str(",\"ModifiedDocument\":null}");
                }
                Some(result)
            }
            Self::Attachment(command) => command.without_document(&command.id, "").ok(),
            _ => None,
        }
    }

    /// Appends the command as RavenDB reads it.
    pub(super) fn push(&self, config: &Config, caller: &Caller, text: &mut String) {
        match self {
            Self::Put { id, expected, document } => {
                push_head(text, "PUT", id, expected.as_deref());
                text.push_str(",\"Document\":");
                text.push_str(document);
            }
            Self::Delete { id, expected } => push_head(text, "DELETE", id, expected.as_deref()),
            Self::Patch { id, expected, name, values, returns } => {
                push_head(text, "PATCH", id, expected.as_deref());
                if *returns {
                    text.push_str(",\"ReturnDocument\":true");
                }
                text.push_str(",\"Patch\":");
                if let Some((patch, collection)) = config.patch(name) {
                    patch.push(collection, values, &caller.claims, text);
                }
            }
            Self::Attachment(command) => command.push(text),
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

fn put(command: &Object, config: &Config) -> Result<Read, Refusal> {
    let Some(Value::Object(document)) =
        command.get("Document").filter(|_| only(command, &["Type", "Id", "ChangeVector", "Document"]))
    else {
        return Err(refused(Kind::Document, "a PUT must have an Id, a ChangeVector and a Document, and nothing else"));
    };
    let (id, expected) = (id_of(command)?, vector_of(command)?);
    let operations = storing(id, expected, document, config)?;
    let document = text_of(document.clone());
    Ok((Command::Put { id: id.into(), expected: expected.map(Into::into), document }, operations))
}

/// The text of a document. RavenDB lists attachments itself: if a document listed some, the list would be stored, or the response
/// would reveal whether RavenDB has such a content.
pub(super) fn text_of(mut document: Object) -> String {
    if let Some(Value::Object(mut names)) = document.remove(metadata::MEMBER) {
        names.remove("@attachments");
        document.set(metadata::MEMBER, Value::Object(names));
    }
    let mut text = String::new();
    write(&mut text, &Value::Object(document));
    text
}

fn delete(command: &Object, config: &Config) -> Result<Read, Refusal> {
    if !only(command, &["Type", "Id", "ChangeVector"]) {
        return Err(refused(Kind::Document, "a DELETE must have an Id and a ChangeVector, and nothing else"));
    }
    let (id, expected) = (id_of(command)?, vector_of(command)?);
    let collection = config.collections.allowed(id, Right::Delete)?;
    let operation = Operation::on("delete", &collection.name, Some(id));
    Ok((Command::Delete { id: id.into(), expected: expected.map(Into::into) }, vec![operation]))
}

/// The patch itself is the permission: it needs no level of the collection.
fn patch(command: &Object, config: &Config) -> Result<Read, Refusal> {
    if !only(command, &["Type", "Id", "ChangeVector", "Named", "Parameters", "ReturnDocument"]) {
        return Err(refused(
            Kind::Document,
            "a named patch has Id, Named, Parameters, ChangeVector and ReturnDocument, and nothing else",
        ));
    }
    let (id, expected) = (id_of(command)?, vector_of(command)?);
    check_id(id)?;
    let name = command.get("Named").and_then(Value::as_str).unwrap_or_default();
    let (patch, collection) =
        config.patch(name).ok_or_else(|| refused(Kind::Document, "there is no patch of this name"))?;
    if !collection.owns(id) {
        let (id, prefix) = (shortened(id), &collection.prefix);
        return Err(refused(
            Kind::Collection,
            format!("the patch \"{name}\" is for ids that begin with \"{prefix}\", not for {id}"),
        ));
    }
    let returns = match command.get("ReturnDocument") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Bool(true)) => config.collections.allowed(id, Right::Read).map(|_| true)?,
        Some(_) => return Err(refused(Kind::Document, "ReturnDocument must be true or false")),
    };
    let values = patch.values(command.get("Parameters"))?;
    let named = Some((name.into(), format!("{{{values}}}")));
    let operation = Operation { named, ..Operation::on("patch", &collection.name, Some(id)) };
    let (id, expected, name) = (id.into(), expected.map(Into::into), name.into());
    Ok((Command::Patch { id, expected, name, values, returns }, vec![operation]))
}

/// Checks that documents have not changed. The response reveals whether they have, so this needs the right to read
/// them.
fn track(command: &Object, config: &Config) -> Result<Read, Refusal> {
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
pub(super) fn storing(
    id: &str,
    expected: Option<&str>,
    document: &Object,
    config: &Config,
) -> Result<Vec<Operation>, Refusal> {
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

pub(crate) fn id_of(command: &Object) -> Result<&str, Refusal> {
    command.get("Id").and_then(Value::as_str).ok_or_else(|| refused(Kind::Document, "a command needs an Id"))
}

pub(crate) fn vector_of(command: &Object) -> Result<Option<&str>, Refusal> {
    match command.get("ChangeVector") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(vector)) => check_vector(vector).map(Some),
        Some(_) => Err(refused(Kind::Document, "a ChangeVector must be a string or null")),
    }
}

/// `If-Match` contains a change vector in quotes.
pub(super) fn expected_by(if_match: Option<&str>) -> Result<Option<String>, Refusal> {
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

pub(crate) fn push_head(text: &mut String, kind: &str, id: &str, expected: Option<&str>) {
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
