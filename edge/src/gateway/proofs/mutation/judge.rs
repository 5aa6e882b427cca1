//! Checks forwarded requests against the rules. It shares no code with the gateway.

use super::{named_judge, requests::Token};
use crate::gateway::plan::Forward;
use raven_edge::source::server::wire::MOVE_SCRIPT;
use serde_json::Value;
use std::collections::BTreeSet;

/// The tests' collections by tag: those that allow lease and create, read, and change and delete.
const LEASED: [&str; 3] = ["orders", "drafts", "notes"];
const READ: [&str; 3] = ["orders", "products", "notes"];
const CHANGED: [&str; 1] = ["orders"];
/// With rows.
const CHANGED_WITH_ROWS: [&str; 2] = ["orders", "notes"];
const BASE: &str = "/databases/Shop/";

/// The judge knows all tokens that were issued.
pub(super) struct Judge {
    pub(super) tokens: Vec<Token>,
    /// Whether notes have owners, and queries and patches have names.
    pub(super) has_rows: bool,
}

pub(super) type Verdict<T = ()> = Result<T, String>;

impl Judge {
    /// The kind of the request; an error says what is forbidden in it.
    pub(super) fn check(&self, forward: &Forward, identity: Option<&str>) -> Verdict<&'static str> {
        let route = forward.path.strip_prefix(BASE).ok_or("another database")?;
        let (route, query) = route.split_once('?').unwrap_or((route, ""));
        let query = parameters(query)?;
        let body = match &forward.body {
            Some(body) => serde_json::from_str(body).map_err(|error| error.to_string())?,
            None => Value::Null,
        };
        if forward.if_match.as_ref().is_some_and(|vector| vector.contains(['\r', '\n', '"'])) {
            return Err("a header within a header".into());
        }
        match (forward.method, route) {
            ("GET", "hilo/next") => leased(&query, &self.tokens, identity).map(|_| "hilo/next"),
            ("GET", "docs") if query.iter().any(|(name, _)| name == "startsWith") => read(&query).map(|()| "list"),
            ("GET", "docs") if query.last().is_some_and(|(name, _)| name == "metadataOnly") => {
                read(&query).map(|()| "head")
            }
            ("GET", "docs") => read(&query).map(|()| "read"),
            ("POST", "docs") => {
                let ids = body["Ids"].as_array().ok_or("no ids")?;
                ensure(!ids.is_empty() && ids.len() <= 16, "a listing, or too many")?;
                let texts: Vec<String> = ids.iter().map(|id| id.to_string()).collect();
                let paths = query.iter().filter(|(name, _)| name == "include").count();
                bounded(texts.iter().map(String::as_str), paths)?;
                ids.iter().try_for_each(|id| among(text(id)?, &READ))?;
                known(&query, &["include", "metadataOnly"]).map(|()| "read")
            }
            ("PUT", "docs") => {
                let [(name, id)] = &query[..] else { return Err("not one id".into()) };
                ensure(name == "id", "not an id")?;
                self.stored(id, forward.if_match.as_deref(), &body)?;
                self.is_own(id, forward.if_match.as_deref(), &body, identity).map(|()| "put")
            }
            ("DELETE", "docs") => {
                let [(name, id)] = &query[..] else { return Err("not one id".into()) };
                ensure(name == "id", "not an id")?;
                among(id, self.changed())?;
                self.is_own(id, forward.if_match.as_deref(), &Value::Null, identity).map(|()| "delete")
            }
            ("POST", "bulk_docs") => {
                ensure(forward.body.as_ref().is_some_and(|body| body.starts_with("{\"Commands\":[")), "not in order")?;
                ensure(query.is_empty(), "options")?;
                self.batch(&body, identity)
            }
            ("POST", "multi_get") => {
                known(&query, &["nonce"])?;
                self.several(&body, identity)
            }
            ("POST", "queries" | "streams/queries") if self.has_rows => {
                ensure(query.is_empty(), "options")?;
                named_judge::query(&body, route == "queries", identity)
            }
            _ => Err("an unknown route".into()),
        }
    }

    fn changed(&self) -> &'static [&'static str] {
        if self.has_rows { &CHANGED_WITH_ROWS } else { &CHANGED }
    }

    fn stored(&self, id: &str, vector: Option<&str>, document: &Value) -> Verdict {
        among(id, if vector == Some("") { &LEASED } else { self.changed() })?;
        storable(id, document)
    }

    /// The first write of a note expects that there is none, or one of the caller; a new note is the caller's.
    fn is_own(&self, id: &str, vector: Option<&str>, document: &Value, identity: Option<&str>) -> Verdict {
        if !self.has_rows || !id.to_lowercase().starts_with("notes/") {
            return Ok(());
        }
        let name = identity.ok_or("a note of nobody")?;
        ensure(document.is_null() || document["owner"] == name, "another one's new note")?;
        let vector = vector.ok_or("a note without a guard")?;
        ensure(vector.is_empty() || vector == format!("A:1-{name}-Notes"), "another one's stored note")
    }

    fn batch(&self, body: &Value, identity: Option<&str>) -> Verdict<&'static str> {
        ensure(keys(body)? == ["Commands"], "more than commands")?;
        let commands = body["Commands"].as_array().ok_or("no commands")?;
        ensure(!commands.is_empty() && commands.len() <= 8, "too many commands")?;
        let mut kind = "batch";
        let (mut written, mut patched) = (BTreeSet::new(), BTreeSet::new());
        for command in commands {
            let id = command["Id"].as_str().unwrap_or_default();
            let key = id.to_lowercase();
            ensure(!patched.contains(&key), "a command about what a patch has changed")?;
            if command["Type"] != "BatchTrackChanges" && written.insert(key.clone()) {
                self.is_own(id, command["ChangeVector"].as_str(), &command["Document"], identity)?;
            } else if command["Type"] == "PUT" {
                self.is_own(id, Some(""), &command["Document"], identity)?;
            }
            match command["Type"].as_str() {
                Some("PUT") => {
                    ensure(keys(command)? == ["ChangeVector", "Document", "Id", "Type"], "an unknown member")?;
                    let guard = command["ChangeVector"].as_str();
                    // A guard that the gateway has added: the caller did not say that there must be no document.
                    self.stored(id, guard, &command["Document"])?;
                }
                Some("DELETE") => {
                    ensure(keys(command)? == ["ChangeVector", "Id", "Type"], "an unknown member")?;
                    among(id, self.changed())?;
                }
                Some("BatchTrackChanges") => {
                    ensure(keys(command)? == ["TrackedEntities", "Type"], "an unknown member")?;
                    for (id, vector) in command["TrackedEntities"].as_object().ok_or("no entities")? {
                        among(id, &READ)?;
                        if !written.contains(&id.to_lowercase()) {
                            self.is_own(id, vector.as_str(), &Value::Null, identity)?;
                            ensure(!patched.contains(&id.to_lowercase()), "what a patch has changed")?;
                        }
                    }
                }
                Some("PATCH") if self.has_rows && !id.starts_with("Raven/Hilo/") => {
                    kind = "patch";
                    named_judge::patch(command, identity)?;
                    if key.starts_with("notes/") {
                        patched.insert(key);
                    }
                }
                Some("PATCH") => {
                    kind = "return";
                    self.returned(command, identity)?;
                }
                _ => return Err("an unknown command".into()),
            }
        }
        let of_counter = |command: &&Value| {
            command["Type"] == "PATCH" && command["Id"].as_str().is_some_and(|id| id.starts_with("Raven/Hilo/"))
        };
        let patches = commands.iter().filter(of_counter).count();
        ensure(patches == 0 || patches == commands.len(), "a return hides in a batch")?;
        Ok(kind)
    }

    /// A return must be of a range that this caller leased, and only of numbers in that range.
    fn returned(&self, command: &Value, identity: Option<&str>) -> Verdict {
        ensure(keys(command)? == ["ChangeVector", "Id", "Patch", "Type"], "an unknown member")?;
        ensure(command["ChangeVector"].is_null(), "a change vector")?;
        ensure(keys(&command["Patch"])? == ["Script", "Values"], "an unknown member")?;
        ensure(command["Patch"]["Script"] == MOVE_SCRIPT, "another script")?;
        let values = &command["Patch"]["Values"];
        ensure(keys(values)? == ["fence", "high", "last"], "other values")?;
        let (high, last) = (values["high"].as_u64().ok_or("high")?, values["last"].as_u64().ok_or("last")?);
        let tag = text(&command["Id"])?.strip_prefix("Raven/Hilo/").ok_or("no counter")?;
        let fence = text(&values["fence"])?;
        let own = self.tokens.iter().any(|token| {
            token.identity == identity
                && token.tag.eq_ignore_ascii_case(tag)
                && token.fence == fence
                && token.high == high
                && (token.low..=token.high).contains(&(last + 1))
        });
        ensure(own, "nobody's range, or somebody else's")
    }

    fn several(&self, body: &Value, identity: Option<&str>) -> Verdict<&'static str> {
        ensure(keys(body)? == ["Requests"], "more than requests")?;
        let parts = body["Requests"].as_array().ok_or("no requests")?;
        ensure(!parts.is_empty() && parts.len() <= 4, "too many requests")?;
        let mut tag = None;
        let mut kind = "several";
        for part in parts {
            let (method, url) = (text(&part["Method"])?, text(&part["Url"])?);
            let query = parameters(text(&part["Query"])?.strip_prefix('?').unwrap_or_default())?;
            let headers = part.get("Headers").map(Value::to_string);
            let plain = headers.is_none_or(|headers| headers == r#"{"Accept-Encoding":"identity"}"#);
            ensure(plain, "headers within")?;
            match (method, url.strip_prefix(BASE).ok_or("another database")?) {
                ("GET", "hilo/next") => {
                    ensure(parts.len() == 2 && tag.is_none(), "a lease among others")?;
                    tag = Some(leased(&query, &self.tokens, identity)?);
                    kind = "lease";
                }
                ("GET", "docs") => match &tag {
                    Some(tag) => ensure(query == [("id".into(), format!("Raven/Hilo/{tag}"))], "another document")?,
                    None => read(&query)?,
                },
                ("POST", "bulk_docs") => {
                    ensure(parts.len() == 1 && query.is_empty(), "a batch among others")?;
                    ensure(self.batch(&part["Content"], identity)? == "return", "a hidden batch")?;
                    kind = "beacon";
                }
                _ => return Err("an unknown request within".into()),
            }
        }
        Ok(kind)
    }
}

