//! The configuration: read and validated once; errors name the field.

use super::limits::Limits;
use crate::gateway::attachments::AttachmentLimits;
use crate::gateway::collections::{Collection, Collections, Right};
use crate::gateway::gather::all;
use crate::gateway::id_key;
use crate::gateway::named::{NamedPatch, Patches, Queries};
use crate::gateway::request::has_control;
use crate::gateway::rows::{Rows, declared};
use crate::gateway::token::digest;
use crate::prelude::*;
use raven_edge::ids::tag;
use raven_edge::protocol::path;
use raven_edge_authority::json::{Object, Value, read_strict};

/// A valid configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// The database; callers and the server use the same name.
    pub(crate) database: String,
    /// The path under which the gateway is mounted: empty, or such as `/raven`.
    pub(crate) path: String,
    /// The separator of the parts of an id.
    pub(crate) separator: char,
    /// The collections that callers may use.
    pub(crate) collections: Collections,
    /// The names of the claims that `authorize` may return for a caller.
    pub(crate) claims: Vec<String>,
    /// The named queries.
    pub(crate) queries: Queries,
    /// The named patches.
    pub(crate) patches: Patches,
    /// Limits of one request.
    pub(crate) limits: Limits,
    /// Further origins whose pages may call.
    pub(crate) origins: Vec<String>,
    /// Whether pages of these origins may send cookies.
    pub(crate) credentials: bool,
    /// Further headers that these pages may send, for `authorize`.
    pub(crate) headers: Vec<String>,
    /// Identifies the configuration: what was decided under another one is decided again.
    pub(crate) fingerprint: [u8; 32],
}

/// Prefixes of RavenDB's own documents, which no collection may have.
const RESERVED: [&str; 2] = ["raven/", "replication/"];

/// The members of a configuration.
const MEMBERS: [&str; 12] = [
    "database",
    "path",
    "separator",
    "collections",
    "claims",
    "queries",
    "patches",
    "sets",
    "limits",
    "origins",
    "credentials",
    "headers",
];

impl Config {
    /// Reads the configuration, a JSON object without functions and secrets; the error begins with the field.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let raw = read_strict(text.as_bytes()).map_err(|_| "the configuration is not an object".to_owned())?;
        if let Some(name) = raw.unknown(&MEMBERS) {
            return Err(unknown("", name, &MEMBERS));
        }
        let fingerprint = digest(&[text.as_bytes()]);
        let member = |name| raw.stated(name);
        let text = |name, absent: &str| member(name).map_or(Ok(absent.into()), |value| string(value, name));
        let database = text("database", "")?;
        if database.trim().is_empty() || has_control(&database) {
            return Err("database: the name of the database is missing".into());
        }
        let path = text("path", "")?;
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/');
        if !path.is_empty() && (!path.starts_with('/') || path.ends_with('/') || !path.chars().all(plain)) {
            return Err(
                "path: must begin with a slash, not end with one, and contain only plain letters, such as \"/raven\""
                    .into(),
            );
        }
        let separator =
            tag::check_separator(&text("separator", "/")?).map_err(|error| format!("separator: {}", error.message))?;
        let credentials = flag(member("credentials"), "credentials")?;
        let claims = strings(member("claims"), "claims")?;
        declared(&claims)?;
        let collections = collections(member("collections"), &claims, separator)?;
        let queries = Queries::read(member("queries"), &claims, &collections);
        let queries = queries.map_err(|reason| format!("queries.{reason}"))?;
        let queries = queries.with_sets(member("sets"), &collections)?;
        let patches = Patches::read(member("patches"), &claims, &collections);
        Ok(Self {
            patches: patches.map_err(|reason| format!("patches.{reason}"))?,
            collections,
            claims,
            queries,
            limits: Limits::read(member("limits"))?,
            origins: origins(strings(member("origins"), "origins")?)?,
            headers: headers(strings(member("headers"), "headers")?)?,
            database,
            path,
            separator,
            credentials,
            fingerprint,
        })
    }

    /// The patch with this name, and its collection.
    pub(crate) fn patch(&self, name: &str) -> Option<(&NamedPatch, &Collection)> {
        let patch = self.patches.named(name)?;
        Some((patch, self.collections.named(&patch.collection)?))
    }

    /// `/databases/<database>`, for requests to the server.
    pub(crate) fn base(&self) -> String {
        let mut base = String::from(path::DATABASES);
        raven_edge::http::push_encoded(&mut base, &self.database);
        base
    }
}

pub(crate) fn unknown(path: &str, name: &str, known: &[&str]) -> String {
    format!("{path}{name}: there is no such option; there are {}", known.join(", "))
}

pub(crate) fn object<'a>(value: &'a Value, path: &str) -> Result<&'a Object, String> {
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(format!("{path}: must be an object")),
    }
}

/// Reads a value that is true or false; absent, it is false.
pub(crate) fn flag(value: Option<&Value>, path: &str) -> Result<bool, String> {
    match value {
        None => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(_) => Err(format!("{path}: must be true or false")),
    }
}

