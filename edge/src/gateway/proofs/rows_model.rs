//! Random batches of two callers against a small server whose documents change owners at any moment, also between what the
//! gateway reads and what it writes.
//!
//! The server below implements RavenDB's rules for expected change vectors. The invariants are checked on its documents and on the
//! texts of responses, not by the gateway's own judge.

use super::caller;
use super::random::Random;
use crate::gateway::config::Config;
use crate::gateway::decide::decide;
use crate::gateway::plan::{Caller, FollowUp, Forward, Plan, Step, Turn};
use crate::gateway::request::Incoming;
use crate::gateway::response::{Response, UpstreamResponse};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const IDS: [&str; 4] = ["notes/1", "notes/2", "notes/3", "NOTES/1"];
const CALLERS: [&str; 2] = ["ann", "bob"];

fn config() -> Config {
    crate::gateway::config::tests::read(&json!({
        "database": "Shop",
        "claims": ["name"],
        "collections": { "Notes": { "allow": "write", "rows": { "owner": "$name" } } },
        "patches": {
            "touch": { "collection": "Notes", "script": "this.at = 1" },
            "give": { "collection": "Notes", "script": "this.owner = $to", "parameters": { "to": { "type": "string" } } },
        },
    }))
    .unwrap()
}

/// Documents by folded id: owner and change vector.
#[derive(Clone, Debug, Default, PartialEq)]
struct Server {
    documents: BTreeMap<String, (String, String)>,
    etag: u64,
}

impl Server {
    fn put(&mut self, id: &str, owner: &str) -> String {
        self.put_as(id, owner, owner)
    }

    /// `mark`: what the change vector ends with.
    fn put_as(&mut self, id: &str, owner: &str, mark: &str) -> String {
        self.etag += 1;
        let vector = format!("A:{}-{mark}", self.etag);
        self.documents.insert(id.to_lowercase(), (owner.into(), vector.clone()));
        vector
    }

    fn respond(&mut self, forward: &Forward) -> UpstreamResponse {
        let body: Value = serde_json::from_str(forward.body.as_deref().unwrap()).unwrap();
        let (status, body) = if forward.path.ends_with("/docs") { (200, self.read(&body)) } else { self.batch(&body) };
        // This is how RavenDB responds if the only document does not exist.
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
        if command["Type"] == "PATCH" {
            return Ok(self.patch(id, command));
        }
        let vector = self.put(id, command["Document"]["owner"].as_str().unwrap());
        Ok(json!({ "Type": "PUT", "@id": id, "@change-vector": vector }))
    }
}

impl Server {
    fn patch(&mut self, id: &str, command: &Value) -> Value {
        let patch = &command["Patch"];
        let stored = self.documents.get(&id.to_lowercase()).cloned();
        let (status, vector) = match (stored, patch["Script"].as_str()) {
            (None, _) => ("DocumentDoesNotExist", None),
            (Some((owner, _)), Some("this.at = 1")) => ("Patched", Some(self.put(id, &owner))),
            (Some(_), Some("this.owner = $to")) => {
                ("Patched", Some(self.put_as(id, patch["Values"]["to"].as_str().unwrap(), "given")))
            }
            (_, script) => panic!("{script:?}"),
        };
        let document = self
            .documents
            .get(&id.to_lowercase())
            .map(|(owner, _)| json!({ "owner": owner, "@metadata": { "@collection": "Notes" } }));
        let mut result = json!({ "Id": id, "Type": "PATCH", "PatchStatus": status, "ChangeVector": vector,
            "LastModified": "2026-11-24T07:47:30.7092382Z", "Debug": { "Info": ["secret"] } });
        if command["ReturnDocument"] == true {
            result["ModifiedDocument"] = json!(document);
        }
        result
    }
}

