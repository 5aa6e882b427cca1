//! The configuration: read and validated once; errors name the field.

use super::collections::{Collection, Collections, Right};
use raven_edge::ids::{key, tag};
use raven_edge::protocol::path;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The Worker's configuration, without functions and secrets.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Raw {
    database: String,
    #[serde(default)]
    path: String,
    #[serde(default = "slash")]
    separator: String,
    collections: BTreeMap<String, Rights>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    origins: Vec<String>,
    #[serde(default)]
    credentials: bool,
    #[serde(default)]
    headers: Vec<String>,
}

fn slash() -> String {
    "/".into()
}

/// What callers may do with a collection.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Rights {
    Word(String),
    Words(Vec<String>),
    Full(Full),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Full {
    allow: Words,
    prefix: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Words {
    One(String),
    Several(Vec<String>),
}

/// Limits of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    /// Numbers in a lease.
    pub(crate) range: u64,
    /// Bytes in a body.
    pub(crate) body: usize,
    /// Commands in a batch.
    pub(crate) commands: usize,
    /// Ids in a request.
    pub(crate) ids: usize,
    /// Documents in a listing.
    pub(crate) page: usize,
    /// Requests in a `multi_get`.
    pub(crate) requests: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { range: 1_024, body: 1 << 20, commands: 256, ids: 1_024, page: 256, requests: 32 }
    }
}

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
    /// Limits of one request.
    pub(crate) limits: Limits,
    /// Further origins whose pages may call.
    pub(crate) origins: Vec<String>,
    /// Whether pages of these origins may send cookies.
    pub(crate) credentials: bool,
    /// Further headers that these pages may send, for `authorize`.
    pub(crate) headers: Vec<String>,
}

/// Prefixes of RavenDB's own documents, which no collection may have.
const RESERVED: [&str; 2] = ["raven/", "replication/"];

impl Config {
    /// Reads the configuration from any deserializer; the error names the field.
    pub(crate) fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Self, String>
    where
        D::Error: std::fmt::Display,
    {
        let raw: Raw = serde_path_to_error::deserialize(from).map_err(|error| {
            let path = error.path().to_string();
            if path == "." { error.inner().to_string() } else { format!("{path}: {}", error.inner()) }
        })?;
        Self::new(raw)
    }

    fn new(raw: Raw) -> Result<Self, String> {
        if raw.database.trim().is_empty() || raw.database.chars().any(char::is_control) {
            return Err("database: the name of the database is missing".into());
        }
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
        if !raw.path.is_empty()
            && (!raw.path.starts_with('/') || raw.path.ends_with('/') || !raw.path.chars().all(plain))
        {
            return Err(
                "path: must begin with a slash, not end with one, and contain only plain letters, such as \"/raven\""
                    .into(),
            );
        }
        let separator =
            tag::check_separator(&raw.separator).map_err(|error| format!("separator: {}", error.message))?;
        Ok(Self {
            collections: collections(&raw.collections, separator)?,
            limits: raw.limits.checked()?,
            origins: origins(raw.origins)?,
            headers: headers(raw.headers)?,
            database: raw.database,
            path: raw.path,
            separator,
            credentials: raw.credentials,
        })
    }

    /// `/databases/<database>`, for requests to the server.
    pub(crate) fn base(&self) -> String {
        let mut base = String::from(path::DATABASES);
        raven_edge::http::push_encoded(&mut base, &self.database);
        base
    }
}

impl Limits {
    fn checked(self) -> Result<Self, String> {
        let size = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        for (name, number, least, most) in [
            // RavenDB grants at least 32, whatever the request says.
            ("range", self.range, 32, raven_edge::source::MAX_SIZE),
            ("body", size(self.body), 1_024, 64 << 20),
            ("commands", size(self.commands), 1, 65_536),
            ("ids", size(self.ids), 1, 65_536),
            ("page", size(self.page), 1, 65_536),
            ("requests", size(self.requests), 2, 1_024),
        ] {
            if !(least..=most).contains(&number) {
                return Err(format!("limits.{name}: must be a whole number from {least} to {most}"));
            }
        }
        Ok(self)
    }
}

