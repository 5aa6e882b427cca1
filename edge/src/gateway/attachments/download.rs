//! Downloads. The gateway first reads the document and judges it; then it passes on the attachment only if its hash is among those
//! that the judged document lists. So a document that changes hands between the two requests reveals nothing.

use super::ROUTE;
use super::command::check_name;
use crate::gateway::collections::Right;
use crate::gateway::config::Config;
use crate::gateway::gather::gathered;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Operation, Step, Turn};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::request::{Incoming, Query};
use crate::gateway::response::{Response, UpstreamResponse, failure};
use crate::gateway::write_guard;
use crate::prelude::*;
use raven_edge::http::push_encoded;
use raven_edge::json;
use raven_edge::protocol::metadata;

/// How often document and attachment are read, because the attachment was replaced in between.
const MAX_ROUNDS: u8 = 3;

/// The header with the hash of the content.
const HASH: &str = "Attachment-Hash";
/// The headers of an attachment that the client uses.
const FORWARDED: [&str; 6] = ["Content-Type", HASH, "Attachment-Size", "Content-Range", "Accept-Ranges", "ETag"];

/// A request for an attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Download {
    id: String,
    name: String,
    range: Option<String>,
    /// Whether only the existence is asked for.
    is_head: bool,
    /// The hashes of the attachments that the document has; `None`: it was not read yet.
    hashes: Option<Vec<String>>,
    rounds: u8,
}

impl Download {
    /// `GET attachments` and `HEAD attachments`.
    pub(crate) fn read(query: &str, request: &Incoming, config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        let (id, name) = named(&Query::read(query, &["id", "name"])?)?;
        let collection = config.collections.allowed(&id, Right::ReadAttachments)?;
        let operation = Operation {
            attachment: Some(name.clone()),
            ..Operation::on(Right::ReadAttachments.name(), &collection.name, Some(&id))
        };
        let is_head = request.method == "HEAD";
        // RavenDB's response to a HEAD has no hash: the first byte is asked for instead.
        let range = if is_head { Some("bytes=0-0".into()) } else { request.header("range").map(range).transpose()? };
        Ok((Self { id, name, range, is_head, hashes: None, rounds: 0 }, vec![operation]))
    }

    /// Whether the next response is that of the attachment itself.
    pub(crate) fn is_content(&self) -> bool {
        self.hashes.is_some()
    }

    /// The head of the response, if the content may be passed on.
    pub(crate) fn begin(&self, upstream: &UpstreamResponse) -> Option<Response> {
        if !matches!(upstream.status, 200 | 206) || !self.is_listed(upstream) {
            return None;
        }
        let mut response = Response::empty(if self.is_head { 200 } else { upstream.status });
        for name in FORWARDED {
            // The range is that of the gateway.
            let is_own = self.is_head && name == "Content-Range";
            if let Some(value) = upstream.header(name).filter(|_| !is_own) {
                response.with(name, value);
            }
        }
        // An attachment that a browser opens is saved, and cannot run as a page of the app.
        response.with("Content-Disposition", "attachment");
        response.with("Content-Security-Policy", "default-src 'none'; sandbox");
        response.with("X-Content-Type-Options", "nosniff");
        response.pass(upstream);
        Some(response)
    }

    /// The hashes of a document that the caller may see, none for another one; `None` if this is not RavenDB's response.
    fn listed(&self, config: &Config, caller: &Caller, upstream: &UpstreamResponse) -> Option<Vec<String>> {
        let document = write_guard::only_document(upstream)?;
        if !write_guard::is_permitted(&self.id, document, config, caller) {
            return Some(Vec::new());
        }
        let stated = json::get(document, metadata::MEMBER).and_then(|names| json::get(names, "@attachments"));
        let hashes = json::elements(stated.unwrap_or(b"[]"));
        Some(gathered(hashes.filter_map(|one| json::get(one, "Hash").and_then(json::string))))
    }

    fn is_listed(&self, upstream: &UpstreamResponse) -> bool {
        let hash = upstream.header(HASH).unwrap_or_default();
        self.hashes.as_ref().is_some_and(|hashes| hashes.iter().any(|one| one == hash))
    }
}

impl Exchange for Download {
    /// The request for the document, or for the attachment once the document was judged.
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        if !self.is_content() {
            return Ok(Step::Forward(write_guard::request(&[&self.id], turn.config)));
        }
        let mut path = format!("{}/{ROUTE}?id=", turn.config.base());
        push_encoded(&mut path, &self.id);
        path.push_str("&name=");
        push_encoded(&mut path, &self.name);
        Ok(Step::Forward(Forward { range: self.range.clone(), ..Forward::get(path) }))
    }

    /// A content that may be passed on does not come here: see [`Download::begin`].
    fn response(self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        let Turn { config, caller, target, .. } = *turn;
        FollowUp::Response(if !self.is_content() {
            match self.listed(config, caller, upstream) {
                None => failure(upstream, target, false),
                // A document of somebody else, none, and one without attachments look alike.
                Some(hashes) if hashes.is_empty() => Response::empty(404),
                hashes => return FollowUp::Next(Self { hashes, ..self }),
            }
        } else {
            match upstream.status {
                404 => Response::empty(404),
                416 if self.is_listed(upstream) && self.is_head => Response::empty(200),
                416 if self.is_listed(upstream) => {
                    let mut response = Response::empty(416);
                    if let Some(range) = upstream.header("Content-Range") {
                        response.with("Content-Range", range);
                    }
                    response
                }
                200 | 206 | 416 if self.rounds + 1 < MAX_ROUNDS => {
                    return FollowUp::Next(Self { hashes: None, rounds: self.rounds + 1, ..self });
                }
                200 | 206 | 416 => {
                    let message = "the attachment was replaced while it was read; try again";
                    refused(Kind::Response, message).response(target)
                }
                _ => failure(upstream, target, false),
            }
        })
    }
}

/// The document and the name of a request for one attachment.
pub(crate) fn named(query: &Query) -> Result<(String, String), Refusal> {
    let mut ids = query.all("id");
    match (ids.next(), ids.next(), query.get("name")) {
        (Some(id), None, Some(name)) => {
            check_name(name)?;
            Ok((id.into(), name.into()))
        }
        _ => Err(refused(Kind::Malformed, "the request must name exactly one id and one name")),
    }
}

/// One range of bytes, as the client writes it.
fn range(text: &str) -> Result<String, Refusal> {
    let number = |text: &str| text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_digit());
    let bounds = text.strip_prefix("bytes=").and_then(|bounds| bounds.split_once('-'));
    match bounds {
        Some((from, to)) if !from.is_empty() && number(from) && number(to) => Ok(text.into()),
        _ => Err(refused(Kind::Malformed, "a range must be written as bytes=0-99, or as bytes=100-")),
    }
}
