//! The body of a request that stores attachments, piece by piece.
//!
//! The body of a batch has parts: the commands, and a content for each command that stores an attachment, in their order. The gateway
//! reads the commands, decides, and then writes a body of its own, with a boundary that the caller cannot know: nothing of the
//! caller's framing or headers is forwarded, and no content can end a part. The last part ends only after the caller's body has
//! ended as it must, so RavenDB carries out nothing of a request that breaks off or breaks a rule.

use super::ROUTE;
use super::content::Content;
use super::multipart::{content_type, delimiter, find, is_multipart, opening};
use crate::gateway::config::Config;
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::request::Incoming;
use crate::prelude::*;
use raven_edge::protocol::path;

/// Most bytes of the headers of a part, which are ignored.
const MAX_HEADER_BYTES: usize = 1_024;

/// The end of the headers of a part.
const BLANK_LINE: &[u8] = b"\r\n\r\n";

/// Where the next byte of the caller's body stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the commands.
    Commands,
    /// The commands are complete.
    Decided,
    /// In the headers of a content.
    Headers,
    Content,
    /// Behind the last part.
    End,
}

/// A body under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Upload {
    /// What ends a part of the caller's body; `None`: the body is one content.
    delimiter: Option<Vec<u8>>,
    /// The boundary of the body that is sent: random.
    boundary: String,
    place: Place,
    /// Bytes of the caller that were not used yet.
    pending: Vec<u8>,
    /// The first byte of `pending` where the delimiter may begin.
    searched: usize,
    commands: Vec<u8>,
    contents: Vec<Content>,
    /// How many contents have begun.
    begun: usize,
    /// Bytes that may still come.
    left: usize,
    body_limit: usize,
}

fn malformed() -> Refusal {
    refused(
        Kind::Malformed,
        "a save with attachments has its commands, then a part for each attachment, and nothing else",
    )
}