pub(super) fn ensure(holds: bool, what: &str) -> Verdict {
    if holds { Ok(()) } else { Err(what.into()) }
}

pub(super) fn text(value: &Value) -> Verdict<&str> {
    value.as_str().ok_or_else(|| "no text".into())
}

/// The names of an object's members, sorted.
pub(super) fn keys(value: &Value) -> Verdict<Vec<&str>> {
    let mut keys: Vec<&str> = value.as_object().ok_or("no object")?.keys().map(String::as_str).collect();
    keys.sort_unstable();
    Ok(keys)
}

/// Fails unless this is a complete id of one of these tags.
pub(super) fn among(id: &str, tags: &[&str]) -> Verdict {
    let folded = id.to_lowercase();
    let of = tags.iter().find(|tag| folded.starts_with(&format!("{tag}/")) && folded.len() > tag.len() + 1);
    let steps = folded.split('/').any(|part| part == ".." || part == ".");
    let made = folded.ends_with(['/', '|']);
    ensure(of.is_some() && !steps && !made && !folded.chars().any(char::is_control), &format!("the id {id:?}"))
}

fn storable(id: &str, document: &Value) -> Verdict {
    let collection = text(&document["@metadata"]["@collection"])?;
    let tag = id.split('/').next().unwrap_or_default();
    ensure(collection.eq_ignore_ascii_case(tag), "a document of another collection")?;
    let own = keys(&document["@metadata"])?;
    ensure(
        !own.iter().any(|name| ["@id", "@change-vector", "@flags", "Raven-Entity-Name"].contains(name)),
        "the server's metadata",
    )
}