fn string(value: &Value, path: &str) -> Result<String, String> {
    value.as_str().map(Into::into).ok_or_else(|| format!("{path}: must be a string"))
}

fn strings(value: Option<&Value>, path: &str) -> Result<Vec<String>, String> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            all(items.iter().enumerate().map(|(at, item)| string(item, &format!("{path}.{at}"))))
        }
        Some(_) => Err(format!("{path}: must be an array of strings")),
    }
}

/// One level, or several.
fn levels(value: &Value, path: &str) -> Result<Vec<String>, String> {
    match value {
        Value::String(word) => Ok(vec![word.clone()]),
        Value::Array(_) => strings(Some(value), path),
        _ => Err(format!("{path}: must be a level such as \"read\", or several")),
    }
}

fn collections(raw: Option<&Value>, claims: &[String], separator: char) -> Result<Collections, String> {
    let none = Value::Object(Object::default());
    let raw = object(raw.unwrap_or(&none), "collections")?;
    if raw.iter().next().is_none() {
        return Err("collections: name at least one, such as { Orders: \"create\" }".into());
    }
    let mut found: Vec<Collection> = Vec::new();
    for (name, rule) in raw.iter() {
        let at = format!("collections.{name}");
        if name.trim().is_empty() || name.starts_with('@') || name.len() > 256 || has_control(name) {
            return Err(format!("{at}: this cannot be the name of a collection for callers"));
        }
        let (words, prefix, rows, attachments) = match rule {
            Value::Object(rule) => {
                const KNOWN: [&str; 4] = ["allow", "prefix", "rows", "attachments"];
                if let Some(name) = rule.unknown(&KNOWN) {
                    return Err(unknown(&format!("{at}."), name, &KNOWN));
                }
                let allow = rule.get("allow").unwrap_or(&Value::Null);
                let prefix = rule.stated("prefix");
                let prefix = prefix.map(|value| string(value, &format!("{at}.prefix"))).transpose()?;
                let rows = rule.stated("rows");
                let rows = rows.map(|value| object(value, &format!("{at}.rows"))).transpose()?;
                let attachments = rule.stated("attachments");
                let attachments = attachments.map(|value| AttachmentLimits::read(value, &format!("{at}.attachments")));
                (levels(allow, &format!("{at}.allow"))?, prefix, rows, attachments.transpose()?)
            }
            rule => (levels(rule, &at)?, None, None, None),
        };
        let prefix = prefix.unwrap_or_else(|| format!("{}{separator}", tag_of(name)));
        check_prefix(&prefix, separator).map_err(|reason| format!("{at}.prefix: {reason}"))?;
        let mut rights = Vec::new();
        for word in &words {
            rights.extend(Right::of_word(word).ok_or_else(|| {
                format!("{at}: \"{word}\" is not a level; use create, read or write, or lease, change, delete, attach or readAttachments")
            })?);
        }
        if rights.is_empty() {
            return Err(format!("{at}: name at least one level"));
        }
        let rows = rows.map(|rows| Rows::read(rows, claims)).transpose();
        let rows = rows.map_err(|reason| format!("{at}.rows.{reason}"))?;
        if attachments.is_some() && !rights.contains(&Right::Attach) {
            return Err(format!("{at}.attachments: limits need the level \"attach\""));
        }
        let attachments = attachments.unwrap_or_default();
        found.push(Collection { name: name.into(), prefix, rights, rows, attachments });
    }
    for one in &found {
        // Ids are compared as RavenDB does: prefixes that RavenDB considers equal must not belong to two collections.
        let begins = |other: &&Collection| other.name != one.name && id_key::begins(&other.prefix, &one.prefix);
        if let Some(other) = found.iter().find(begins) {
            return Err(format!("collections.{}.prefix: begins with that of {}", other.name, one.name));
        }
    }
    Ok(Collections(found))
}

/// The tag of a collection, by the convention of RavenDB's clients: `Orders` becomes `orders`, but `OrderLines`
/// stays.
fn tag_of(name: &str) -> String {
    if name.chars().filter(char::is_ascii_uppercase).count() <= 1 { id_key::lower_case(name) } else { name.into() }
}

fn check_prefix(prefix: &str, separator: char) -> Result<(), String> {
    let tag = prefix.strip_suffix(separator).ok_or_else(|| format!("must end with the separator \"{separator}\""))?;
    tag::check(tag, separator).map_err(|error| error.message.to_string())?;
    if RESERVED.iter().any(|reserved| id_key::begins(prefix, reserved) || id_key::begins(reserved, prefix)) {
        return Err("ids with this prefix are RavenDB's own".into());
    }
    Ok(())
}

fn origins(raw: Vec<String>) -> Result<Vec<String>, String> {
    for (at, origin) in raw.iter().enumerate() {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://")).unwrap_or_default();
        let plain = |letter: char| {
            letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '-' | '.' | ':' | '[' | ']')
        };
        if host.is_empty() || !host.chars().all(plain) {
            return Err(format!("origins.{at}: write an origin as browsers send it, such as \"https://app.example\""));
        }
    }
    Ok(raw)
}

