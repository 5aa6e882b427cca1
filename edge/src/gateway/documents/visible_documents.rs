//! Documents in a response of RavenDB, and which of them a caller may see.

use crate::gateway::collections::Collection;
use crate::gateway::config::Config;
use crate::gateway::plan::Caller;
use crate::gateway::rows::member;
use crate::prelude::*;
use raven_edge::json;
use raven_edge::protocol::metadata;

/// A document's text, and the text of its metadata if it has metadata.
pub(crate) type Document<'a> = (&'a [u8], Option<&'a [u8]>);

/// The parts of a response.
pub(crate) struct Found<'a> {
    pub(crate) results: Vec<Document<'a>>,
    /// Each with its key.
    pub(crate) includes: Vec<(&'a [u8], Document<'a>)>,
    /// The members besides these.
    pub(super) others: Vec<(&'a [u8], &'a [u8])>,
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

/// Id and change vector of such a document, if it may be seen.
pub(crate) fn visible_version(document: &[u8], config: &Config, caller: &Caller) -> Option<(String, String)> {
    let mut stated = None;
    measured(document, &mut stated)?;
    let (id, _) = visible_document((document, stated), config, caller)?;
    let vector = member(stated?, metadata::CHANGE_VECTOR).and_then(json::text)?;
    Some((id, vector.into()))
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
