//! Uploads piece by piece, commands about attachments, and downloads, from request to response.

use super::Upload;
use crate::gateway::config::Config;
use crate::gateway::config::tests::read;
use crate::gateway::decide::decide;
use crate::gateway::plan::{Call, FollowUp, Forward, Plan, Step, Turn};
use crate::gateway::proofs::caller;
use crate::gateway::proofs::random::Random;
use crate::gateway::refusal::Kind;
use crate::gateway::request::Incoming;
use crate::gateway::response::UpstreamResponse;
use serde_json::{Value, json};

const SAVE: &str = "/databases/Shop/bulk_docs";
const TYPE: &str = "multipart/mixed; boundary=xx";

fn config() -> Config {
    let images = json!({ "maxBytes": 100, "contentTypes": ["image/*", "application/pdf"] });
    read(&json!({
        "database": "Shop",
        "claims": ["name"],
        "collections": {
            "Files": { "allow": ["create", "read", "attach", "readAttachments"], "attachments": images },
            "Notes": { "allow": ["write", "attach", "readAttachments"], "rows": { "owner": "$name" } },
            "Drops": ["create", "attach"],
            "Books": ["write", "readAttachments"],
            "Plain": "write",
        },
        "limits": { "body": 1_024, "upload": 8_192 },
    }))
    .unwrap()
}

fn incoming(method: &str, path: &str, content_type: &str) -> Incoming {
    let headers = vec![("content-type".into(), content_type.into())];
    Incoming { method: method.into(), url: format!("https://me{path}"), headers, body: Vec::new(), is_upload: false }
}

fn put(id: &str, name: &str, content_type: &str) -> Value {
    json!({ "Type": "AttachmentPUT", "Id": id, "Name": name, "ChangeVector": null, "ContentType": content_type })
}

fn document(id: &str, more: Value) -> Value {
    let mut document = json!({ "@metadata": { "@collection": "Files" } });
    document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "Type": "PUT", "Id": id, "ChangeVector": "", "Document": document })
}

/// A save with attachments as a client writes it.
fn multipart(commands: &[Value], contents: &[&[u8]]) -> Vec<u8> {
    let mut body = b"--xx\r\nContent-Type: application/json\r\n\r\n".to_vec();
    body.extend(json!({ "Commands": commands }).to_string().into_bytes());
    for content in contents {
        body.extend(b"\r\n--xx\r\nContent-Type: application/octet-stream\r\n\r\n");
        body.extend(*content);
    }
    body.extend(b"\r\n--xx--\r\n");
    body
}

/// What becomes of a body that arrives in these pieces: the body that is sent, or why it is refused.
fn sent<'a>(pieces: impl Iterator<Item = &'a [u8]>, config: &Config) -> Result<Vec<u8>, Kind> {
    let head = incoming("POST", SAVE, TYPE);
    let mut upload = Upload::of(&head, config, "ours".into()).unwrap().map_err(|refusal| refusal.kind)?;
    let mut pieces = pieces.peekable();
    while !upload.take_commands(pieces.next().ok_or(Kind::Malformed)?).map_err(|refusal| refusal.kind)? {}
    let request = Incoming { body: upload.commands().to_vec(), is_upload: true, ..head };
    let plan = decide(&request, config).map_err(|refusal| refusal.kind)?;
    let Call::Write(write) = &plan.call else { panic!("{plan:?}") };
    upload.permit(&write.contents(config));
    let mut body = upload.opening("COMMANDS").into_bytes();
    body.extend(upload.next(&[]).map_err(|refusal| refusal.kind)?);
    for piece in pieces {
        body.extend(upload.next(piece).map_err(|refusal| refusal.kind)?);
    }
    body.extend(upload.end().map_err(|refusal| refusal.kind)?.into_bytes());
    Ok(body)
}

fn expected(contents: &[&[u8]]) -> Vec<u8> {
    let mut body = b"--ours\r\nContent-Type: application/json\r\n\r\nCOMMANDS".to_vec();
    for content in contents {
        body.extend(b"\r\n--ours\r\nContent-Type: application/octet-stream\r\n\r\n");
        body.extend(*content);
    }
    body.extend(b"\r\n--ours--\r\n");
    body
}

