//! One page of a named query: asks RavenDB until the page is full of results that the caller may see, or a bound is reached.
//!
//! Hidden results leave no holes, and do not end the list: `Next`, a sealed position, goes on behind the last result that was
//! looked at.

use super::NamedQuery;
use crate::gateway::config::Config;
use crate::gateway::plan::{Answered, Caller, Forward, Operation};
use crate::gateway::read::is_visible;
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::{Response, UpstreamResponse, failure, picked};
use crate::gateway::token::Scope;
use raven_edge::json;
use raven_edge::protocol::metadata;
use raven_edge_authority::json::{Object, Value, write, write_string};
use std::collections::BTreeMap;

/// How many results may be looked at for one page: so many times its size.
const SCANNED_PAGES: u64 = 4;

/// A page on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    query: NamedQuery,
    /// The members of `QueryParameters`, without braces: the parameters of the caller.
    parameters: String,
    /// What a sealed position is bound to, beside the caller: the query and the parameters of the caller.
    tag: String,
    page: u64,
    /// Visible results that are still to be left out.
    skip: u64,
    /// The sealed position that the caller has sent.
    next: Option<String>,
    /// Results that were looked at.
    passed: u64,
    /// Results that may still be looked at.
    left: u64,
    results: Vec<String>,
    /// Visible included documents, and their places by id as it is written in JSON.
    includes: Vec<String>,
    places: BTreeMap<String, usize>,
    is_stale: bool,
}