fn headers(raw: Vec<String>) -> Result<Vec<String>, String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    match raw.iter().position(|name| name.is_empty() || !name.chars().all(plain)) {
        Some(at) => Err(format!("headers.{at}: this is not a valid header name")),
        None => Ok(raw),
    }
}

#[cfg(test)]
pub(in crate::gateway) mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The configuration of the gateway's tests.
    pub(in crate::gateway) fn config() -> Config {
        read(&json!({
            "database": "Shop",
            "path": "/raven",
            "collections": { "Orders": "write", "Drafts": "create", "Products": "read", "Notes": ["create", "read"] },
            "limits": { "range": 128, "commands": 8, "ids": 16, "page": 50, "requests": 4, "body": 4096, "includes": 32 },
            "origins": ["https://app.example"],
        }))
        .unwrap()
    }

    pub(in crate::gateway) fn read(value: &Value) -> Result<Config, String> {
        Config::read(&value.to_string())
    }

    #[test]
    fn a_minimal_configuration_is_valid() {
        let config = read(&json!({ "database": "My Shop", "collections": { "Orders": "create" } })).unwrap();
        assert_eq!(config.collections.0[0].prefix, "orders/");
        assert_eq!(config.base(), "/databases/My%20Shop");
        assert_eq!(config.limits, Limits::default());
        let lines = json!({ "database": "x", "separator": "-", "collections": {
            "OrderLines": ["read"], "Käse": { "allow": "read", "prefix": "cheese-" } } });
        let prefixes: Vec<_> = read(&lines).unwrap().collections.0.into_iter().map(|of| of.prefix).collect();
        assert_eq!(prefixes, ["cheese-", "OrderLines-"]);
    }

    #[test]
    fn an_error_names_its_field() {
        let base = json!({ "database": "x", "collections": { "Orders": "read" } });
        for (field, value, named) in [
            ("database", json!(""), "database: "),
            ("database", json!(5), "database: "),
            ("path", json!("raven"), "path: "),
            ("path", json!("/raven/"), "path: "),
            ("path", json!("/a?b"), "path: "),
            ("separator", json!("--"), "separator: "),
            ("collections", json!({}), "collections: "),
            ("collections", json!({ "Orders": "admin" }), "collections.Orders: "),
            ("collections", json!({ "Orders": [] }), "collections.Orders: "),
            ("collections", json!({ "Orders": 5 }), "collections.Orders: "),
            ("collections", json!({ "@hilo": "read" }), "collections.@hilo: "),
            ("collections", json!({ "X": { "allow": "read", "prefix": "Raven/Hilo/" } }), "collections.X.prefix: "),
            ("collections", json!({ "X": { "allow": "read", "prefix": "RAVEN/" } }), "collections.X.prefix: "),
            ("collections", json!({ "X": { "allow": "read", "prefix": "x" } }), "collections.X.prefix: "),
            ("collections", json!({ "X": { "allow": "read", "prefix": "/" } }), "collections.X.prefix: "),
            ("collections", json!({ "X": { "allow": "read", "prefx": "x/" } }), "collections.X"),
            (
                "collections",
                json!({ "A": "read", "B": { "allow": "read", "prefix": "A/b/" } }),
                "collections.B.prefix: ",
            ),
            (
                "collections",
                json!({ "A": { "allow": "write", "prefix": "Ähren/" }, "B": { "allow": "read", "prefix": "ähren/" } }),
                "collections.B.prefix: ",
            ),
            ("claims", json!(["a b"]), "claims.0: "),
            ("claims", json!("name"), "claims: "),
            (
                "collections",
                json!({ "X": { "allow": "read", "rows": { "owner": "$name" } } }),
                "collections.X.rows.owner: ",
            ),
            ("collections", json!({ "X": { "allow": "read", "rows": {} } }), "collections.X.rows.name at least"),
            ("queries", json!({ "all": { "query": "select 1" } }), "queries.all.query: must begin"),
            ("limits", json!({ "range": 31 }), "limits.range: "),
            ("limits", json!({ "range": 2_000_000 }), "limits.range: "),
            ("limits", json!({ "commands": 0 }), "limits.commands: "),
            ("limits", json!({ "body": -1 }), "limits.body: "),
            ("limits", json!({ "rnage": 64 }), "limits"),
            ("origins", json!(["*"]), "origins.0: "),
            ("origins", json!(["https://a", "null"]), "origins.1: "),
            ("origins", json!(["https://a/"]), "origins.0: "),
            ("origins", json!(["https://u@a"]), "origins.0: "),
            ("headers", json!(["a b"]), "headers.0: "),
            ("credentials", json!("yes"), "credentials: "),
            ("colections", json!({}), "colections"),
        ] {
            let mut value_of = base.clone();
            value_of[field] = value.clone();
            let error = read(&value_of).unwrap_err();
            assert!(error.contains(named), "{field} {value}: {error}");
        }
        assert!(read(&json!({ "database": "x" })).unwrap_err().contains("collections"));
    }
}
