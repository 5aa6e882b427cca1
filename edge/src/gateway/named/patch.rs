//! Named patches: script and collection stay in the Worker; callers send an id, a name and declared parameters.

use super::bound;
use super::parameters::Parameters;
use crate::gateway::collections::{Collection, Collections};
use crate::gateway::gather::all;
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::rows::Claims;
use crate::prelude::*;
use raven_edge_authority::json::{Object, Value, write, write_string};

/// The members of a patch's configuration.
const WORDS: [&str; 3] = ["collection", "script", "parameters"];

/// All named patches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patches(Vec<NamedPatch>);

/// A patch of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedPatch {
    pub(crate) name: String,
    /// The collection whose documents it changes.
    pub(crate) collection: String,
    script: String,
    parameters: Parameters,
    /// The claims that the script uses.
    claims: Vec<String>,
}

impl Patches {
    /// Reads the patches; `claims` are the declared names. An error begins with the name of the patch.
    pub(crate) fn read(raw: Option<&Value>, claims: &[String], known: &Collections) -> Result<Self, String> {
        let raw = match raw {
            None => return Ok(Self::default()),
            Some(Value::Object(raw)) => raw,
            Some(_) => return Err("must be an object, such as { close: { collection, script } }".into()),
        };
        let read = |(name, value): (&str, &Value)| match value {
            Value::Object(words) => {
                NamedPatch::read(name, words, claims, known).map_err(|reason| format!("{name}.{reason}"))
            }
            _ => Err(format!("{name}: must be an object with a collection and a script")),
        };
        all(raw.iter().map(read)).map(Self)
    }

    /// The patch with this name.
    pub(crate) fn named(&self, name: &str) -> Option<&NamedPatch> {
        self.0.iter().find(|patch| patch.name == name)
    }
}

impl NamedPatch {
    fn read(name: &str, words: &Object, declared: &[String], known: &Collections) -> Result<Self, String> {
        if let Some(word) = words.unknown(&WORDS) {
            return Err(format!("{word}: is not known; a patch has {}", WORDS.join(", ")));
        }
        let text = |name: &str| words.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let script = text("script").ok_or("script: the text of the script is missing")?;
        let collection = text("collection").ok_or("collection: the name of the collection is missing")?;
        if known.named(collection).is_none() {
            return Err(format!("collection: \"{collection}\" is not one of the gateway's `collections`"));
        }
        let parameters = Parameters::read(words.get("parameters")).map_err(|reason| format!("parameters.{reason}"))?;
        let claims = bound("script", &names_in(script), &parameters, declared)?;
        Ok(Self { name: name.into(), collection: collection.into(), script: script.into(), parameters, claims })
    }

    /// Checks the parameters of a command: the members of `Values`, without braces.
    pub(crate) fn values(&self, given: Option<&Value>) -> Result<String, Refusal> {
        self.parameters.given(given).map_err(|reason| refused(Kind::Malformed, reason))
    }

    /// The first claim that the script needs and the caller does not have.
    pub(crate) fn lacks(&self, claims: &Claims) -> Option<&str> {
        self.claims.iter().map(String::as_str).find(|name| claims.value(name).is_none())
    }

    /// Appends `Patch` as RavenDB reads it. `values`: the checked parameters, without braces.
    pub(crate) fn push(&self, collection: &Collection, values: &str, claims: &Claims, text: &mut String) {
        text.push_str("{\"Script\":");
        write_string(text, &[own_documents_only(collection).as_str(), &self.script].concat());
        text.push_str(",\"Values\":{");
        text.push_str(values);
        for (name, value) in self.claims.iter().filter_map(|name| Some((name, claims.value(name)?))) {
            if !text.ends_with('{') {
                text.push(',');
            }
            write_string(text, name);
            text.push(':');
            write(text, value);
        }
        text.push_str("}}");
    }
}

/// What a script begins with if nobody reads the stored document before: a document belongs to a collection only if its metadata
/// says so, too.
fn own_documents_only(collection: &Collection) -> String {
    if collection.rows.is_some() {
        return String::new();
    }
    let mut text = String::from("if(String(getMetadata(this)[\"@collection\"]).toLowerCase()!==");
    write_string(&mut text, &collection.name.to_ascii_lowercase());
    text + ")return;\n"
}

/// The names that a script uses, each once: those behind `$`, and those behind `args.`. The whole text counts, texts in quotes and
/// comments included.
fn names_in(script: &str) -> Vec<String> {
    let bytes = script.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let mut names: Vec<String> = Vec::new();
    for at in 0..bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let name = match (rest.strip_prefix(b"$"), rest.strip_prefix(b"args.")) {
            (Some(name), _) if !before.is_some_and(is_part) => name,
            (_, Some(name)) if !before.is_some_and(|byte| is_part(byte) || *byte == b'.') => name,
            _ => continue,
        };
        let length = name.iter().take_while(|byte| is_part(byte) && **byte != b'$').count();
        let name = name.get(..length).and_then(|name| core::str::from_utf8(name).ok()).unwrap_or_default();
        let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
        if begins && !names.iter().any(|known| known == name) {
            names.push(name.into());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::config::tests::read;
    use serde_json::json;

    #[test]
    fn the_names_of_a_script_stand_behind_a_dollar_or_args() {
        for (script, expected) in [
            ("this.lines.push($line)", vec!["line"]),
            ("this.a = args.a + args.b; this.c = $a", vec!["a", "b"]),
            ("this.t = `${this.x} $`; this.$id = x$y + x.args.z", vec!["id"]),
            ("this.a = '$_b' + $$c", vec!["_b"]),
            ("this.ä = $ä + $1", vec![]),
        ] {
            let mut found = names_in(script);
            found.sort();
            assert_eq!(found, expected, "{script}");
        }
    }

    #[test]
    fn an_error_of_the_configuration_names_its_place() {
        let line = json!({ "line": { "type": "object" } });
        for (patch, error) in [
            (json!({}), "patches.add.script: the text"),
            (json!({ "script": "this.a = 1" }), "patches.add.collection: the name"),
            (json!({ "collection": "Secrets", "script": "this.a = 1" }), "patches.add.collection: \"Secrets\" is not"),
            (json!({ "collection": "Notes", "script": "this.a = $x" }), "patches.add.script: $x is neither"),
            (
                json!({ "collection": "Notes", "script": "$name", "parameters": { "name": { "type": "string" } } }),
                "patches.add.script: $name is both",
            ),
            (
                json!({ "collection": "Notes", "script": "this.a = 1", "parameters": line }),
                "patches.add.parameters.line: the script does not use it",
            ),
            (json!({ "collection": "Notes", "script": "1", "level": 1 }), "patches.add.level: is not known"),
            (json!("this.a = 1"), "patches.add: must be an object"),
        ] {
            let config = json!({ "database": "x", "claims": ["name"], "collections": { "Notes": "read" },
                "patches": { "add": patch } });
            let found = read(&config).unwrap_err();
            assert!(found.starts_with(error), "{patch}: {found}");
        }
    }
}
