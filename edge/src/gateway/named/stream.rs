//! Streams of named queries: all results, judged one by one while they arrive. Memory holds one document at a time.

use super::query::NamedQuery;
use super::results_scanner::{Scanner, Visitor};
use crate::gateway::config::Config;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Operation, Step, Turn};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::{Response, UpstreamResponse, failure};
use crate::gateway::visible_documents::is_visible;
use crate::prelude::*;
use alloc::rc::Rc;
use raven_edge_authority::json::Object;

/// A stream that a caller asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    query: Rc<NamedQuery>,
    /// The members of `QueryParameters`, without braces: the parameters of the caller.
    parameters: String,
}

impl Stream {
    /// Reads the body of a request.
    pub(crate) fn read(query: &Rc<NamedQuery>, body: &Object) -> Result<Self, Refusal> {
        query.only(body, &["Parameters"])?;
        if query.query.includes {
            return Err(refused(
                Kind::Route,
                "this query includes documents, which a stream cannot: ask for its pages",
            ));
        }
        let parameters = query.parameters.given(body.get("Parameters"));
        Ok(Self { query: Rc::clone(query), parameters: parameters.map_err(|reason| refused(Kind::Malformed, reason))? })
    }

    /// What `authorize` is asked.
    pub(crate) fn operation(&self) -> Operation {
        self.query.operation(&self.parameters)
    }

    /// Begins with a response that RavenDB has accepted.
    pub(crate) fn flow(self) -> Flow {
        Flow { query: self.query, scanner: Scanner::default(), is_first: true }
    }
}

impl Exchange for Stream {
    /// A caller who lacks a claim that the query uses has no results.
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        let Some(body) = self.query.body(&self.parameters, turn.caller) else {
            return Ok(Step::Response(Response::json(200, "{\"IsStale\":false,\"Results\":[]}".into())));
        };
        Ok(Step::Forward(Forward::post(format!("{}/streams/queries", turn.config.base()), body + "}")))
    }

    /// What RavenDB accepts flows: see `Ruling::begin_stream`.
    fn response(self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        FollowUp::Response(failure(upstream, turn.target, false))
    }
}

/// A stream on its way.
#[derive(Debug)]
pub(crate) struct Flow {
    query: Rc<NamedQuery>,
    scanner: Scanner,
    /// Whether no document was shown yet.
    is_first: bool,
}

/// Writes what the caller gets of a piece.
struct Writer<'a> {
    query: &'a NamedQuery,
    is_first: &'a mut bool,
    config: &'a Config,
    caller: &'a Caller,
    shown: String,
}

impl Flow {
    /// Takes the next bytes of the response; returns what the caller gets of them, `None` if the stream must be cut.
    pub(crate) fn next(&mut self, piece: &[u8], config: &Config, caller: &Caller) -> Option<String> {
        let Self { query, scanner, is_first } = self;
        let mut writer = Writer { query, is_first, config, caller, shown: String::new() };
        scanner.next(piece, config.limits.response, &mut writer)?;
        Some(writer.shown)
    }

    /// What the caller gets when the response has ended; `None` if it has not ended where RavenDB ends it.
    pub(crate) fn end(&self) -> Option<&'static str> {
        self.scanner.is_complete().then_some("]}")
    }
}

