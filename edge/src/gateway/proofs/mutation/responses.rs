//! Responses of the server, with hidden next to visible content.

use super::HIDDEN;
use crate::gateway::plan::{Call, Forward};
use crate::gateway::proofs::random::Random;
use crate::gateway::response::UpstreamResponse;
use serde_json::{Value, json};

/// Whether the caller may see the notes of an owner.
pub(super) type Sees<'a> = &'a dyn Fn(&str) -> bool;

/// Stands in documents that the caller may see.
pub(super) const SHOWN: &str = "VISIBLE";

/// How many documents the server returns for each read of a request; `None` for a listing.
fn documents_of(forward: &Forward) -> Vec<Option<usize>> {
    let in_query = |query: &str| {
        let ids = query.split(['?', '&']).filter(|part| part.starts_with("id=")).count();
        (ids > 0).then_some(ids)
    };
    let body = forward.body.as_deref().and_then(|body| serde_json::from_str::<Value>(body).ok());
    let Some(body) = body else { return vec![in_query(&forward.path)] };
    match (body["Ids"].as_array(), body["Requests"].as_array()) {
        (Some(ids), _) => vec![Some(ids.len())],
        (_, Some(parts)) => parts.iter().map(|part| in_query(part["Query"].as_str().unwrap_or_default())).collect(),
        _ => vec![None],
    }
}

