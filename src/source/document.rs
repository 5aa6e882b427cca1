//! The protocol of RavenDB's older clients: the client itself adds the capacity to `Max` of the counter document.
//!
//! A lease reads the counter document and the server's prefix in one request, then writes the new `Max` on condition that
//! the document is still as it was read: its change vector, the time of its last change and its `Max`. A PUT can demand the
//! first of them alone, which a data folder that is put back makes come again; so the write is the PATCH that returns use,
//! and a PUT only where there is no counter yet. All else in the document stays. The write goes through `bulk_docs`, whose
//! response tells the new change vector and time: together the fence, which therefore costs nothing.
//!
//! A write that was refused, or whose response was lost, is a range that was never owned: two clients can have written the
//! same `Max`, so reading it back proves nothing. The lease begins anew.
//!
//! The ids have no node tag. Where two nodes count by themselves they would make the same ids, so all leases go to the
//! first address of the store, as those of the older clients did.

use alloc::boxed::Box;
use alloc::string::String;

use super::server::{Server, response, wire};
use super::{Ask, Capabilities, Exchange, Grant, Return, Source, Step, bad, exhausted, is_prefix, prefix_of, unquoted};
use crate::error::{Code, Error};
use crate::hilo::Range;
use crate::http::{NodeId, Repeat, Request, Response, describe, push_encoded};
use crate::ids::key;
use crate::json::{self, push_integer, push_string};
use crate::protocol::{metadata, prefix};

/// What the ids of the counter documents begin with, over the years; RavenDB does not tell the first two apart.
pub const SPELLINGS: [&str; 3] = [prefix::HILO, "Raven/HiLo/", "Replication/HiLo/"];

/// The document that says what stands between tag and number on this server: `{"ServerPrefix": "NorthServer/"}`.
const SERVER_PREFIX: &str = "Raven/ServerPrefixForHilo";

/// The only node that leases: the first address that the store was given.
const HOME: NodeId = NodeId(0);

/// Leases by reading and writing counter documents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Document {
    /// Returns are the same fenced PATCH whatever the range came from.
    counters: Server,
    separator: char,
    spelling: &'static str,
}

impl Document {
    /// The source of `database`, whose ids join their parts with `separator`; `spelling` is one of [`SPELLINGS`].
    pub fn new(database: &str, separator: char, spelling: &'static str) -> Document {
        Document { counters: Server::new(database, separator).with_counters(spelling, HOME), separator, spelling }
    }

    /// The routes that read and return counters.
    pub fn counters(&self) -> &Server {
        &self.counters
    }
}

impl Source for Document {
    type LeaseExchange = LeaseExchange;

    fn capabilities(&self) -> Capabilities {
        Capabilities { returnable: true, fenced: true, scoped: true }
    }

    fn lease(&self, ask: Ask) -> LeaseExchange {
        LeaseExchange { source: self.clone(), ask, putting: None }
    }

    fn give_back(&self, returns: &[Return], node: NodeId) -> Box<Request> {
        self.counters.give_back(returns, node)
    }

    fn applied(&self, response: &Response, position: usize) -> bool {
        self.counters.applied(response, position)
    }
}

/// A lease on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaseExchange {
    source: Document,
    ask: Ask,
    /// The range that is ours once the write is through, and the prefix of its ids.
    putting: Option<(Range, String)>,
}

impl LeaseExchange {
    fn counter(&self) -> String {
        let mut id = String::from(self.source.spelling);
        id.push_str(&self.ask.tag);
        id
    }

    fn read(&self) -> Box<Request> {
        let mut path = self.source.counters.route("/docs?id=");
        push_encoded(&mut path, &self.counter());
        path.push_str("&id=");
        push_encoded(&mut path, SERVER_PREFIX);
        Request::get(path).to(HOME)
    }

