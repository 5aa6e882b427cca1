//! Leases of all sources, step by step; returns and fences.

use crate::values::{body, each_damaged, some, text};
use proptest::prelude::*;
use raven_edge::error::{Code, Error};
use raven_edge::http::{NodeId, Repeat, Request, Response};
use raven_edge::source::custom::{CustomSource, ResponseFormat};
use raven_edge::source::document::{Document, SPELLINGS};
use raven_edge::source::server::Server;
use raven_edge::source::{AnySource, Ask, Echo, Exchange, Grant, Return, Size, Source, Step};
use serde_json::{Value, json};

const DATABASE: &str = "My Shop";

#[derive(Clone, Copy, Debug)]
enum Kind {
    Server,
    Document(usize),
    Own { releasable: bool, scoped: bool },
    Classic { capacity: u64 },
}

/// What comes back for a request.
#[derive(Clone, Debug)]
enum Came {
    Response(u16, String),
    /// The executor has given up.
    Failed(Code),
}

fn asks() -> impl Strategy<Value = Ask> {
    let size = prop_oneof![
        Just(Size::Adaptive(None)),
        (1..3_000_000_u64)
            .prop_map(|size| Size::Adaptive(Some(Echo { size, at: "2026-11-21T01:30:36.7602870Z".into() }))),
        (1..3_000_000_u64).prop_map(Size::Exact),
    ];
    let known = (
        prop_oneof![Just(0), 1..100_u64],
        proptest::option::of("A:[0-9]{1,3}-x+ t"),
        proptest::option::of("[a-z/+]{0,4}"),
    );
    (text(), size, known, 0..1_u64 << 53).prop_map(|(tag, size, (above, proof, incarnation), nonce)| Ask {
        tag,
        size,
        above,
        proof: proof.map(String::into_boxed_str),
        incarnation: incarnation.map(String::into_boxed_str),
        nonce,
    })
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        4 => Just(Kind::Server),
        2 => (0..SPELLINGS.len()).prop_map(Kind::Document),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(releasable, scoped)| Kind::Own { releasable, scoped }),
        1 => (1..40_u64).prop_map(|capacity| Kind::Classic { capacity }),
    ]
}

fn source(kind: Kind) -> AnySource {
    match kind {
        Kind::Server => AnySource::Server(Server::new(DATABASE, '/')),
        Kind::Document(at) => AnySource::Document(Document::new(DATABASE, '/', SPELLINGS[at])),
        Kind::Own { releasable, scoped } => {
            AnySource::Custom(CustomSource::new(ResponseFormat::Range { releasable }, scoped, '/'))
        }
        Kind::Classic { capacity } => AnySource::Custom(CustomSource::new(ResponseFormat::Hi { capacity }, true, '/')),
    }
}

/// What each source sends for a lease.
struct Samples {
    lease: Value,
    several: Value,
    read: Value,
    written: Value,
    put: Value,
    range: Value,
    hi: Value,
}

fn samples(ask: &Ask, spelling: &str) -> Samples {
    let low = ask.above + 1;
    let prefix = format!("{}/", ask.tag);
    let lease = json!({
        "Prefix": prefix, "Low": low, "High": low + 31, "LastSize": 32, "ServerTag": "A", "LastRangeAt": "t",
    });
    let document = |id: String| json!({ "Max": low + 31, "@metadata": { "@id": id, "@change-vector": "A:7-x", "@last-modified": "t" } });
    let several = json!({ "Results": [
        { "Result": lease, "StatusCode": 201 },
        { "Result": { "Results": [document(format!("Raven/Hilo/{}", ask.tag))] }, "StatusCode": 200 },
    ] });
    let prefixed = json!({ "ServerPrefix": "North/", "@metadata": { "@id": "raven/serverprefixforhilo" } });
    let patched = json!({ "PatchStatus": "Patched", "ChangeVector": "A:8-x", "LastModified": "t" });
    Samples {
        lease,
        several,
        read: json!({ "Results": [document(format!("{spelling}{}", ask.tag)), prefixed] }),
        written: json!({ "Results": [patched] }),
        put: json!({ "Results": [{ "@change-vector": "A:8-x", "@last-modified": "t" }] }),
        range: json!({ "low": low, "high": low + 9, "nodeTag": "B", "prefix": "o/" }),
        hi: json!({ "hi": 9, "capacity": 7 }),
    }
}

