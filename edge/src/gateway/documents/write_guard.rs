//! Guards writes to collections with rows.
//!
//! The stored documents are read and judged before anything is written. The first write of each document then carries the
//! change vector that was read, so that RavenDB refuses it if the document has changed since. Later commands about the same
//! document are about what the batch itself has made of it, which is judged already.
//!
//! A caller cannot distinguish "not there" from "not yours": a deletion of either deletes nothing, and a change of either is
//! the same conflict.

use super::command::Command;
use super::read::ids_body;
use super::write::Judged;
use crate::gateway::collections::{Right, shortened};
use crate::gateway::config::Config;
use crate::gateway::gather::gathered;
use crate::gateway::plan::{Caller, Forward};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::{Response, UpstreamResponse, conflict, failure};
use crate::prelude::*;
use alloc::collections::BTreeMap;
use raven_edge::ids::key as ids;
use raven_edge::json;
use raven_edge::protocol::{metadata, path};

/// The state of a document before a command of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Known {
    /// It does not exist, or the caller may not see it.
    Absent,
    /// It is stored with this change vector, and the caller may write it.
    Stored(String),
    /// An earlier command of the batch has written or deleted it.
    Own,
}

/// The ids of stored documents that must be judged before this is written, in the order of their first commands.
pub(crate) fn ids_to_read<'a>(commands: &'a [Command], config: &Config) -> Vec<&'a str> {
    let has_rows = |id: &str| config.collections.of_id(id).is_some_and(|collection| collection.rows.is_some());
    let mut ids: Vec<&str> = Vec::new();
    let mut stored = Ids::default();
    for command in commands {
        match command {
            // RavenDB itself refuses the creation of a document that exists.
            Command::Put { id, expected: Some(vector), .. } if vector.is_empty() => {
                stored.insert(id);
            }
            Command::Put { id, .. } => {
                ids.extend(has_rows(id).then_some(id.as_str()));
                stored.insert(id);
            }
            // Only the document says whether it is of the collection, unless the batch itself has stored it.
            Command::Attachment(command) => {
                ids.extend(command.ids().into_iter().filter(|id| !stored.contains(id)));
            }
            command => ids.extend(command.ids().into_iter().filter(|id| has_rows(id))),
        }
    }
    let mut seen = Ids::default();
    ids.retain(|id| seen.insert(id));
    ids
}

/// Ids with equal keys are surely the same for RavenDB. Ids that may be the same without that (other letters than those of ASCII
/// have a case, too) are judged apart: then RavenDB refuses the second write, which expects what the first one has replaced.
fn key(id: &str) -> String {
    id.to_ascii_lowercase()
}

/// Ids by their keys. The values mean nothing: the gateway has maps of this type, and a set would be their code once more.
#[derive(Default)]
struct Ids(BTreeMap<String, usize>);

impl Ids {
    /// Returns whether it is new.
    fn insert(&mut self, id: &str) -> bool {
        self.0.insert(key(id), 0).is_none()
    }

    fn contains(&self, id: &str) -> bool {
        self.0.contains_key(&key(id))
    }
}

/// The request for the stored documents.
pub(crate) fn request(ids: &[&str], config: &Config) -> Forward {
    Forward::post(format!("{}/{}", config.base(), path::DOCS), ids_body(ids.iter().copied()))
}

/// Fails if a command is about a document with rows that an earlier command of the batch patches: what the patch makes of it is
/// not known.
pub(crate) fn check_order(commands: &[Command], config: &Config) -> Result<(), Refusal> {
    let mut patched = Ids::default();
    for command in commands {
        if let Some(id) = command.ids().into_iter().find(|id| patched.contains(id)) {
            let message = format!("the batch patches {} before: send what follows in another batch", shortened(id));
            return Err(refused(Kind::Document, message));
        }
        if let Command::Patch { id, .. } = command
            && config.collections.of_id(id).is_some_and(|collection| collection.rows.is_some())
        {
            patched.insert(id);
        }
    }
    Ok(())
}

