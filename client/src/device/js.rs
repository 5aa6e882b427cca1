//! Members of JavaScript's objects by name: `web-sys` has what is used here only for builds with a flag of their own.

use js_sys::{Array, Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};

/// A member; `None` if the platform lacks it, or refuses it to the page.
pub(super) fn get(of: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(of, &name.into()).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// A member of the global object.
pub(super) fn global(name: &str) -> Option<JsValue> {
    get(&js_sys::global(), name)
}

/// Calls a method.
pub(super) fn call<const COUNT: usize>(
    of: &JsValue,
    name: &str,
    values: [&JsValue; COUNT],
) -> Result<JsValue, JsValue> {
    let method: Function = Reflect::get(of, &name.into())?.dyn_into()?;
    method.apply(of, &values.into_iter().collect::<Array>())
}

/// What an error says.
pub(super) fn message(error: &JsValue) -> String {
    let message = get(error, "message").and_then(|message| message.as_string());
    message.or_else(|| error.as_string()).unwrap_or_else(|| "no reason is given".to_owned())
}
