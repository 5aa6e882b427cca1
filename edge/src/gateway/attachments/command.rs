//! Commands about attachments: read from the request, and written anew for RavenDB.

use crate::gateway::collections::{Right, check_id, shortened};
use crate::gateway::command::{id_of, push_head, vector_of};
use crate::gateway::config::Config;
use crate::gateway::give_back::only;
use crate::gateway::plan::Operation;
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::request::has_control;
use crate::gateway::response::{Response, conflict, missing, picked};
use crate::prelude::*;
use raven_edge_authority::json::{Object, Value, write_string};

/// What a command does with the attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Put {
        content_type: String,
    },
    Delete,
    /// Moves the attachment to this document and name, or copies it.
    Transfer {
        keeps: bool,
        to: String,
        to_name: String,
    },
}

/// A command about an attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttachmentCommand {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The expected change vector of the attachment, which is not that of its document.
    pub(crate) expected: Option<String>,
    pub(crate) action: Action,
}

/// Most bytes of a name, as in RavenDB.
const MAX_NAME_BYTES: usize = 512;
/// Most bytes of a content type. It becomes a header of the response to a download.
const MAX_TYPE_BYTES: usize = 256;

/// The members of a result that a caller may see.
const VISIBLE_MEMBERS: [&str; 12] = [
    "Id",
    "@id",
    "Type",
    "Name",
    "ChangeVector",
    "Hash",
    "ContentType",
    "Size",
    "DocumentChangeVector",
    "DestinationId",
    "DestinationName",
    "DestinationDocumentChangeVector",
];

const NO_DOCUMENT: &str = "Raven.Client.Exceptions.Documents.DocumentDoesNotExistException";
const NO_ATTACHMENT: &str = "Raven.Client.Exceptions.Documents.Attachments.AttachmentDoesNotExistException";

impl AttachmentCommand {
    /// Reads a command of a batch; `None` if its type is not about attachments.
    pub(crate) fn read(command: &Object, config: &Config) -> Option<Result<(Self, Vec<Operation>), Refusal>> {
        let kind = command.get("Type").and_then(Value::as_str)?;
        let more: &[&str] = match kind {
            "AttachmentPUT" => &["ContentType"],
            "AttachmentDELETE" => &[],
            "AttachmentMOVE" | "AttachmentCOPY" => &["DestinationId", "DestinationName"],
            _ => return None,
        };
        let known = [&["Type", "Id", "Name", "ChangeVector"], more].concat();
        if !only(command, &known) {
            return Some(Err(refused(
                Kind::Document,
                format!("this command has {} and nothing else", known.join(", ")),
            )));
        }
        Some(Self::of(kind, command, config))
    }

    fn of(kind: &str, command: &Object, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        let text = |name| command.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let action = match kind {
            "AttachmentPUT" => Action::Put {
                content_type: match command.get("ContentType") {
                    None | Some(Value::Null) => String::new(),
                    Some(value) => value.as_str().ok_or_else(wrong_type)?.into(),
                },
            },
            "AttachmentDELETE" => Action::Delete,
            kind => Action::Transfer {
                keeps: kind == "AttachmentCOPY",
                to: text("DestinationId"),
                to_name: text("DestinationName"),
            },
        };
        let (id, expected) = (id_of(command)?.to_owned(), vector_of(command)?.map(Into::into));
        Self { id, name: text("Name"), expected, action }.checked(config)
    }

    /// The command, if the configuration permits it, and what it does.
    pub(crate) fn checked(self, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        check_name(&self.name)?;
        let mut operations = Vec::new();
        let mut permit = |right: Right, id: &str, name: &str| {
            let collection = config.collections.allowed(id, right)?;
            let attachment = Some(name.to_owned());
            operations.push(Operation { attachment, ..Operation::on(right.name(), &collection.name, Some(id)) });
            Ok(collection)
        };
        match &self.action {
            Action::Put { content_type } => {
                let limits = &permit(Right::Attach, &self.id, &self.name)?.attachments;
                check_type(content_type)?;
                if !limits.permits(content_type) {
                    let (id, types) = (shortened(&self.id), limits.types());
                    let message = format!("an attachment of {id} must have one of the content types {types}");
                    return Err(refused(Kind::Document, message));
                }
            }
            Action::Delete => {
                permit(Right::Attach, &self.id, &self.name)?;
            }
            Action::Transfer { keeps, to, to_name } => {
                check_name(to_name)?;
                check_id(to)?;
                // Whoever reads the other document, or the response, learns of the content.
                let source = permit(Right::ReadAttachments, &self.id, &self.name)?;
                if !keeps {
                    permit(Right::Attach, &self.id, &self.name)?;
                }
                let destination = permit(Right::Attach, to, to_name)?;
                if source.attachments != destination.attachments {
                    let (source, to) = (&source.name, &destination.name);
                    let message =
                        format!("attachments of \"{source}\" and \"{to}\" have different limits: store it anew");
                    return Err(refused(Kind::Document, message));
                }
            }
        }
        Ok((self, operations))
    }