/// Leases whose responses are damaged in every single place.
fn damaged_everywhere() -> Vec<Value> {
    let ask = Ask { tag: "o".into(), size: Size::Adaptive(None), above: 40, proof: None, incarnation: None, nonce: 1 };
    let Samples { lease: plain, several, read, written, put, range, hi } = samples(&ask, SPELLINGS[0]);
    let own = Kind::Own { releasable: true, scoped: true };
    let came = |status: u16, text: &str| Came::Response(status, text.to_owned());
    let mut vectors = Vec::new();
    let mut add = |kind: Kind, before: &[Came], status: u16, value: &Value| {
        for text in each_damaged(value) {
            vectors.push(lease(kind, &ask, &[before, &[came(status, &text)]].concat()));
        }
    };
    add(Kind::Server, &[], 200, &several);
    add(Kind::Server, &[came(404, "")], 201, &plain);
    add(Kind::Document(0), &[], 200, &read);
    add(Kind::Document(0), &[came(200, &read.to_string())], 201, &written);
    add(Kind::Document(0), &[came(200, &read.to_string())], 201, &put);
    add(own, &[], 201, &range);
    // The fence of a gateway.
    for fence in ["AQ-_x", "", "a b"] {
        let sealed = several.to_string().replace("A:7-x", fence);
        vectors.push(lease(Kind::Server, &ask, &[came(200, &sealed)]));
    }
    // A range that is not above what was asked for.
    for above in [41, 72, 100] {
        let above = Ask { above, ..ask.clone() };
        vectors.push(lease(Kind::Server, &above, &[came(200, &several.to_string())]));
        vectors.push(lease(own, &above, &[came(201, &range.to_string())]));
    }
    let mut add = |kind: Kind, before: &[Came], status: u16, value: &Value| {
        for text in each_damaged(value) {
            vectors.push(lease(kind, &ask, &[before, &[came(status, &text)]].concat()));
        }
    };
    add(Kind::Classic { capacity: 7 }, &[], 201, &hi);
    vectors
}