impl Visitor for Writer<'_> {
    fn head(&mut self, is_stale: bool, total: Option<u64>) {
        self.shown.push_str(if is_stale { "{\"IsStale\":true" } else { "{\"IsStale\":false" });
        // Readers of streams take the first list for the results, so the collections are not told.
        self.query.push_total(total, &mut self.shown);
        self.shown.push_str(",\"Results\":[");
    }

    fn document(&mut self, document: &[u8]) {
        if is_visible(document, self.config, self.caller)
            && self.query.push_shown(document, *self.is_first, &mut self.shown).is_some()
        {
            *self.is_first = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::config::tests::read;
    use crate::gateway::proofs::{caller, random::Random};
    use raven_edge_authority::json::read_strict;
    use serde_json::{Value, json};

    fn config(response: usize) -> Config {
        read(&json!({
            "database": "Shop",
            "claims": ["name"],
            "collections": { "Notes": { "allow": "read", "rows": { "owner": "$name" } }, "Products": "read" },
            "queries": {
                "notes": { "query": "from Notes where owner = $name", "total": true },
                "with": { "query": "from Notes include product" },
            },
            "limits": { "response": response },
        }))
        .unwrap()
    }

    fn flow(config: &Config) -> Flow {
        let query = config.queries.named("notes").unwrap();
        Stream::read(query, &read_strict(b"{}").unwrap()).unwrap().flow()
    }

    fn note(at: usize, owner: &str) -> Value {
        json!({ "owner": owner, "text": format!("\\\"]}}{at} {owner}{{["), "list": [[], {}, [{ "a": "[" }]],
            "@metadata": { "@id": format!("notes/{at}-A"), "@collection": "Notes" } })
    }

    fn response(notes: &[Value]) -> String {
        let results: Vec<String> = notes.iter().map(Value::to_string).collect();
        format!(
            "{{\"ResultEtag\":-5,\"IsStale\":false,\"IndexName\":\"Secret\",\"TotalResults\":{},\"Results\":[{}]}}",
            notes.len(),
            results.join(" ,\n")
        )
    }

    /// What the caller gets if the response arrives in pieces of these lengths; `None` if the stream was cut.
    fn streamed(text: &str, config: &Config, mut length: impl FnMut() -> usize) -> Option<String> {
        let (mut flow, mut shown, mut rest) = (flow(config), String::new(), text.as_bytes());
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(length().min(rest.len()));
            shown.push_str(&flow.next(piece, config, &caller(Some("ann")))?);
            rest = behind;
        }
        Some(shown + flow.end()?)
    }

    #[test]
    fn a_stream_has_what_the_caller_may_see_however_it_is_split() {
        let config = config(65_536);
        let mut random = Random(5);
        for _ in 0..400 {
            let notes: Vec<Value> =
                (0..random.below(12)).map(|at| note(at, if random.below(2) == 0 { "ann" } else { "bob" })).collect();
            let most = 1 + random.below(400);
            let shown = streamed(&response(&notes), &config, || 1 + random.below(most)).unwrap();
            assert!(!shown.contains("bob") && !shown.contains("Secret"), "{shown}");
            let shown: Value = serde_json::from_str(&shown).unwrap();
            let own: Vec<Value> = notes.iter().filter(|note| note["owner"] == "ann").cloned().collect();
            assert_eq!(shown["Results"], json!(own));
            assert_eq!((&shown["IsStale"], &shown["TotalResults"]), (&json!(false), &json!(notes.len())));
        }
    }

    #[test]
    fn a_response_that_is_cut_or_wrong_cuts_the_stream() {
        let config = config(65_536);
        let notes = [note(1, "ann"), note(2, "bob"), note(3, "ann")];
        let text = response(&notes);
        for cut in 0..text.len() {
            assert_eq!(streamed(&text[..cut], &config, || 7), None, "{cut}");
        }
        let failed = text.strip_suffix('}').unwrap().to_owned() + ",\"Error\":\"System.Exception: at Raven\"}";
        let large = response(&[json!({ "owner": "ann", "text": "x".repeat(70_000) })]);
        let wrong =
            ["{\"Results\":{}}", "{\"Results\":[1]}", "{\"Results\":[\"]}\"]}", "{\"Results\":[[]]}", "<html>", ""];
        for text in [failed.as_str(), large.as_str()].into_iter().chain(wrong) {
            assert_eq!(streamed(text, &config, || 100), None, "{text:.200}");
        }
    }

    #[test]
    fn memory_holds_one_document_at_a_time() {
        let config = config(65_536);
        let mut flow = flow(&config);
        let notes: Vec<Value> = (0..5_000).map(|at| note(at, "ann")).collect();
        let (text, mut most) = (response(&notes), 0);
        for piece in text.as_bytes().chunks(4_096) {
            flow.next(piece, &config, &caller(Some("ann"))).unwrap();
            most = most.max(flow.scanner.capacity());
        }
        assert!(most < 10_000, "{most} bytes for {}", text.len());
    }

    #[test]
    fn what_a_stream_cannot_do_is_refused() {
        let config = config(65_536);
        for (name, body) in
            [("with", json!({})), ("notes", json!({ "PageSize": 5 })), ("notes", json!({ "Parameters": { "a": 1 } }))]
        {
            let query = config.queries.named(name).unwrap();
            let body = read_strict(body.to_string().as_bytes()).unwrap();
            assert!(Stream::read(query, &body).is_err(), "{name}");
        }
    }
}
