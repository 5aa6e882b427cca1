//! Sources of ranges: the trait that every source implements, and the result of a lease.
//!
//! A source does no I/O. A lease is an [`Exchange`]: it returns what to send, gets the response, and ends in a [`Grant`] or an error.
//! The same steps run in a browser, in a simulation and under a model checker.

mod any_source;
pub mod custom;
pub mod document;
mod exchange;
pub mod server;

pub use any_source::{AnySource, LeaseExchange};
pub use exchange::{AnyExchange, Expects, Output, Single};

use alloc::boxed::Box;
use alloc::string::String;

use crate::error::{Code, Error};
use crate::hilo::Range;
use crate::http::{NodeId, Request, Response};
use crate::ids::{MAX_BYTES, has_control};
use crate::json;
use crate::protocol::limit;

/// A range granted by a source, with everything that belongs to its numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grant {
    /// The numbers.
    pub range: Range,
    /// The part of the id before the number: `orders/`.
    pub prefix: String,
    /// The node tag after the number (`A` in `orders/1-A`); empty: nothing is appended.
    pub tag: String,
    /// The fence: the state in which this lease left its counter document. A return carries it and is applied only in that state.
    /// Without a fence the range is never returned.
    pub fence: Option<String>,
    /// The node that granted it: the only one to which the fence may be sent.
    pub node: NodeId,
    /// What the next lease must repeat to the source, verbatim.
    pub echo: Option<Echo>,
    /// The incarnation of the database that granted it, if the response reported one.
    pub incarnation: Option<String>,
}

impl Grant {
    /// A grant of a source that does not choose sizes by itself.
    fn plain(
        range: Range,
        prefix: String,
        tag: String,
        fence: Option<String>,
        node: NodeId,
        incarnation: Option<String>,
    ) -> Box<Grant> {
        let echo = Some(Echo { size: range.len(), at: String::new() });
        Box::new(Grant { range, prefix, tag, fence, node, echo, incarnation })
    }

    /// Whether a gateway has granted it: then only the gateway can read the fence. It has the form of a fence, but no change vector of
    /// RavenDB, which names nodes.
    pub fn is_sealed(&self) -> bool {
        let parts = self.fence.as_deref().and_then(|fence| fence.split_once(' '));
        parts.is_some_and(|(vector, _)| !vector.as_bytes().contains(&b':'))
    }

    /// Whether the fence names exactly one node, and that is the range's own tag.
    pub fn is_single_node(&self) -> bool {
        self.fence.as_deref().is_some_and(|fence| is_of_single_node(fence, &self.tag))
    }
}

/// Whether a fence names exactly one node, and that is the tag of the numbers.
///
/// Only then may the tails of several leases be merged under the newest fence: in a cluster, two nodes may grant the same numbers
/// under different tags while they share `Max`. Numbers without a tag come from a single node (see [`document`]), whose name does not
/// matter.
pub(crate) fn is_of_single_node(fence: &str, tag: &str) -> bool {
    // The change vector up to the first space. A change vector of several nodes has commas.
    let vector = fence.as_bytes().split(|byte| *byte == b' ').next().unwrap_or_default();
    let Some(colon) = vector.iter().position(|byte| *byte == b':') else { return false };
    let node = vector.get(..colon).unwrap_or_default();
    let own = !node.is_empty() && (tag.is_empty() || node == tag.as_bytes());
    own && node != b"RAFT" && !vector.contains(&b',')
}

/// The size of the first range: RavenDB's default.
const FIRST_SIZE: u64 = 32;

/// The largest range that is ever requested: RavenDB's own limit.
pub const MAX_SIZE: u64 = limit::RANGE as u64;

/// What the source reported about the last lease. The server doubles or halves the next range by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Echo {
    /// The size of the last range.
    pub size: u64,
    /// The server's timestamp, unchanged: the server ignores other forms than its own with seven fraction digits.
    pub at: String,
}

