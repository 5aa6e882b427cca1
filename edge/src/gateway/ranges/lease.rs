//! A lease: `hilo/next`, alone or followed by the read that yields the fence.

use crate::gateway::config::Config;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Step, Turn};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::request::Query;
use crate::gateway::response::{Response, UpstreamResponse, failure, nothing, part, sub_responses};
use crate::gateway::token::{Scope, Sealed};
use crate::prelude::*;
use raven_edge::hilo::Range;
use raven_edge::json;
use raven_edge::protocol::{metadata, path};
use raven_edge::source::server::wire::{HILO_PREFIX, lease_body, lease_query};
use raven_edge::source::{Ask, Echo, Size};
use raven_edge_authority::json::write_string;

/// Sent in place of the counter's time: the client appends it to the token and sends both back as its fence.
pub(crate) const MARK: &str = "gateway";

/// A request for a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    ask: Ask,
    /// A number that the range must lie above, and the proof that the caller has had that number.
    above: Option<(u64, String)>,
    /// Whether the client also requests the fence.
    fenced: bool,
}

const PARAMETERS: [&str; 8] =
    ["tag", "lastBatchSize", "lastRangeAt", "identityPartsSeparator", "lastMax", "proof", "incarnation", "nonce"];

/// Whether a text has the form of an incarnation; a client that has seen two joins them.
fn is_incarnation(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
}

impl Lease {
    /// Reads a lease from the query of `hilo/next`; also returns the name of the collection.
    pub(crate) fn read(query: &str, fenced: bool, config: &Config) -> Result<(Self, String), Refusal> {
        let query = Query::read(query, &PARAMETERS)?;
        let tag = query.get("tag").unwrap_or_default();
        let collection = config.collections.leasable(tag, config.separator)?;
        let separator = query.get("identityPartsSeparator").unwrap_or("/");
        if separator != config.separator.encode_utf8(&mut [0; 4]) {
            return Err(refused(Kind::Route, "identityPartsSeparator must be the configured separator"));
        }
        let above = query.integer("lastMax")?.zip(query.get("proof").map(Into::into));
        let batch = query.integer("lastBatchSize")?;
        let most = u64::try_from(config.limits.range).unwrap_or(u64::MAX);
        let size = match (batch, query.get("lastRangeAt")) {
            (None, _) => Size::Adaptive(None),
            // Half of the limit, because RavenDB doubles it at most.
            (Some(size), Some(at)) => Size::Adaptive(Some(Echo { size: size.min(most / 2), at: moment(at)? })),
            (Some(size), None) => Size::Exact(size.min(most)),
        };
        query.integer("nonce")?;
        // For a lease hub behind the gateway.
        let incarnation = query.get("incarnation").filter(|text| is_incarnation(text)).map(Box::from);
        let ask = Ask { tag: tag.into(), size, above: 0, proof: None, incarnation, nonce: 0 };
        Ok((Self { ask, above, fenced }, collection.name.clone()))
    }

    /// Fails unless this query reads the counter of this lease and nothing else.
    pub(crate) fn is_fenced_by(&self, query: &str) -> Result<(), Refusal> {
        let query = Query::read(query, &["id"])?;
        let own = [HILO_PREFIX, &self.ask.tag].concat();
        if query.all("id").eq([own.as_str()]) {
            return Ok(());
        }
        Err(refused(Kind::Route, "only the counter of the same lease may be read with it"))
    }

    /// The counter document for the client, with a token as its fence. `None` if there is no fence.
    fn fence(
        &self,
        config: &Config,
        caller: &Caller,
        upstream: &UpstreamResponse,
        range: Range,
        counter: &[u8],
    ) -> Option<String> {
        let document = json::elements(json::get(counter, "Results")?).next()?;
        if json::get(document, "Max").and_then(json::integer)? != range.high() {
            return None;
        }
        let of = json::get(document, metadata::MEMBER)?;
        let text = |name| json::get(of, name).and_then(json::string).filter(|text| !text.is_empty());
        let sealed = Sealed {
            range,
            incarnation: upstream.header("database-cluster-tx-id").unwrap_or_default().into(),
            fence: [text(metadata::CHANGE_VECTOR)?, text(metadata::LAST_MODIFIED)?].join(" "),
        };
        let token = caller.keys.seal(scope(config, caller, &self.ask.tag), &sealed);
        let mut shown = format!("{{\"Result\":{{\"Results\":[{{\"Max\":{},\"@metadata\":", range.high());
        shown.push_str("{\"@collection\":\"@hilo\",\"@id\":");
        write_string(&mut shown, &[HILO_PREFIX, &self.ask.tag].concat());
        shown.push_str(",\"@change-vector\":");
        write_string(&mut shown, &token);
        shown.push_str(",\"@last-modified\":");
        write_string(&mut shown, MARK);
        shown.push_str("}}],\"Includes\":{}},\"StatusCode\":200,\"Headers\":{}}");
        Some(shown)
    }
}

