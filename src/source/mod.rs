//! Where ranges come from: the trait that every source implements, and what a lease yields.
//!
//! A source does no I/O. A lease is an [`Exchange`]: it says what to send, gets the response, and ends in a
//! [`Grant`] or an error. The same steps run in a browser, in a simulation and under a model checker.

mod any;
pub mod custom;
pub mod document;
pub mod server;
mod single;

pub use any::{AnySource, LeaseExchange};
pub use single::{AnyExchange, Expects, Output, Single};

use alloc::boxed::Box;
use alloc::string::String;

use crate::error::{Code, Error};
use crate::hilo::Range;
use crate::http::{NodeId, Request, Response};
use crate::ids::{MAX_BYTES, has_control};
use crate::json;
use crate::protocol::limit;

/// A range that a source granted, with everything that belongs to its numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grant {
    /// The numbers.
    pub range: Range,
    /// What stands before the number: `orders/`.
    pub prefix: String,
    /// Node tag that stands behind the number (`A` in `orders/1-A`); empty: nothing is appended.
    pub tag: String,
    /// Opaque proof that the counter is as this lease left it; without one the range is never returned.
    pub fence: Option<String>,
    /// The node that granted it: the only one to which the fence may go.
    pub node: NodeId,
    /// What the source wants to see at the next lease, verbatim.
    pub echo: Option<Echo>,
    /// The incarnation of the database that granted it, when the response told.
    pub incarnation: Option<String>,
}

impl Grant {
    /// A grant of a source that does not decide about sizes.
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

    /// Whether the fence names exactly one node, the range's own tag.
    ///
    /// Only then may tails of several leases be merged under the newest fence: in a cluster two nodes may
    /// grant the same numbers under different tags while `Max` is shared. Numbers without a tag come from one node
    /// alone (see [`document`]), whichever it is.
    pub fn is_single_node(&self) -> bool {
        let Some(fence) = self.fence.as_deref() else { return false };
        // The change vector; of one that names several nodes the first, which a comma ends.
        let vector = fence.as_bytes().split(|byte| *byte == b' ').next().unwrap_or_default();
        let Some(colon) = vector.iter().position(|byte| *byte == b':') else { return false };
        let node = vector.get(..colon).unwrap_or_default();
        let own = !node.is_empty() && (self.tag.is_empty() || node == self.tag.as_bytes());
        own && !vector.contains(&b',') && !vector.windows(4).any(|part| part == b"RAFT")
    }
}

/// The size of a first range, as RavenDB has it.
const FIRST_SIZE: u64 = 32;

/// The largest range that is ever asked for, RavenDB's own cap when it doubles.
pub const MAX_SIZE: u64 = limit::RANGE as u64;

/// The source's own words about the last lease: the server doubles or halves by them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Echo {
    /// Size of the last range.
    pub size: u64,
    /// The server's time stamp; seven fraction digits, never made by the client (other forms are ignored in silence).
    pub at: String,
}

/// How large a range to ask for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// The source decides, from what it said last time if there was a last time.
    Adaptive(Option<Echo>),
    /// This many, at least the source's minimum; up to 1,048,576.
    Exact(u64),
}

impl Size {
    /// How many that is for a source that does not decide by itself: the first 32, then twice as many each time, for
    /// as long as [`crate::hilo::Sizing`] finds that they are used up.
    fn count(&self) -> u64 {
        match self {
            Size::Adaptive(None) => FIRST_SIZE,
            Size::Adaptive(Some(echo)) => echo.size.saturating_mul(2).clamp(FIRST_SIZE, MAX_SIZE),
            Size::Exact(size) => (*size).clamp(1, MAX_SIZE),
        }
    }
}

/// A wish for a range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ask {
    /// Name of the counter.
    pub tag: String,
    /// How many.
    pub size: Size,
    /// The range must start above this number; 0: wherever the source goes on.
    pub above: u64,
    /// The fence of a lease that reached as high, if one is known: a gateway lets nobody else move a counter.
    pub proof: Option<Box<str>>,
    /// Random, so that nothing on the way takes two leases for one.
    pub nonce: u64,
}