/// How large a range to request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// The source decides; from what it reported about the last lease, if there was one.
    Adaptive(Option<Echo>),
    /// This many, 1 to 1,048,576.
    Exact(u64),
}

impl Size {
    /// The size for a source that does not decide by itself: first 32, then twice as many each time, while
    /// [`crate::hilo::Sizing`] finds that ranges are used up fast enough.
    fn count(&self) -> u64 {
        match self {
            Size::Adaptive(None) => FIRST_SIZE,
            Size::Adaptive(Some(echo)) => echo.size.saturating_mul(2).clamp(FIRST_SIZE, MAX_SIZE),
            Size::Exact(size) => (*size).clamp(1, MAX_SIZE),
        }
    }
}

/// A request for a range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ask {
    /// The name of the counter.
    pub tag: String,
    /// The size.
    pub size: Size,
    /// The range must start above this number; 0: anywhere.
    pub above: u64,
    /// The fence of a lease that reached `above`, if one is known: a gateway requires it to let a client advance a counter.
    pub proof: Option<Box<str>>,
    /// The database's incarnation that the client knows. A lease hub that knows another one asks RavenDB before it lends numbers.
    pub incarnation: Option<Box<str>>,
    /// A random number, so that no cache or proxy coalesces two leases.
    pub nonce: u64,
}

/// The return of a lease's unused end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Return {
    /// The name of the counter.
    pub tag: String,
    /// The fence of the lease.
    pub fence: String,
    /// The lease's highest number, which must still be `Max` of the counter.
    pub high: u64,
    /// The highest number that stays used: at least low − 1 of the lease.
    pub last: u64,
}

/// The error of a response with this invalid field.
fn bad(field: &str) -> Error {
    let mut text = String::from("invalid response to a lease: field ");
    text.push_str(field);
    text.push_str("; nothing of it was used");
    Error::new(Code::BadAnswer, text)
}

fn exhausted() -> Error {
    Error::new(
        Code::Exhausted,
        "the tag's numbers are used up: JavaScript cannot count above 2^53 - 1; use another tag",
    )
}

/// Removes the quotes, if there are any.
fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value)
}

/// A whole number above 0, or a string that contains one: SQL drivers return both.
fn positive(value: Option<&[u8]>) -> Option<u64> {
    json::integer(unquoted(value?)).filter(|number| *number > 0)
}

/// The default prefix of ids: `orders/`.
fn prefix_of(tag: &str, separator: char) -> String {
    let mut prefix = String::from(tag);
    prefix.push(separator);
    prefix
}

/// Whether this may follow a number.
fn is_node_tag(tag: &str) -> bool {
    tag.len() <= 16 && tag.bytes().all(|letter| letter.is_ascii_alphanumeric())
}

/// Whether this may precede a number. A prefix that ends in a digit would make different ids equal: `a1` with 2, and `a` with 12.
fn is_prefix(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= MAX_BYTES && !has_control(bytes) && !bytes.last().is_some_and(u8::is_ascii_digit)
}

/// What a source can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// Whether unused numbers can be returned.
    pub returnable: bool,
    /// Whether returns carry a fence, so that a second delivery changes nothing.
    pub fenced: bool,
    /// Whether leases belong to a scope, so that numbers may be parked on the device.
    pub scoped: bool,
}

/// The next step of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// Send this request, and continue with its response.
    Send(Box<Request>),
    /// Another client was faster, or the outcome is unknown: send this request after a pause. If no time is left for a pause, fail
    /// with the error.
    Again(Box<Request>, Error),
    /// It has succeeded.
    Done(T),
    /// It failed.
    Fail(Error),
}

impl<T> Step<T> {
    /// Converts the output of the exchange.
    fn map<U>(self, of: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Step::Send(request) => Step::Send(request),
            Step::Again(request, error) => Step::Again(request, error),
            Step::Done(output) => Step::Done(of(output)),
            Step::Fail(error) => Step::Fail(error),
        }
    }
}

