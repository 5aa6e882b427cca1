//! Ranges from the app: a function of its own that leases, or one that gives the next Hi of the classic formula.
//!
//! The adapter answers the requests of this source by calling the app: `lease` and `release` are paths without a server.
//! A call that was rejected is an outage, and an answer is checked like any server's.

use alloc::string::String;

use super::{Ask, Capabilities, Echo, Exchange, Grant, Return, Source, Step, bad, is_prefix, loose_integer};
use crate::error::Error;
use crate::hilo::Range;
use crate::http::{Answer, NodeId, Repeat, Request};
use crate::json::{self, push_integer, push_string};

/// The path of the call that leases.
pub const LEASE: &str = "lease";
/// The path of the call that releases.
pub const RELEASE: &str = "release";

/// The app is no node of the server.
const APP: NodeId = NodeId(u32::MAX);

/// What the app's function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Words {
    /// `{ low, high, nodeTag?, prefix? }`.
    Range {
        /// Whether the app takes back what is unused.
        releasable: bool,
    },
    /// The next Hi, or `{ hi, capacity }`: the numbers are `(hi − 1) × capacity + 1` to `hi × capacity`.
    Hi {
        /// How many numbers a Hi stands for; the same for all clients.
        capacity: u64,
    },
}

/// Leases by calling the app.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Own {
    words: Words,
    scoped: bool,
    separator: char,
}

impl Own {
    /// A source whose ids join tag and number with `separator` where the app does not say otherwise; `scoped`: the app
    /// has named it, so that its numbers can be told from those of other sources when they are parked.
    pub fn new(words: Words, scoped: bool, separator: char) -> Own {
        Own { words, scoped, separator }
    }
}

impl Source for Own {
    type Lease = Lease;

    fn capabilities(&self) -> Capabilities {
        let returnable = self.words == Words::Range { releasable: true };
        Capabilities { returnable, fenced: false, scoped: self.scoped }
    }

    fn lease(&self, ask: Ask) -> Lease {
        Lease { source: self.clone(), ask }
    }

    fn give_back(&self, returns: &[Return], node: NodeId) -> Request {
        let mut body = String::from("[");
        for item in returns {
            if body.len() > 1 {
                body.push(',');
            }
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
        body.push(']');
        // A second delivery would give back what somebody else has by then.
        Request { node: Some(node), ..Request::post(String::from(RELEASE), body.into_bytes(), Repeat::Never) }
    }

    fn applied(&self, answer: &Answer, position: usize) -> bool {
        json::elements(&answer.body).nth(position) == Some(b"true")
    }
}

/// A lease on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    source: Own,
    ask: Ask,
}

impl Lease {
    fn call(&self) -> Request {
        let mut body = String::from("{\"tag\":");
        push_string(&mut body, &self.ask.tag);
        body.push_str(",\"size\":");
        push_integer(&mut body, self.ask.size.count());
        body.push_str(",\"above\":");
        push_integer(&mut body, self.ask.above);
        body.push('}');
        Request { node: Some(APP), ..Request::post(String::from(LEASE), body.into_bytes(), Repeat::Anywhere) }
    }

    fn granted(&self, body: &[u8]) -> Result<Grant, Error> {
        let (range, field) = match self.source.words {
            Words::Range { .. } => (range_of(body)?, "low"),
            Words::Hi { capacity } => (range_of_hi(body, capacity)?, "hi"),
        };
        // The app was told where this client is already.
        if range.low() <= self.ask.above {
            return Err(bad(field));
        }
        let text = |name, valid: fn(&str) -> bool| match json::get(body, name) {
            None | Some(b"null") => Ok(None),
            Some(value) => json::string(value).filter(|text| valid(text)).map(Some).ok_or_else(|| bad(name)),
        };
        let prefix = text("prefix", is_prefix)?.unwrap_or_else(|| {
            let mut prefix = self.ask.tag.clone();
            prefix.push(self.source.separator);
            prefix
        });
        let tag = text("nodeTag", |tag| tag.len() <= 16 && tag.bytes().all(|letter| letter.is_ascii_alphanumeric()))?;
        let tag = tag.unwrap_or_default();
        Ok(Grant {
            range,
            prefix,
            // No fence: it says that the range may go back, and under which node tag.
            fence: self.source.capabilities().returnable.then(|| tag.clone()),
            tag,
            node: APP,
            echo: Some(Echo { size: range.len(), at: String::new() }),
            // The app's counter has nothing to do with the database; without a scope nothing is parked.
            incarnation: self.source.scoped.then(String::new),
        })
    }
}

/// `{ low, high }`.
fn range_of(body: &[u8]) -> Result<Range, Error> {
    let number = |name| json::get(body, name).and_then(loose_integer).filter(|n| *n > 0).ok_or_else(|| bad(name));
    let (low, high) = (number("low")?, number("high")?);
    Range::new(low, high).ok_or_else(|| bad("high"))
}

/// The numbers of a Hi.
fn range_of_hi(body: &[u8], capacity: u64) -> Result<Range, Error> {
    let named = json::get(body, "hi");
    let hi = loose_integer(named.unwrap_or(body)).ok_or_else(|| bad("hi"))?;
    if let Some(theirs) = json::get(body, "capacity")
        && loose_integer(theirs) != Some(capacity)
    {
        return Err(bad("capacity"));
    }
    let high = hi.checked_mul(capacity).filter(|high| *high <= Range::MAX);
    high.and_then(|high| Range::new((high + 1).saturating_sub(capacity), high)).ok_or_else(|| bad("hi"))
}

impl Exchange for Lease {
    type Output = Grant;

    fn step(&mut self, input: Option<Result<Answer, Error>>) -> Step<Grant> {
        match input {
            None => Step::Send(self.call()),
            Some(Ok(answer)) => self.granted(&answer.body).map_or_else(Step::Fail, Step::Done),
            Some(Err(error)) => Step::Fail(error),
        }
    }
}

#[cfg(test)]
#[path = "own_tests.rs"]
mod tests;
