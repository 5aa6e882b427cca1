//! Responses to reads: what a caller gets of the documents that RavenDB found.

use super::read::{Form, Read, add, ids_body};
use super::receipt;
use super::visible_documents::{Document, Found, found, visible_document};
use crate::gateway::config::Config;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Operation, Step, Turn};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::{Response, SubResponse, UpstreamResponse, failure, nothing, part};
use crate::prelude::*;
use alloc::borrow::Cow;
use raven_edge::protocol::metadata;

/// How often the documents of a read with includes are read at most. Once suffices if all of them are visible, twice if
/// not; a third time is needed only if one of them was deleted or hidden in between.
const MAX_ROUNDS: u8 = 3;
/// Bytes that a response may have more than RavenDB's, because the caller named an id or a part of a `multi_get` more than
/// once. Without this limit one document named a thousand times would fill the Worker's memory.
pub(crate) const MAX_REPEATED_BYTES: usize = 1 << 20;

impl Exchange for Read {
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        let path = format!("{}/docs{}", turn.config.base(), self.target());
        Ok(Step::Forward(match self.form {
            Form::ByBody => Forward::post(path, ids_body(self.ids.iter().map(String::as_str))),
            Form::ByUrl | Form::Head | Form::List => Forward::get(path),
        }))
    }

    fn response(self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        let Turn { config, caller, target, .. } = *turn;
        // RavenDB's 404 has no body. A 404 with a body comes from a proxy and means something else.
        let missing = self.ids.len() == 1 && upstream.status == 404 && upstream.body.is_empty();
        let mut repeated = 0;
        let shown = match self.shown(config, caller, upstream.status, &upstream.body, missing, &mut repeated) {
            Some(FollowUp::Response(shown)) => shown,
            Some(FollowUp::Next(next)) => return FollowUp::Next(next),
            None => return FollowUp::Response(failure(upstream, target, true)),
        };
        FollowUp::Response(match shown {
            // A document of another collection is reported as RavenDB reports a document that does not exist.
            Shown::Nothing => Response::empty(404),
            Shown::Refusal(refusal) => refusal.response(target),
            Shown::Documents { text, included } => {
                let mut response =
                    if self.form == Form::Head { Response::empty(200) } else { Response::json(200, text) };
                response.included = included;
                // The ETag of several documents depends on all that RavenDB found, including hidden ones.
                if self.is_single()
                    && self.includes == 0
                    && let Some(etag) = upstream.header("etag")
                {
                    response.with("ETag", etag);
                }
                response
            }
        })
    }
}

impl Read {
    /// The response to a read that is a part of a `multi_get`, as JSON text. Adds included documents to `included`, and the bytes of documents
    /// that the text contains more than once to `repeated`.
    pub(crate) fn sub_response(
        &self,
        config: &Config,
        caller: &Caller,
        upstream: &SubResponse<'_>,
        target: &str,
        included: &mut Vec<Operation>,
        repeated: &mut usize,
    ) -> FollowUp<Self, String> {
        let missing = upstream.status == 404 && self.form != Form::List;
        FollowUp::Response(match self.shown(config, caller, upstream.status, upstream.body, missing, repeated) {
            Some(FollowUp::Next(next)) => return FollowUp::Next(next),
            Some(FollowUp::Response(Shown::Nothing)) => nothing(),
            Some(FollowUp::Response(Shown::Refusal(refusal))) => part(&refusal.response(target)),
            Some(FollowUp::Response(Shown::Documents { text, included: more })) => {
                included.extend(more);
                format!("{{\"Result\":{text},\"StatusCode\":200,\"Headers\":{{}}}}")
            }
            None => {
                let upstream =
                    UpstreamResponse { status: upstream.status, headers: Vec::new(), body: upstream.body.to_vec() };
                part(&failure(&upstream, target, true))
            }
        })
    }