/// A sequence of requests, in which each one depends on the last response. Driven by a [`Dialogue`](crate::texts::Dialogue).
pub trait Exchange {
    /// The result of the exchange.
    type Output: Clone + core::fmt::Debug;

    /// Begins (`None`), or continues with the response to the last [`Step::Send`].
    ///
    /// An error as input is one that the executor did not retry; the exchange may have an alternative. The caller adds to an error of
    /// the exchange which request it belongs to.
    fn step(&mut self, input: Option<Result<Box<Response>, Error>>) -> Step<Self::Output>;
}

/// A source of ranges.
pub trait Source {
    /// The exchange of a lease.
    type LeaseExchange: Exchange<Output = Box<Grant>>;

    /// What this source can do.
    fn capabilities(&self) -> Capabilities;

    /// Begins a lease.
    fn lease(&self, ask: Ask) -> Self::LeaseExchange;

    /// The single request that returns the ends of several leases, all granted by one node.
    fn give_back(&self, returns: &[Return], node: NodeId) -> Box<Request>;

    /// Whether the return at this position was applied, according to the response.
    fn applied(&self, response: &Response, position: usize) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_of_one_node() {
        for (fence, expected) in [
            ("A:7-x", true),
            ("A:7-x 2026-11-21T01:30:36.7546027Z", true),
            ("A:7-x RAFT,", true),
            ("B:7-x 2026-11-21T01:30:36.7546027Z", false),
            ("AB:7-x 2026-11-21T01:30:36.7546027Z", false),
            ("A:7-x, B:2-y 2026-11-21T01:30:36.7546027Z", false),
            ("A:7-x,B:2-y 2026-11-21T01:30:36.7546027Z", false),
            ("A:7-x, RAFT:3-y 2026-11-21T01:30:36.7546027Z", false),
            ("RAFT:3-y 2026-11-21T01:30:36.7546027Z", false),
            ("", false),
        ] {
            assert_eq!(granted(fence, "A").is_single_node(), expected, "{fence}");
        }
    }

    #[test]
    fn numbers_without_a_tag_may_come_from_any_single_node() {
        for (fence, expected) in [
            ("A:7-x 2026-11-21T01:30:36.7546027Z", true),
            ("B:7-x 2026-11-21T01:30:36.7546027Z", true),
            ("A:7-x, B:2-y 2026-11-21T01:30:36.7546027Z", false),
            ("RAFT:3-y 2026-11-21T01:30:36.7546027Z", false),
            (":7-x", false),
            ("A", false),
            ("", false),
        ] {
            assert_eq!(granted(fence, "").is_single_node(), expected, "{fence}");
        }
    }

    #[test]
    fn a_fence_that_names_no_node_is_sealed_by_a_gateway() {
        for (fence, expected) in [
            ("AX3_-9 2026-11-21T01:30:36.7546027Z", true),
            ("A:7-x 2026-11-21T01:30:36.7546027Z", false),
            ("hub:1-x 2026-11-21T01:30:36.7546027Z", false),
            ("A", false),
            ("", false),
        ] {
            assert_eq!(granted(fence, "A").is_sealed(), expected, "{fence}");
        }
    }

    fn granted(fence: &str, tag: &str) -> Grant {
        Grant {
            range: Range::new(1, 32).unwrap(),
            prefix: "orders/".into(),
            tag: tag.into(),
            fence: Some(fence.into()),
            node: NodeId(0),
            echo: None,
            incarnation: None,
        }
    }

    #[test]
    fn sizes_double_from_32_to_a_million() {
        let echo = |size| Size::Adaptive(Some(Echo { size, at: String::new() }));
        let counts =
            [Size::Adaptive(None), echo(3), echo(32), echo(1_000_000), echo(u64::MAX)].map(|size| size.count());
        assert_eq!(counts, [32, 32, 64, MAX_SIZE, MAX_SIZE]);
        assert_eq!([0, 3, u64::MAX].map(|size| Size::Exact(size).count()), [1, 3, MAX_SIZE]);
    }
}
