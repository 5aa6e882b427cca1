//! A lease: `hilo/next`, alone or with the read that yields the fence.

use super::answer::{Answer, Upstream, failure, nothing, part, sub_answers};
use super::config::Config;
use super::plan::{Caller, Forward};
use super::refusal::{Kind, Refusal, refused};
use super::request::Query;
use super::token::{Scope, Sealed};
use raven_edge::hilo::Range;
use raven_edge::json;
use raven_edge::source::server::wire::{HILO_PREFIX, lease_body, lease_query};
use raven_edge::source::{Ask, Echo, Size};
use raven_edge_authority::json::write_string;

/// What stands where the server's time would: the client joins it to the token and sends it back.
pub(super) const MARK: &str = "gateway";

/// A range that is wished for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    ask: Ask,
    /// A number above which the range shall begin, and what shows that the caller has had it.
    above: Option<(u64, String)>,
    /// Whether the fence is wanted.
    fenced: bool,
}

const PARAMETERS: [&str; 7] =
    ["tag", "lastBatchSize", "lastRangeAt", "identityPartsSeparator", "lastMax", "proof", "nonce"];

impl Lease {
    /// A lease by the query of `hilo/next`, and the name of its collection.
    pub(super) fn read(query: &str, fenced: bool, config: &Config) -> Result<(Self, String), Refusal> {
        let query = Query::read(query, &PARAMETERS)?;
        let tag = query.get("tag").unwrap_or_default();
        let collection = config.collections.leasable(tag, config.separator)?;
        let separator = query.get("identityPartsSeparator").unwrap_or("/");
        if separator != config.separator.encode_utf8(&mut [0; 4]) {
            return Err(refused(Kind::Route, "this identityPartsSeparator does not pass"));
        }
        let above = query.integer("lastMax")?.zip(query.get("proof").map(Into::into));
        let batch = query.integer("lastBatchSize")?;
        let size = match (batch, query.get("lastRangeAt")) {
            (None, _) => Size::Adaptive(None),
            // RavenDB at most doubles.
            (Some(size), Some(at)) => {
                Size::Adaptive(Some(Echo { size: size.min(config.limits.range / 2), at: moment(at)? }))
            }
            (Some(size), None) => Size::Exact(size.min(config.limits.range)),
        };
        query.integer("nonce")?;
        Ok((
            Self { ask: Ask { tag: tag.into(), size, above: 0, proof: None, nonce: 0 }, above, fenced },
            collection.name.clone(),
        ))
    }

    /// Fails unless this query reads the counter of this lease, and nothing else.
    pub(super) fn is_fenced_by(&self, query: &str) -> Result<(), Refusal> {
        let query = Query::read(query, &["id"])?;
        let own = [HILO_PREFIX, &self.ask.tag].concat();
        if query.all("id").eq([own.as_str()]) {
            return Ok(());
        }
        Err(refused(Kind::Route, "only a lease's own counter may be read with it"))
    }

    pub(super) fn forward(&self, config: &Config, caller: &Caller, seen: Option<&str>) -> Forward {
        let base = config.base();
        // RavenDB begins above this number for everybody: it is left out unless a lease of this caller reached as high.
        // What is granted instead the client refuses by itself, and the counter moves on with each lease.
        let proved = self.above.as_ref().filter(|(above, proof)| {
            let sealed = opened(proof, config, caller, &self.ask.tag, seen);
            sealed.is_some_and(|sealed| sealed.range.high() >= *above)
        });
        let above = proved.map_or(0, |(above, _)| *above);
        let ask = Ask { above, nonce: caller.nonce.into(), ..self.ask.clone() };
        if self.fenced {
            let body = lease_body(&base, &ask, config.separator);
            return Forward::post(format!("{base}/multi_get?nonce={}", ask.nonce), body);
        }
        Forward::get(format!("{base}/hilo/next{}", lease_query(&ask, config.separator)))
    }

    pub(super) fn answer(&self, config: &Config, caller: &Caller, said: &Upstream, target: &str) -> Answer {
        if !self.fenced {
            return match (said.status, granted(&said.body)) {
                (201, Some((_, text))) => Answer::json(201, text),
                _ => failure(said, target, false),
            };
        }
        let parts = (said.status == 200).then(|| sub_answers(&said.body)).flatten();
        let Some([lease, counter]) = parts.as_deref() else { return failure(said, target, false) };
        let body = match (lease.status, granted(lease.body)) {
            (201, Some((range, text))) => {
                let fence = self.fence(config, caller, said, range, counter.body).unwrap_or_else(nothing);
                format!("{{\"Results\":[{{\"Result\":{text},\"StatusCode\":201,\"Headers\":{{}}}},{fence}]}}")
            }
            _ => {
                let said = Upstream { status: lease.status, headers: Vec::new(), body: lease.body.to_vec() };
                format!("{{\"Results\":[{},{}]}}", part(&failure(&said, target, false)), nothing())
            }
        };
        Answer::json(200, body)
    }

    /// The counter document as the client gets it: its fence is a token. `None` where there is no fence.
    fn fence(&self, config: &Config, caller: &Caller, said: &Upstream, range: Range, counter: &[u8]) -> Option<String> {
        let document = json::elements(json::get(counter, "Results")?).next()?;
        if json::get(document, "Max").and_then(json::integer)? != range.high() {
            return None;
        }
        let metadata = json::get(document, "@metadata")?;
        let text = |name| json::get(metadata, name).and_then(json::string).filter(|text| !text.is_empty());
        let sealed = Sealed {
            range,
            incarnation: said.header("database-cluster-tx-id").unwrap_or_default().into(),
            fence: [text("@change-vector")?, text("@last-modified")?].join(" "),
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

/// What the fence proves that a client has put together of a token.
pub(super) fn opened(fence: &str, config: &Config, caller: &Caller, tag: &str, seen: Option<&str>) -> Option<Sealed> {
    let token = fence.strip_suffix(MARK)?.strip_suffix(' ')?;
    let sealed = caller.keys.open(scope(config, caller, tag), token)?;
    // Whoever has heard of a newer database knows that the counter of the old one is gone. What told no incarnation, as a
    // hub over a source of its own, has numbers that are none of the database's.
    let current = sealed.incarnation.is_empty() || seen.is_none_or(|seen| seen == sealed.incarnation);
    current.then_some(sealed)
}

/// What a lease of this tag belongs to.
pub(super) fn scope<'a>(config: &'a Config, caller: &'a Caller, tag: &'a str) -> Scope<'a> {
    Scope { upstream: &caller.upstream, database: &config.database, tag, identity: caller.identity.as_deref() }
}

/// The range in an answer, and what of it is passed on.
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

/// A time in RavenDB's form.
fn moment(text: &str) -> Result<String, Refusal> {
    let fine = text.len() <= 32 && text.bytes().all(|byte| byte.is_ascii_digit() || b"-:.TZ".contains(&byte));
    if fine { Ok(text.into()) } else { Err(refused(Kind::Malformed, "lastRangeAt is no time")) }
}