    /// What the caller gets of a visible document.
    fn part<'a>(&self, (document, metadata): Document<'a>) -> Cow<'a, [u8]> {
        match metadata.filter(|_| self.metadata_only && self.whole) {
            Some(stated) => [b"{\"", metadata::MEMBER.as_bytes(), b"\":", stated, b"}"].concat().into(),
            None => document.into(),
        }
    }

    /// Whether the caller asked for one document, for which RavenDB has responses of its own.
    fn is_single(&self) -> bool {
        self.form != Form::List && self.slots.len() == 1
    }

    /// What the caller may see of a response; `None` if the response is not one of RavenDB's to such a read. `missing`: the
    /// only document does not exist. Adds the bytes of documents that are shown more than once to `repeated`.
    fn shown(
        &self,
        config: &Config,
        caller: &Caller,
        status: u16,
        body: &[u8],
        missing: bool,
        repeated: &mut usize,
    ) -> Option<FollowUp<Self, Shown>> {
        let found = if missing {
            Found { results: vec![(&b"null"[..], None)], includes: Vec::new(), others: Vec::new() }
        } else {
            (status == 200).then(|| found(body, self.form != Form::List))??
        };
        let visible: Vec<Option<Cow<'_, [u8]>>> =
            found.results.iter().map(|found| is_shown(*found, config, caller).then(|| self.part(*found))).collect();
        if self.form == Form::List {
            let texts = visible.iter().flatten().map(Cow::as_ref);
            let mut text = opening(body);
            join(&mut text, texts)?;
            text.push_str("]}");
            return Some(FollowUp::Response(Shown::Documents { text, included: Vec::new() }));
        }
        if visible.len() != self.ids.len() {
            return None;
        }
        if self.is_single() && visible.iter().all(Option::is_none) {
            return Some(FollowUp::Response(Shown::Nothing));
        }
        // What a hidden document refers to must not be revealed. Missing documents are handled alike, so that nobody can
        // tell the one from the other: RavenDB is asked again for the visible ones alone.
        let some_visible = visible.iter().any(Option::is_some);
        if self.includes > 0 && some_visible && visible.iter().any(Option::is_none) {
            return Some(match self.without(&visible) {
                Some(next) => FollowUp::Next(next),
                None => FollowUp::Response(Shown::Refusal(refused(
                    Kind::Response,
                    "the documents were changed while they were read; try again",
                ))),
            });
        }
        let mut shown_before = vec![false; visible.len()];
        let mut texts = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            let text = slot.and_then(|slot| visible.get(slot)).and_then(Option::as_deref);
            if let (Some(text), Some(shown_before)) = (text, slot.and_then(|slot| shown_before.get_mut(slot))) {
                *repeated += if *shown_before { text.len() } else { 0 };
                *shown_before = true;
            }
            texts.push(text.unwrap_or(b"null"));
        }
        if *repeated > MAX_REPEATED_BYTES {
            return Some(FollowUp::Response(Shown::Refusal(too_often())));
        }
        let mut text = opening(body);
        join(&mut text, texts.into_iter())?;
        text.push_str("],\"Includes\":{");
        let mut included = Vec::new();
        for (id, (document, stated)) in found.includes.iter().filter(|_| some_visible) {
            if let Some((own, collection)) = visible_document((document, *stated), config, caller) {
                add(&mut included, collection, &own);
                text.push_str(if text.ends_with('{') { "\"" } else { ",\"" });
                text.push_str(core::str::from_utf8(id).ok()?);
                text.push_str("\":");
                text.push_str(core::str::from_utf8(document).ok()?);
            }
        }
        text.push_str("}}");
        Some(FollowUp::Response(Shown::Documents { text, included }))
    }

    /// This read, of the visible documents alone; `None` if the documents change faster than they can be read.
    fn without(&self, visible: &[Option<Cow<'_, [u8]>>]) -> Option<Self> {
        let rounds = self.rounds + 1;
        let mut ids = Vec::new();
        let kept: Vec<Option<usize>> = visible
            .iter()
            .zip(&self.ids)
            .map(|(document, id)| {
                document.as_ref().map(|_| {
                    ids.push(id.clone());
                    ids.len() - 1
                })
            })
            .collect();
        let slots = self.slots.iter().map(|slot| slot.and_then(|slot| kept.get(slot).copied().flatten())).collect();
        let &Self { form, includes, metadata_only, whole, .. } = self;
        let query = self.query.clone();
        (rounds < MAX_ROUNDS).then_some(Self { form, query, ids, slots, includes, rounds, metadata_only, whole })
    }
}

/// What the caller gets.
enum Shown {
    /// The only document is missing or hidden.
    Nothing,
    Refusal(Refusal),
    /// The body, and which documents are included.
    Documents {
        text: String,
        included: Vec<Operation>,
    },
}

/// The beginning of a response, with room for what is shown of RavenDB's: a text that grows is copied, and needs twice its bytes.
fn opening(body: &[u8]) -> String {
    let mut text = String::with_capacity(body.len() + 64);
    text.push_str("{\"Results\":[");
    text
}

/// Appends texts, separated by commas.
fn join<'a>(to: &mut String, texts: impl Iterator<Item = &'a [u8]>) -> Option<()> {
    for text in texts {
        if !to.ends_with('[') {
            to.push(',');
        }
        to.push_str(core::str::from_utf8(text).ok()?);
    }
    Some(())
}

/// Why a response is refused that repeats documents too often.
pub(crate) fn too_often() -> Refusal {
    refused(Kind::Limit, "the request names large documents more than once; name each id once")
}

/// Whether the caller may see a document that it has asked for: one of its collections, or its own receipt.
fn is_shown(found: Document<'_>, config: &Config, caller: &Caller) -> bool {
    visible_document(found, config, caller).is_some()
        || found.1.is_some_and(|stated| receipt::is_own(found.0, stated, caller))
}
