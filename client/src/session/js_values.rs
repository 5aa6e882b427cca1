//! Documents that are values of JavaScript: those of an app whose entities live there.

use std::sync::Arc;

use js_sys::{Array, Function, Reflect, global, try_iter};
use serde::Serialize;
use serde_json::{Map, Value};
use serde_wasm_bindgen::{Serializer, from_value};
use wasm_bindgen::{JsCast, JsValue};

use raven_edge::protocol::metadata;

use super::json::{Members, write};
use super::unit::Content;
use super::{Session, locked, tag_of};
use crate::Error;
use crate::numbers::HiLo;

type Result<T, E = Error> = std::result::Result<T, E>;

/// How many objects may lie inside of each other.
const DEPTH: usize = 100;

impl Session {
    /// As [`Session::store`], for an object of JavaScript. Returns its id.
    ///
    /// Maps become objects, big integers whole numbers, `undefined` becomes `null`. An object that writes itself in a way of its own
    /// (`toJSON`: a date) is refused: store its text.
    ///
    /// # Errors
    ///
    /// As [`Session::store`].
    pub async fn store_js(&self, collection: &str, entity: &JsValue) -> Result<String> {
        // Refused before a number is taken.
        let members = members("(new)", entity)?;
        let id = HiLo::new(Arc::clone(&self.handle), &tag_of(collection))?.next().await?;
        let own: Map<String, Value> =
            [(metadata::COLLECTION.to_owned(), Value::from(collection))].into_iter().collect();
        locked(&self.unit).store(id.clone(), false, true, Content { members, metadata: own })?;
        Ok(id)
    }

    /// As [`Session::load`]: a plain object of JavaScript, without metadata. [`Session::update_js`] changes the document.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidDocument`]: it has a whole number above 2^53, which JavaScript would round.
    pub async fn load_js(&self, id: impl AsRef<str>) -> Result<Option<JsValue>> {
        let id = id.as_ref();
        self.fetch(&[id], &[]).await?;
        let unit = locked(&self.unit);
        let document = unit.slot(id).and_then(|slot| unit.get(slot)).filter(|document| !document.is_deleted);
        let value = document.map(|document| document.wanted.members.serialize(&Serializer::json_compatible()));
        value.transpose().map_err(|error| Error::document(id, "", error))
    }

    /// Replaces all members of a document that the session has. The next save sends it if it differs from what the server has.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidDocument`]: it is no JSON object. [`Error::InvalidOperation`]: the session does not have the document.
    pub fn update_js(&self, id: impl AsRef<str>, entity: &JsValue) -> Result<()> {
        let id = id.as_ref();
        let members = members(id, entity)?;
        let mut unit = locked(&self.unit);
        let document = unit.slot(id).and_then(|slot| unit.get_mut(slot)).filter(|document| !document.is_deleted);
        let document =
            document.ok_or_else(|| Error::operation(format!("the session does not have the document {id}")))?;
        document.wanted.members = members;
        document.revision += 1;
        Ok(())
    }
}

fn members(id: &str, entity: &JsValue) -> Result<Members> {
    if let Some((path, reason)) = problem(entity, "", 0) {
        return Err(Error::document(id, &path, reason));
    }
    let value: Value = from_value(entity.clone()).map_err(|error| Error::document(id, "", error))?;
    write(id, &value)
}

/// What would be lost on the way, or would never end: its path, and the reason.
fn problem(value: &JsValue, path: &str, depth: usize) -> Option<(String, &'static str)> {
    if !value.is_object() {
        return None;
    }
    if Reflect::get(value, &"toJSON".into()).is_ok_and(|member| member.is_instance_of::<Function>()) {
        return Some((path.to_owned(), "an object with toJSON(), such as a date: store its text"));
    }
    if depth > DEPTH {
        return Some((path.to_owned(), "objects lie too deep inside of each other, or in a ring"));
    }
    let Ok(entries) = entries(value) else {
        return Some((path.to_owned(), "an object that throws when it is read"));
    };
    entries.iter().find_map(|entry| {
        let entry = Array::from(entry);
        let name = entry.get(0).as_string().unwrap_or_default();
        let path = if path.is_empty() { name } else { format!("{path}.{name}") };
        problem(&entry.get(1), &path, depth + 1)
    })
}

/// Names and values of what is written. The app's code runs here, and may throw: a getter, a proxy.
fn entries(of: &JsValue) -> Result<Vec<JsValue>, JsValue> {
    if !Array::is_array(of)
        && let Some(pairs) = try_iter(of)?
    {
        // Of a map.
        return pairs.collect();
    }
    let object = Reflect::get(&global(), &"Object".into())?;
    let entries: Function = Reflect::get(&object, &"entries".into())?.dyn_into()?;
    Ok(Array::from(&entries.call1(&object, of)?).iter().collect())
}
