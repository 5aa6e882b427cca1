//! Random batches of two callers against a small server whose documents change owners at any moment, also between what the
//! gateway reads and what it writes.
//!
//! The server below implements RavenDB's rules for expected change vectors. The invariants are checked on its documents and on the
//! texts of responses, not by the gateway's own judge.

use super::config::Config;
use super::decide::{Step, decide};
use super::mutation::random::Random;
use super::plan::{Answered, Caller, Forward, Plan};
use super::request::Incoming;
use super::response::{Response, UpstreamResponse};
use super::rows::Claims;
use super::token::Keys;
use raven_edge_authority::json::read_strict;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const IDS: [&str; 4] = ["notes/1", "notes/2", "notes/3", "NOTES/1"];
const CALLERS: [&str; 2] = ["ann", "bob"];

fn config() -> Config {
    super::config::tests::read(&json!({
        "database": "Shop",
        "claims": ["name"],
        "collections": { "Notes": { "allow": "write", "rows": { "owner": "$name" } } },
    }))
    .unwrap()
}

fn caller(name: &str) -> Caller {
    let claims = read_strict(json!({ "name": name }).to_string().as_bytes()).unwrap();
    Caller {
        keys: Keys::new(&["0123456789abcdef0123456789abcdef".into()]).unwrap(),
        upstream: "http://ravendb".into(),
        identity: Some(name.into()),
        claims: Claims::read(&claims, &["name".into()]).unwrap(),
        nonce: 9,
    }
}

/// Documents by folded id: owner and change vector.
#[derive(Clone, Debug, Default, PartialEq)]
struct Server {
    documents: BTreeMap<String, (String, String)>,
    etag: u64,
}

impl Server {
    fn put(&mut self, id: &str, owner: &str) -> String {
        self.etag += 1;
        let vector = format!("A:{}-{owner}", self.etag);
        self.documents.insert(id.to_lowercase(), (owner.into(), vector.clone()));
        vector
    }

    fn answer(&mut self, forward: &Forward) -> UpstreamResponse {
        let body: Value = serde_json::from_str(forward.body.as_deref().unwrap()).unwrap();
        let (status, body) = if forward.path.ends_with("/docs") { (200, self.read(&body)) } else { self.batch(&body) };
        // RavenDB answers so if the only document does not exist.
        if body["Results"] == json!([null]) {
            return UpstreamResponse { status: 404, headers: Vec::new(), body: Vec::new() };
        }
        UpstreamResponse { status, headers: Vec::new(), body: body.to_string().into_bytes() }
    }

    fn read(&self, body: &Value) -> Value {
        let document = |id: &Value| {
            let id = id.as_str().unwrap();
            self.documents.get(&id.to_lowercase()).map(|(owner, vector)| {
                json!({ "owner": owner, "@metadata": { "@id": id, "@collection": "Notes", "@change-vector": vector } })
            })
        };
        json!({ "Results": body["Ids"].as_array().unwrap().iter().map(document).collect::<Vec<_>>(), "Includes": {} })
    }

    fn batch(&mut self, body: &Value) -> (u16, Value) {
        let mut next = self.clone();
        let mut results = Vec::new();
        for command in body["Commands"].as_array().unwrap() {
            match next.command(command) {
                Ok(result) => results.push(result),
                Err(conflict) => return (409, conflict),
            }
        }
        *self = next;
        (201, json!({ "Results": results }))
    }

    fn command(&mut self, command: &Value) -> Result<Value, Value> {
        let id = command["Id"].as_str().unwrap();
        let actual = self.documents.get(&id.to_lowercase()).map(|(_, vector)| vector.clone());
        let expected = command["ChangeVector"].as_str();
        let met = expected.is_none_or(|expected| expected == actual.as_deref().unwrap_or_default());
        if !met {
            let kind = "Raven.Client.Exceptions.ConcurrencyException";
            return Err(json!({ "Type": kind, "Message": actual, "Id": id, "ExpectedChangeVector": expected,
                "ActualChangeVector": actual }));
        }
        if command["Type"] == "DELETE" {
            let deleted = self.documents.remove(&id.to_lowercase()).is_some();
            return Ok(json!({ "Id": id, "Type": "DELETE", "Deleted": deleted }));
        }
        let vector = self.put(id, command["Document"]["owner"].as_str().unwrap());
        Ok(json!({ "Type": "PUT", "@id": id, "@change-vector": vector }))
    }
}

/// Sends the requests of a plan until there is a response.
fn converse(
    mut plan: Plan,
    config: &Config,
    caller: &Caller,
    mut answer: impl FnMut(&Forward) -> UpstreamResponse,
) -> Response {
    loop {
        let forward = match plan.bind(config, caller, None) {
            Ok(Step::Forward(forward)) => forward,
            Ok(Step::Response(response)) => return response,
            Err(refusal) => return refusal.response("/x"),
        };
        match plan.response(config, caller, &answer(&forward), "/x") {
            Answered::Response(response) => return response,
            Answered::Next(next) => plan = next,
        }
    }
}

