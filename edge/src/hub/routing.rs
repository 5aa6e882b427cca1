//! Which requests go to hubs, and to which of them. All others go to RavenDB.

use super::wire::{self, Form, LoanReturn};
use crate::prelude::*;
use js_sys::Array;
use raven_edge::ids::key;
use raven_edge::protocol::path;
use raven_edge_authority::json::{Object, Value, write};
use raven_edge_authority::query::decode;
use wasm_bindgen::prelude::*;

/// A lease for one hub, or returns for one or more hubs.
#[wasm_bindgen]
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HubRoute {
    parts: Vec<Part>,
    /// For each return: the index of its part, and its index within the part.
    backs: Vec<(LoanReturn, usize, usize)>,
    wrapped: bool,
}

/// The request to one hub.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Part {
    /// The tag of the counter.
    tag: String,
    /// A batch of returns; `None` for a lease, whose body is forwarded unchanged.
    batch: Option<String>,
}

/// Where a request goes; `None`: to RavenDB. `target`: path and query, beginning with `/databases/`.
#[wasm_bindgen(js_name = hubRoute)]
#[must_use]
pub fn hub_route(method: &str, target: &str, body: &[u8]) -> Option<HubRoute> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (_, route) = path.strip_prefix(path::DATABASES)?.split_once('/')?;
    match (method, decode(route).to_ascii_lowercase().as_str()) {
        ("GET", path::LEASE) => wire::parse_lease(query, Form::Plain).map(|ask| lease(&ask.tag)),
        // This return has no fence: if it were delivered twice, it would release numbers that another client has by
        // then. It goes to no hub; the numbers are lost, which does no harm.
        ("PUT", path::RETURN) => Some(HubRoute::default()),
        ("POST", path::BATCH) => returns(&wire::parse_object(body)?, false),
        ("POST", path::SEVERAL) => {
            let body = wire::parse_object(body)?;
            match wire::parse_wrapped_lease(&body) {
                Some(ask) => Some(lease(&ask.tag)),
                None => returns(wire::wrapped_batch(&body)?, true),
            }
        }
        _ => None,
    }
}

/// The name of the Durable Object for a counter. Names are folded exactly as RavenDB compares them: if two different
/// counters of RavenDB shared an object, both would get numbers of one of them.
#[wasm_bindgen(js_name = hubName)]
#[must_use]
pub fn hub_name(database: &str, tag: &str) -> String {
    let mut name = String::new();
    write(&mut name, &Value::Array([database, tag].map(|part| Value::String(key::key(part))).into()));
    name
}

fn lease(tag: &str) -> HubRoute {
    HubRoute { parts: vec![Part { tag: key::key(tag), batch: None }], ..HubRoute::default() }
}

/// Splits returns by counter, because each hub is one counter.
fn returns(body: &Object, wrapped: bool) -> Option<HubRoute> {
    let found = wire::parse_returns(body)?;
    let Some(Value::Array(commands)) = body.get("Commands") else { return None };
    let mut tags: Vec<(String, Vec<String>)> = Vec::new();
    let mut backs = Vec::new();
    for (back, command) in found.into_iter().zip(commands) {
        let tag = key::key(&back.tag);
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
    /// The request to each hub: an array of pairs, the counter's tag and the batch. Without a batch the original body is
    /// forwarded; an empty array means that no hub needs the request.
    #[wasm_bindgen(unchecked_return_type = "[tag: string, batch?: string][]")]
    #[must_use]
    pub fn parts(&self) -> Array {
        let pair = |part: &Part| Array::of2(&part.tag.as_str().into(), &part.batch.clone().into());
        self.parts.iter().map(pair).collect()
    }

    /// Combines the hubs' response bodies, in the order of [`HubRoute::parts`]. An empty text stands for a hub that
    /// did not respond: its returns count as refused.
    #[must_use]
    pub fn response(&self, bodies: Vec<String>) -> String {
        let parts: Vec<Option<Object>> = bodies.iter().map(|body| wire::parse_object(body.as_bytes())).collect();
        let result = |(back, part, at): &(LoanReturn, usize, usize)| {
            let results = parts.get(*part)?.as_ref()?.get("Results");
            let Some(Value::Array(results)) = results else { return Some(wire::return_result(back, false)) };
            let mut text = String::new();
            write(&mut text, results.get(*at)?);
            Some(text)
        };
        let refused = |back: &(LoanReturn, usize, usize)| wire::return_result(&back.0, false);
        let results: Vec<String> =
            self.backs.iter().map(|back| result(back).unwrap_or_else(|| refused(back))).collect();
        wire::batch_response(&results, self.wrapped).1
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
    fn leases_and_returns_go_to_hubs() {
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
    fn a_batch_is_split_by_counter_and_its_results_keep_their_order() {
        let sent = batch(&["orders", "lines", "ORDERS"]);
        let route = hub_route("POST", "/databases/x/bulk_docs", sent.as_bytes()).unwrap();
        let [orders, lines] = &route.parts[..] else { panic!("{route:?}") };
        assert_eq!((orders.tag.as_str(), lines.tag.as_str()), ("orders", "lines"));
        assert_eq!(orders.batch.as_deref(), Some(batch(&["orders", "ORDERS"]).as_str()));
        let response = route.response(vec![r#"{"Results":["a","c"]}"#.into(), String::new()]);
        let refused = wire::return_result(&route.backs[1].0, false);
        assert_eq!(response, format!(r#"{{"Results":["a",{refused},"c"]}}"#));
    }
}