/// The unused end of a lease on its way back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Return {
    /// Name of the counter.
    pub tag: String,
    /// The fence that came with the lease.
    pub fence: String,
    /// The lease's highest number, which the counter must still show.
    pub high: u64,
    /// The highest number that stays used; at least low − 1 of the lease.
    pub last: u64,
}

/// The error of a response in which this field makes no sense.
fn bad(field: &str) -> Error {
    let mut text = String::from("the response to the lease makes no sense: field ");
    text.push_str(field);
    text.push_str("; nothing of it was used");
    Error::new(Code::BadAnswer, text)
}

fn exhausted() -> Error {
    Error::new(Code::Exhausted, "numbers above 2^53 - 1 cannot be counted by JavaScript; use another tag")
}

/// What stands between the quotes, if there are any.
fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value)
}

/// A whole number above 0, or the text of one: SQL drivers give both.
fn positive(value: Option<&[u8]>) -> Option<u64> {
    json::integer(unquoted(value?)).filter(|number| *number > 0)
}

/// What stands before a number where nobody says otherwise: `orders/`.
fn prefix_of(tag: &str, separator: char) -> String {
    let mut prefix = String::from(tag);
    prefix.push(separator);
    prefix
}

/// Whether this may stand behind a number.
fn is_node_tag(tag: &str) -> bool {
    tag.len() <= 16 && tag.bytes().all(|letter| letter.is_ascii_alphanumeric())
}

/// Whether this may stand before a number. One that ends in a digit would make two numbers look like one: `a1` and 2,
/// `a` and 12.
fn is_prefix(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= MAX_BYTES && !has_control(bytes) && !bytes.last().is_some_and(u8::is_ascii_digit)
}

/// What a source can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// Unused numbers can be given back.
    pub returnable: bool,
    /// A return carries a fence, so that a second delivery changes nothing.
    pub fenced: bool,
    /// Leases belong to a scope, so that numbers may be parked on the device.
    pub scoped: bool,
}

/// The next step of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// Send this and come back with the response.
    Send(Box<Request>),
    /// Somebody else was quicker, or nobody knows: send this after a pause; where no time is left for one, fail with the
    /// error.
    Again(Box<Request>, Error),
    /// It is done.
    Done(T),
    /// It failed.
    Fail(Error),
}

impl<T> Step<T> {
    /// The same step, where the exchange ends in something else.
    fn map<U>(self, of: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Step::Send(request) => Step::Send(request),
            Step::Again(request, error) => Step::Again(request, error),
            Step::Done(output) => Step::Done(of(output)),
            Step::Fail(error) => Step::Fail(error),
        }
    }
}

/// Requests that belong together: which one is next depends on the last response. A
/// [`Conversation`](crate::http::Conversation) drives it.
pub trait Exchange {
    /// What the exchange ends in.
    type Output;

    /// Begins, or goes on with the response to the last [`Step::Send`].
    ///
    /// An error here is one that the executor did not repeat: the exchange may know a way around it. Which request an
    /// error of the exchange belongs to is known to who sent it.
    fn step(&mut self, input: Option<Result<Box<Response>, Error>>) -> Step<Self::Output>;
}

/// A place that grants ranges.
pub trait Source {
    /// The exchange of a lease.
    type LeaseExchange: Exchange<Output = Box<Grant>>;

    /// What this source can do.
    fn capabilities(&self) -> Capabilities;

    /// Asks for a range.
    fn lease(&self, ask: Ask) -> Self::LeaseExchange;

    /// The one request that gives back the ends of several leases, all granted by one node.
    fn give_back(&self, returns: &[Return], node: NodeId) -> Box<Request>;

    /// Whether the response says that the return at this position was applied.
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
    fn numbers_without_a_tag_are_of_any_one_node() {
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
