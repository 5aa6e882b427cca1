//! One page of a named query: requests results from RavenDB until the page is full of results that the caller may see, or a bound is
//! reached.
//!
//! Hidden results leave no holes, and do not end the list: `Next`, a sealed position, goes on behind the last result that was
//! looked at.

use super::NamedQuery;
use crate::gateway::config::Config;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Operation, Step, Turn};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::{Response, UpstreamResponse, failure};
use crate::gateway::token::Scope;
use crate::gateway::visible_documents::{found, visible_document};
use crate::prelude::*;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use raven_edge::json;
use raven_edge::protocol::header;
use raven_edge_authority::json::{Object, Value, write_string};

/// Default limit of results that are read for one page, as a multiple of the page's size.
const SCANNED_PAGES: u64 = 4;
/// What the body of a page begins with.
const OPENING: &str = "{\"Results\":[";

/// A page on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    query: Rc<NamedQuery>,
    /// The members of `QueryParameters`, without braces: the parameters of the caller.
    parameters: String,
    /// What a sealed position is bound to, beside the caller: the query and the parameters of the caller.
    tag: String,
    page: u64,
    /// Visible results that are still to be left out.
    skip: u64,
    /// The sealed position that the caller has sent.
    next: Option<String>,
    /// The ETag that the caller has.
    known: Option<String>,
    /// Whether the results must not come from a cache.
    is_fresh: bool,
    /// Results that were looked at.
    passed: u64,
    /// Results that may still be looked at.
    left: u64,
    /// Visible results, and the body of the response as far as it consists of them.
    count: u64,
    body: String,
    /// Visible included documents, and their places by id as it is written in JSON.
    includes: Vec<String>,
    places: BTreeMap<String, usize>,
    is_stale: bool,
}

/// Where a page goes on: a position in RavenDB's list, and visible results that are still to be left out behind it.
#[derive(Clone, Copy)]
struct Position {
    start: u64,
    skip: u64,
}

impl Scan {
    /// Reads the body of a request. `known`: the ETag that the caller has.
    pub(crate) fn read(
        query: &Rc<NamedQuery>,
        body: &Object,
        known: Option<&str>,
        config: &Config,
    ) -> Result<Self, Refusal> {
        let malformed = |text: String| refused(Kind::Malformed, text);
        query.only(body, &["Parameters", "PageSize", "Skip", "Next", "DisableCaching"])?;
        let parameters = query.parameters.given(body.get("Parameters")).map_err(malformed)?;
        let number = |name: &str| match body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                super::whole(value).map(Some).ok_or_else(|| malformed(format!("{name} must be a whole number")))
            }
        };
        // The caller cannot know the largest page: what a larger one would hold follows with `Next`.
        let page = number("PageSize")?.unwrap_or(query.page.0).min(query.page.1);
        if page == 0 && !query.total {
            return Err(refused(Kind::Limit, "PageSize 0 asks for TotalResults, which this query does not reveal"));
        }
        let skip = number("Skip")?.unwrap_or(0);
        let most = match config.limits.scanned {
            0 => page * SCANNED_PAGES,
            most => page.max(most as u64),
        };
        // However small the page is: a caller may want the one result behind many.
        let most_skipped = most.max(query.page.1 * SCANNED_PAGES);
        if skip > most_skipped {
            return Err(refused(Kind::Limit, format!("Skip must be at most {most_skipped}; go on with Next")));
        }
        let next = match body.get("Next") {
            None | Some(Value::Null) => None,
            Some(Value::String(next)) if skip == 0 => Some(next.clone()),
            Some(Value::String(_)) => {
                return Err(malformed("Skip is for the first page; Next goes on behind it".into()));
            }
            Some(_) => return Err(malformed("Next must be a text of an earlier response".into())),
        };
        let is_fresh = match body.get("DisableCaching") {
            None => false,
            Some(Value::Bool(is_fresh)) => *is_fresh,
            Some(_) => return Err(malformed("DisableCaching must be true or false".into())),
        };
        Ok(Self {
            query: Rc::clone(query),
            tag: format!("queries/{} {} {parameters}", query.name, query.query.text),
            parameters,
            page,
            skip,
            next,
            known: known.map(Into::into),
            is_fresh,
            passed: 0,
            left: most + skip,
            count: 0,
            body: OPENING.into(),
            includes: Vec::new(),
            places: BTreeMap::new(),
            is_stale: false,
        })
    }

    /// What `authorize` is asked.
    pub(crate) fn operation(&self) -> Operation {
        self.query.operation(&self.parameters)
    }

    /// The position of the first result of the page.
    fn begin(&self, config: &Config, caller: &Caller) -> Result<Position, Refusal> {
        let Some(next) = &self.next else { return Ok(Position { start: 0, skip: 0 }) };
        let bytes = caller.keys.open_bytes(self.scope(config, caller), next);
        let position = bytes.and_then(|bytes| {
            let (start, skip) = bytes.split_first_chunk::<8>()?;
            Some(Position { start: u64::from_be_bytes(*start), skip: u64::from_be_bytes(skip.try_into().ok()?) })
        });
        let stale = "Next belongs to another query, caller or set of parameters; begin with the first page";
        position.ok_or_else(|| refused(Kind::Malformed, stale))
    }

    /// How many results are asked for next: as many as are missing, so that a page never ends within a response.
    fn asked(&self) -> u64 {
        (self.skip + self.page - self.count).min(self.left)
    }

    /// The page as the caller gets it. `next`: where it goes on; `total`: the number of results.
    fn page(mut self, config: &Config, caller: &Caller, next: Option<Position>, total: Option<u64>) -> Response {
        let mut text = core::mem::take(&mut self.body);
        let end = text.len();
        text.push_str("],\"Includes\":{");
        // A document that only hidden results refer to would tell what they refer to.
        let mut shown_before = vec![false; self.includes.len()];
        let mut included = String::new();
        for id in strings(text.get(..end).filter(|_| !shown_before.is_empty()).unwrap_or_default()) {
            let Some(&place) = self.places.get(id) else { continue };
            if let (Some(document), Some(shown_before @ false)) =
                (self.includes.get(place), shown_before.get_mut(place))
            {
                *shown_before = true;
                included.push_str(if included.is_empty() { "\"" } else { ",\"" });
                for part in [id, "\":", document] {
                    included.push_str(part);
                }
            }
        }
        text.push_str(&included);
        text.push_str(if self.is_stale { "},\"IsStale\":true,\"Next\":" } else { "},\"IsStale\":false,\"Next\":" });
        match next {
            Some(Position { start, skip }) => {
                let position = [start.to_be_bytes(), skip.to_be_bytes()].concat();
                write_string(&mut text, &caller.keys.seal_bytes(self.scope(config, caller), position));
            }
            None => text.push_str("null"),
        }
        self.query.push_facts(total, &mut text);
        text.push('}');
        // What is hidden has no influence on the ETag: it depends on the caller, the request and what is shown, and nothing else.
        let etag = caller.keys.etag(self.scope(config, caller), &[&caller.claims.text(), &text]);
        let mut response =
            if self.known.as_ref() == Some(&etag) { Response::empty(304) } else { Response::json(200, text) };
        response.with(header::ETAG, &etag);
        response
    }

    fn scope<'a>(&'a self, config: &'a Config, caller: &'a Caller) -> Scope<'a> {
        let identity = caller.identity.as_deref();
        Scope { upstream: &caller.upstream, database: &config.database, tag: &self.tag, identity }
    }
}

