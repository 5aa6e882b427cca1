//! Which requests are for hubs, and for which of them. Everything else is RavenDB's.

use super::wire::{self, Back, Form};
use raven_edge_authority::id::fold;
use raven_edge_authority::json::{Object, Value, write};
use raven_edge_authority::query::decode;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A lease for one hub, or returns for one or more.
#[wasm_bindgen]
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HubRoute {
    parts: Vec<Part>,
    /// For each return its part and its place there.
    backs: Vec<(Back, usize, usize)>,
    wrapped: bool,
}

/// What one hub is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct Part {
    /// The counter.
    tag: String,
    /// A batch of returns; nothing for a lease, which goes on as it came.
    batch: Option<String>,
}

/// Where a request goes: `target` is path and query from `/databases/` on. Nothing: to RavenDB.
#[wasm_bindgen(js_name = hubRoute)]
#[must_use]
pub fn hub_route(method: &str, target: &str, body: &[u8]) -> Option<HubRoute> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (_, route) = path.strip_prefix("/databases/")?.split_once('/')?;
    match (method, decode(route).to_ascii_lowercase().as_str()) {
        ("GET", "hilo/next") => wire::ask(query, Form::Plain).map(|ask| lease(&ask.tag)),
        // Without a fence: delivered twice it would give away what somebody else has by then. Burnt it harms nobody.
        ("PUT", "hilo/return") => Some(HubRoute::default()),
        ("POST", "bulk_docs") => returns(&wire::object(body)?, false),
        ("POST", "multi_get") => {
            let body = wire::object(body)?;
            match wire::ask_in(&body) {
                Some(ask) => Some(lease(&ask.tag)),
                None => returns(wire::batch_in(&body)?, true),
            }
        }
        _ => None,
    }
}

/// The name of the object that is a counter. Names in it are as RavenDB compares them, letter by letter: two counters of
/// RavenDB's in one object would be given the numbers of one.
#[wasm_bindgen(js_name = hubName)]
#[must_use]
pub fn hub_name(database: &str, tag: &str) -> String {
    let mut name = String::new();
    write(&mut name, &Value::Array([database, tag].map(|part| Value::String(fold(part))).into()));
    name
}

fn lease(tag: &str) -> HubRoute {
    HubRoute { parts: vec![Part { tag: fold(tag), batch: None }], ..HubRoute::default() }
}

