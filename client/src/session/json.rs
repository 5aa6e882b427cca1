//! Documents as JSON values: reading and writing entities, comparing, and taking over what an entity has changed.

use raven_edge::protocol::{list, metadata};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Error, Result};

/// The members of a document, without its metadata.
pub(crate) type Members = Map<String, Value>;

/// An entity of these members.
pub(crate) fn read<T: DeserializeOwned>(id: &str, members: &Members) -> Result<T> {
    read_value(id, Value::Object(members.clone()))
}

pub(crate) fn read_value<T: DeserializeOwned>(id: &str, value: Value) -> Result<T> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| Error::document(id, &error.path().to_string(), error.inner()))
}

/// The members of an entity.
pub(crate) fn write<T: Serialize>(id: &str, entity: &T) -> Result<Members> {
    let mut track = serde_path_to_error::Track::new();
    let serializer = serde_path_to_error::Serializer::new(serde_json::value::Serializer, &mut track);
    let value = entity.serialize(serializer);
    let value = value.map_err(|error| Error::document(id, &track.path().to_string(), error))?;
    let Value::Object(members) = value else {
        return Err(Error::document(id, "", "a document is a JSON object: store a struct or a map"));
    };
    if members.contains_key(metadata::MEMBER) {
        return Err(Error::document(
            id,
            metadata::MEMBER,
            "an entity has no metadata of its own: see Entity::set_metadata",
        ));
    }
    Ok(members)
}

/// The metadata that a save sends: those that the server does not write itself.
pub(crate) fn own_metadata(of: &Members) -> Members {
    let is_own = |name: &str| !list::METADATA.contains(&name);
    of.iter().filter(|(name, _)| is_own(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Takes what the entity has changed into `document`. Members that the entity does not know stay; arrays are replaced whole.
pub(crate) fn take_over(document: &mut Members, before: &Members, after: &Members) {
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        document.remove(name);
    }
    for (name, value) in after {
        let was = before.get(name);
        if was == Some(value) {
            continue;
        }
        match (document.get_mut(name), was, value) {
            (Some(Value::Object(inside)), Some(Value::Object(before)), Value::Object(after)) => {
                take_over(inside, before, after);
            }
            _ => {
                document.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Whether two values are equal for RavenDB, which may write a number in another way.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => {
            let are_whole = (a.is_i64() || a.is_u64()) && (b.is_i64() || b.is_u64());
            a == b || !are_whole && a.as_f64().is_some() && a.as_f64() == b.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => same_members(a, b),
        _ => left == right,
    }
}

pub(crate) fn same_members(left: &Members, right: &Members) -> bool {
    left.len() == right.len() && left.iter().all(|(name, a)| right.get(name).is_some_and(|b| same(a, b)))
}

/// A document of a response: its id, its members, its metadata.
pub(crate) fn parts(document: Value) -> Option<(String, Members, Members)> {
    let Value::Object(mut members) = document else { return None };
    let Some(Value::Object(metadata)) = members.remove(metadata::MEMBER) else { return None };
    let id = metadata.get(metadata::ID)?.as_str()?.to_owned();
    Some((id, members, metadata))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    fn members(value: Value) -> Members {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn members_that_the_entity_does_not_know_stay() {
        let mut document = members(json!({ "a": 1, "theirs": 2, "in": { "b": 1, "theirs": 3 }, "gone": 1 }));
        let before = members(json!({ "a": 1, "in": { "b": 1 }, "gone": 1, "default": 0 }));
        let after = members(json!({ "a": 5, "in": { "b": 6 }, "default": 0 }));
        take_over(&mut document, &before, &after);
        assert_eq!(document, members(json!({ "a": 5, "theirs": 2, "in": { "b": 6, "theirs": 3 } })));
    }

    #[test]
    fn numbers_are_equal_whatever_their_spelling_and_whole_ones_are_exact() {
        assert!(same(&json!({ "a": [1.0] }), &json!({ "a": [1] })));
        assert!(!same(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
        assert!(!same(&json!([1]), &json!([1, 2])) && !same(&json!({ "a": null }), &json!({})));
    }

    #[test]
    fn an_error_names_document_and_member() {
        #[derive(Debug, Deserialize)]
        struct Order {
            #[allow(dead_code)]
            lines: Vec<u8>,
        }
        let error = read_value::<Order>("orders/1-A", json!({ "lines": [1, "x"] })).unwrap_err();
        assert_eq!((error.code(), error.detail().id.as_deref()), ("InvalidDocument", Some("orders/1-A")));
        assert!(error.message().contains("lines[1]"), "{error}");
        assert_eq!(write("orders/1-A", &7).unwrap_err().code(), "InvalidDocument");
    }
}