impl Scan {
    /// Reads the body of a request.
    pub(crate) fn read(query: &NamedQuery, body: &Object) -> Result<Self, Refusal> {
        let malformed = |text: String| refused(Kind::Malformed, text);
        for (name, _) in body.iter() {
            if !["Parameters", "PageSize", "Skip", "Next"].contains(&name) {
                return Err(malformed(format!(
                    "\"{name}\" is not known; a named query has Parameters, PageSize, Skip and Next"
                )));
            }
        }
        let parameters = query.parameters.given(body.get("Parameters")).map_err(malformed)?;
        let number = |name: &str| match body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(text)) => json::integer(text.as_bytes())
                .map(Some)
                .ok_or_else(|| malformed(format!("{name} must be a whole number"))),
            Some(_) => Err(malformed(format!("{name} must be a whole number"))),
        };
        let page = number("PageSize")?.unwrap_or(query.page.0);
        if !(1..=query.page.1).contains(&page) {
            return Err(refused(Kind::Limit, format!("PageSize must be from 1 to {}", query.page.1)));
        }
        let skip = number("Skip")?.unwrap_or(0);
        let most = page * SCANNED_PAGES;
        if skip > most {
            return Err(refused(Kind::Limit, format!("Skip must be at most {most}; go on with Next")));
        }
        let next = match body.get("Next") {
            None | Some(Value::Null) => None,
            Some(Value::String(next)) => Some(next.clone()),
            Some(_) => return Err(malformed("Next must be a text of an earlier response".into())),
        };
        Ok(Self {
            query: query.clone(),
            tag: format!("queries/{} {} {parameters}", query.name, query.query.text),
            parameters,
            page,
            skip,
            next,
            passed: 0,
            left: most + skip,
            results: Vec::new(),
            includes: Vec::new(),
            places: BTreeMap::new(),
            is_stale: false,
        })
    }

    /// What `authorize` is asked.
    pub(crate) fn operation(&self) -> Operation {
        let named = Some((self.query.name.clone(), format!("{{{}}}", self.parameters)));
        Operation { action: "query", collection: None, ids: Vec::new(), prefix: None, named }
    }

    /// The next request to the server; or the response, if the caller lacks a claim that the query uses.
    pub(crate) fn forward(&self, config: &Config, caller: &Caller) -> Result<Result<Forward, Response>, Refusal> {
        let mut parameters = self.parameters.clone();
        for name in &self.query.claims {
            let Some(value) = caller.claims.value(name) else {
                return Ok(Err(self.page(config, caller, None, None)));
            };
            if !parameters.is_empty() {
                parameters.push(',');
            }
            write_string(&mut parameters, name);
            parameters.push(':');
            write(&mut parameters, value);
        }
        let (start, asked) = (self.start(config, caller)?, self.asked());
        let mut body = String::from("{\"Query\":");
        write_string(&mut body, &self.query.query.text);
        body.push_str(&format!(",\"QueryParameters\":{{{parameters}}},\"Start\":{start},\"PageSize\":{asked}"));
        if let Some(wait) = self.query.wait_ms {
            let (seconds, millis) = (wait / 1_000, wait % 1_000);
            let time = format!("00:00:{seconds:02}.{millis:03}0000");
            body.push_str(&format!(",\"WaitForNonStaleResults\":true,\"WaitForNonStaleResultsTimeout\":\"{time}\""));
        }
        body.push('}');
        Ok(Ok(Forward::post(format!("{}/queries", config.base()), body)))
    }

    /// The position in RavenDB's list.
    fn start(&self, config: &Config, caller: &Caller) -> Result<u64, Refusal> {
        let Some(next) = &self.next else { return Ok(self.passed) };
        let position = caller.keys.open_bytes(self.scope(config, caller), next);
        let position = position.and_then(|bytes| Some(u64::from_be_bytes(bytes.try_into().ok()?)));
        let stale = "Next belongs to another query, caller or set of parameters; begin with the first page";
        position.map(|position| position + self.passed).ok_or_else(|| refused(Kind::Malformed, stale))
    }

    /// How many results are asked for next: as many as are missing, so that a page never ends within a response.
    fn asked(&self) -> u64 {
        (self.skip + self.page - self.results.len() as u64).min(self.left)
    }

    /// The response to the caller, or the page with what is still missing.
    pub(crate) fn response(
        &self,
        config: &Config,
        caller: &Caller,
        upstream: &UpstreamResponse,
        target: &str,
    ) -> Answered<Self> {
        let body = &upstream.body;
        let results = (upstream.status == 200).then(|| json::get(body, "Results")).flatten();
        let number = |name| json::get(body, name).and_then(json::integer);
        let (Some(results), Some(skipped), Ok(start)) = (results, number("SkippedResults"), self.start(config, caller))
        else {
            return Answered::Response(failure(upstream, target, false));
        };
        let mut page = self.clone();
        page.is_stale |= json::get(body, "IsStale") != Some(b"false");
        let mut count = 0;
        for document in json::elements(results) {
            count += 1;
            if !is_visible(document, config, caller) {
                continue;
            }
            if page.skip > 0 {
                page.skip -= 1;
            } else {
                page.results.push(self.shown(document));
            }
        }
        for (id, document) in json::get(body, "Includes").into_iter().flat_map(json::members) {
            if is_visible(document, config, caller) {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                page.places.insert(text(id), page.includes.len());
                page.includes.push(text(document));
            }
        }
        // An index with several entries for a document skips the repeated ones, and counts them in its positions.
        page.passed += count + skipped;
        page.left = page.left.saturating_sub(count + skipped);
        let position = start + count + skipped;
        let is_end = count < self.asked() || number("TotalResults").is_some_and(|total| position >= total);
        if !is_end && page.left > 0 && (page.results.len() as u64) < page.page {
            return Answered::Next(page);
        }
        let total = number("TotalResults").filter(|_| self.query.total);
        Answered::Response(page.page(config, caller, (!is_end).then_some(position), total))
    }

    /// A document as the caller gets it.
    fn shown(&self, document: &[u8]) -> String {
        let Some(projection) = &self.query.projection else { return String::from_utf8_lossy(document).into_owned() };
        let names: Vec<&str> = projection.iter().map(String::as_str).collect();
        let mut text = picked(document, &names);
        text.pop();
        if text.len() > 1 {
            text.push(',');
        }
        let stated = json::get(document, metadata::MEMBER).unwrap_or_default();
        let mut own = picked(stated, &[metadata::ID, metadata::COLLECTION]);
        own.pop();
        text.push_str(&format!("\"{}\":{own},\"{}\":true}}}}", metadata::MEMBER, metadata::PROJECTION));
        text
    }

    /// The page as the caller gets it. `next`: where it goes on; `total`: the number of results, if callers are told.
    fn page(&self, config: &Config, caller: &Caller, next: Option<u64>, total: Option<u64>) -> Response {
        let mut text = format!("{{\"Results\":[{}],\"Includes\":{{", self.results.join(","));
        // A document that only hidden results refer to would tell what they refer to.
        let mut told = vec![false; self.includes.len()];
        for id in self.results.iter().flat_map(|result| strings(result)) {
            let Some(&place) = self.places.get(id) else { continue };
            if let (Some(document), Some(told @ false)) = (self.includes.get(place), told.get_mut(place)) {
                *told = true;
                let separator = if text.ends_with('{') { "" } else { "," };
                text.push_str(&format!("{separator}\"{id}\":{document}"));
            }
        }
        text.push_str(&format!("}},\"IsStale\":{},\"Next\":", self.is_stale));
        match next {
            Some(position) => {
                let sealed = caller.keys.seal_bytes(self.scope(config, caller), position.to_be_bytes().into());
                write_string(&mut text, &sealed);
            }
            None => text.push_str("null"),
        }
        if let Some(total) = total {
            text.push_str(&format!(",\"TotalResults\":{total}"));
        }
        text.push('}');
        Response::json(200, text)
    }

    fn scope<'a>(&'a self, config: &'a Config, caller: &'a Caller) -> Scope<'a> {
        let identity = caller.identity.as_deref();
        Scope { upstream: &caller.upstream, database: &config.database, tag: &self.tag, identity }
    }
}

/// The texts in a JSON text as they stand between their quotes: names and values.
fn strings(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
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
