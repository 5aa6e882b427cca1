//! What the façade passes in: an object of plain values and functions, read by name.

use alloc::string::String;
use alloc::vec::Vec;
use js_sys::{Error as JsError, Promise};
use wasm_bindgen::prelude::*;
use web_sys::RequestInit;

#[wasm_bindgen]
extern "C" {
    /// The configuration of a store, checked by the façade.
    pub type Config;

    /// Addresses of the server's nodes.
    #[wasm_bindgen(method, getter)]
    pub fn urls(this: &Config) -> Vec<String>;

    /// The database.
    #[wasm_bindgen(method, getter)]
    pub fn database(this: &Config) -> String;

    /// Time limit in milliseconds.
    #[wasm_bindgen(method, getter)]
    pub fn timeout(this: &Config) -> f64;

    /// Identity parts separator.
    #[wasm_bindgen(method, getter)]
    pub fn separator(this: &Config) -> String;

    /// Whether nodes are learnt from the server.
    #[wasm_bindgen(method, getter)]
    pub fn topology(this: &Config) -> bool;

    /// The page's origin: nodes elsewhere cannot be reached from it. Empty where there is no page.
    #[wasm_bindgen(method, getter)]
    pub fn origin(this: &Config) -> String;

    /// Whether nothing may outlive or wait for another request (workerd).
    #[wasm_bindgen(method, getter)]
    pub fn isolated(this: &Config) -> bool;

    /// `fetch`, with the app's headers already applied by the façade.
    #[wasm_bindgen(method, catch)]
    pub fn fetch(this: &Config, url: &str, init: &RequestInit) -> Result<Promise, JsValue>;

    /// Tells the app's listeners; never throws.
    #[wasm_bindgen(method)]
    pub fn emit(this: &Config, event: &str, detail: &JsValue);

    /// Makes an error of the façade's class.
    #[wasm_bindgen(method)]
    pub fn error(
        this: &Config,
        code: &str,
        message: &str,
        server_type: Option<String>,
        status: u16,
        request: &str,
        conflict: &JsValue,
    ) -> JsError;
}