#[test]
fn contents_pass_unchanged_however_they_are_cut() {
    let contents: [&[u8]; 4] = [b"", b"\r\n--x", b"\r\r\n\r\n--\r\n--ours\r\n\r\n", b"{\"Commands\":[]}\r\n-"];
    let names = ["a", "b", "c", "d"];
    let commands: Vec<Value> = names.iter().map(|name| put("files/1", name, "image/png")).collect();
    let body = multipart(&commands, &contents);
    let config = config();
    assert_eq!(sent(body.chunks(body.len()), &config), Ok(expected(&contents)));
    assert_eq!(sent(body.chunks(1), &config), Ok(expected(&contents)));
    let mut random = Random(7);
    for _ in 0..300 {
        let mut rest = &body[..];
        let pieces = core::iter::from_fn(|| {
            let at = (1 + random.below(40)).min(rest.len());
            let (piece, behind) = rest.split_at(at);
            rest = behind;
            (!piece.is_empty()).then_some(piece)
        });
        assert_eq!(sent(pieces, &config), Ok(expected(&contents)));
    }
}

#[test]
fn a_body_that_breaks_off_anywhere_is_never_sent_whole() {
    let body = multipart(&[put("files/1", "a", "image/png"), put("files/1", "b", "image/png")], &[b"first", b"second"]);
    // Only the line break behind the last boundary may be missing.
    for end in 0..body.len() - 2 {
        assert_eq!(sent(body[..end].chunks(9), &config()), Err(Kind::Malformed), "{end} bytes");
    }
    assert!(sent(body[..body.len() - 2].chunks(9), &config()).is_ok());
}

#[test]
fn a_body_that_is_not_commands_and_their_contents_is_refused() {
    let one = [put("files/1", "a", "image/png")];
    let whole = multipart(&one, &[b"x"]);
    let text = String::from_utf8(whole).unwrap();
    for (what, body, kind) in [
        ("a content more", multipart(&one, &[b"x", b"y"]), Kind::Malformed),
        ("a content less", multipart(&one, &[]), Kind::Malformed),
        ("a preamble", [b"x\r\n", text.as_bytes()].concat(), Kind::Malformed),
        ("something behind the end", [text.as_bytes(), b"--xx\r\n\r\nmore"].concat(), Kind::Malformed),
        ("another boundary", text.replace("--xx", "--yy").into_bytes(), Kind::Malformed),
        ("a boundary that goes on", text.replace("\r\n--xx\r\n", "\r\n--xxx\r\n").into_bytes(), Kind::Malformed),
        ("headers without end", text.replace("octet-stream", &"x".repeat(2_000)).into_bytes(), Kind::Malformed),
        ("commands that are too long", multipart(&[put(&"x".repeat(2_000), "a", "")], &[b"x"]), Kind::Limit),
        ("a content that is too large", multipart(&one, &[&[0; 101]]), Kind::Limit),
        ("a request that is too large", multipart(&one, &[&[0; 9_000]]), Kind::Limit),
        ("no attachment to store", multipart(&[document("files/1", json!({}))], &[]), Kind::Malformed),
    ] {
        assert_eq!(sent(body.chunks(64), &config()), Err(kind), "{what}");
    }
    assert!(sent(multipart(&one, &[&[0; 100]]).chunks(64), &config()).is_ok());
}

#[test]
fn a_boundary_must_be_stated_once() {
    for (stated, is_fine) in [
        ("multipart/mixed; boundary=a-b_c.1", true),
        ("Multipart/Mixed;BOUNDARY=\"a b\"", false),
        ("multipart/mixed;boundary=\"ab\"", true),
        ("multipart/mixed", false),
        ("multipart/mixed; boundary=", false),
        ("multipart/mixed; boundary=a; boundary=b", false),
        ("multipart/mixed; boundary=\"a", false),
        ("multipart/mixed; boundary=a\rb", false),
    ] {
        let upload = Upload::of(&incoming("POST", SAVE, stated), &config(), "ours".into()).unwrap();
        assert_eq!(upload.is_ok(), is_fine, "{stated}");
    }
    assert!(Upload::of(&incoming("POST", SAVE, "application/json"), &config(), "ours".into()).is_none());
    let mut zipped = incoming("POST", SAVE, TYPE);
    zipped.headers.push(("content-encoding".into(), "gzip".into()));
    assert!(Upload::of(&zipped, &config(), "ours".into()).unwrap().is_err());
}

fn plan(commands: &[Value]) -> Result<Plan, (Kind, String)> {
    let stores = commands.iter().any(|command| command["Type"] == "AttachmentPUT");
    let body = json!({ "Commands": commands }).to_string().into_bytes();
    let request = Incoming { body, is_upload: stores, ..incoming("POST", SAVE, "application/json") };
    decide(&request, &config()).map_err(|refusal| (refusal.kind, refusal.message))
}

