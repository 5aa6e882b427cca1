//! `include=Path` of `GET docs`: also returns documents that the results refer to.

use super::docs;
use crate::authority::Authority;
use crate::document::{Content, Record};
use crate::error::{Error, Failure};
use crate::json::{Object, Value, read_object};
use crate::prelude::*;
use crate::storage::Storage;
use alloc::collections::BTreeSet;
use raven_edge::ids::key;

/// The documents that the paths lead to, each once and without the results themselves.
pub(super) fn find<'q, S: Storage>(
    authority: &Authority<S>,
    paths: impl Iterator<Item = &'q str>,
    results: &[Option<Record>],
) -> Result<Vec<Record>, Failure> {
    let paths = paths.filter(|path| !path.trim().is_empty()).map(Path::read).collect::<Result<Vec<_>, _>>()?;
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let mut seen = BTreeSet::new();
    seen.extend(results.iter().flatten().map(|record| key::key(&record.id)));
    let mut found = Vec::new();
    for content in results.iter().flatten().filter_map(|record| record.content.as_ref()) {
        let document = whole(content)?;
        for path in &paths {
            for id in path.ids(&document) {
                if seen.insert(key::key(&id)) {
                    found.extend(docs::find(authority, &id)?);
                }
            }
        }
    }
    Ok(found)
}

/// A document as clients see it, with its metadata.
fn whole(content: &Content) -> Result<Value, Error> {
    let mut document = read_object(content.body.as_bytes())?;
    document.set("@metadata", Value::Object(read_object(content.metadata.as_bytes())?));
    Ok(Value::Object(document))
}

/// `Items.Product`, `Items[].Product`, `Owner(users/)`.
struct Path {
    steps: Vec<String>,
    prefix: String,
}

impl Path {
    fn read(text: &str) -> Result<Self, Error> {
        let (steps, prefix) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            Some((steps, prefix)) => (steps, prefix),
            None => (text, ""),
        };
        // Lists need no mark: the value itself shows whether it is a list.
        let steps: Vec<_> = steps.split('.').map(|step| step.strip_suffix("[]").unwrap_or(step).to_owned()).collect();
        let is_plain = steps.iter().all(|step| !step.contains(['[', ']', '$']));
        if !is_plain || !(prefix.is_empty() || prefix.ends_with('/')) {
            return Err(Error::not_implemented(format!(
                "The include '{text}': this authority supports names, '[]' and a prefix in brackets that ends in '/'."
            )));
        }
        Ok(Self { steps, prefix: prefix.to_owned() })
    }

    /// The ids at the end of the path in a document: without and with the prefix.
    fn ids(&self, document: &Value) -> Vec<String> {
        let mut values = Vec::new();
        follow(document, &self.steps, &mut values);
        let mut ids = Vec::new();
        for value in values {
            if !self.prefix.is_empty() {
                ids.push(format!("{}{value}", self.prefix));
            }
            ids.push(value);
        }
        ids
    }
}

fn follow(value: &Value, steps: &[String], found: &mut Vec<String>) {
    match (value, steps) {
        (Value::Object(object), [step, rest @ ..]) => {
            if let Some(member) = Object::get(object, step) {
                follow(member, rest, found);
            }
        }
        (Value::Array(items), _) => {
            // Lists directly inside lists are ignored.
            for item in items.iter().filter(|item| !matches!(item, Value::Array(_))) {
                follow(item, steps, found);
            }
        }
        (Value::String(text), []) if !text.is_empty() => found.push(text.clone()),
        (Value::Number(text), []) => found.push(text.clone()),
        (Value::Bool(value), []) => found.push(value.to_string()),
        _ => {}
    }
}
