//! SQL statements of a Durable Object (`ctx.storage.sql`): synchronous, rows as arrays.

use crate::prelude::*;
use js_sys::{Array, JsString};
use raven_edge_authority::StorageError;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `ctx.storage.sql`.
    #[derive(Debug)]
    pub type Sql;
    #[wasm_bindgen(method, catch, variadic)]
    fn exec(this: &Sql, query: &str, bindings: &Array) -> Result<Cursor, JsValue>;

    type Cursor;
    /// Rows as arrays in column order: cheaper than objects with named members.
    #[wasm_bindgen(method, catch)]
    fn raw(this: &Cursor) -> Result<js_sys::Iterator, JsValue>;
}

impl Sql {
    /// Runs a statement and reads all its rows.
    pub(crate) fn rows(&self, query: &str, bindings: &[JsValue]) -> Result<Vec<Array>, StorageError> {
        let rows = self.exec(query, &bindings.iter().collect()).and_then(|cursor| cursor.raw()).map_err(failed)?;
        rows.into_iter().map(|row| Ok(row.map_err(failed)?.unchecked_into())).collect()
    }
}

fn failed(error: JsValue) -> StorageError {
    let message = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    StorageError(message.unwrap_or_else(|| "the storage failed".into()))
}

/// The text in a column that must not be NULL.
pub(crate) fn text(row: &Array, column: u32) -> Result<String, StorageError> {
    optional_text(row, column)?.ok_or_else(|| StorageError(format!("column {column} is empty")))
}

/// The text in a column that may be NULL.
pub(crate) fn optional_text(row: &Array, column: u32) -> Result<Option<String>, StorageError> {
    let value = row.get(column);
    if value.is_null() {
        return Ok(None);
    }
    value
        .dyn_into::<JsString>()
        .map(|text| Some(text.into()))
        .map_err(|_| StorageError(format!("column {column} is not a text")))
}

/// The non-negative integer in a column.
#[cfg(feature = "hub")]
pub(crate) fn integer(row: &Array, column: u32) -> Result<u64, StorageError> {
    // Integers up to 2^53 are exact in a double.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let number = |number: f64| number as u64;
    row.get(column).as_f64().map(number).ok_or_else(|| StorageError(format!("column {column} is not a number")))
}

/// An integer as a binding; larger values are capped at 2^53.
#[allow(clippy::cast_precision_loss)]
#[cfg(feature = "hub")]
pub(crate) fn number(number: u64) -> JsValue {
    JsValue::from(number.min(1 << 53) as f64)
}
