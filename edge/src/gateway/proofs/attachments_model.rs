//! Random saves and downloads of attachments by two callers against a small server whose documents change hands at any moment, also
//! between what the gateway reads and what it writes or passes on.
//!
//! The invariants are checked on the documents of that server and on contents that reach the caller, not by the gateway's judge.

use super::caller;
use super::random::Random;
use crate::gateway::config::Config;
use crate::gateway::decide::decide;
use crate::gateway::plan::{Call, FollowUp, Forward, Plan, Step, Turn};
use crate::gateway::request::Incoming;
use crate::gateway::response::UpstreamResponse;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const IDS: [&str; 4] = ["notes/1", "notes/2", "NOTES/1", "notes/3"];
const NAMES: [&str; 2] = ["a", "b"];
const CALLERS: [&str; 2] = ["ann", "bob"];

fn config() -> Config {
    crate::gateway::config::tests::read(&json!({
        "database": "Shop",
        "claims": ["name"],
        "collections": { "Notes": { "allow": ["write", "attach", "readAttachments"], "rows": { "owner": "$name" } } },
    }))
    .unwrap()
}

/// A document; `contents` by name. A content is a number, which is also its hash.
#[derive(Clone, Debug, PartialEq)]
struct Document {
    owner: &'static str,
    vector: u64,
    contents: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default)]
struct Server {
    documents: BTreeMap<String, Document>,
    etag: u64,
    /// Which contents each caller has had in a document of its own.
    had: BTreeMap<(&'static str, u64), ()>,
}

impl Server {
    fn next(&mut self) -> u64 {
        self.etag += 1;
        self.etag
    }

    /// Another client replaces the document, with an attachment that nobody has had.
    fn replace(&mut self, id: &str, owner: &'static str) {
        let (vector, content) = (self.next(), self.next());
        let contents = BTreeMap::from([("a".to_owned(), content)]);
        self.documents.insert(id.to_lowercase(), Document { owner, vector, contents });
        self.remember();
    }

    fn remember(&mut self) {
        for document in self.documents.values() {
            for content in document.contents.values() {
                self.had.insert((document.owner, *content), ());
            }
        }
    }

    fn read(&self, body: &Value) -> UpstreamResponse {
        let document = |id: &Value| {
            let id = id.as_str().unwrap();
            let Some(Document { owner, vector, contents }) = self.documents.get(&id.to_lowercase()) else {
                return Value::Null;
            };
            let listed: Vec<Value> =
                contents.iter().map(|(name, content)| json!({ "Name": name, "Hash": content.to_string() })).collect();
            json!({ "owner": owner, "@metadata": { "@id": id, "@collection": "Notes",
                "@change-vector": format!("A:{vector}-x"), "@attachments": listed } })
        };
        let results: Vec<Value> = body["Ids"].as_array().unwrap().iter().map(document).collect();
        match results[..] {
            [Value::Null] => UpstreamResponse { status: 404, headers: Vec::new(), body: Vec::new() },
            _ => response(200, &json!({ "Results": results, "Includes": {} })),
        }
    }

    fn batch(&mut self, body: &Value) -> UpstreamResponse {
        let mut next = self.clone();
        let mut results = Vec::new();
        for command in body["Commands"].as_array().unwrap() {
            match next.command(command) {
                Ok(result) => results.push(result),
                Err((status, kind)) => return response(status, &json!({ "Type": format!("Raven.{kind}") })),
            }
        }
        *self = next;
        self.remember();
        response(201, &json!({ "Results": results }))
    }

