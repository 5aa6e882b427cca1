//! Comparisons of sets: a caller says what it has of all results of a named query, in sums of 256 buckets, and gets the ids and change
//! vectors of the buckets that differ.
//!
//! RavenDB is asked for ETags first: of the query and of its collection. If the caller's ETag covers them, nothing has changed. Else the
//! results are read as a stream and judged one by one; ids, change vectors and hashes of visible documents are all that is kept of them.
//! What is hidden enters neither sums nor pairs. The ETag that a caller gets is the one from before reading.

use super::query::NamedQuery;
use super::results_scanner::{Scanner, Visitor};
use crate::gateway::base64url;
use crate::gateway::config::Config;
use crate::gateway::id_key;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Operation, Step, Turn};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::{Response, UpstreamResponse, failure, sub_responses};
use crate::gateway::token::{Scope, digest};
use crate::gateway::visible_documents::visible_version;
use crate::prelude::*;
use alloc::collections::BinaryHeap;
use alloc::rc::Rc;
use core::cmp::Ordering;
use raven_edge::json;
use raven_edge::offline::sets::{Hashes, Key, Sums, key};
use raven_edge::protocol::path;
use raven_edge_authority::json::{Object, Value, write_string};

/// A comparison that a caller asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sync {
    query: Rc<NamedQuery>,
    /// The members of `QueryParameters`, without braces: the parameters of the caller.
    parameters: String,
    /// The ETag that the caller has.
    known: Option<String>,
    key: Key,
    sums: Sums,
    /// What the caller's next ETag covers, once RavenDB has told it; the outer `None`: it is not asked yet.
    before: Option<Option<[u8; 32]>>,
}

impl Sync {
    /// Reads the body of a request.
    pub(crate) fn read(query: &Rc<NamedQuery>, body: &Object) -> Result<Self, Refusal> {
        if !query.is_set {
            return Err(refused(Kind::Route, "this query is no set: its declaration lacks `set: true`"));
        }
        query.only(body, &["Parameters", "Etag", "Key", "Sums"])?;
        let malformed = |text: &str| refused(Kind::Malformed, text);
        let bytes = |name: &str| body.get(name).and_then(Value::as_str).and_then(base64url::decode);
        let known = match body.get("Etag") {
            None | Some(Value::Null) => None,
            Some(Value::String(known)) => Some(known.clone()),
            Some(_) => return Err(malformed("Etag must be a text of an earlier response")),
        };
        let key = bytes("Key").and_then(|bytes| key(&bytes));
        let Some((key, sums)) = key.zip(bytes("Sums").and_then(|bytes| Sums::read(&bytes))) else {
            return Err(malformed("Key must be 16 bytes, and Sums 2,560 bytes, as base64url"));
        };
        let parameters = query.parameters.given(body.get("Parameters"));
        let parameters = parameters.map_err(|reason| refused(Kind::Malformed, reason))?;
        Ok(Self { query: Rc::clone(query), parameters, known, key, sums, before: None })
    }

    /// What `authorize` is asked.
    pub(crate) fn operation(&self) -> Operation {
        self.query.operation(&self.parameters)
    }

    /// Whether the next response of RavenDB is the stream of results.
    pub(crate) fn is_stream(&self) -> bool {
        self.before.is_some()
    }

    /// Begins with the results.
    pub(crate) fn begin(self, config: &Config) -> Comparison {
        Comparison {
            sync: self,
            scanner: Scanner::default(),
            entries: Vec::new(),
            text: String::new(),
            is_stale: true,
            most: config.limits.set,
        }
    }

    fn scope<'a>(&'a self, config: &'a Config, caller: &'a Caller) -> Scope<'a> {
        let identity = caller.identity.as_deref();
        Scope { upstream: &caller.upstream, database: &config.database, tag: SCOPE, identity }
    }
}

impl Exchange for Sync {
    /// A caller who lacks a claim that the query uses has no results.
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        let Turn { config, caller, .. } = *turn;
        let Some(body) = self.query.body(&self.parameters, caller) else {
            let mut none = self.clone().begin(config);
            none.is_stale = false;
            return Ok(Step::Response(none.response(config, caller)));
        };
        if self.is_stream() {
            return Ok(Step::Forward(Forward::post(format!("{}/streams/queries", config.base()), body + "}")));
        }
        // The collection first: if it changes in between, the query's ETag is newer, and the results are newer than both.
        let mut contents = vec![body + ",\"PageSize\":0}"];
        if let Some(of_collection) = self.query.query.collection.as_ref().map(|name| of_collection(name))
            && of_collection != self.query.query.text
        {
            let mut content = String::from("{\"Query\":");
            write_string(&mut content, &of_collection);
            contents.insert(0, content + ",\"PageSize\":0}");
        }
        let mut url = String::new();
        write_string(&mut url, &format!("{}/queries", config.base()));
        let parts: Vec<String> = contents
            .iter()
            .map(|content| format!("{{\"Url\":{url},\"Query\":\"\",\"Method\":\"POST\",\"Content\":{content}}}"))
            .collect();
        let body = format!("{{\"Requests\":[{}]}}", parts.join(","));
        Ok(Step::Forward(Forward::post(format!("{}/{}", config.base(), path::SEVERAL), body)))
    }

    /// What follows from RavenDB's ETags; the results themselves are read by [`Comparison`].
    fn response(mut self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        let Turn { config, caller, target, .. } = *turn;
        // A stream that RavenDB has refused, or its ETags.
        let parts = (upstream.status == 200 && !self.is_stream()).then(|| sub_responses(&upstream.body)).flatten();
        let Some(parts) = parts else { return FollowUp::Response(failure(upstream, target, false)) };
        let (mut covered, mut is_stale) = (Vec::new(), false);
        for part in parts {
            if part.status != 200 {
                let error = UpstreamResponse { status: part.status, headers: Vec::new(), body: part.body.to_vec() };
                return FollowUp::Response(failure(&error, target, false));
            }
            for name in ["ResultEtag", "NodeTag"] {
                match json::get(part.body, name) {
                    Some(value) => covered.push(value),
                    None => return FollowUp::Response(failure(upstream, target, false)),
                }
            }
            is_stale |= json::get(part.body, "IsStale") != Some(b"false");
        }
        let claims = caller.claims.text();
        covered.extend([claims.as_bytes(), self.parameters.as_bytes(), self.query.query.text.as_bytes()]);
        covered.push(config.fingerprint.as_slice());
        let covered = digest(&covered);
        let known = self.known.as_deref().and_then(|known| caller.keys.open_bytes(self.scope(config, caller), known));
        // Behind the nonce.
        if !is_stale && known.is_some_and(|known| known.get(NONCE_BYTES..) == Some(&covered[..])) {
            return FollowUp::Response(Response::json(200, "{\"Same\":true}".into()));
        }
        self.before = Some((!is_stale).then_some(covered));
        FollowUp::Next(self)
    }
}

