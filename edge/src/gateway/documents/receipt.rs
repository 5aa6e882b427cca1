//! Receipts of the offline queue (`raven-edge/offline`): one document per device and user, which is the first command of each of its
//! batches, so that RavenDB refuses a batch that arrives twice.
//!
//! A receipt belongs to no collection of the configuration. It passes in one exact form only, and names the user whose changes
//! the batch contains: the gateway compares it with the caller, because another tab may have signed in as somebody else.

use super::command::{Command, id_of, vector_of};
use crate::gateway::give_back::only;
use crate::gateway::plan::Caller;
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::prelude::*;
use raven_edge::json;
use raven_edge::protocol::metadata;
use raven_edge_authority::json::{Object, Value, read_strict, write};

/// The beginning of the ids of receipts.
const PREFIX: &str = "Raven-Edge/Devices/";
/// Their collection.
const COLLECTION: &str = "@raven-edge";
/// Hexadecimal digits of the random part of an id, and of a batch: 128 bits.
const DIGITS: usize = 32;
/// The longest name of a user, in bytes.
const MAX_USER_BYTES: usize = 512;

/// Whether this is the id of a receipt. Nobody can guess one of another device.
pub(super) fn is_id(id: &str) -> bool {
    id.strip_prefix(PREFIX).is_some_and(is_random)
}

fn is_random(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// A receipt at the beginning of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Receipt {
    id: String,
    user: String,
}

impl Receipt {
    /// Reads the receipt that a batch begins with, and its command; `None` if the first command is about another document.
    pub(super) fn of_batch(first: &Object) -> Result<Option<(Self, Command)>, Refusal> {
        let Some(id) = first.get("Id").and_then(Value::as_str).filter(|id| is_id(id)) else { return Ok(None) };
        let wrong = || refused(Kind::Document, "a receipt must be a PUT of Last, Batch, User and @collection alone");
        let is_put = first.get("Type").and_then(Value::as_str) == Some("PUT");
        let Some(value @ Value::Object(document)) = first
            .get("Document")
            .filter(|_| is_put && id_of(first).is_ok() && only(first, &["Type", "Id", "ChangeVector", "Document"]))
        else {
            return Err(wrong());
        };
        let Some(expected) = vector_of(first)? else { return Err(wrong()) };
        let user = user_of(document).ok_or_else(wrong)?;
        let mut text = String::new();
        write(&mut text, value);
        let command = Command::Put { id: id.into(), expected: Some(expected.into()), document: text };
        Ok(Some((Self { id: id.into(), user: user.into() }, command)))
    }

    /// Fails unless the batch belongs to the caller.
    pub(super) fn check(&self, caller: &Caller) -> Result<(), Refusal> {
        check_user(Some(&self.user), caller)
    }

    /// Whether this command writes the receipt.
    pub(super) fn is_written_by(&self, command: &Command) -> bool {
        matches!(command, Command::Put { id, .. } if *id == self.id)
    }

    /// Whether a conflict is about the receipt: then nothing of the batch was applied, and its id may be revealed.
    pub(super) fn is_in_conflict(&self, body: &[u8]) -> bool {
        json::get(body, "Id").and_then(json::string).is_some_and(|id| id.eq_ignore_ascii_case(&self.id))
    }
}

/// Whether a document is a receipt of the caller's. `stated`: the text of its metadata.
pub(super) fn is_own(document: &[u8], stated: &[u8], caller: &Caller) -> bool {
    let Ok(stated) = read_strict(stated) else { return false };
    let text = |name| stated.get(name).and_then(Value::as_str);
    text(metadata::COLLECTION) == Some(COLLECTION)
        && text(metadata::ID).is_some_and(is_id)
        && json::get(document, "User").and_then(json::string).is_some_and(|user| is_callers(&user, caller))
}

/// Fails unless a device of this user asks as the caller. A caller without a name may be anybody.
pub(crate) fn check_user(user: Option<&str>, caller: &Caller) -> Result<(), Refusal> {
    if user.is_some_and(|user| is_callers(user, caller)) {
        return Ok(());
    }
    Err(refused(Kind::SignIn, "the request belongs to another user than the one who is signed in"))
}

fn is_callers(user: &str, caller: &Caller) -> bool {
    caller.identity.as_ref().is_none_or(|name| name == user)
}

/// The user of a receipt, if it has the exact form.
fn user_of(document: &Object) -> Option<&str> {
    let last = document.get("Last")?;
    let batch = document.get("Batch").and_then(Value::as_str)?;
    let user = document.get("User").and_then(Value::as_str)?;
    let Some(Value::Object(names)) = document.get(metadata::MEMBER) else { return None };
    let mut number = String::new();
    write(&mut number, last);
    let is_number = number.len() <= 16 && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = only(document, &["Last", "Batch", "User", metadata::MEMBER])
        && only(names, &[metadata::COLLECTION])
        && names.get(metadata::COLLECTION).and_then(Value::as_str) == Some(COLLECTION);
    (is_whole && is_number && is_random(batch) && user.len() <= MAX_USER_BYTES).then_some(user)
}
