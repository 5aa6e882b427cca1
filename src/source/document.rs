//! The protocol of RavenDB's older clients: the client itself adds the capacity to `Max` of the counter document.
//!
//! A lease reads the counter document and the server's prefix in one request. Then it writes the new `Max`, on condition that the
//! document's change vector, modification time and `Max` are still as they were read. A PUT can check only the change vector, which
//! repeats after an old data folder is restored. So the write is the PATCH that returns use; a PUT only creates a missing counter.
//! Other members of the document stay. The write goes through `bulk_docs`, whose response contains the new change vector and time:
//! together they are the fence, which needs no further request.
//!
//! If the write was refused, or its response was lost, the range was never owned: two clients can have written the same `Max`, so
//! reading it back proves nothing. The lease starts again.
//!
//! The ids have no node tag. Two nodes with counters of their own would make the same ids, so all leases go to the first address of
//! the store, as with the older clients.

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

/// The prefixes of counter documents' ids in different versions. RavenDB treats the first two as equal, because ids ignore case.
pub const SPELLINGS: [&str; 3] = [prefix::HILO, "Raven/HiLo/", "Replication/HiLo/"];

/// The document with the text between tag and number on this server: `{"ServerPrefix": "NorthServer/"}`.
const SERVER_PREFIX: &str = "Raven/ServerPrefixForHilo";

/// The only node that leases: the store's first address.
const HOME: NodeId = NodeId(0);

/// Leases by reading and writing counter documents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Document {
    /// Returns use the same fenced PATCH as the source `server`.
    counters: Server,
    separator: char,
    spelling: &'static str,
}

impl Document {
    /// The source for `database`, whose ids join their parts with `separator`; `spelling` is one of [`SPELLINGS`].
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

/// A lease in progress.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaseExchange {
    source: Document,
    ask: Ask,
    /// The range that this client owns once the write has succeeded, and the prefix of its ids.
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
        // Identified by id, not by position: a sharded database leaves out documents that do not exist.
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
                // Exactly as the document has it, because the script compares strictly: a string does not equal a number.
                let high = written.map(str::from_utf8).transpose().map_err(|_| bad("Max"))?.unwrap_or_default();
                wire::push_move(&mut body, &id, &fence, high, range.high());
            }
            None => {
                body.push_str("{\"Type\":\"PUT\",\"Id\":");
                push_string(&mut body, &id.concat());
                body.push_str(",\"Document\":{\"Max\":");
                push_integer(&mut body, range.high());
                // The empty change vector: the document must not exist.
                body.push_str(",\"@metadata\":{\"@collection\":\"@hilo\"}},\"ChangeVector\":\"\"}");
            }
        }
        body.push_str("]}");
        // The nonce distinguishes the writes of two clients that have read the same: no proxy may coalesce them.
        let mut path = self.source.counters.route("/bulk_docs?nonce=");
        push_integer(&mut path, self.ask.nonce);
        self.putting = Some((range, prefix));
        Ok(Request::post(path, body.into_bytes(), Repeat::Never).to(HOME))
    }

    /// The grant in the response to the write; `None` if another client was faster.
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
        // When time runs out this is an outage like any other: callers with time left go on waiting.
        Step::Again(self.read(), Error::new(Code::Timeout, "other clients leased first, each time"))
    }
}

/// Reads `Max` of a document: a number or a string that contains one; a fraction is ignored. `null` and negative numbers count as 0,
/// as they do for the server.
fn max_of(value: &[u8]) -> Option<u64> {
    let written = unquoted(value);
    if value == b"null" || written.starts_with(b"-") {
        return Some(0);
    }
    // Exponents are refused: the digits of 1.5e3 read as 1, but the number is 1,500.
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
            // It is unknown whether the range was written, so it must not be used.
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
