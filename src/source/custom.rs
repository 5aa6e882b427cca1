//! Ranges from a function of the app, which either leases ranges or returns the next Hi of the classic HiLo formula.
//!
//! The adapter responds to the requests of this source by calling the app: `lease` and `release` are paths without a server.
//! A rejected call is an outage, and its result is checked like a server's response.

use alloc::boxed::Box;
use alloc::string::String;

use super::{
    Ask, Capabilities, Exchange, Grant, Return, Source, Step, bad, is_node_tag, is_prefix, positive, prefix_of,
};
use crate::error::Error;
use crate::hilo::Range;
use crate::http::{NodeId, Repeat, Request, Response};
use crate::json::{self, push_integer, push_string};

/// The path of the call that leases.
pub const LEASE: &str = "lease";
/// The path of the call that releases.
pub const RELEASE: &str = "release";

/// Stands for the app, which is not a node of the server.
const APP: NodeId = NodeId(u32::MAX);

/// What the app's function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResponseFormat {
    /// `{ low, high, nodeTag?, prefix? }`.
    Range {
        /// Whether the app takes back unused numbers.
        releasable: bool,
    },
    /// The next Hi, or `{ hi, capacity }`: the numbers are `(hi − 1) × capacity + 1` to `hi × capacity`.
    Hi {
        /// How many numbers belong to one Hi; the same for all clients.
        capacity: u64,
    },
}

/// Leases by calling the app.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CustomSource {
    format: ResponseFormat,
    scoped: bool,
    separator: char,
}

impl CustomSource {
    /// A source whose ids join tag and number with `separator` unless the app returns a prefix. `scoped`: the app has given the source
    /// a name, which distinguishes its parked numbers from those of other sources.
    pub fn new(format: ResponseFormat, scoped: bool, separator: char) -> CustomSource {
        CustomSource { format, scoped, separator }
    }
}

impl Source for CustomSource {
    type LeaseExchange = LeaseExchange;

    fn capabilities(&self) -> Capabilities {
        let returnable = self.format == ResponseFormat::Range { releasable: true };
        Capabilities { returnable, fenced: false, scoped: self.scoped }
    }

    fn lease(&self, ask: Ask) -> LeaseExchange {
        LeaseExchange { source: self.clone(), ask }
    }

    /// The request for the first of the returns only: each return is a call of its own.
    fn give_back(&self, returns: &[Return], node: NodeId) -> Box<Request> {
        let mut body = String::new();
        if let Some(item) = returns.first() {
            body.push_str("{\"tag\":");
            push_string(&mut body, &item.tag);
            body.push_str(",\"low\":");
            push_integer(&mut body, item.last + 1);
            body.push_str(",\"high\":");
            push_integer(&mut body, item.high);
            body.push_str(",\"nodeTag\":");
            push_string(&mut body, &item.fence);
            body.push('}');
        }
        // A second delivery would return numbers that another client may have leased by then.
        Request::post(String::from(RELEASE), body.into_bytes(), Repeat::Never).to(node)
    }

    fn applied(&self, _: &Response, position: usize) -> bool {
        position == 0
    }
}

/// A lease in progress.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaseExchange {
    source: CustomSource,
    ask: Ask,
}

impl LeaseExchange {
    fn call(&self) -> Box<Request> {
        let mut body = String::from("{\"tag\":");
        push_string(&mut body, &self.ask.tag);
        body.push_str(",\"size\":");
        push_integer(&mut body, self.ask.size.count());
        body.push_str(",\"above\":");
        push_integer(&mut body, self.ask.above);
        body.push('}');
        Request::post(String::from(LEASE), body.into_bytes(), Repeat::Anywhere).to(APP)
    }

    fn granted(&self, body: &[u8]) -> Result<Box<Grant>, Error> {
        let range = match self.source.format {
            ResponseFormat::Range { .. } => range_of(body, self.ask.above)?,
            ResponseFormat::Hi { capacity } => range_of_hi(body, capacity, self.ask.above)?,
        };
        let prefix = match json::get(body, "prefix") {
            None => prefix_of(&self.ask.tag, self.source.separator),
            Some(text) => json::string(text).filter(|text| is_prefix(text)).ok_or_else(|| bad("prefix"))?,
        };
        let tag = json::string(json::get(body, "nodeTag").unwrap_or(b"\"\""));
        let tag = tag.filter(|tag| is_node_tag(tag)).ok_or_else(|| bad("nodeTag"))?;
        // This is not a real fence: its presence says that the range can be returned, and its text is the node tag.
        let fence = self.source.capabilities().returnable.then(|| tag.clone());
        // The app's counter does not depend on the database's incarnation. Without a scope nothing is parked.
        let incarnation = self.source.scoped.then(String::new);
        Ok(Grant::plain(range, prefix, tag, fence, APP, incarnation))
    }
}

/// Reads `{ low, high }`. The app was given `above` and must return higher numbers.
fn range_of(body: &[u8], above: u64) -> Result<Range, Error> {
    let number = |name| positive(json::get(body, name)).ok_or_else(|| bad(name));
    let (low, high) = (number("low")?, number("high")?);
    let range = Range::new(low, high).ok_or_else(|| bad("high"))?;
    if low > above { Ok(range) } else { Err(bad("low")) }
}

/// Reads a Hi and computes its numbers.
fn range_of_hi(body: &[u8], capacity: u64, above: u64) -> Result<Range, Error> {
    let theirs = json::get(body, "capacity");
    if theirs.is_some() && positive(theirs) != Some(capacity) {
        return Err(bad("capacity"));
    }
    let high = positive(json::get(body, "hi").or(Some(body))).and_then(|hi| hi.checked_mul(capacity));
    let range = high.and_then(|high| Range::new(high - (capacity - 1), high));
    range.filter(|range| range.low() > above).ok_or_else(|| bad("hi"))
}

impl Exchange for LeaseExchange {
    type Output = Box<Grant>;

    fn step(&mut self, input: Option<Result<Box<Response>, Error>>) -> Step<Box<Grant>> {
        match input {
            None => Step::Send(self.call()),
            Some(Ok(response)) => self.granted(&response.body).map_or_else(Step::Fail, Step::Done),
            Some(Err(error)) => Step::Fail(error),
        }
    }
}

#[cfg(test)]
#[path = "custom_tests.rs"]
mod tests;