/// The returns of each counter apart, for a hub is one counter.
fn returns(body: &Object, wrapped: bool) -> Option<HubRoute> {
    let found = wire::backs(body)?;
    let Some(Value::Array(commands)) = body.get("Commands") else { return None };
    let mut tags: Vec<(String, Vec<String>)> = Vec::new();
    let mut backs = Vec::new();
    for (back, command) in found.into_iter().zip(commands) {
        let tag = fold(&back.tag);
        let part = tags.iter().position(|(known, _)| *known == tag).unwrap_or_else(|| {
            tags.push((tag, Vec::new()));
            tags.len() - 1
        });
        let mut text = String::new();
        write(&mut text, command);
        let (_, texts) = tags.get_mut(part)?;
        backs.push((back, part, texts.len()));
        texts.push(text);
    }
    let batch = |texts: Vec<String>| Some(format!(r#"{{"Commands":[{}]}}"#, texts.join(",")));
    let parts = tags.into_iter().map(|(tag, texts)| Part { tag, batch: batch(texts) }).collect();
    Some(HubRoute { parts, backs, wrapped })
}

#[wasm_bindgen]
impl HubRoute {
    /// What each hub is sent: an array of `{ tag, batch }`, without a batch what came; empty: nobody has to hear of it.
    ///
    /// # Errors
    /// Never, for what it is made of.
    pub fn parts(&self) -> Result<JsValue, JsError> {
        Ok(serde_wasm_bindgen::to_value(&self.parts)?)
    }

    /// The body that answers a batch, from those of its parts in their order; of a hub that did not answer (an empty
    /// text) nothing was taken back.
    #[must_use]
    pub fn answer(&self, bodies: Vec<String>) -> String {
        let parts: Vec<Option<Object>> = bodies.iter().map(|body| wire::object(body.as_bytes())).collect();
        let result = |(back, part, at): &(Back, usize, usize)| {
            let results = parts.get(*part)?.as_ref()?.get("Results");
            let Some(Value::Array(results)) = results else { return Some(wire::returned(back, false)) };
            let mut text = String::new();
            write(&mut text, results.get(*at)?);
            Some(text)
        };
        let refused = |back: &(Back, usize, usize)| wire::returned(&back.0, false);
        let results: Vec<String> =
            self.backs.iter().map(|back| result(back).unwrap_or_else(|| refused(back))).collect();
        wire::batch(&results, self.wrapped).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raven_edge::source::Return;
    use raven_edge::source::server::wire::{HILO_PREFIX, return_body};

    fn batch(tags: &[&str]) -> String {
        let back = |tag: &&str| Return { tag: (*tag).into(), fence: "hub:1-x, 2026".into(), high: 8, last: 3 };
        return_body(HILO_PREFIX, &tags.iter().map(back).collect::<Vec<_>>())
    }

    fn tags(method: &str, target: &str, body: &str) -> Option<Vec<String>> {
        let route = hub_route(method, target, body.as_bytes())?;
        Some(route.parts.into_iter().map(|part| part.tag).collect())
    }

    #[test]
    fn leases_and_returns_are_for_hubs() {
        let one = |tag: &str| Some(vec![tag.to_owned()]);
        let lease = r#"{"Requests":[{"Url":"/databases/x/hilo/next","Query":"?tag=Orders","Method":"GET"}]}"#;
        let beacon = format!(
            r#"{{"Requests":[{{"Url":"/databases/x/bulk_docs","Query":"","Method":"POST","Content":{}}}]}}"#,
            batch(&["Orders"])
        );
        for (method, target, body, expected) in [
            ("GET", "/databases/Shop/hilo/next?tag=Orders", "", one("orders")),
            ("GET", "/databases/Shop/HILO/ne%78t?tag=Orders", "", one("orders")),
            ("GET", "/databases/Shop/hilo/next", "", None),
            ("GET", "/databases/Shop/docs?id=Raven/Hilo/orders", "", None),
            ("PUT", "/databases/Shop/hilo/return?tag=orders&end=32&last=1", "", Some(vec![])),
            ("POST", "/databases/Shop/multi_get?nonce=1", lease, one("orders")),
            ("POST", "/databases/Shop/multi_get", &beacon, one("orders")),
            ("POST", "/databases/Shop/multi_get", "{\"Requests\":[]}", None),
            ("POST", "/databases/Shop/multi_get", "no JSON", None),
            ("POST", "/databases/Shop/bulk_docs", &batch(&["Orders"]), one("orders")),
            ("POST", "/databases/Shop/bulk_docs", "{\"Commands\":[]}", None),
            ("POST", "/elsewhere", &batch(&["Orders"]), None),
        ] {
            assert_eq!(tags(method, target, body), expected, "{method} {target} {body}");
        }
    }

    #[test]
    fn a_batch_is_taken_apart_and_put_together_again() {
        let sent = batch(&["orders", "lines", "ORDERS"]);
        let route = hub_route("POST", "/databases/x/bulk_docs", sent.as_bytes()).unwrap();
        let [orders, lines] = &route.parts[..] else { panic!("{route:?}") };
        assert_eq!((orders.tag.as_str(), lines.tag.as_str()), ("orders", "lines"));
        assert_eq!(orders.batch.as_deref(), Some(batch(&["orders", "ORDERS"]).as_str()));
        let answer = route.answer(vec![r#"{"Results":["a","c"]}"#.into(), String::new()]);
        let refused = wire::returned(&route.backs[1].0, false);
        assert_eq!(answer, format!(r#"{{"Results":["a",{refused},"c"]}}"#));
    }
}