#[test]
fn the_level_that_is_missing_is_named() {
    let other = |kind: &str, id: &str, more: Value| {
        let mut command = json!({ "Type": kind, "Id": id, "Name": "a", "ChangeVector": null });
        command.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        command
    };
    let to = |id: &str| json!({ "DestinationId": id, "DestinationName": "b" });
    for (command, level) in [
        (put("plain/1", "a", ""), "attach"),
        (put("books/1", "a", ""), "attach"),
        (put("secrets/1", "a", ""), "attach"),
        (put("Raven/Hilo/files", "a", ""), "attach"),
        (other("AttachmentDELETE", "books/1", json!({})), "attach"),
        (other("AttachmentMOVE", "books/1", to("books/1")), "attach"),
        (other("AttachmentMOVE", "notes/1", to("books/1")), "attach"),
        (other("AttachmentCOPY", "notes/1", to("books/1")), "attach"),
        (other("AttachmentMOVE", "drops/1", to("drops/1")), "readAttachments"),
        (other("AttachmentCOPY", "drops/1", to("notes/1")), "readAttachments"),
        (other("AttachmentCOPY", "secrets/1", to("notes/1")), "readAttachments"),
    ] {
        let (kind, message) = plan(core::slice::from_ref(&command)).unwrap_err();
        assert_eq!(kind, Kind::Collection, "{command}");
        assert!(message.contains(&format!("does not permit \"{level}\"")), "{command}: {message}");
    }
    for command in [
        put("drops/1", "a", ""),
        other("AttachmentDELETE", "drops/1", json!({})),
        other("AttachmentCOPY", "books/1", to("drops/1")),
        other("AttachmentMOVE", "notes/1", to("notes/2")),
    ] {
        assert!(plan(core::slice::from_ref(&command)).is_ok(), "{command}");
    }
}

#[test]
fn a_command_has_known_members_with_valid_values() {
    let changed = |name: &str, value: Value| {
        let mut command = put("files/1", "a", "image/png");
        command[name] = value;
        command
    };
    for command in [
        changed("Name", json!("")),
        changed("Name", json!(" ")),
        changed("Name", json!("a\u{1e}b")),
        changed("Name", json!("a\r\nb")),
        changed("Name", json!("x".repeat(513))),
        changed("Name", Value::Null),
        changed("ContentType", json!("text/html")),
        changed("ContentType", json!("")),
        changed("ContentType", Value::Null),
        changed("ContentType", json!("image/")),
        changed("ContentType", json!("image/png\r\nSet-Cookie: a")),
        changed("ContentType", json!("image/käse")),
        changed("ContentType", json!(format!("image/{}", "x".repeat(300)))),
        changed("Hash", json!("vd2BPGNCOXIxce8/7phXm5SWTjuxyz5CcmLIwGjVIxk=")),
        changed("FromEtl", json!(true)),
        changed("RemoteParameters", json!({})),
        changed("Document", json!({})),
        changed("ChangeVector", json!("\"")),
        changed("Id", json!("files/")),
        changed("Id", json!("files/../secrets/1")),
        changed("Type", json!("attachmentPUT")),
        json!({ "Type": "AttachmentCOPY", "Id": "notes/1", "Name": "a", "DestinationId": "files/1", "DestinationName": "b" }),
        json!({ "Type": "AttachmentCOPY", "Id": "files/1", "Name": "a", "DestinationId": "files/2", "DestinationName": "" }),
    ] {
        let refusal = plan(core::slice::from_ref(&command));
        assert_eq!(refusal.as_ref().err().map(|(kind, _)| *kind), Some(Kind::Document), "{command}");
    }
    for content_type in ["image/png", "IMAGE/JPEG", "application/pdf; version=1"] {
        assert!(plan(&[put("files/1", "a", content_type)]).is_ok(), "{content_type}");
    }
}

fn forward(plan: &Plan, who: Option<&str>) -> Forward {
    match plan.bind(&Turn::of(&config(), &caller(who))).unwrap() {
        Step::Forward(forward) => forward,
        Step::Response(response) => panic!("{response:?}"),
    }
}

fn after(plan: Plan, who: &str, upstream: &UpstreamResponse) -> Result<Plan, (u16, Value)> {
    match plan.response(&Turn::of(&config(), &caller(Some(who))), upstream) {
        FollowUp::Next(plan) => Ok(plan),
        FollowUp::Response(response) => {
            Err((response.status, serde_json::from_slice(&response.body).unwrap_or(Value::Null)))
        }
    }
}