fn leased(query: &[(String, String)], tokens: &[Token], identity: Option<&str>) -> Verdict<String> {
    known(
        query,
        &["tag", "lastBatchSize", "lastRangeAt", "identityPartsSeparator", "lastMax", "incarnation", "nonce"],
    )?;
    let value = |name: &str| query.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_str());
    let tag = value("tag").ok_or("no tag")?;
    ensure(LEASED.iter().any(|known| known.eq_ignore_ascii_case(tag)), "another tag")?;
    let most = if value("lastRangeAt").is_some() { 64 } else { 128 };
    let size: u64 = value("lastBatchSize").unwrap_or("0").parse().map_err(|_| "no size")?;
    ensure(size <= most, "too many numbers")?;
    let folded = tag.to_lowercase();
    if let Some(above) = value("lastMax") {
        let above: u64 = above.parse().map_err(|_| "no number")?;
        let had = |token: &&Token| token.identity == identity && token.tag == folded && token.high >= above;
        ensure(tokens.iter().any(|token| had(&token)), "a counter that is moved")?;
    }
    ensure(value("identityPartsSeparator") == Some("/"), "another separator")?;
    let incarnation = value("incarnation").unwrap_or_default();
    let plain = incarnation.chars().all(|letter| letter.is_ascii_alphanumeric() || "+/=".contains(letter));
    ensure(plain && incarnation.len() <= 64, "no incarnation")?;
    Ok(tag.into())
}

