//! `POST bulk_docs`: a transaction of several commands.

use super::patch::{self, Patch};
use super::waits::Waits;
use crate::authority::Authority;
use crate::call::Call;
use crate::document::Incoming;
use crate::error::{Error, Failure, json_string};
use crate::id;
use crate::identity;
use crate::json::{JsonError, Object, Value, read_object};
use crate::message::{Request, Response};
use crate::prelude::*;
use crate::query::Query;
use crate::storage::Storage;
use crate::time::Timestamp;
use crate::transaction::{Deleted, Transaction};

/// Command types of RavenDB that this authority lacks.
const ELSEWHERE: [&str; 17] = [
    "BatchPATCH",
    "JsonPatch",
    "AttachmentPUT",
    "AttachmentDELETE",
    "AttachmentMOVE",
    "AttachmentCOPY",
    "CompareExchangePUT",
    "CompareExchangeDELETE",
    "Counters",
    "ForceRevisionCreation",
    "TimeSeries",
    "TimeSeriesWithIncrements",
    "TimeSeriesCopy",
    "TimeSeriesBulkInsert",
    "BatchTrackChanges",
    "TimeSeriesIncremental",
    "CompareExchange",
];

enum Command {
    Put { id: String, change_vector: Option<String>, document: Box<Incoming> },
    Delete { id: Option<String>, change_vector: Option<String> },
    Patch { id: String, change_vector: Option<String>, patch: Patch },
}