/// Judges the new documents, and whether the caller has the claims of patches; stored documents are judged by [`judged`].
pub(crate) fn judge_new(commands: &[Command], config: &Config, caller: &Caller) -> Result<(), Refusal> {
    for command in commands {
        if let Command::Patch { name, .. } = command
            && let Some(claim) = config.patch(name).and_then(|(patch, _)| patch.lacks(&caller.claims))
        {
            let message = format!("the patch \"{name}\" needs the claim \"{claim}\", which the caller does not have");
            return Err(refused(Kind::Authorization, message));
        }
        let Command::Put { id, document, .. } = command else { continue };
        let collection = config.collections.of_id(id);
        if collection.is_some_and(|collection| !collection.permits(document.as_bytes(), &caller.claims)) {
            let id = shortened(id);
            let message = format!("the document {id} does not satisfy the rows of its collection for this caller");
            return Err(refused(Kind::Document, message));
        }
    }
    Ok(())
}

/// The commands as they may be sent. `ids` were read, and `upstream` is the response with the stored documents. `after`: how many
/// commands stand before those of the caller.
pub(crate) fn judged(
    commands: &[Command],
    ids: &[&str],
    config: &Config,
    caller: &Caller,
    upstream: &UpstreamResponse,
    target: &str,
    after: usize,
) -> Result<Judged, Response> {
    let documents = documents(upstream);
    if documents.len() != ids.len() {
        return Err(failure(upstream, target, false));
    }
    let mut guard =
        Guard { places: BTreeMap::new(), known: Vec::new(), config, target, is_guarded: false, tracked: Vec::new() };
    for (id, document) in ids.iter().zip(documents) {
        guard.places.insert(key(id), guard.known.len());
        guard.known.push(stored(id, document, config, caller));
    }
    let mut judged = Judged::default();
    for (at, command) in commands.iter().enumerate() {
        match guard.command(command)? {
            Some(command) => judged.commands.push(command),
            None => judged.skipped.extend(command.result_without_document().map(|result| (at, result))),
        }
    }
    judged.is_guarded = guard.is_guarded;
    if !guard.tracked.is_empty() && !judged.commands.is_empty() {
        judged.guard = Some(after);
        judged.commands.insert(after, Command::Track(guard.tracked));
    }
    Ok(judged)
}

/// The documents of the response to a read by ids.
fn documents(upstream: &UpstreamResponse) -> Vec<&[u8]> {
    let results = (upstream.status == 200).then(|| json::get(&upstream.body, "Results")).flatten();
    match results {
        Some(results) => gathered(json::elements(results)),
        // RavenDB's response to a read of one document that does not exist.
        None if upstream.status == 404 && upstream.body.is_empty() => vec![b"null"],
        None => Vec::new(),
    }
}

