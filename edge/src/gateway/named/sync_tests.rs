use super::sync::Sync;
use crate::gateway::config::Config;
use crate::gateway::config::tests::read;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Step, Turn};
use crate::gateway::proofs::{caller, random::Random};
use crate::gateway::refusal::Refusal;
use crate::gateway::response::{Response, UpstreamResponse};
use crate::gateway::{base64url, id_key};
use raven_edge::offline::sets::{Hashes, Sums, key};
use raven_edge_authority::json::read_strict;
use serde_json::{Value, json};

const KEY: [u8; 16] = [7; 16];

fn config_with(query: &str, more: Value) -> Config {
    let mut config = json!({
        "database": "Shop",
        "claims": ["name"],
        "collections": { "Notes": { "allow": "read", "rows": { "owner": "$name" } }, "Products": "read", "Drafts": "create" },
        "queries": { "notes": { "query": query, "set": true }, "plain": { "query": "from Notes" } },
        "sets": { "all": { "collection": "Notes" } },
        "limits": { "set": 50 },
    });
    for (name, value) in more.as_object().unwrap() {
        config[name] = value.clone();
    }
    read(&config).unwrap()
}

fn config() -> Config {
    config_with("from Notes where owner = $name", json!({}))
}

fn note(at: usize, owner: &str, etag: usize) -> Value {
    json!({ "owner": owner, "@metadata": { "@id": format!("notes/{at}"), "@collection": "Notes",
        "@change-vector": format!("A:{etag}-Xtz") } })
}

/// What RavenDB has: notes, the ETags of collection and query, whether the index is stale.
struct Server {
    notes: Vec<Value>,
    etags: [i64; 2],
    is_stale: bool,
}

fn server(notes: Vec<Value>) -> Server {
    Server { notes, etags: [-7, 9], is_stale: false }
}

fn upstream(body: Value) -> UpstreamResponse {
    UpstreamResponse { status: 200, headers: Vec::new(), body: body.to_string().into_bytes() }
}

fn body(etag: Option<&str>, has: &[(String, String)]) -> Value {
    let mut sums = Sums::default();
    for (id, vector) in has {
        sums.add(Hashes::of(key(&KEY).unwrap(), &id_key::key(id), vector));
    }
    json!({ "Etag": etag, "Key": base64url::encode(&KEY), "Sums": base64url::encode(&sums.write()) })
}

fn sync(config: &Config, name: &str, body: &Value) -> Result<Sync, Refusal> {
    Sync::read(config.queries.named(name).unwrap(), &read_strict(body.to_string().as_bytes()).unwrap())
}

fn forward(sync: &Sync, turn: &Turn<'_>) -> Forward {
    match sync.forward(turn).unwrap() {
        Step::Forward(forward) => forward,
        Step::Response(response) => panic!("{response:?}"),
    }
}

/// A comparison from beginning to end.
fn compared(config: &Config, caller: &Caller, server: &Server, body: &Value) -> Result<Response, Refusal> {
    let sync = sync(config, "notes", body)?;
    let turn = Turn::of(config, caller);
    let asked: Value = serde_json::from_str(forward(&sync, &turn).body.as_deref().unwrap()).unwrap();
    let parts = asked["Requests"].as_array().unwrap().iter().zip(server.etags).map(|(part, etag)| {
        assert_eq!(part["Content"]["PageSize"], 0);
        let result = json!({ "ResultEtag": etag, "NodeTag": "A", "IsStale": server.is_stale, "Results": [] });
        json!({ "StatusCode": 200, "Headers": {}, "Result": result })
    });
    let probed = upstream(json!({ "Results": parts.collect::<Vec<_>>() }));
    let sync = match sync.response(&turn, &probed) {
        FollowUp::Response(response) => return Ok(response),
        FollowUp::Next(sync) => sync,
    };
    assert!(sync.is_stream());
    assert!(forward(&sync, &turn).path.ends_with("/streams/queries"));
    let mut comparison = sync.begin(config);
    let text = json!({ "IsStale": server.is_stale, "Results": server.notes }).to_string();
    // serde_json sorts names: RavenDB writes the results last.
    for piece in text.as_bytes().chunks(37) {
        comparison.next(piece, config, caller)?.unwrap();
    }
    Ok(comparison.end(config, caller)?.unwrap())
}