pub(super) fn run<S: Storage>(
    authority: &mut Authority<S>,
    request: &Request,
    call: &mut Call<'_>,
) -> Result<Response, Failure> {
    check_content_type(request)?;
    let query = Query::parse(request.query());
    let waits = Waits::read(&query)?;
    // All commands are read before the first is executed, so that an invalid one is refused before anything happens.
    let mut commands = read(&request.body)?;
    make_ids(&mut commands, authority, call)?;
    let results = authority.transaction(call.now, |transaction| {
        commands.into_iter().map(|command| command.run(transaction)).collect::<Result<Vec<_>, _>>()
    })?;
    waits.check(authority)?;
    let results = if query.flag("noReply")? { String::new() } else { results.join(",") };
    Ok(Response::new(201, format!(r#"{{"Results":[{results}]}}"#)))
}

fn check_content_type(request: &Request) -> Result<(), Error> {
    let Some(kind) = request.header_value("Content-Type") else { return Ok(()) };
    let lower = kind.trim().to_ascii_lowercase();
    if lower.starts_with("application/json") {
        Ok(())
    } else if lower.starts_with("multipart/") {
        Err(Error::not_implemented("multipart bodies: this authority has no attachments; send application/json."))
    } else {
        Err(Error::invalid_operation(format!(
            "The requested Content type '{kind}' is not supported. Use 'application/json' or 'multipart/mixed'."
        )))
    }
}

fn expected(wanted: &str, got: &str) -> Error {
    Error::invalid_operation(format!("Expected {wanted} , but got {got}"))
}

fn read(body: &[u8]) -> Result<Vec<Command>, Error> {
    let body = read_object(body).map_err(|error| match error {
        JsonError::NotAnObject(token) => expected("StartObject", token),
        other => other.into(),
    })?;
    // RavenDB processes the body while it receives it, so the commands must come first.
    let commands = match body.iter().next() {
        Some(("Commands", Value::Array(commands))) => commands,
        Some(("Commands", other)) => return Err(expected("StartArray", other.token())),
        Some((name, _)) => return Err(expected("String 'Commands'", &format!("String '{name}'"))),
        None => return Err(expected("String 'Commands'", "EndObject")),
    };
    if body.get("TransactionMode").and_then(Value::as_str) == Some("ClusterWide") {
        return Err(Error::not_implemented(
            "TransactionMode 'ClusterWide': this authority has only transactions on a single node.",
        ));
    }
    let mut read = Vec::with_capacity(commands.len());
    for command in commands {
        let Value::Object(command) = command else { return Err(expected("StartObject", command.token())) };
        read.extend(read_command(command)?);
    }
    Ok(read)
}

/// Reads a command; `None` for a heartbeat.
fn read_command(command: &Object) -> Result<Option<Command>, Error> {
    let kind = match command.get("Type") {
        None => return Err(Error::invalid_operation("Command must have a valid 'Type' property")),
        Some(Value::String(kind)) => kind.as_str(),
        Some(other) => return Err(expected("String", other.token())),
    };
    match kind {
        "HeartBeat" => return Ok(None),
        "PUT" | "DELETE" | "PATCH" => check_members(command)?,
        kind if ELSEWHERE.contains(&kind) => {
            return Err(Error::not_implemented(format!(
                "Commands of type '{kind}': this authority has PUT, DELETE and the PATCH of a fenced return."
            )));
        }
        kind => return Err(Error::invalid_command_type(kind)),
    }
    let id = text(command, "Id")?;
    let change_vector = text(command, "ChangeVector")?;
    Ok(Some(match kind {
        "PUT" => {
            Command::Put { id: id.unwrap_or_default(), change_vector, document: Box::new(read_document(command)?) }
        }
        "DELETE" => Command::Delete { id, change_vector },
        _ => Command::Patch { id: id.unwrap_or_default(), change_vector, patch: patch::read(command)? },
    }))
}

/// Makes the ids: a GUID for a blank id, the next number of the identity for an id that ends in `|`. The number is used up
/// even if the batch fails.
fn make_ids<S: Storage>(
    commands: &mut [Command],
    authority: &mut Authority<S>,
    call: &mut Call<'_>,
) -> Result<(), Failure> {
    let mut guarded = None;
    for command in commands {
        let Command::Put { id, change_vector, .. } = command else { continue };
        if id.trim().is_empty() {
            *id = call.guid();
        } else if let Some(identity) = id::asked_identity(id) {
            *id = id::of_identity(&identity, identity::next(&mut authority.storage, id, None)?);
            match change_vector.as_deref() {
                // An existing document under this id must not be overwritten.
                None | Some("") => *change_vector = Some(String::new()),
                Some(vector) => guarded = guarded.or_else(|| Some((id.clone(), vector.to_owned()))),
            }
        }
    }
    match guarded {
        None => Ok(()),
        Some((id, vector)) => Err(Error::invalid_operation(format!(
            "You cannot use change vector ({vector}) when using identity in the document ID ({id})."
        ))
        .into()),
    }
}

fn text(command: &Object, name: &str) -> Result<Option<String>, Error> {
    match command.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(expected("String", other.token())),
    }
}

/// As in RavenDB, unknown members are ignored unless they are arrays. Members that RavenDB knows and this authority does
/// not support are refused.
fn check_members(command: &Object) -> Result<(), Error> {
    for (name, value) in command.iter() {
        match (name, value) {
            ("Type" | "Id" | "ChangeVector" | "Document" | "Patch", _) => {}
            ("IdPrefixed" | "ReturnDocument" | "DebugMode", Value::Bool(false)) => {}
            ("IdPrefixed" | "ReturnDocument" | "DebugMode", Value::Bool(true)) => {
                return Err(Error::not_implemented(format!("The member '{name}' of a command: leave it out.")));
            }
            ("IdPrefixed" | "ReturnDocument" | "DebugMode", other) => return Err(expected("True", other.token())),
            ("PatchIfMissing", Value::Null) => return Err(Error::null_reference("PatchIfMissing")),
            ("CreateIfMissing", Value::Null) => {}
            ("PatchIfMissing" | "CreateIfMissing", _) => {
                return Err(Error::not_implemented(format!(
                    "The member '{name}' of a command: a return never creates a document."
                )));
            }
            (_, Value::Array(_)) => return Err(Error::invalid_start("StartArray")),
            _ => {}
        }
    }
    Ok(())
}

fn read_document(command: &Object) -> Result<Incoming, Error> {
    match command.get("Document") {
        None | Some(Value::Null) => Err(Error::invalid_operation("PUT command must have a 'Document' property")),
        Some(Value::Object(document)) => {
            check_metadata(document)?;
            Incoming::from_client(document.clone())
        }
        Some(other) => Err(Error::invalid_start(other.token())),
    }
}

/// RavenDB checks the types of `@id`, `@change-vector` and the like in a batch, although it ignores their values.
fn check_metadata(document: &Object) -> Result<(), Error> {
    let Some(Value::Object(metadata)) = document.get("@metadata") else { return Ok(()) };
    for name in ["@id", "@change-vector", "@last-modified", "@flags"] {
        match metadata.get(name) {
            None => {}
            Some(Value::Null) if name == "@change-vector" => {}
            Some(Value::String(text)) if name != "@last-modified" || is_date(text) => {}
            Some(Value::String(text)) => {
                return Err(Error::invalid_data(format!(
                    "Cannot parse the value of property @metadata.{name}: {text}"
                )));
            }
            Some(other) => {
                return Err(Error::invalid_data(format!(
                    "Expected property @metadata.{name} to have string type, but was: {}",
                    other.token()
                )));
            }
        }
    }
    if !matches!(metadata.get("@counters"), None | Some(Value::Array(_))) {
        return Err(Error::invalid_data("Expected property @metadata.@counters to have array type"));
    }
    Ok(())
}

/// A time with up to seven fraction digits.
fn is_date(text: &str) -> bool {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (moment, fraction) = text.split_once('.').unwrap_or((text, "0"));
    fraction.len() <= 7 && Timestamp::parse(&format!("{moment}.{fraction:0<7}")).is_some()
}

impl Command {
    fn run<S: Storage>(self, transaction: &mut Transaction<'_, S>) -> Result<String, Failure> {
        match self {
            Self::Put { id, change_vector, document } => {
                let collection = json_string(document.collection());
                let record = transaction.put(&id, *document, change_vector.as_deref())?;
                Ok(format!(
                    r#"{{"Type":"PUT","@id":{},"@collection":{collection},"@change-vector":{},"@last-modified":"{}"}}"#,
                    json_string(&record.id),
                    json_string(&record.change_vector),
                    record.modified
                ))
            }
            Self::Delete { id, change_vector } => {
                let shown = id.as_deref().map_or_else(|| "null".into(), json_string);
                Ok(match transaction.delete(&id.unwrap_or_default(), change_vector.as_deref())? {
                    Deleted::Yes => format!(r#"{{"Id":{shown},"Type":"DELETE","Deleted":true,"ChangeVector":null}}"#),
                    Deleted::NeverExisted => format!(r#"{{"Id":{shown},"Type":"DELETE","Deleted":false}}"#),
                })
            }
            Self::Patch { id, change_vector, patch } => patch.run(transaction, &id, change_vector.as_deref()),
        }
    }
}