    fn command(&mut self, command: &Value) -> Result<Value, (u16, &'static str)> {
        let text = |name: &str| command[name].as_str().unwrap_or_default().to_lowercase();
        let kind = command["Type"].as_str().unwrap();
        if kind == "BatchTrackChanges" {
            for (id, vector) in command["TrackedEntities"].as_object().unwrap() {
                let actual = self.documents.get(&id.to_lowercase()).map(|found| format!("A:{}-x", found.vector));
                if actual.as_deref() != vector.as_str() {
                    return Err((409, "ConcurrencyException"));
                }
            }
            return Ok(json!({ "Type": kind, "Result": 1 }));
        }
        let (id, name, vector, content) = (text("Id"), text("Name"), self.next(), self.next());
        if kind == "PUT" {
            let actual = self.documents.get(&id).map(|found| format!("A:{}-x", found.vector)).unwrap_or_default();
            if command["ChangeVector"].as_str().is_some_and(|expected| expected != actual) {
                return Err((409, "ConcurrencyException"));
            }
            let owner = CALLERS.into_iter().find(|owner| command["Document"]["owner"] == *owner).unwrap();
            let contents = self.documents.remove(&id).map(|found| found.contents).unwrap_or_default();
            self.documents.insert(id, Document { owner, vector, contents });
        } else if kind == "AttachmentDELETE" {
            if let Some(found) = self.documents.get_mut(&id)
                && found.contents.remove(&name).is_some()
            {
                found.vector = vector;
            }
        } else {
            let moved = match kind {
                "AttachmentPUT" => Some(content),
                _ => self.documents.get(&id).and_then(|found| found.contents.get(&name)).copied(),
            };
            let moved = moved.ok_or((500, "AttachmentDoesNotExistException"))?;
            if kind == "AttachmentMOVE" {
                self.documents.entry(id.clone()).and_modify(|found| {
                    found.contents.remove(&name);
                    found.vector = vector;
                });
            }
            let (to, to_name) =
                if kind == "AttachmentPUT" { (id, name) } else { (text("DestinationId"), text("DestinationName")) };
            let found = self.documents.get_mut(&to).ok_or((500, "DocumentDoesNotExistException"))?;
            found.contents.insert(to_name, moved);
            found.vector = vector;
        }
        Ok(json!({ "Type": kind, "Id": command["Id"], "Name": command["Name"] }))
    }

    fn attachment(&self, path: &str) -> UpstreamResponse {
        let (id, name) = path.split_once("?id=").and_then(|(_, query)| query.split_once("&name=")).unwrap();
        let id = id.replace("%2F", "/").to_lowercase();
        match self.documents.get(&id).and_then(|found| found.contents.get(name)) {
            Some(content) => {
                let headers = vec![("attachment-hash".into(), content.to_string())];
                UpstreamResponse { status: 200, headers, body: Vec::new() }
            }
            None => UpstreamResponse { status: 404, headers: Vec::new(), body: Vec::new() },
        }
    }

