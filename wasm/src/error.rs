//! Errors as JavaScript sees them.

use js_sys::{Array, JsString};
use raven_edge::error::Error;
use wasm_bindgen::prelude::*;

use crate::config::Config;

/// The façade's error object for an error of the core.
pub(crate) fn to_js(config: &Config, error: &Error) -> JsValue {
    let conflict = error.conflict.as_deref().map_or(JsValue::UNDEFINED, |conflict| {
        let text = |value: &Option<alloc::string::String>| match value {
            Some(value) => JsString::from(value.as_str()).into(),
            None => JsValue::NULL,
        };
        Array::of3(&JsString::from(conflict.id.as_str()), &text(&conflict.expected), &text(&conflict.actual)).into()
    });
    config
        .error(error.code.name(), &error.message, error.server_type.clone(), error.status, &error.request, &conflict)
        .into()
}