impl Exchange for Lease {
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        let Turn { config, caller, latest_incarnation, .. } = *turn;
        let base = config.base();
        // `lastMax` moves the counter for all clients, so it is dropped unless a lease of this caller has reached
        // that number. Without it the client may be granted numbers that it refuses; the counter then moves on with
        // each lease.
        let proved = self.above.as_ref().filter(|(above, proof)| {
            let sealed = opened(proof, config, caller, &self.ask.tag, latest_incarnation);
            sealed.is_some_and(|sealed| sealed.range.high() >= *above)
        });
        let above = proved.map_or(0, |(above, _)| *above);
        let ask = Ask { above, nonce: caller.nonce.into(), ..self.ask.clone() };
        if self.fenced {
            let body = lease_body(&base, &ask, config.separator);
            return Ok(Step::Forward(Forward::post(format!("{base}/{}?nonce={}", path::SEVERAL, ask.nonce), body)));
        }
        Ok(Step::Forward(Forward::get(format!("{base}/{}{}", path::LEASE, lease_query(&ask, config.separator)))))
    }

    fn response(self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        let Turn { config, caller, target, .. } = *turn;
        if !self.fenced {
            return FollowUp::Response(match (upstream.status, granted(&upstream.body)) {
                (201, Some((_, text))) => Response::json(201, text),
                _ => failure(upstream, target, false),
            });
        }
        let parts = (upstream.status == 200).then(|| sub_responses(&upstream.body)).flatten();
        let Some([lease, counter]) = parts.as_deref() else {
            return FollowUp::Response(failure(upstream, target, false));
        };
        let body = match (lease.status, granted(lease.body)) {
            (201, Some((range, text))) => {
                let fence = self.fence(config, caller, upstream, range, counter.body).unwrap_or_else(nothing);
                format!("{{\"Results\":[{{\"Result\":{text},\"StatusCode\":201,\"Headers\":{{}}}},{fence}]}}")
            }
            _ => {
                let upstream =
                    UpstreamResponse { status: lease.status, headers: Vec::new(), body: lease.body.to_vec() };
                format!("{{\"Results\":[{},{}]}}", part(&failure(&upstream, target, false)), nothing())
            }
        };
        FollowUp::Response(Response::json(200, body))
    }
}

/// Opens a fence of the client, which consists of a token and [`MARK`].
pub(crate) fn opened(
    fence: &str,
    config: &Config,
    caller: &Caller,
    tag: &str,
    latest_incarnation: Option<&str>,
) -> Option<Sealed> {
    let token = fence.strip_suffix(MARK)?.strip_suffix(' ')?;
    let sealed = caller.keys.open(scope(config, caller, tag), token)?;
    // A token of an older incarnation is invalid: that counter was deleted with its database. A token without an
    // incarnation stays valid: it comes from a hub whose source is not the database.
    let current = sealed.incarnation.is_empty()
        || latest_incarnation.is_none_or(|latest_incarnation| latest_incarnation == sealed.incarnation);
    current.then_some(sealed)
}

/// What a token for this tag is bound to.
pub(crate) fn scope<'a>(config: &'a Config, caller: &'a Caller, tag: &'a str) -> Scope<'a> {
    Scope { upstream: &caller.upstream, database: &config.database, tag, identity: caller.identity.as_deref() }
}

/// The range in a response, and the JSON text to forward.
fn granted(body: &[u8]) -> Option<(Range, String)> {
    let number = |name| json::get(body, name).and_then(json::integer);
    let text = |name| json::get(body, name).and_then(json::string);
    let range = Range::new(number("Low")?, number("High")?)?;
    let mut shown = String::from("{\"Prefix\":");
    write_string(&mut shown, &text("Prefix")?);
    shown.push_str(&format!(",\"Low\":{},\"High\":{}", range.low(), range.high()));
    shown.push_str(&format!(",\"LastSize\":{},\"ServerTag\":", number("LastSize")?));
    write_string(&mut shown, &text("ServerTag")?);
    shown.push_str(",\"LastRangeAt\":");
    write_string(&mut shown, &text("LastRangeAt")?);
    shown.push('}');
    Some((range, shown))
}

/// Checks that a text has the form of RavenDB's times.
fn moment(text: &str) -> Result<String, Refusal> {
    let fine = text.len() <= 32 && text.bytes().all(|byte| byte.is_ascii_digit() || b"-:.TZ".contains(&byte));
    if fine { Ok(text.into()) } else { Err(refused(Kind::Malformed, "lastRangeAt is not a time")) }
}