    /// The write that follows from what was read.
    fn write(&mut self, response: &Response) -> Result<Box<Request>, Error> {
        if response.status != 200 {
            return Err(describe(response.status, &response.body));
        }
        let mut counter = None;
        let mut prefix = prefix_of(&self.ask.tag, self.source.separator);
        // By id and not by place: a sharded database leaves out what it does not have.
        for document in json::elements(json::get(&response.body, "Results").ok_or_else(|| bad("Results"))?) {
            let Some(of) = json::get(document, metadata::MEMBER) else { continue };
            let id = json::get(of, metadata::ID).ok_or_else(|| bad(metadata::ID))?;
            if key::surely_same(unquoted(id), SERVER_PREFIX) {
                let server = json::get(document, "ServerPrefix").and_then(json::string);
                prefix.push_str(&server.filter(|text| is_prefix(text)).ok_or_else(|| bad("ServerPrefix"))?);
            } else {
                counter = Some((document, response::fence_of(of).ok_or_else(|| bad(metadata::CHANGE_VECTOR))?));
            }
        }
        let written = counter.as_ref().and_then(|(document, _)| json::get(document, "Max"));
        let max = written.map_or(Some(0), max_of).ok_or_else(|| bad("Max"))?;
        let low = max.max(self.ask.above).saturating_add(1);
        let range = Range::new(low, low.saturating_add(self.ask.size.count() - 1)).ok_or_else(exhausted)?;
        let id = [self.source.spelling, &self.ask.tag];
        let mut body = String::from("{\"Commands\":[");
        match counter {
            Some((_, fence)) => {
                // As it is written there, for the comparison is strict: a text is no number.
                let high = written.map(str::from_utf8).transpose().map_err(|_| bad("Max"))?.unwrap_or_default();
                wire::push_move(&mut body, &id, &fence, high, range.high());
            }
            None => {
                body.push_str("{\"Type\":\"PUT\",\"Id\":");
                push_string(&mut body, &id.concat());
                body.push_str(",\"Document\":{\"Max\":");
                push_integer(&mut body, range.high());
                // The empty change vector: it must not exist.
                body.push_str(",\"@metadata\":{\"@collection\":\"@hilo\"}},\"ChangeVector\":\"\"}");
            }
        }
        body.push_str("]}");
        // The nonce keeps apart the writes of two clients who read the same: nothing on the way may take them for one.
        let mut path = self.source.counters.route("/bulk_docs?nonce=");
        push_integer(&mut path, self.ask.nonce);
        self.putting = Some((range, prefix));
        Ok(Request::post(path, body.into_bytes(), Repeat::Never).to(HOME))
    }

    /// The grant in the response to the write; none where others were quicker.
    fn granted(&self, range: Range, prefix: String, response: &Response) -> Result<Option<Box<Grant>>, Error> {
        let result = json::get(&response.body, "Results").and_then(|results| json::elements(results).next());
        let result = result.ok_or_else(|| bad("Results"))?;
        let status = json::get(result, "PatchStatus");
        if status.is_some_and(|status| status != b"\"Patched\"") {
            return Ok(None);
        }
        let fence = if status.is_some() { response::fence_of_patch(result) } else { response::fence_of(result) };
        let fence = fence.ok_or_else(|| bad(metadata::CHANGE_VECTOR))?;
        Ok(Some(Grant::plain(range, prefix, String::new(), Some(fence), response.node, response.incarnation.clone())))
    }

    fn overtaken(&self) -> Step<Box<Grant>> {
        // Out of time this is an outage like any other: those who wait go on waiting.
        Step::Again(self.read(), Error::new(Code::Timeout, "others were quicker each time"))
    }
}

/// `Max` as it may stand in a document: a number or its text, with a fraction that does not count; none and negative ones
/// are 0, as for the server.
fn max_of(value: &[u8]) -> Option<u64> {
    let written = unquoted(value);
    if value == b"null" || written.starts_with(b"-") {
        return Some(0);
    }
    // No exponent: 1.5e3 is 1,500, and what its digits say is far below.
    written.iter().all(|byte| (b'.'..=b'9').contains(byte)).then_some(())?;
    json::integer(written.split(|byte| *byte == b'.').next()?)
}

impl Exchange for LeaseExchange {
    type Output = Box<Grant>;

    fn step(&mut self, input: Option<Result<Box<Response>, Error>>) -> Step<Box<Grant>> {
        let outcome = match (self.putting.take(), input) {
            (_, None) => Ok(Step::Send(self.read())),
            (None, Some(Err(error))) => Err(error),
            (None, Some(Ok(response))) => self.write(&response).map(Step::Send),
            // Nobody knows whether it was written, so it is nobody's.
            (Some(_), Some(Err(error))) if error.is_outage() => Ok(Step::Again(self.read(), error)),
            (Some(_), Some(Err(error))) => Err(error),
            (Some((range, prefix)), Some(Ok(response))) => match response.status {
                201 => self
                    .granted(range, prefix, &response)
                    .map(|grant| grant.map_or_else(|| self.overtaken(), Step::Done)),
                409 => Ok(self.overtaken()),
                status => Err(describe(status, &response.body)),
            },
        };
        outcome.unwrap_or_else(Step::Fail)
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