/// Sends the requests of a plan until there is a response.
fn converse(
    mut plan: Plan,
    config: &Config,
    caller: &Caller,
    mut respond: impl FnMut(&Forward) -> UpstreamResponse,
) -> Response {
    let turn = Turn::of(config, caller);
    loop {
        let forward = match plan.bind(&turn) {
            Ok(Step::Forward(forward)) => forward,
            Ok(Step::Response(response)) => return response,
            Err(refusal) => return refusal.response("/x"),
        };
        match plan.response(&turn, &respond(&forward)) {
            FollowUp::Response(response) => return response,
            FollowUp::Next(next) => plan = next,
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
        match random.below(4) {
            3 => {
                let mut patch = json!({ "Type": "PATCH", "Id": id, "ChangeVector": vector("DELETE"),
                    "ReturnDocument": random.below(2) == 0, "Named": "touch" });
                if random.below(3) == 0 {
                    patch["Named"] = json!("give");
                    patch["Parameters"] = json!({ "to": random.pick(&CALLERS) });
                }
                patch
            }
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
    let (mut applied, mut conflicts, mut retried, mut patched, mut hidden, mut late) = (0, 0, 0, 0, 0, 0);
    for round in 0..8_000 {
        let name = *random.pick(&CALLERS);
        let other = CALLERS[usize::from(name == CALLERS[0])];
        let commands = batch(&mut random, &server, name);
        let request = batch_of(&json!(commands));
        let story = format!("round {round}, {name}: {commands:#?}\n{server:#?}");
        let plan = match decide(&request, &config) {
            Ok(plan) => plan,
            Err(refusal) => {
                assert!(is_patched_before(&commands), "{refusal:?}\n{story}");
                late += 1;
                continue;
            }
        };
        assert!(!is_patched_before(&commands), "{story}");
        let (mut sent, mut last) = (0, None);
        let response = converse(plan, &config, &caller(Some(name)), |forward| {
            sent += 1;
            if forward.path.ends_with("/bulk_docs") {
                assert_ne!(last, forward.body, "a write that RavenDB has refused is sent again\n{story}");
                last.clone_from(&forward.body);
            }
            let before = server.clone();
            let upstream = server.respond(forward);
            // What changed is what the caller may write: it was the caller's, or nobody's, and is so now.
            for id in IDS.map(str::to_lowercase) {
                let (was, is) = (before.documents.get(&id), server.documents.get(&id));
                let is_own = |document: Option<&(String, String)>| document.is_none_or(|(owner, _)| owner == name);
                let is_given = is.is_some_and(|(_, vector)| vector.ends_with("-given"));
                assert!(
                    was == is || is_own(was) && (is_own(is) || is_given),
                    "{id}: {was:?} became {is:?}\n{forward:#?}\n{story}"
                );
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
        let shown = stated.iter().fold(text.clone(), |text, vector| text.replace(&format!("\"{vector}\""), ""));
        assert!(!shown.contains(&format!("-{other}")), "the vector of another one's document: {text}\n{story}");
        assert!(!text.contains(&format!("\"owner\":\"{other}\"")) && !text.contains("secret"), "{text}\n{story}");
        match response.status {
            201 => {
                let results: Value = serde_json::from_str(&text).unwrap();
                let results = results["Results"].as_array().unwrap();
                assert_eq!(results.len(), commands.len(), "{text}\n{story}");
                for (command, result) in commands.iter().zip(results) {
                    assert_eq!(command["Type"], result["Type"], "{text}\n{story}");
                    patched += usize::from(result["PatchStatus"] == "Patched");
                    hidden += usize::from(
                        result["PatchStatus"] == "Patched"
                            && result["ModifiedDocument"] == Value::Null
                            && command["ReturnDocument"] == true,
                    );
                }
                applied += 1;
            }
            409 => conflicts += 1,
            403 => assert!(commands.iter().any(|command| command["Document"]["owner"] == other), "{text}\n{story}"),
            status => panic!("{status} {text}\n{story}"),
        }
        retried += usize::from(sent > 3);
    }
    println!(
        "law: rows: {applied} applied, {conflicts} conflicts, {retried} tried again, {patched} patched, {hidden} of them \
         hidden then, {late} refused"
    );
    assert!(applied > 2_000 && conflicts > 2_000 && retried > 50, "{applied} {conflicts} {retried}");
    assert!(patched > 250 && hidden > 15 && late > 300, "{patched} {hidden} {late}");
}

#[test]
fn a_write_that_cannot_pass_is_sent_once() {
    let put = |id: &str| {
        json!({ "Type": "PUT", "Id": id, "ChangeVector": null,
            "Document": { "owner": "ann", "@metadata": { "@collection": "Notes" } } })
    };
    for commands in [
        json!([put("notes/1")]),
        json!([{ "Type": "DELETE", "Id": "notes/1", "ChangeVector": null }, put("NOTES/1")]),
        json!([put("notes/1"), put("notes/2")]),
    ] {
        let mut server = Server::default();
        server.put("notes/1", "bob");
        let mut writes = 0;
        let response =
            converse(decide(&batch_of(&commands), &config()).unwrap(), &config(), &caller(Some("ann")), |forward| {
                writes += usize::from(forward.path.ends_with("/bulk_docs"));
                server.respond(forward)
            });
        assert_eq!((response.status, writes), (409, 1), "{commands}");
        assert!(!String::from_utf8(response.body).unwrap().contains("-bob"), "{commands}");
    }
}

fn batch_of(commands: &Value) -> Incoming {
    Incoming {
        method: "POST".into(),
        url: "https://app.example/databases/Shop/bulk_docs".into(),
        headers: Vec::new(),
        body: json!({ "Commands": commands }).to_string().into_bytes(),
        is_upload: false,
    }
}

/// Whether a command is about a document that an earlier one patches.
fn is_patched_before(commands: &[Value]) -> bool {
    let key = |command: &Value| command["Id"].as_str().unwrap().to_lowercase();
    commands.iter().enumerate().any(|(at, command)| {
        commands[..at].iter().any(|before| before["Type"] == "PATCH" && key(before) == key(command))
    })
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
        json!([{ "Type": "PATCH", "Id": "notes/1", "Named": "touch", "ReturnDocument": true }]),
        json!([{ "Type": "PATCH", "Id": "notes/1", "Named": "touch", "ChangeVector": "A:1-x" }]),
        json!([{ "Type": "PATCH", "Id": "notes/1", "Named": "give", "Parameters": { "to": "ann" } }]),
    ] {
        let respond = |mut server: Server| {
            let plan = decide(&batch_of(&commands), &config).unwrap();
            let mut sent = 0;
            let response = converse(plan, &config, &caller(Some("ann")), |forward| {
                sent += 1;
                server.respond(forward)
            });
            (sent, response)
        };
        let mut taken = Server::default();
        taken.put("notes/1", "bob");
        assert_eq!(respond(taken), respond(Server::default()), "{commands}");
    }
}
