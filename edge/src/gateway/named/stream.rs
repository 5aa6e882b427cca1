//! Streams of named queries: all results, judged one by one while they arrive. Memory holds one document at a time.

use super::query::NamedQuery;
use crate::gateway::config::Config;
use crate::gateway::plan::{Caller, Forward, Operation};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::Response;
use crate::gateway::visible_documents::is_visible;
use raven_edge::json;
use raven_edge_authority::json::Object;
use std::rc::Rc;

/// The most bytes that RavenDB writes before the first result.
const MAX_HEAD_BYTES: usize = 65_536;

/// The member that RavenDB writes behind the results after a failure.
const ERROR: &[u8] = b"\"Error\"";

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

    /// The request to the server; or the response, if the caller lacks a claim that the query uses.
    pub(crate) fn forward(&self, config: &Config, caller: &Caller) -> Result<Forward, Response> {
        let Some(body) = self.query.body(&self.parameters, caller) else {
            return Err(Response::json(200, "{\"IsStale\":false,\"Results\":[]}".into()));
        };
        Ok(Forward::post(format!("{}/streams/queries", config.base()), body + "}"))
    }

    /// Begins with a response that RavenDB has accepted.
    pub(crate) fn flow(self) -> Flow {
        Flow {
            query: self.query,
            place: Place::Head,
            bytes: Vec::new(),
            scanned: 0,
            depth: 0,
            text: Text::Outside,
            is_first: true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first result.
    Head,
    /// In the array of results.
    Results,
    /// Behind it.
    Tail,
    /// The response is not RavenDB's, or has been cut.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Outside,
    Inside,
    /// Behind a backslash.
    Escaped,
}

/// A stream on its way.
#[derive(Debug)]
pub(crate) struct Flow {
    query: Rc<NamedQuery>,
    place: Place,
    /// What arrived and is not done yet: the head, or the beginning of a document.
    bytes: Vec<u8>,
    /// How many of these were scanned.
    scanned: usize,
    /// Open brackets at that position.
    depth: usize,
    text: Text,
    /// Whether no document was shown yet.
    is_first: bool,
}

impl Flow {
    /// Takes the next bytes of the response; returns what the caller gets of them, `None` if the stream must be cut.
    pub(crate) fn next(&mut self, piece: &[u8], config: &Config, caller: &Caller) -> Option<String> {
        let mut shown = String::new();
        self.bytes.extend_from_slice(piece);
        if self.place == Place::Head {
            self.head(&mut shown)?;
        }
        if self.place == Place::Results {
            self.results(config, caller, &mut shown);
        }
        let most = match self.place {
            Place::Head | Place::Tail => MAX_HEAD_BYTES,
            Place::Results | Place::Broken => config.limits.response,
        };
        if self.place == Place::Broken || self.bytes.len() > most {
            self.place = Place::Broken;
            return None;
        }
        Some(shown)
    }

    /// What the caller gets when the response has ended; `None` if it has not ended where RavenDB ends it.
    pub(crate) fn end(&self) -> Option<&'static str> {
        // After a failure RavenDB closes the array and writes an error behind it.
        let text = core::str::from_utf8(&self.bytes).ok()?.trim();
        let rest = text.strip_prefix(']').unwrap_or_default().trim();
        let has_error = rest.as_bytes().windows(ERROR.len()).any(|part| part == ERROR);
        (self.place == Place::Tail && rest.ends_with('}') && !has_error).then_some("]}")
    }

    /// Reads the members before the results, once all of them are there.
    fn head(&mut self, shown: &mut String) -> Option<()> {
        let mut members = json::members(&self.bytes);
        let (mut is_stale, mut total) = (true, None);
        while let Some(name) = members.key() {
            let at = members.at();
            if name == b"Results" {
                match self.bytes.get(at) {
                    None => return Some(()),
                    Some(b'[') => {}
                    Some(_) => return None,
                }
                shown.push_str(if is_stale { "{\"IsStale\":true" } else { "{\"IsStale\":false" });
                // Readers of streams take the first list for the results, so the collections are not told.
                self.query.push_total(total, shown);
                shown.push_str(",\"Results\":[");
                self.bytes.drain(..=at);
                self.place = Place::Results;
                return Some(());
            }
            let Some(value) = members.value() else { break };
            match name {
                b"IsStale" => is_stale = value != b"false",
                b"TotalResults" => total = json::integer(value),
                _ => {}
            }
        }
        Some(())
    }

    /// Finds where documents end, and shows those that the caller may see.
    fn results(&mut self, config: &Config, caller: &Caller, shown: &mut String) {
        let bytes = core::mem::take(&mut self.bytes);
        let (mut depth, mut text) = (self.depth, self.text);
        let (mut start, mut at) = (0, self.scanned);
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match (text, byte) {
                (Text::Escaped, _) => text = Text::Inside,
                (Text::Inside, b'\\') => text = Text::Escaped,
                (Text::Inside, b'"') => text = Text::Outside,
                (Text::Inside, _) => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
                }
                (Text::Outside, b'"') if depth > 0 => text = Text::Inside,
                (Text::Outside, b'{') => {
                    start = if depth == 0 { at - 1 } else { start };
                    depth += 1;
                }
                (Text::Outside, b'[') if depth > 0 => depth += 1,
                (Text::Outside, b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    if depth == 0 {
                        self.show(bytes.get(start..at).unwrap_or_default(), config, caller, shown);
                        start = at;
                    }
                }
                (Text::Outside, b']') => {
                    self.place = Place::Tail;
                    start = at - 1;
                    break;
                }
                (Text::Outside, b',' | b' ' | b'\n' | b'\r' | b'\t') if depth == 0 => start = at,
                (Text::Outside, _) if depth > 0 => {}
                // Results are objects.
                (Text::Outside, _) => {
                    self.place = Place::Broken;
                    break;
                }
            }
        }
        (self.depth, self.text, self.scanned) = (depth, text, at - start);
        self.bytes = bytes;
        self.bytes.drain(..start);
    }

    fn show(&mut self, document: &[u8], config: &Config, caller: &Caller, shown: &mut String) {
        if is_visible(document, config, caller) && self.query.push_shown(document, self.is_first, shown).is_some() {
            self.is_first = false;
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
            most = most.max(flow.bytes.capacity());
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