fn value(response: &Response) -> Value {
    assert_eq!(response.status, 200);
    serde_json::from_slice(&response.body).unwrap()
}

fn etag(config: &Config, caller: &Caller, server: &Server) -> String {
    value(&compared(config, caller, server, &body(None, &[])).unwrap())["Etag"].as_str().unwrap().into()
}

#[test]
fn an_etag_covers_collection_query_claims_caller_and_configuration() {
    let (config, ann, notes) = (config(), caller(Some("ann")), server(vec![note(1, "ann", 1)]));
    let etag = etag(&config, &ann, &notes);
    let is_same = |config: &Config, caller: &Caller, server: &Server| {
        let response = compared(config, caller, server, &body(Some(&etag), &[])).unwrap();
        response.body == br#"{"Same":true}"#
    };
    assert!(is_same(&config, &ann, &notes));
    assert!(!is_same(&config, &ann, &Server { etags: [-8, 9], ..server(vec![]) }), "the collection");
    assert!(!is_same(&config, &ann, &Server { etags: [-7, 8], ..server(vec![]) }), "the query");
    assert!(!is_same(&config, &ann, &Server { is_stale: true, ..server(vec![]) }), "a stale index");
    assert!(!is_same(&config, &caller(Some("bob")), &notes), "the caller");
    let other = Caller { claims: caller(Some("bob")).claims, ..ann.clone() };
    assert!(!is_same(&config, &other, &notes), "the claims");
    let strict = json!({ "Notes": { "allow": "read", "rows": { "owner": "$name", "secret": true } } });
    assert!(!is_same(&config_with("from Notes where owner = $name", json!({ "collections": strict })), &ann, &notes));
    assert!(!is_same(&config_with("from Notes where $name = owner", json!({})), &ann, &notes), "the text");
    let fresh = Caller { nonce: 10, ..ann };
    let again = compared(&config, &fresh, &notes, &body(None, &[])).unwrap();
    let again = value(&again)["Etag"].as_str().unwrap().to_owned();
    assert!(again != etag && again.len() == etag.len());
}

#[test]
fn a_stale_index_gives_no_etag() {
    let notes = Server { is_stale: true, ..server(vec![note(1, "ann", 1)]) };
    let response = value(&compared(&config(), &caller(Some("ann")), &notes, &body(None, &[])).unwrap());
    assert_eq!((&response["IsStale"], &response["Etag"]), (&json!(true), &Value::Null));
    assert_eq!(response["Differing"][0][1], "notes/1");
}