/// Responses that the source might send, damaged or not.
fn responses(kind: Kind, ask: &Ask) -> BoxedStrategy<Came> {
    let spelling = if let Kind::Document(at) = kind { SPELLINGS[at] } else { SPELLINGS[0] };
    let Samples { lease, several, read, written, put, range, hi } = samples(ask, spelling);
    let low = ask.above + 1;
    let inner =
        |status: u16| json!({ "Results": [{ "Result": { "Type": "T", "Message": "m" }, "StatusCode": status }] });
    let refusal = json!({ "Type": "Raven.Client.Exceptions.RouteNotFoundException", "Message": "m" });
    let of = |status: u16, value: Value| body(value).prop_map(move |text| Came::Response(status, text));
    let refused = (proptest::sample::select(&[400_u16, 403, 404, 405, 409, 500, 501, 200, 201][..]), body(refusal))
        .prop_map(|(status, text)| Came::Response(status, text));
    let empty = proptest::sample::select(&[403_u16, 404, 200, 201][..])
        .prop_map(|status| Came::Response(status, String::new()));
    let failed = proptest::sample::select(&[Code::Unreachable, Code::Timeout][..]).prop_map(Came::Failed);
    match kind {
        Kind::Server => prop_oneof![
            6 => of(200, several),
            2 => of(201, lease),
            1 => proptest::sample::select(&[503_u16, 409, 500, 201][..]).prop_map(move |status| Came::Response(200, inner(status).to_string())),
            1 => refused, 1 => empty, 1 => failed,
        ]
        .boxed(),
        Kind::Document(_) => prop_oneof![
            5 => of(200, read), 1 => of(200, json!({ "Results": [null] })), 2 => of(201, written), 1 => of(201, put),
            1 => Just(Came::Response(201, r#"{"Results":[{"PatchStatus":"NotModified"}]}"#.into())),
            1 => refused, 1 => empty, 1 => failed,
        ]
        .boxed(),
        Kind::Own { .. } => prop_oneof![
            5 => of(201, range),
            1 => of(201, json!({ "low": low.to_string(), "high": low + 9 })), 1 => failed,
        ]
        .boxed(),
        Kind::Classic { .. } => prop_oneof![
            2 => of(201, hi), 2 => of(201, json!(9)), 2 => of(201, json!("12")), 1 => failed,
        ]
        .boxed(),
    }
}

fn sent(request: &Request) -> Value {
    let repeat = match request.repeat {
        Repeat::Anywhere => 0,
        Repeat::EachNode => 1,
        Repeat::SameNode => 2,
        Repeat::Never => 3,
    };
    let body = request.body.as_ref().map(|body| String::from_utf8(body.clone()).expect("JSON"));
    let node = request.node.map_or(-1, |node| i64::from(node.0));
    json!({ "method": request.method.name(), "path": request.path, "body": body, "repeat": repeat, "node": node })
}

fn failure(error: &Error) -> Value {
    let refusal = matches!(error.code, Code::Server | Code::Concurrency | Code::ForeignOrigin);
    json!({ "code": error.code.name(), "status": error.status, "message": if refusal { "" } else { &error.message } })
}

fn granted(grant: &Grant) -> Value {
    json!({
        "low": grant.range.low(), "high": grant.range.high(), "prefix": grant.prefix, "nodeTag": grant.tag, "fence": grant.fence,
        "at": grant.echo.as_ref().map(|echo| &echo.at), "incarnation": grant.incarnation, "sealed": grant.is_sealed(), "single": grant.is_single_node(),
    })
}

fn step(step: Step<Box<Grant>>) -> (Value, bool) {
    match step {
        Step::Send(request) => (json!({ "send": sent(&request) }), true),
        Step::Again(request, error) => (json!({ "send": sent(&request), "again": failure(&error) }), true),
        Step::Done(grant) => (json!({ "done": granted(&grant) }), false),
        Step::Fail(error) => (json!({ "fail": failure(&error) }), false),
    }
}

fn came(came: &Came) -> (Value, Result<Box<Response>, Error>) {
    match came {
        Came::Response(status, text) => {
            let incarnation = Some(String::from("i"));
            let body = text.clone().into_bytes();
            let response = Response { status: *status, body, node: NodeId(0), incarnation };
            (json!({ "status": status, "text": text, "incarnation": "i" }), Ok(Box::new(response)))
        }
        Came::Failed(code) => (json!({ "failed": code.name() }), Err(Error::new(*code, "failed"))),
    }
}

/// A lease with what comes back, and each of its steps.
fn lease(kind: Kind, ask: &Ask, script: &[Came]) -> Value {
    let mut exchange = source(kind).lease(ask.clone());
    let (mut inputs, mut expected) = (Vec::new(), Vec::new());
    let (first, mut goes_on) = step(exchange.step(None));
    expected.push(first);
    for each in script {
        if !goes_on {
            break;
        }
        let (input, outcome) = came(each);
        inputs.push(input);
        let next;
        (next, goes_on) = step(exchange.step(Some(outcome)));
        expected.push(next);
    }
    let (exact, last) = match &ask.size {
        Size::Exact(size) => (*size, Value::Null),
        Size::Adaptive(echo) => {
            (0, echo.as_ref().map_or(Value::Null, |echo| json!({ "size": echo.size, "at": echo.at })))
        }
    };
    let source = match kind {
        Kind::Server => json!({ "kind": "server" }),
        Kind::Document(at) => json!({ "kind": "document", "counters": SPELLINGS[at] }),
        Kind::Own { releasable, scoped } => json!({ "kind": "own", "releasable": releasable, "scoped": scoped }),
        Kind::Classic { capacity } => {
            json!({ "kind": "classic", "capacity": capacity, "releasable": false, "scoped": true })
        }
    };
    let ask = json!({
        "tag": ask.tag, "exact": exact, "last": last, "above": ask.above, "proof": ask.proof, "incarnation": ask.incarnation,
        "nonce": ask.nonce,
    });
    json!({ "kind": "lease", "source": source, "ask": ask, "inputs": inputs, "expected": expected })
}

fn returned(items: &[Return], text: &str) -> Value {
    let server = Server::new(DATABASE, '/');
    let response = Response { status: 201, body: text.into(), node: NodeId(0), incarnation: None };
    let applied: Vec<bool> = (0..items.len()).map(|at| server.applied(&response, at)).collect();
    let request = server.give_back(items, NodeId(3));
    let items: Vec<Value> = items
        .iter()
        .map(|item| json!({ "tag": item.tag, "fence": item.fence, "high": item.high, "last": item.last }))
        .collect();
    json!({ "kind": "return", "items": items, "text": text, "expected": { "request": sent(&request), "applied": applied } })
}

fn fences(tag: &str, text: &str) -> Value {
    let server = Server::new(DATABASE, '/');
    let response = Response { status: 200, body: text.into(), node: NodeId(0), incarnation: None };
    let found = server.fence(&response, tag).map(|(max, fence, _)| json!({ "max": max, "fence": fence }));
    let tags = [String::from(tag), String::from("other")];
    let request = server.read(tags.iter().cloned());
    json!({ "kind": "fences", "tags": tags, "text": text, "expected": { "request": sent(&request), "found": found } })
}

pub(crate) fn vectors() -> Vec<Value> {
    let script = (kinds(), asks()).prop_flat_map(|(kind, ask)| {
        let script = proptest::collection::vec(responses(kind, &ask), 1..5);
        (Just(kind), Just(ask), script)
    });
    let mut vectors: Vec<Value> =
        some(1_500, script).iter().map(|(kind, ask, script)| lease(*kind, ask, script)).collect();
    vectors.extend(damaged_everywhere());
    let item = (text(), "[A-Z]:[0-9]-x t", 1..9_000_u64, 0..9_000_u64).prop_map(|(tag, fence, high, last)| Return {
        tag,
        fence,
        high,
        last,
    });
    let results = json!({ "Results": [{ "PatchStatus": "Patched" }, { "PatchStatus": "NotModified" }] });
    vectors.extend(
        some(200, (proptest::collection::vec(item, 1..3), body(results)))
            .iter()
            .map(|(items, text)| returned(items, text)),
    );
    let read = "[a-c]{1,2}".prop_flat_map(|tag| {
        let of = |id: String| json!({ "Max": 64, "@metadata": { "@id": id, "@change-vector": "A:1-x", "@last-modified": "t" } });
        let documents = json!({ "Results": [of("Raven/Hilo/B".into()), null, of(format!("Raven/Hilo/{tag}"))] });
        (Just(tag), body(documents))
    });
    vectors.extend(some(400, read).iter().map(|(tag, text)| fences(tag, text)));
    vectors
}