/// What tells a caller's ETag from other tokens.
const SCOPE: &str = "sets/";

/// Bytes of the random number in an ETag: two ETags of one state are different texts.
const NONCE_BYTES: usize = 4;

/// The query for all documents of a collection.
pub(super) fn of_collection(name: &str) -> String {
    format!("from '{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// A visible document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    hashes: Hashes,
    /// Where id and change vector stand, as JSON.
    start: usize,
    end: usize,
}

/// By buckets, and in them by documents; what came later is behind.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |entry: &Self| (entry.hashes.bucket(), entry.hashes.id, entry.start);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A comparison whose results arrive.
#[derive(Debug)]
pub(crate) struct Comparison {
    sync: Sync,
    scanner: Scanner,
    entries: Vec<Entry>,
    text: String,
    is_stale: bool,
    /// The most visible documents.
    most: usize,
}

/// Collects the visible documents of a piece.
struct Collector<'a> {
    key: Key,
    entries: &'a mut Vec<Entry>,
    text: &'a mut String,
    is_stale: &'a mut bool,
    config: &'a Config,
    caller: &'a Caller,
}

impl Visitor for Collector<'_> {
    fn head(&mut self, is_stale: bool, _: Option<u64>) {
        *self.is_stale = is_stale;
    }

    fn document(&mut self, document: &[u8]) {
        let Some((id, vector)) = visible_version(document, self.config, self.caller) else { return };
        let start = self.text.len();
        write_string(self.text, &id);
        self.text.push(',');
        write_string(self.text, &vector);
        let hashes = Hashes::of(self.key, &id_key::key(&id), &vector);
        self.entries.push(Entry { hashes, start, end: self.text.len() });
    }
}

impl Comparison {
    /// Takes the next bytes of RavenDB's response. `None`: it must be cut, because it is not what was asked for.
    ///
    /// # Errors
    /// When the set is too large.
    pub(crate) fn next(&mut self, piece: &[u8], config: &Config, caller: &Caller) -> Result<Option<()>, Refusal> {
        let Self { sync, scanner, entries, text, is_stale, .. } = self;
        let mut collector = Collector { key: sync.key, entries, text, is_stale, config, caller };
        let taken = scanner.next(piece, config.limits.response, &mut collector);
        // Among them may be documents that the index has several times.
        if self.entries.len() > 2 * self.most {
            self.sort()?;
        }
        Ok(taken)
    }

    /// Sorts by buckets; of a document that came twice, the last version stays.
    fn sort(&mut self) -> Result<(), Refusal> {
        // A tenth of the code of `sort`.
        self.entries = BinaryHeap::from(core::mem::take(&mut self.entries)).into_sorted_vec();
        self.entries.dedup_by(|next, last| {
            let is_same = next.hashes.id == last.hashes.id;
            if is_same {
                *last = *next;
            }
            is_same
        });
        if self.entries.len() > self.most {
            let message = format!("the set has more than {} documents", self.most);
            return Err(refused(Kind::Limit, message));
        }
        Ok(())
    }

    /// The response when RavenDB's has ended; `None` if that was cut.
    ///
    /// # Errors
    /// When the set is too large.
    pub(crate) fn end(&mut self, config: &Config, caller: &Caller) -> Result<Option<Response>, Refusal> {
        if !self.scanner.is_complete() {
            return Ok(None);
        }
        self.sort()?;
        Ok(Some(self.response(config, caller)))
    }

    fn response(&self, config: &Config, caller: &Caller) -> Response {
        let mut sums = Sums::default();
        self.entries.iter().for_each(|entry| sums.add(entry.hashes));
        let mut text = String::from(if self.is_stale { "{\"IsStale\":true" } else { "{\"IsStale\":false" });
        text.push_str(",\"Etag\":");
        match self.sync.before.flatten().filter(|_| !self.is_stale) {
            Some(covered) => {
                let content = [&caller.nonce.to_be_bytes()[..], &covered].concat();
                write_string(&mut text, &caller.keys.seal_bytes(self.sync.scope(config, caller), content));
            }
            None => text.push_str("null"),
        }
        text.push_str(",\"Differing\":[");
        for bucket in sums.differing(&self.sync.sums) {
            text.push_str(if text.ends_with('[') { "[" } else { ",[" });
            text.push_str(&bucket.to_string());
            for entry in self.entries.iter().filter(|entry| entry.hashes.bucket() == bucket) {
                text.push(',');
                text.push_str(self.text.get(entry.start..entry.end).unwrap_or_default());
            }
            text.push(']');
        }
        text.push_str("]}");
        Response::json(200, text)
    }
}