/// The document of the response to a read of one id.
pub(crate) fn only_document(upstream: &UpstreamResponse) -> Option<&[u8]> {
    match documents(upstream)[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Whether a stored document is the one with this id, and the caller may see it.
pub(crate) fn is_permitted(id: &str, document: &[u8], config: &Config, caller: &Caller) -> bool {
    stored(id, document, config, caller) != Known::Absent
}

/// The state of a document according to its stored text.
fn stored(id: &str, document: &[u8], config: &Config, caller: &Caller) -> Known {
    let permitted = config.collections.of_id(id).filter(|collection| collection.holds(document, &caller.claims));
    let metadata = json::get(document, metadata::MEMBER);
    let text = |name| metadata.and_then(|metadata| json::get(metadata, name)).and_then(json::string);
    let vector =
        text(metadata::CHANGE_VECTOR).filter(|_| text(metadata::ID).is_some_and(|own| ids::may_be_same(&own, id)));
    match (permitted, vector) {
        (Some(_), Some(vector)) => Known::Stored(vector),
        _ => Known::Absent,
    }
}

struct Guard<'a> {
    /// The places in `known`, by the key of the id; documents of collections without rows are not in it.
    places: BTreeMap<String, usize>,
    known: Vec<Known>,
    config: &'a Config,
    target: &'a str,
    /// Whether a command has an expectation that the caller did not state.
    is_guarded: bool,
    /// Documents whose attachments are read or changed, with the change vectors that were judged: the change vector of an
    /// attachment says nothing about its document.
    tracked: Vec<(String, String)>,
}

impl Guard<'_> {
    /// The command as it may be sent; `None` for a deletion or a patch of a document that there is not.
    fn command(&mut self, command: &Command) -> Result<Option<Command>, Response> {
        match command {
            Command::Put { id, expected, document } => {
                let expected = match expected.as_deref() {
                    // The caller creates it. A document that exists, visible or not, is a conflict for RavenDB.
                    Some("") => Some(String::new()),
                    stated => self.expectation(id, stated)?,
                };
                self.set(id, Known::Own);
                Ok(Some(Command::Put { id: id.clone(), expected, document: document.clone() }))
            }
            Command::Delete { id, expected: None } | Command::Patch { id, expected: None, .. }
                if self.known(id) == Some(&Known::Absent) =>
            {
                Ok(None)
            }
            Command::Delete { id, expected } => {
                let expected = self.expectation(id, expected.as_deref())?;
                self.set(id, Known::Own);
                Ok(Some(Command::Delete { id: id.clone(), expected }))
            }
            Command::Patch { id, expected, name, values, returns } => {
                let expected = self.expectation(id, expected.as_deref())?;
                self.set(id, Known::Own);
                let (id, name, values) = (id.clone(), name.clone(), values.clone());
                Ok(Some(Command::Patch { id, expected, name, values, returns: *returns }))
            }
            Command::Attachment(attachment) => {
                for id in attachment.ids() {
                    match self.known(id) {
                        Some(Known::Stored(vector)) => {
                            let vector = vector.clone();
                            self.track(id, vector);
                        }
                        Some(Known::Absent) => match attachment.without_document(id, self.target) {
                            Ok(_) => return Ok(None),
                            Err(response) => return Err(response),
                        },
                        None | Some(Known::Own) => {}
                    }
                }
                for id in attachment.changed() {
                    self.set(id, Known::Own);
                }
                Ok(Some(command.clone()))
            }
            Command::Track(documents) => {
                for (id, vector) in documents {
                    self.expectation(id, Some(vector))?;
                }
                Ok(Some(command.clone()))
            }
        }
    }

    /// What RavenDB is to expect of the document.
    fn expectation(&mut self, id: &str, stated: Option<&str>) -> Result<Option<String>, Response> {
        let (expected, is_ours) = match (self.known(id), stated) {
            (None | Some(Known::Own), stated) => (stated.map(Into::into), false),
            (Some(Known::Stored(vector)), Some(stated)) if vector == stated => (Some(vector.clone()), false),
            (Some(Known::Stored(vector)), Some(stated)) => {
                let reads = self.config.collections.allowed(id, Right::Read).is_ok();
                return Err(conflict(self.target, id, stated, if reads { vector } else { "" }));
            }
            (Some(Known::Absent), Some(stated)) => return Err(conflict(self.target, id, stated, "")),
            (Some(Known::Stored(vector)), None) => (Some(vector.clone()), true),
            (Some(Known::Absent), None) => (Some(String::new()), true),
        };
        self.is_guarded |= is_ours;
        Ok(expected)
    }

    /// Expects that the document is as it was judged.
    fn track(&mut self, id: &str, vector: String) {
        self.is_guarded = true;
        if self.tracked.iter().all(|(tracked, _)| key(tracked) != key(id)) {
            self.tracked.push((id.into(), vector));
        }
    }

    fn known(&self, id: &str) -> Option<&Known> {
        self.places.get(&key(id)).and_then(|place| self.known.get(*place))
    }

    fn set(&mut self, id: &str, known: Known) {
        if let Some(of_id) = self.places.get(&key(id)).and_then(|place| self.known.get_mut(*place)) {
            *of_id = known;
        }
    }
}