fn read(query: &[(String, String)]) -> Verdict {
    let values =
        |name: &str| query.iter().filter(|(of, _)| of == name).map(|(_, value)| value.as_str()).collect::<Vec<_>>();
    if let [prefix] = values("startsWith")[..] {
        known(query, &["startsWith", "matches", "exclude", "startAfter", "start", "pageSize", "metadataOnly"])?;
        let folded = prefix.to_lowercase();
        ensure(READ.iter().any(|tag| folded.starts_with(&format!("{tag}/"))), "another prefix")?;
        let [page] = values("pageSize")[..] else { return Err("no page".into()) };
        return ensure(page.parse::<u64>().is_ok_and(|page| page <= 50), "a large page");
    }
    known(query, &["id", "include", "metadataOnly"])?;
    let ids = values("id");
    ensure(!ids.is_empty() && ids.len() <= 16, "a listing, or too many")?;
    bounded(ids.iter().copied(), values("include").len())?;
    ids.into_iter().try_for_each(|id| among(id, &READ))
}

/// Fails if a document is asked for twice, or too many includes are to be followed.
fn bounded<'a>(ids: impl Iterator<Item = &'a str>, paths: usize) -> Verdict {
    let (mut count, mut distinct) = (0, BTreeSet::new());
    for id in ids {
        count += 1;
        ensure(distinct.insert(id.to_ascii_lowercase()), "an id that is sent twice")?;
    }
    ensure(count * paths <= 32, "too many includes")
}

/// Fails if a parameter is unknown or occurs twice.
fn known(query: &[(String, String)], names: &[&str]) -> Verdict {
    let once = |name: &str| query.iter().filter(|(of, _)| of == name).count() == 1;
    let several = ["id", "include"];
    let fine = |name: &String| names.contains(&name.as_str()) && (once(name) || several.contains(&name.as_str()));
    ensure(query.iter().all(|(name, _)| fine(name)), "an unknown parameter")
}

/// Reads a query the way any server does.
fn parameters(query: &str) -> Verdict<Vec<(String, String)>> {
    let mut found = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').ok_or("no value")?;
        let mut bytes = Vec::new();
        let mut at = 0;
        while at < value.len() {
            if value.as_bytes()[at] == b'%' {
                bytes.push(u8::from_str_radix(value.get(at + 1..at + 3).ok_or("cut")?, 16).map_err(|_| "no hex")?);
                at += 3;
            } else {
                ensure(value.as_bytes()[at] != b'+', "a blank or a plus")?;
                bytes.push(value.as_bytes()[at]);
                at += 1;
            }
        }
        found.push((name.into(), String::from_utf8(bytes).map_err(|_| "no text")?));
    }
    Ok(found)
}