fn collections(raw: &BTreeMap<String, Rights>, separator: char) -> Result<Collections, String> {
    if raw.is_empty() {
        return Err("collections: name at least one, such as { Orders: \"create\" }".into());
    }
    let mut found: Vec<Collection> = Vec::new();
    for (name, rights) in raw {
        let at = format!("collections.{name}");
        if name.trim().is_empty() || name.starts_with('@') || name.len() > 256 || name.chars().any(char::is_control) {
            return Err(format!("{at}: this cannot be the name of a collection for callers"));
        }
        let (words, prefix) = match rights {
            Rights::Word(word) => (vec![word.clone()], None),
            Rights::Words(words) => (words.clone(), None),
            Rights::Full(Full { allow: Words::One(word), prefix }) => (vec![word.clone()], prefix.clone()),
            Rights::Full(Full { allow: Words::Several(words), prefix }) => (words.clone(), prefix.clone()),
        };
        let prefix = prefix.unwrap_or_else(|| format!("{}{separator}", tag_of(name)));
        check_prefix(&prefix, separator).map_err(|reason| format!("{at}.prefix: {reason}"))?;
        let mut rights = Vec::new();
        for word in &words {
            rights.extend(Right::of_word(word).ok_or_else(|| {
                format!("{at}: \"{word}\" is not a level; use create, read or write, or lease, change or delete")
            })?);
        }
        if rights.is_empty() {
            return Err(format!("{at}: name at least one level"));
        }
        found.push(Collection { name: name.clone(), prefix, rights });
    }
    for one in &found {
        // Ids are compared as RavenDB does: prefixes that RavenDB considers equal must not belong to two collections.
        let begins = |other: &&Collection| other.name != one.name && key::begins(&other.prefix, &one.prefix);
        if let Some(other) = found.iter().find(begins) {
            return Err(format!("collections.{}.prefix: begins with that of {}", other.name, one.name));
        }
    }
    Ok(Collections(found))
}

/// The tag of a collection, by the convention of RavenDB's clients: `Orders` becomes `orders`, but `OrderLines`
/// stays.
fn tag_of(name: &str) -> String {
    if name.chars().filter(char::is_ascii_uppercase).count() <= 1 { name.to_lowercase() } else { name.into() }
}

fn check_prefix(prefix: &str, separator: char) -> Result<(), String> {
    let tag = prefix.strip_suffix(separator).ok_or_else(|| format!("must end with the separator \"{separator}\""))?;
    tag::check(tag, separator).map_err(|error| error.message.to_string())?;
    if RESERVED.iter().any(|reserved| key::begins(prefix, reserved) || key::begins(reserved, prefix)) {
        return Err("ids with this prefix are RavenDB's own".into());
    }
    Ok(())
}

fn origins(raw: Vec<String>) -> Result<Vec<String>, String> {
    for (at, origin) in raw.iter().enumerate() {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://")).unwrap_or_default();
        let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-.:[]".contains(letter);
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
pub(super) mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The configuration of the gateway's tests.
    pub(in super::super) fn config() -> Config {
        read(json!({
            "database": "Shop",
            "path": "/raven",
            "collections": { "Orders": "write", "Drafts": "create", "Products": "read", "Notes": ["create", "read"] },
            "limits": { "range": 128, "commands": 8, "ids": 16, "page": 50, "requests": 4, "body": 4096 },
            "origins": ["https://app.example"],
        }))
        .unwrap()
    }

    fn read(value: Value) -> Result<Config, String> {
        Config::read(value)
    }

    #[test]
    fn a_minimal_configuration_is_valid() {
        let config = read(json!({ "database": "My Shop", "collections": { "Orders": "create" } })).unwrap();
        assert_eq!(config.collections.0[0].prefix, "orders/");
        assert_eq!(config.base(), "/databases/My%20Shop");
        assert_eq!(config.limits, Limits::default());
        let lines = json!({ "database": "x", "separator": "-", "collections": {
            "OrderLines": ["read"], "Käse": { "allow": "read", "prefix": "cheese-" } } });
        let prefixes: Vec<_> = read(lines).unwrap().collections.0.into_iter().map(|of| of.prefix).collect();
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
            let error = read(value_of).unwrap_err();
            assert!(error.contains(named), "{field} {value}: {error}");
        }
        assert!(read(json!({ "database": "x" })).unwrap_err().contains("collections"));
    }
}