/// A random batch; vectors are mostly those of the server.
fn batch(random: &mut Random, server: &Server, name: &str) -> Vec<Value> {
    let command = |random: &mut Random| {
        let id = *random.pick(&IDS);
        let stored = server.documents.get(&id.to_lowercase()).map(|(_, vector)| vector.clone());
        let vector = match random.below(4) {
            0 => json!(null),
            1 => json!(""),
            2 => json!("A:999-x"),
            _ => json!(stored),
        };
        // Expecting no document makes no sense for a deletion.
        let vector = |kind: &str| if kind == "DELETE" && vector == json!("") { json!(null) } else { vector.clone() };
        let owner = if random.below(8) == 0 { *random.pick(&CALLERS) } else { name };
        match random.below(3) {
            0 => json!({ "Type": "DELETE", "Id": id, "ChangeVector": vector("DELETE") }),
            _ => json!({ "Type": "PUT", "Id": id, "ChangeVector": vector("PUT"),
                "Document": { "owner": owner, "@metadata": { "@collection": "Notes" } } }),
        }
    };
    (0..1 + random.below(3)).map(|_| command(random)).collect()
}

#[test]
fn nobody_writes_or_sees_the_documents_of_others_whatever_happens_between_read_and_write() {
    let config = config();
    let mut random = Random(4);
    let mut server = Server::default();
    let (mut applied, mut conflicts, mut retried) = (0, 0, 0);
    for round in 0..8_000 {
        let name = *random.pick(&CALLERS);
        let other = CALLERS[usize::from(name == CALLERS[0])];
        let commands = batch(&mut random, &server, name);
        let request = Incoming {
            method: "POST".into(),
            url: "https://app.example/databases/Shop/bulk_docs".into(),
            headers: Vec::new(),
            body: json!({ "Commands": commands }).to_string().into_bytes(),
        };
        let story = format!("round {round}, {name}: {commands:#?}\n{server:#?}");
        let plan = decide(&request, &config).unwrap_or_else(|refusal| panic!("{refusal:?}\n{story}"));
        let mut sent = 0;
        let response = converse(plan, &config, &caller(name), |forward| {
            sent += 1;
            let before = server.clone();
            let upstream = server.answer(forward);
            // What changed is what the caller may write: it was the caller's, or nobody's, and is so now.
            for id in IDS.map(str::to_lowercase) {
                let (was, is) = (before.documents.get(&id), server.documents.get(&id));
                let is_own = |document: Option<&(String, String)>| document.is_none_or(|(owner, _)| owner == name);
                assert!(was == is || is_own(was) && is_own(is), "{id}: {was:?} became {is:?}\n{forward:#?}\n{story}");
            }
            // Somebody else writes between the requests.
            if random.below(3) == 0 {
                let id = *random.pick(&IDS);
                match random.below(2) {
                    0 => drop(server.documents.remove(&id.to_lowercase())),
                    _ => drop(server.put(id, other)),
                }
            }
            upstream
        });
        assert!(sent <= 8, "{sent} requests\n{story}");
        let text = String::from_utf8(response.body).unwrap();
        // The caller may have stated such a vector; the response repeats it.
        let stated: Vec<&str> = commands.iter().filter_map(|command| command["ChangeVector"].as_str()).collect();
        let told = stated.iter().fold(text.clone(), |text, vector| text.replace(&format!("\"{vector}\""), ""));
        assert!(!told.contains(&format!("-{other}")), "the vector of another one's document: {text}\n{story}");
        match response.status {
            201 => {
                let results: Value = serde_json::from_str(&text).unwrap();
                let results = results["Results"].as_array().unwrap();
                assert_eq!(results.len(), commands.len(), "{text}\n{story}");
                for (command, result) in commands.iter().zip(results) {
                    assert_eq!(command["Type"], result["Type"], "{text}\n{story}");
                }
                applied += 1;
            }
            409 => conflicts += 1,
            403 => assert!(commands.iter().any(|command| command["Document"]["owner"] == other), "{text}\n{story}"),
            status => panic!("{status} {text}\n{story}"),
        }
        retried += usize::from(sent > 2);
    }
    println!("law: rows: {applied} applied, {conflicts} conflicts, {retried} tried again");
    assert!(applied > 2_000 && conflicts > 2_000 && retried > 500, "{applied} {conflicts} {retried}");
}

#[test]
fn another_ones_document_and_no_document_have_the_same_response() {
    let config = config();
    let own = |owner: &str| json!({ "owner": owner, "@metadata": { "@collection": "Notes" } });
    for commands in [
        json!([{ "Type": "DELETE", "Id": "notes/1", "ChangeVector": null }]),
        json!([{ "Type": "DELETE", "Id": "notes/1", "ChangeVector": "A:1-x" }]),
        json!([{ "Type": "PUT", "Id": "notes/1", "ChangeVector": "A:1-x", "Document": own("ann") }]),
        json!([{ "Type": "BatchTrackChanges", "TrackedEntities": { "notes/1": "A:1-x" } }]),
        json!([{ "Type": "BatchTrackChanges", "TrackedEntities": { "notes/1": "" } }]),
        json!([{ "Type": "DELETE", "Id": "notes/1", "ChangeVector": "" }]),
    ] {
        let respond = |mut server: Server| {
            let request = Incoming {
                method: "POST".into(),
                url: "https://app.example/databases/Shop/bulk_docs".into(),
                headers: Vec::new(),
                body: json!({ "Commands": commands }).to_string().into_bytes(),
            };
            let plan = decide(&request, &config).unwrap();
            let mut sent = 0;
            let response = converse(plan, &config, &caller("ann"), |forward| {
                sent += 1;
                server.answer(forward)
            });
            (sent, response)
        };
        let mut taken = Server::default();
        taken.put("notes/1", "bob");
        assert_eq!(respond(taken), respond(Server::default()), "{commands}");
    }
}