impl Exchange for Scan {
    /// A caller who lacks a claim that the query uses has no results.
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        let Turn { config, caller, .. } = *turn;
        let start = self.begin(config, caller)?.start + self.passed;
        let Some(mut body) = self.query.body(&self.parameters, caller) else {
            let mut text = String::from("{\"Results\":[],\"Includes\":{},\"IsStale\":false,\"Next\":null");
            self.query.push_facts(Some(0), &mut text);
            return Ok(Step::Response(Response::json(200, text + "}")));
        };
        if self.is_fresh {
            body.push_str(",\"DisableCaching\":true");
        }
        body.push_str(&format!(",\"Start\":{start},\"PageSize\":{}}}", self.asked()));
        Ok(Step::Forward(Forward::post(format!("{}/queries", config.base()), body)))
    }

    /// The page, or the request for what is still missing of it.
    fn response(mut self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        let Turn { config, caller, target, .. } = *turn;
        let found = (upstream.status == 200).then(|| found(&upstream.body, true)).flatten();
        let number = |name| found.as_ref().and_then(|found| found.get(name)).and_then(json::integer);
        let (skipped, total, scanned) = (number("SkippedResults"), number("TotalResults"), number("ScannedResults"));
        let (Some(found), Some(skipped), Ok(begin)) = (found, skipped, self.begin(config, caller)) else {
            return FollowUp::Response(failure(upstream, target, false));
        };
        let asked = self.asked();
        if self.passed == 0 {
            self.skip += begin.skip;
            self.left += begin.skip;
            self.body.reserve(upstream.body.len() + 1_024);
        }
        self.is_stale |= found.get("IsStale") != Some(b"false");
        let count = found.results.len() as u64;
        let is_visible = |document| visible_document(document, config, caller).is_some();
        for document in found.results.into_iter().filter(|document| is_visible(*document)) {
            if self.skip > 0 {
                self.skip -= 1;
            } else if self.query.push_shown(document.0, self.count == 0, &mut self.body).is_some() {
                self.count += 1;
            }
        }
        for (id, (document, metadata)) in found.includes {
            if is_visible((document, metadata)) {
                let text = |bytes| core::str::from_utf8(bytes).unwrap_or_default().to_owned();
                self.places.insert(text(id), self.includes.len());
                self.includes.push(text(document));
            }
        }
        // An index with several entries for a document skips the repeated ones, a stale one the deleted documents. It counts both
        // in its positions, and as a part of what was asked.
        let passed = count + skipped;
        self.passed += passed;
        self.left = self.left.saturating_sub(passed);
        let start = begin.start + self.passed;
        // The total of a query with `filter`, which scans, is no position.
        let last = total.filter(|_| scanned.unwrap_or_default() == 0);
        let is_end = passed < asked || last.is_some_and(|last| start >= last);
        if !is_end && self.left > 0 && self.count < self.page {
            return FollowUp::Next(self);
        }
        let next = (!is_end).then_some(Position { start, skip: self.skip });
        FollowUp::Response(self.page(config, caller, next, total))
    }
}

/// The texts in a JSON text as they stand between their quotes: names and values.
fn strings(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    core::iter::from_fn(move || {
        let start = rest.find('"')? + 1;
        let mut end = start;
        while *rest.as_bytes().get(end)? != b'"' {
            end += if rest.as_bytes().get(end) == Some(&b'\\') { 2 } else { 1 };
        }
        let found = rest.get(start..end);
        rest = rest.get(end + 1..).unwrap_or_default();
        found
    })
}