    fn respond(&mut self, forward: &Forward) -> UpstreamResponse {
        let body = || serde_json::from_str(forward.body.as_deref().unwrap()).unwrap();
        match forward.path.rsplit('/').next().unwrap() {
            "docs" => self.read(&body()),
            "bulk_docs" => self.batch(&body()),
            _ => self.attachment(&forward.path),
        }
    }
}

fn response(status: u16, body: &Value) -> UpstreamResponse {
    UpstreamResponse { status, headers: Vec::new(), body: body.to_string().into_bytes() }
}

fn command(random: &mut Random, name: &str) -> Value {
    let (id, attachment) = (*random.pick(&IDS), *random.pick(&NAMES));
    let of = |kind: &str| json!({ "Type": kind, "Id": id, "Name": attachment, "ChangeVector": null });
    match random.below(7) {
        0 | 1 => {
            let vector = if random.below(2) == 0 { json!("") } else { json!(null) };
            json!({ "Type": "PUT", "Id": id, "ChangeVector": vector,
                "Document": { "owner": name, "@metadata": { "@collection": "Notes" } } })
        }
        2 | 3 => of("AttachmentPUT"),
        4 => of("AttachmentDELETE"),
        other => {
            let mut command = of(if other == 5 { "AttachmentMOVE" } else { "AttachmentCOPY" });
            command["DestinationId"] = json!(random.pick(&IDS));
            command["DestinationName"] = json!(random.pick(&NAMES));
            command
        }
    }
}

/// A save of one to three commands, or a download.
fn request(random: &mut Random, name: &str) -> Incoming {
    let asked = |method: &str, path: &str, body: Vec<u8>, is_upload: bool| {
        let url = format!("https://app.example/databases/Shop/{path}");
        Incoming { method: method.into(), url, headers: Vec::new(), body, is_upload }
    };
    if random.below(3) == 0 {
        let (id, name) = (random.pick(&IDS).replace('/', "%2F"), random.pick(&NAMES));
        return asked("GET", &format!("attachments?id={id}&name={name}"), Vec::new(), false);
    }
    let commands: Vec<Value> = (0..1 + random.below(3)).map(|_| command(random, name)).collect();
    let stores = commands.iter().any(|command| command["Type"] == "AttachmentPUT");
    asked("POST", "bulk_docs", json!({ "Commands": commands }).to_string().into_bytes(), stores)
}

#[test]
fn nobody_changes_or_reads_the_attachments_of_others_whatever_happens_in_between() {
    let config = config();
    let mut random = Random(11);
    let mut server = Server::default();
    let (mut applied, mut conflicts, mut missing, mut shown, mut again) = (0, 0, 0, 0, 0);
    for round in 0..4_000 {
        let name = *random.pick(&CALLERS);
        let other = CALLERS[usize::from(name == CALLERS[0])];
        let asked = request(&mut random, name);
        let story =
            format!("round {round}, {name}: {} {}\n{server:#?}", asked.url, String::from_utf8_lossy(&asked.body));
        let mut plan: Plan = decide(&asked, &config).unwrap_or_else(|refusal| panic!("{refusal:?}\n{story}"));
        let caller = caller(Some(name));
        let turn = Turn::of(&config, &caller);
        let mut sent = 0;
        loop {
            let forward = match plan.bind(&turn) {
                Ok(Step::Forward(forward)) => forward,
                other => panic!("{other:?}\n{story}"),
            };
            sent += 1;
            assert!(sent <= 8, "{sent} requests\n{story}");
            let before = server.documents.clone();
            let upstream = server.respond(&forward);
            for (id, is) in &server.documents {
                let was = before.get(id);
                let is_own = is.owner == name && was.is_none_or(|was| was.owner == name);
                assert!(was == Some(is) || is_own, "{id}: {was:?} became {is:?}\n{forward:#?}\n{story}");
            }
            if let Call::Download(download) = &plan.call
                && download.is_content()
                && download.begin(&upstream).is_some()
            {
                let content: u64 = upstream.header("attachment-hash").unwrap().parse().unwrap();
                assert!(server.had.contains_key(&(name, content)), "{content} is not {name}'s\n{story}");
                shown += 1;
                break;
            }
            // Somebody else writes between the requests.
            if random.below(3) == 0 {
                let id = *random.pick(&IDS);
                match random.below(3) {
                    0 => drop(server.documents.remove(&id.to_lowercase())),
                    1 => server.replace(id, name),
                    _ => server.replace(id, other),
                }
            }
            match plan.response(&turn, &upstream) {
                FollowUp::Next(next) => {
                    again += usize::from(sent > 2);
                    plan = next;
                }
                FollowUp::Response(response) => {
                    match response.status {
                        201 => applied += 1,
                        409 => conflicts += 1,
                        404 | 500 => missing += 1,
                        502 => {}
                        status => panic!("{status} {}\n{story}", String::from_utf8_lossy(&response.body)),
                    }
                    break;
                }
            }
        }
    }
    println!(
        "law: attachments: {applied} saves, {conflicts} conflicts, {missing} missing, {shown} downloads, {again} again"
    );
    assert!(applied > 400 && conflicts > 200 && missing > 800, "{applied} {conflicts} {missing}");
    assert!(shown > 100 && again > 50, "{shown} {again}");
}