/// A response of the server that contains hidden next to visible content.
pub(super) fn upstream(random: &mut Random, call: &Call, forward: &Forward, sees: Sees<'_>) -> UpstreamResponse {
    let status = *random.pick(&[200, 200, 200, 200, 200, 201, 201, 201, 204, 404, 409, 500, 302]);
    let asked = documents_of(forward);
    let documents = |random: &mut Random, asked: Option<usize>| {
        let wrong = random.below(20) == 0;
        let count = asked.filter(|_| !wrong).unwrap_or_else(|| random.below(4));
        (0..count).map(|_| document(random, sees)).collect::<Vec<_>>().join(",")
    };
    let includes = |random: &mut Random| {
        (0..random.below(3)).map(|at| format!("\"x/{at}\":{}", document(random, sees))).collect::<Vec<_>>().join(",")
    };
    let read = |random: &mut Random, asked: Option<usize>| {
        format!("{{\"Results\":[{}],\"Includes\":{{{}}}}}", documents(random, asked), includes(random))
    };
    let counter = format!(
        "{{\"Results\":[{{\"Max\":64,\"@metadata\":{{\"@change-vector\":\"A:7-{HIDDEN}\",\"@last-modified\":\"{HIDDEN}\"}}}}]}}"
    );
    let grant =
        "{\"Prefix\":\"orders/\",\"Low\":33,\"High\":64,\"LastSize\":32,\"ServerTag\":\"A\",\"LastRangeAt\":\"2026\"}";
    let query = |random: &mut Random| {
        let size = serde_json::from_str::<Value>(forward.body.as_deref().unwrap_or_default());
        let size = size.ok().and_then(|body| body["PageSize"].as_u64()).unwrap_or(9) as usize;
        let count = random.below(size + 1);
        format!(
            "{{\"TotalResults\":12,\"SkippedResults\":0,\"IsStale\":false,\"IndexName\":\"{HIDDEN}\",{}",
            &read(random, Some(count))[1..]
        )
    };
    let patched = format!(
        "{{\"Results\":[{{\"ChangeVector\":\"{HIDDEN}\",\"LastModified\":\"{HIDDEN}\",\"PatchStatus\":\"Patched\"}}]}}"
    );
    let sub = |body: &str, status: u16| {
        format!("{{\"Result\":{body},\"StatusCode\":{status},\"Headers\":{{\"X\":\"{HIDDEN}\"}}}}")
    };
    let body = match (status, call) {
        (409.., _) => format!("{{\"Type\":\"X\",\"Message\":\"{HIDDEN}\",\"Error\":\"{HIDDEN}\"}}"),
        (200, Call::Named(_) | Call::Stream(_)) => query(random),
        (200, Call::Write(_)) if forward.path.ends_with("/docs") => stored(random, forward, sees),
        (201, Call::Write(_)) => written(random, forward, sees),
        (200, Call::Several(_)) => {
            let parts: Vec<_> = asked.iter().map(|asked| sub(&read(random, *asked), 200)).collect();
            format!("{{\"Results\":[{}]}}", parts.join(","))
        }
        (200, Call::Lease(_)) => format!("{{\"Results\":[{},{}]}}", sub(grant, 201), sub(&counter, 200)),
        (200, Call::GiveBack(_)) => format!("{{\"Results\":[{}]}}", sub(&patched, 201)),
        (201, Call::GiveBack(_)) => patched,
        (200 | 201, _) => read(random, asked.first().copied().flatten()),
        _ => HIDDEN.into(),
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let headers = vec![pair("server", HIDDEN), pair("set-cookie", HIDDEN), pair("raven-server-version", HIDDEN)];
    UpstreamResponse { status, headers, body: body.into_bytes() }
}

/// A document that may be seen, or one that only looks like it.
fn document(random: &mut Random, sees: Sees<'_>) -> String {
    if random.below(3) == 0 {
        return note(random, "notes/1-A", sees);
    }
    let visible = "{\"a\":1,\"@metadata\":{\"@collection\":\"Products\",\"@id\":\"products/1-A\"}}";
    let hidden = |metadata: &str| format!("{{\"a\":\"{HIDDEN}\",\"@metadata\":{metadata}}}");
    match random.below(10) {
        0 | 1 => visible.into(),
        2 => hidden("{\"@collection\":\"Secrets\",\"@id\":\"products/1-A\"}"),
        3 => hidden("{\"@collection\":\"Products\",\"@id\":\"secrets/1-A\"}"),
        4 => hidden("{\"@collection\":\"Secrets\",\"@collection\":\"Products\",\"@id\":\"products/1-A\"}"),
        5 => hidden(
            "{\"@collection\":\"Products\",\"@id\":\"products/1-A\"},\"@metadata\":{\"@collection\":\"Secrets\"}",
        ),
        6 => hidden("{\"@id\":\"products/1-A\"}"),
        7 => hidden("\"Products\""),
        8 => hidden("{\"@collection\":\"Drafts\",\"@id\":\"drafts/1-A\"}"),
        _ => "null".into(),
    }
}

/// A note of somebody; another one's is hidden. The change vector names the owner.
fn note(random: &mut Random, id: &str, sees: Sees<'_>) -> String {
    let owner = *random.pick(&["ann", "bob"]);
    let text = if sees(owner) { SHOWN } else { HIDDEN };
    let collection = if random.below(12) == 0 { "Secrets" } else { "Notes" };
    let text = if collection == "Notes" { text } else { HIDDEN };
    json!({ "owner": owner, "text": text, "@metadata": { "@collection": collection, "@id": id,
        "@change-vector": format!("A:1-{owner}-{collection}") } })
    .to_string()
}

/// What the gateway's own read of stored documents finds.
fn stored(random: &mut Random, forward: &Forward, sees: Sees<'_>) -> String {
    let body: Value = serde_json::from_str(forward.body.as_deref().unwrap_or_default()).unwrap();
    let ids = body["Ids"].as_array().unwrap();
    let documents: Vec<String> = ids
        .iter()
        .map(|id| match random.below(4) {
            0 => "null".into(),
            _ => note(random, id.as_str().unwrap(), sees),
        })
        .collect();
    format!("{{\"Results\":[{}],\"Includes\":{{}}}}", documents.join(","))
}

/// The results of a batch; patched documents may belong to anybody.
fn written(random: &mut Random, forward: &Forward, sees: Sees<'_>) -> String {
    let body: Value = serde_json::from_str(forward.body.as_deref().unwrap_or("{}")).unwrap_or_default();
    let Some(commands) = body["Commands"].as_array() else {
        return json!({ "Id": "orders/1-A", "ChangeVector": "A:2-x", "Secret": HIDDEN }).to_string();
    };
    let results: Vec<String> = commands
        .iter()
        .map(|command| {
            let id = command["Id"].as_str().unwrap_or_default();
            format!(
                "{{\"Type\":{},\"Id\":{},\"PatchStatus\":\"Patched\",\"Debug\":\"{HIDDEN}\",\"ModifiedDocument\":{}}}",
                command["Type"],
                json!(id),
                note(random, id, sees)
            )
        })
        .collect();
    format!("{{\"Results\":[{}]}}", results.join(","))
}
