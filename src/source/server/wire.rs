//! The exact texts of lease and return requests, shared by client, authority and gateway.

use alloc::string::String;

use crate::http::push_encoded;
use crate::json::{push_integer, push_string};
use crate::protocol::prefix;
use crate::source::{Ask, MAX_SIZE, Return, Size};

/// The prefix of counter documents' ids: `Raven/Hilo/<tag>`.
pub const HILO_PREFIX: &str = prefix::HILO;

/// The script that changes `Max` of a counter from `high` to `last` under a fence. It is the only PATCH that the authority runs. The
/// gateway forwards it for returns, which lower `Max`; a lease of the source `document` raises it.
///
/// It writes `Max` only while the document is in the state that the fence describes, so every further delivery of the same request
/// results in `NotModified`. The change vector alone is not enough: after an old data folder was restored, another client's lease
/// produces the same change vector again, but at another time.
pub const MOVE_SCRIPT: &str = "const m = getMetadata(this); \
    if (m['@change-vector'] + ' ' + m['@last-modified'] === args.fence && this.Max === args.high) this.Max = args.last";

/// The query of `GET hilo/next`, with its question mark.
pub fn lease_query(ask: &Ask, separator: char) -> String {
    let mut query = String::from("?tag=");
    push_encoded(&mut query, &ask.tag);
    match &ask.size {
        Size::Adaptive(None) => {}
        Size::Adaptive(Some(echo)) => {
            query.push_str("&lastBatchSize=");
            push_integer(&mut query, echo.size);
            query.push_str("&lastRangeAt=");
            push_encoded(&mut query, &echo.at);
        }
        // Without `lastRangeAt` the server uses this size instead of doubling or halving it.
        Size::Exact(size) => {
            query.push_str("&lastBatchSize=");
            push_integer(&mut query, (*size).min(MAX_SIZE));
        }
    }
    query.push_str("&identityPartsSeparator=");
    push_encoded(&mut query, separator.encode_utf8(&mut [0; 4]));
    if ask.above > 0 {
        query.push_str("&lastMax=");
        push_integer(&mut query, ask.above);
        if let Some(proof) = &ask.proof {
            query.push_str("&proof=");
            push_encoded(&mut query, proof);
        }
    }
    if let Some(incarnation) = &ask.incarnation {
        query.push_str("&incarnation=");
        push_encoded(&mut query, incarnation);
    }
    query.push_str("&nonce=");
    push_integer(&mut query, ask.nonce);
    query
}

/// The route of a lease.
const LEASE: &str = "/hilo/next";

/// A sharded RavenDB 7.2 compresses the response of its shard and puts the compressed bytes into the JSON of `multi_get`. This
/// header prevents that.
const UNCOMPRESSED: &str = ",\"Headers\":{\"Accept-Encoding\":\"identity\"}";

/// The body of the `multi_get` that leases a range and reads its fence.
pub fn lease_body(base: &str, ask: &Ask, separator: char) -> String {
    let mut document = String::from("?id=");
    push_encoded(&mut document, HILO_PREFIX);
    push_encoded(&mut document, &ask.tag);
    let mut body = String::from("{\"Requests\":[");
    for (route, query) in [(LEASE, lease_query(ask, separator)), ("/docs", document)] {
        if !body.ends_with('[') {
            body.push(',');
        }
        let mut url = String::from(base);
        url.push_str(route);
        body.push_str("{\"Url\":");
        push_string(&mut body, &url);
        body.push_str(",\"Query\":");
        push_string(&mut body, &query);
        body.push_str(",\"Method\":\"GET\"");
        if route == LEASE {
            body.push_str(UNCOMPRESSED);
        }
        body.push('}');
    }
    body.push_str("]}");
    body
}

/// The body of the `bulk_docs` that returns the ends of several leases: one PATCH per tag, independent of each other. `counters`: the
/// prefix of the counter documents' ids.
pub fn return_body(counters: &str, returns: &[Return]) -> String {
    let mut body = String::from("{\"Commands\":[");
    for (position, item) in returns.iter().enumerate() {
        if position > 0 {
            body.push(',');
        }
        let mut high = String::new();
        push_integer(&mut high, item.high);
        push_move(&mut body, &[counters, &item.tag], &item.fence, &high, item.last);
    }
    body.push_str("]}");
    body
}

/// Appends the command that changes a counter under a fence. `id`: in parts; `high`: `Max` as the document has it, empty if the
/// document has none.
pub(in crate::source) fn push_move(body: &mut String, id: &[&str], fence: &str, high: &str, last: u64) {
    body.push_str("{\"Id\":");
    push_string(body, &id.concat());
    body.push_str(",\"ChangeVector\":null,\"Patch\":{\"Script\":");
    push_string(body, MOVE_SCRIPT);
    body.push_str(",\"Values\":{\"fence\":");
    push_string(body, fence);
    if !high.is_empty() {
        body.push_str(",\"high\":");
        body.push_str(high);
    }
    body.push_str(",\"last\":");
    push_integer(body, last);
    body.push_str("}},\"Type\":\"PATCH\"}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Echo;

    fn ask(size: Size, above: u64) -> Ask {
        Ask { tag: "my orders".into(), size, above, proof: Some("A:1 x".into()), incarnation: None, nonce: 9 }
    }

    #[test]
    fn the_text_of_a_lease() {
        let echo = Echo { size: 64, at: "2026-11-21T01:30:36.7602870Z".into() };
        assert_eq!(
            lease_body("/databases/S%20p", &ask(Size::Adaptive(Some(echo)), 0), '/'),
            r#"{"Requests":[{"Url":"/databases/S%20p/hilo/next","Query":"?tag=my%20orders&lastBatchSize=64&lastRangeAt=2026-11-21T01%3A30%3A36.7602870Z&identityPartsSeparator=%2F&nonce=9","Method":"GET","Headers":{"Accept-Encoding":"identity"}},{"Url":"/databases/S%20p/docs","Query":"?id=Raven%2FHilo%2Fmy%20orders","Method":"GET"}]}"#
        );
        assert_eq!(
            lease_query(&ask(Size::Exact(5_000_000), 77), '-'),
            "?tag=my%20orders&lastBatchSize=1048576&identityPartsSeparator=-&lastMax=77&proof=A%3A1%20x&nonce=9"
        );
        let known = Ask { incarnation: Some("mB/a+w".into()), ..ask(Size::Adaptive(None), 0) };
        assert_eq!(
            lease_query(&known, '/'),
            "?tag=my%20orders&identityPartsSeparator=%2F&incarnation=mB%2Fa%2Bw&nonce=9"
        );
    }

    #[test]
    fn the_text_of_a_return() {
        let item = Return { tag: "o\"1".into(), fence: "A:1-x".into(), high: 32, last: 1 };
        let text = return_body(HILO_PREFIX, &[item.clone(), item]);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let command = serde_json::json!({
            "Id": "Raven/Hilo/o\"1", "ChangeVector": null, "Type": "PATCH",
            "Patch": { "Script": MOVE_SCRIPT, "Values": { "fence": "A:1-x", "high": 32, "last": 1 } }
        });
        assert_eq!(json, serde_json::json!({ "Commands": [command, command] }));
        assert!(text.starts_with("{\"Commands\":["), "bulk_docs wants Commands first: {text}");
    }
}