impl Upload {
    /// The upload that a request is by its head; `None` if it is another request. `boundary`: of the body that is sent.
    pub(crate) fn of(request: &Incoming, config: &Config, boundary: String) -> Option<Result<Self, Refusal>> {
        let stated = request.header("content-type").unwrap_or_default();
        let path = request.target().split('?').next().unwrap_or_default();
        let delimiter = match request.method.as_str() {
            "POST" if is_multipart(stated) => Some(delimiter(stated)),
            "PUT" if path.rsplit('/').next() == Some(ROUTE) => None,
            _ => return None,
        };
        if request.header("content-encoding").is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            return Some(Err(refused(Kind::Malformed, "the body must not have a content encoding")));
        }
        let delimiter = match delimiter {
            Some(None) => return Some(Err(refused(Kind::Malformed, "a multipart body needs one valid boundary"))),
            Some(delimiter) => delimiter,
            None => None,
        };
        Some(Ok(Self {
            place: if delimiter.is_some() { Place::Commands } else { Place::Decided },
            delimiter,
            boundary,
            pending: Vec::new(),
            searched: 0,
            commands: Vec::new(),
            contents: Vec::new(),
            begun: 0,
            left: config.limits.upload,
            body_limit: config.limits.body,
        }))
    }

    /// Takes a piece of the caller's body, until this returns whether the commands are complete.
    pub(crate) fn take_commands(&mut self, piece: &[u8]) -> Result<bool, Refusal> {
        self.take(piece)?;
        let Some(delimiter) = &self.delimiter else { return Ok(true) };
        let start = delimiter.get(2..).unwrap_or_default();
        let begun = self.pending.len().min(start.len());
        if self.pending.get(..begun) != start.get(..begun) {
            return Err(malformed());
        }
        let header = find(&self.pending, BLANK_LINE, start.len());
        if header.unwrap_or(self.pending.len()) > start.len() + MAX_HEADER_BYTES {
            return Err(malformed());
        }
        let Some(from) = header.map(|at| at + BLANK_LINE.len()) else { return Ok(false) };
        let Some(end) = find(&self.pending, delimiter, self.searched.max(from)) else {
            if self.pending.len() > from + self.body_limit + delimiter.len() {
                return Err(refused(Kind::Limit, "the body is too large"));
            }
            self.searched = (self.pending.len() + 1).saturating_sub(delimiter.len());
            return Ok(false);
        };
        self.commands = self.pending.get(from..end).unwrap_or_default().to_vec();
        self.pending.drain(..end + delimiter.len());
        self.place = Place::Decided;
        Ok(true)
    }

    /// The commands of the caller; the body of a single attachment has none.
    pub(crate) fn commands(&self) -> &[u8] {
        &self.commands
    }

    /// Permits contents with at most these numbers of bytes.
    pub(crate) fn permit(&mut self, limits: &[usize]) {
        self.contents = limits.iter().map(|most| Content::new(*most)).collect();
    }

    /// The header of the body that is sent.
    pub(crate) fn content_type(&self) -> String {
        content_type(&self.boundary)
    }

    /// The beginning of the body that is sent. `commands`: the text that the gateway has written.
    pub(crate) fn opening(&mut self, commands: &str) -> String {
        self.place = if self.delimiter.is_some() { Place::Headers } else { Place::Content };
        let mut text = opening(&self.boundary, "application/json") + commands;
        if self.delimiter.is_none() {
            self.begun = 1;
            text.push_str(&self.between());
        }
        text
    }

    fn between(&self) -> String {
        "\r\n".to_owned() + &opening(&self.boundary, "application/octet-stream")
    }

    /// Takes a piece of the contents; returns what is sent of it.
    pub(crate) fn next(&mut self, piece: &[u8]) -> Result<Vec<u8>, Refusal> {
        self.take(piece)?;
        let mut sent = Vec::with_capacity(self.pending.len());
        let Some(delimiter) = self.delimiter.clone() else {
            self.pass(self.pending.len(), &mut sent)?;
            return Ok(sent);
        };
        loop {
            match self.place {
                Place::Headers => {
                    // The line of the boundary ends the body, or the headers of a part begin with its line break.
                    if self.pending.starts_with(b"--") {
                        self.pending.drain(..2);
                        self.place = Place::End;
                        continue;
                    }
                    if self.pending.len() >= 2 && !self.pending.starts_with(b"\r\n") {
                        return Err(malformed());
                    }
                    let Some(at) = find(&self.pending, BLANK_LINE, 0) else {
                        let is_short = self.pending.len() <= MAX_HEADER_BYTES;
                        return if is_short { Ok(sent) } else { Err(malformed()) };
                    };
                    if at > MAX_HEADER_BYTES || self.begun == self.contents.len() {
                        return Err(malformed());
                    }
                    self.pending.drain(..at + BLANK_LINE.len());
                    self.begun += 1;
                    sent.extend_from_slice(self.between().as_bytes());
                    self.place = Place::Content;
                }
                Place::Content => {
                    let found = find(&self.pending, &delimiter, 0);
                    let held = delimiter.len() - 1;
                    self.pass(found.unwrap_or_else(|| self.pending.len().saturating_sub(held)), &mut sent)?;
                    if found.is_none() {
                        return Ok(sent);
                    }
                    self.pending.drain(..delimiter.len());
                    self.place = Place::Headers;
                }
                Place::End => {
                    // A line break may follow.
                    let fits = b"\r\n".get(..self.pending.len()) == Some(&self.pending);
                    return if fits { Ok(sent) } else { Err(malformed()) };
                }
                Place::Commands | Place::Decided => return Err(malformed()),
            }
        }
    }

    /// The end of the body that is sent, once that of the caller has ended.
    pub(crate) fn end(&self) -> Result<String, Refusal> {
        let is_whole = self.place == Place::End || (self.delimiter.is_none() && self.place == Place::Content);
        if is_whole && self.begun == self.contents.len() {
            return Ok(format!("\r\n--{}--\r\n", self.boundary));
        }
        Err(malformed())
    }

    fn take(&mut self, piece: &[u8]) -> Result<(), Refusal> {
        self.left = self.left.checked_sub(piece.len()).ok_or_else(|| {
            refused(Kind::Limit, "the attachments of the request are too large: see `limits.upload` of the gateway")
        })?;
        self.pending.extend_from_slice(piece);
        Ok(())
    }

    /// Moves bytes of a content to those that are sent.
    fn pass(&mut self, count: usize, sent: &mut Vec<u8>) -> Result<(), Refusal> {
        let at = self.begun.checked_sub(1);
        at.and_then(|at| self.contents.get_mut(at)).ok_or_else(malformed)?.take(count)?;
        sent.extend(self.pending.drain(..count));
        Ok(())
    }
}

/// Whether an upload may go there.
pub(crate) fn is_upload_route(method: &str, route: &str) -> bool {
    (method, route) == ("POST", path::BATCH) || (method, route) == ("PUT", ROUTE)
}