    /// The ids of the documents that the command is about.
    pub(crate) fn ids(&self) -> Vec<&str> {
        match &self.action {
            Action::Transfer { to, .. } => vec![&self.id, to],
            _ => vec![&self.id],
        }
    }

    /// The ids of the documents that get another change vector.
    pub(crate) fn changed(&self) -> Vec<&str> {
        match &self.action {
            Action::Transfer { keeps: true, to, .. } => vec![to],
            _ => self.ids(),
        }
    }

    /// Most bytes of the content that the command stores; `None` for another command.
    pub(crate) fn content_limit(&self, config: &Config) -> Option<usize> {
        matches!(self.action, Action::Put { .. })
            .then(|| config.collections.of_id(&self.id).map_or(0, |collection| collection.attachments.max_bytes))
    }

    /// Whether RavenDB would do nothing more if the same command arrived again.
    pub(crate) fn is_repeatable(&self) -> bool {
        matches!(self.action, Action::Delete | Action::Transfer { keeps: true, .. })
    }

    /// What the caller sees of RavenDB's result.
    pub(crate) fn result(result: &[u8]) -> String {
        picked(result, &VISIBLE_MEMBERS)
    }

    /// The result where there is no document `absent`, as RavenDB writes it; or the response to the whole batch.
    pub(crate) fn without_document(&self, absent: &str, target: &str) -> Result<String, Response> {
        match (&self.action, &self.expected) {
            (Action::Delete, None) => {
                let mut text = String::from("{\"Type\":\"AttachmentDELETE\",\"@id\":");
                write_string(&mut text, &self.id);
                text.push_str(",\"Name\":");
                write_string(&mut text, &self.name);
                Ok(text + "}")
            }
            (Action::Delete, Some(expected)) => Err(conflict(target, &self.id, expected, "")),
            (Action::Transfer { .. }, _) if absent == self.id => Err(missing(target, NO_ATTACHMENT)),
            _ => Err(missing(target, NO_DOCUMENT)),
        }
    }

    /// Appends the command as RavenDB reads it, without the closing brace.
    pub(crate) fn push(&self, text: &mut String) {
        let kind = match self.action {
            Action::Put { .. } => "AttachmentPUT",
            Action::Delete => "AttachmentDELETE",
            Action::Transfer { keeps: true, .. } => "AttachmentCOPY",
            Action::Transfer { .. } => "AttachmentMOVE",
        };
        push_head(text, kind, &self.id, self.expected.as_deref());
        let mut member = |name: &str, value: &str| {
            text.push_str(",\"");
            text.push_str(name);
            text.push_str("\":");
            write_string(text, value);
        };
        member("Name", &self.name);
        match &self.action {
            Action::Put { content_type } => member("ContentType", content_type),
            Action::Delete => {}
            Action::Transfer { to, to_name, .. } => {
                member("DestinationId", to);
                member("DestinationName", to_name);
            }
        }
    }
}

/// Fails unless RavenDB takes this as the name of an attachment.
pub(super) fn check_name(name: &str) -> Result<(), Refusal> {
    if name.trim().is_empty() || name.len() > MAX_NAME_BYTES || has_control(name) {
        return Err(refused(Kind::Document, "this is not a valid name of an attachment"));
    }
    Ok(())
}

fn wrong_type() -> Refusal {
    refused(Kind::Document, "this is not a valid content type of an attachment")
}

fn check_type(content_type: &str) -> Result<(), Refusal> {
    let plain = |byte: u8| (b' '..=b'~').contains(&byte);
    if content_type.len() <= MAX_TYPE_BYTES && content_type.bytes().all(plain) { Ok(()) } else { Err(wrong_type()) }
}