fn stored(id: &str, collection: &str, owner: &str, hash: &str) -> UpstreamResponse {
    let listed = json!([{ "Name": "a", "Hash": hash, "ContentType": "", "Size": 3 }]);
    let metadata = json!({ "@id": id, "@collection": collection, "@change-vector": "A:5-x", "@attachments": listed });
    let body = json!({ "Results": [{ "owner": owner, "@metadata": metadata }] }).to_string().into_bytes();
    UpstreamResponse { status: 200, headers: Vec::new(), body }
}

#[test]
fn a_stored_document_is_judged_and_expected_to_be_unchanged() {
    let commands = [put("notes/1", "a", ""), put("notes/1", "b", "")];
    let first = plan(&commands).unwrap();
    assert_eq!(forward(&first, Some("ann")).body.unwrap(), r#"{"Ids":["notes/1"]}"#);
    let second = after(first.clone(), "ann", &stored("notes/1", "Notes", "ann", "h")).unwrap();
    let sent = forward(&second, Some("ann"));
    assert!(sent.with_contents);
    let body: Value = serde_json::from_str(&sent.body.unwrap()).unwrap();
    let guard = json!({ "Type": "BatchTrackChanges", "TrackedEntities": { "notes/1": "A:5-x" } });
    assert_eq!(body["Commands"], json!([guard, commands[0], commands[1]]));
    // The result of the guard is not the caller's.
    let result =
        |name: &str| json!({ "Type": "AttachmentPUT", "Id": "notes/1", "Name": name, "Hash": "h", "Secret": 1 });
    let results = json!({ "Results": [{ "Type": "BatchTrackChanges", "Result": 1 }, result("a"), result("b")] });
    let upstream = UpstreamResponse { status: 201, headers: Vec::new(), body: results.to_string().into_bytes() };
    let (status, shown) = after(second.clone(), "ann", &upstream).unwrap_err();
    let names: Vec<&Value> = shown["Results"].as_array().unwrap().iter().map(|result| &result["Name"]).collect();
    assert_eq!((status, names), (201, vec![&json!("a"), &json!("b")]));
    assert!(!shown.to_string().contains("Secret"));
    // A content passes once: a conflict about the guard is the caller's.
    let kind = "Raven.Client.Exceptions.ConcurrencyException";
    let upstream =
        UpstreamResponse { status: 409, headers: Vec::new(), body: json!({ "Type": kind }).to_string().into() };
    assert_eq!(after(second, "ann", &upstream).unwrap_err().0, 409);
    // Documents of others, of other collections, and none look alike.
    let none = UpstreamResponse { status: 404, headers: Vec::new(), body: Vec::new() };
    for upstream in [stored("notes/1", "Notes", "bob", "h"), stored("notes/1", "Secrets", "ann", "h"), none] {
        let (status, error) = after(first.clone(), "ann", &upstream).unwrap_err();
        assert_eq!(status, 500);
        assert!(error["Type"].as_str().unwrap().ends_with("DocumentDoesNotExistException"), "{error}");
    }
}

#[test]
fn a_document_that_the_save_stores_is_not_read() {
    let plan = plan(&[document("files/1", json!({})), put("files/1", "a", "image/png")]).unwrap();
    let sent = forward(&plan, Some("ann"));
    assert!(sent.path.ends_with("/bulk_docs") && sent.with_contents);
    let actions: Vec<&str> = plan.operations.iter().map(|operation| operation.action).collect();
    assert_eq!(actions, ["create", "attach"]);
}

#[test]
fn a_document_lists_no_attachments_of_its_own() {
    let stolen = json!({ "@collection": "Files", "@attachments": [{ "Name": "a", "Hash": "h" }] });
    let plan = plan(&[document("files/1", json!({ "@metadata": stolen }))]).unwrap();
    assert!(!forward(&plan, None).body.unwrap().contains("@attachments"));
}

#[test]
fn an_attachment_is_shown_if_the_document_that_was_judged_has_its_content() {
    let request = incoming("GET", "/databases/Shop/attachments?id=notes%2F1&name=a", "");
    let first = decide(&request, &config()).unwrap();
    assert_eq!((first.operations[0].action, first.operations[0].attachment.as_deref()), ("readAttachments", Some("a")));
    assert!(forward(&first, Some("ann")).path.ends_with("/docs"));
    let second = after(first.clone(), "ann", &stored("notes/1", "Notes", "ann", "h1")).unwrap();
    assert!(forward(&second, Some("ann")).path.ends_with("/attachments?id=notes%2F1&name=a"));
    let content = |hash: &str| {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let headers =
            vec![header("attachment-hash", hash), header("content-type", "text/html"), header("server", "Kestrel")];
        UpstreamResponse { status: 200, headers, body: Vec::new() }
    };
    let Call::Download(download) = &second.call else { panic!("{second:?}") };
    let head = download.begin(&content("h1")).unwrap();
    assert_eq!(head.header("content-type"), Some("text/html"));
    assert_eq!(head.header("content-disposition"), Some("attachment"));
    assert_eq!(head.header("server"), None);
    assert!(head.header("content-security-policy").unwrap().contains("sandbox"));
    // The document has changed hands, and got another content: it is judged again.
    assert!(download.begin(&content("h2")).is_none());
    let third = after(second, "ann", &content("h2")).unwrap();
    assert_eq!(after(third, "ann", &stored("notes/1", "Notes", "bob", "h2")).unwrap_err(), (404, Value::Null));
    assert_eq!(after(first, "bob", &stored("notes/1", "Notes", "ann", "h1")).unwrap_err(), (404, Value::Null));
}

#[test]
fn a_request_for_an_attachment_has_one_id_one_name_and_one_range() {
    let asked = |method: &str, query: &str, range: &str| {
        let mut request = incoming(method, &format!("/databases/Shop/attachments?{query}"), "");
        if !range.is_empty() {
            request.headers.push(("range".into(), range.into()));
        }
        decide(&request, &config()).map(|_| ()).map_err(|refusal| refusal.kind)
    };
    assert_eq!(asked("GET", "id=notes%2F1&name=a", "bytes=0-9"), Ok(()));
    assert_eq!(asked("HEAD", "id=notes%2F1&name=a", "bytes=5-"), Ok(()));
    for (method, query, range, kind) in [
        ("GET", "id=drops%2F1&name=a", "", Kind::Collection),
        ("GET", "id=secrets%2F1&name=a", "", Kind::Collection),
        ("HEAD", "id=plain%2F1&name=a", "", Kind::Collection),
        ("GET", "id=notes%2F1", "", Kind::Malformed),
        ("GET", "name=a", "", Kind::Malformed),
        ("GET", "id=notes%2F1&id=notes%2F2&name=a", "", Kind::Malformed),
        ("GET", "id=notes%2F1&name=a&name=b", "", Kind::Malformed),
        ("GET", "id=notes%2F1&name=a%1Eb", "", Kind::Document),
        ("GET", "id=notes%2F1&name=a&contentType=x", "", Kind::Route),
        ("GET", "id=notes%2F1&name=a", "bytes=0-1,3-4", Kind::Malformed),
        ("GET", "id=notes%2F1&name=a", "bytes=-5", Kind::Malformed),
        ("GET", "id=notes%2F1&name=a", "items=0-1", Kind::Malformed),
        ("POST", "id=notes%2F1&name=a", "", Kind::Route),
        ("PUT", "id=books%2F1&name=a", "", Kind::Collection),
        ("DELETE", "id=books%2F1&name=a", "", Kind::Collection),
        ("PUT", "id=notes%2F1&name=a&hash=h", "", Kind::Route),
    ] {
        assert_eq!(asked(method, query, range), Err(kind), "{method} {query} {range}");
    }
}

#[test]
fn limits_of_a_collection_are_checked_when_the_worker_starts() {
    for (limits, at) in [
        (json!({ "maxBytes": 0 }), "collections.Files.attachments.maxBytes: "),
        (json!({ "maxBytes": "1" }), "collections.Files.attachments.maxBytes: "),
        (json!({ "contentTypes": [] }), "collections.Files.attachments.contentTypes: "),
        (json!({ "contentTypes": ["image"] }), "collections.Files.attachments.contentTypes: "),
        (json!({ "contentTypes": ["*/*"] }), "collections.Files.attachments.contentTypes: "),
        (json!({ "maxbytes": 1 }), "collections.Files.attachments.maxbytes: "),
        (json!([]), "collections.Files.attachments: "),
    ] {
        let error =
            read(&json!({ "database": "x", "collections": { "Files": { "allow": "attach", "attachments": limits } } }));
        assert!(error.as_ref().unwrap_err().starts_with(at), "{error:?}");
    }
    let error = read(&json!({ "database": "x", "collections": { "Files": { "allow": "write", "attachments": {} } } }));
    assert!(error.unwrap_err().contains("level \"attach\""));
}