#[test]
fn hidden_documents_and_repeated_ones_change_no_byte() {
    let (config, ann) = (config(), caller(Some("ann")));
    let mut random = Random(11);
    for _ in 0..120 {
        let own: Vec<Value> = (0..random.below(20)).map(|at| note(at, "ann", at + 1)).collect();
        let mut has: Vec<(String, String)> = Vec::new();
        for at in 0..random.below(25) {
            if random.below(4) > 0 {
                let etag = if random.below(4) > 0 { at + 1 } else { 99 };
                has.push((format!("notes/{at}"), format!("A:{etag}-Xtz")));
            }
        }
        let body = body(None, &has);
        let plain = compared(&config, &ann, &server(own.clone()), &body).unwrap();
        let mut more = own.clone();
        for at in 0..random.below(60) {
            let place = random.below(more.len() + 1);
            let hidden = match random.below(3) {
                0 if !own.is_empty() => own[random.below(own.len())].clone(),
                1 => json!({ "owner": "ann", "@metadata": { "@id": format!("drafts/{at}"), "@collection": "Drafts",
                    "@change-vector": "A:1-Xtz" } }),
                _ => note(100 + at, "bob", at),
            };
            more.insert(place, hidden);
        }
        let shown = compared(&config, &ann, &server(more), &body).unwrap();
        assert_eq!(shown, plain);
        let text = String::from_utf8(shown.body).unwrap();
        // All of a bucket that differs, and nothing of others.
        let differing: Value = serde_json::from_str(&text).unwrap();
        for pairs in differing["Differing"].as_array().unwrap() {
            for pair in pairs.as_array().unwrap()[1..].chunks(2) {
                let of = Hashes::of(key(&KEY).unwrap(), pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
                assert_eq!(json!(of.bucket()), pairs[0]);
            }
        }
        let listed = |id: &str, etag: usize| text.contains(&format!("\"{id}\",\"A:{etag}-Xtz\""));
        for (at, _) in own.iter().enumerate() {
            let (id, vector) = (format!("notes/{at}"), format!("A:{}-Xtz", at + 1));
            assert!(has.contains(&(id.clone(), vector)) || listed(&id, at + 1), "{id} {text}");
        }
    }
}

#[test]
fn the_last_version_of_a_document_that_comes_twice_counts() {
    let notes = server(vec![note(1, "ann", 1), note(2, "ann", 2), note(1, "ann", 3)]);
    let has = [("notes/1".to_owned(), "A:3-Xtz".to_owned()), ("notes/2".to_owned(), "A:2-Xtz".to_owned())];
    let response = value(&compared(&config(), &caller(Some("ann")), &notes, &body(None, &has)).unwrap());
    assert_eq!(response["Differing"], json!([]));
}

#[test]
fn visible_documents_are_counted_each_once() {
    let (config, ann) = (config(), caller(Some("ann")));
    let of = |own: usize, hidden: usize, repeated: usize| {
        let mut notes: Vec<Value> = (0..own).map(|at| note(at, "ann", at)).collect();
        notes.extend((0..hidden).map(|at| note(1_000 + at, "bob", at)));
        notes.extend((0..repeated).map(|at| note(at % own, "ann", at % own)));
        compared(&config, &ann, &server(notes), &body(None, &[]))
    };
    assert!(of(50, 500, 500).is_ok());
    assert!(of(51, 0, 0).unwrap_err().message.contains("more than 50 documents"));
    assert!(of(200, 0, 0).is_err());
}

#[test]
fn a_caller_without_a_claim_of_the_query_has_no_results() {
    let config = config();
    let has = [("notes/1".to_owned(), "A:3-Xtz".to_owned())];
    let sync = sync(&config, "notes", &body(None, &has)).unwrap();
    let Ok(Step::Response(response)) = sync.forward(&Turn::of(&config, &caller(None))) else {
        panic!("RavenDB is asked")
    };
    let response = value(&response);
    assert_eq!((&response["IsStale"], &response["Etag"]), (&json!(false), &Value::Null));
    assert_eq!(response["Differing"].as_array().unwrap().len(), 1);
}

#[test]
fn what_cannot_be_a_set_is_refused_at_start() {
    let base = |query: Value, sets: Value| {
        json!({ "database": "Shop", "claims": ["name"], "collections": { "Notes": "read", "Drafts": "create" },
            "queries": { "notes": query }, "sets": sets })
    };
    for (query, error) in [
        (json!({ "query": "from Notes include product", "set": true }), "queries.notes.set: a query that includes"),
        (json!({ "query": "from Notes", "projection": ["at"], "set": true }), "set: a query that has a projection"),
        (json!({ "query": "from Notes where at > now()", "set": true }), "calls now()"),
        (json!({ "query": "from Notes order by random()", "set": true }), "calls random()"),
        (json!({ "query": "from Notes filter a = 1 filter_limit 5", "set": true }), "filter_limit"),
        (json!({ "query": "from Notes where vector.search(a, $name)", "set": true }), "vectors"),
        (json!({ "query": "from Notes", "set": 1 }), "set: must be true or false"),
    ] {
        let found = read(&base(query, json!({}))).unwrap_err();
        assert!(found.contains(error), "{found}");
    }
    let plain = json!({ "query": "from Notes where a > 5 order by at as long", "set": true });
    assert!(read(&base(plain.clone(), json!({ "all": { "collection": "Notes" } }))).is_ok());
    for (sets, error) in [
        (json!({ "notes": { "collection": "Notes" } }), "sets.notes: a query has this name"),
        (json!({ "all": { "collection": "Drafts" } }), "sets.all.collection: "),
        (json!({ "all": { "collection": "Secrets" } }), "sets.all.collection: "),
        (json!({ "all": { "named": "notes" } }), "sets.all.named: is not known"),
        (json!({ "all": "Notes" }), "sets.all: must be an object"),
        (json!([]), "sets: must be an object"),
    ] {
        let found = read(&base(plain.clone(), sets)).unwrap_err();
        assert!(found.contains(error), "{found}");
    }
    assert!(sync(&config(), "plain", &body(None, &[])).is_err());
}
