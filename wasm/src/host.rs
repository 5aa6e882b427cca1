//! What Rust calls in the façade: `fetch`, timers, the app's listeners, and constructors of objects.
//!
//! One object with methods. Creating arrays and objects property by property in Rust would take several imports and a kilobyte each.

use raven_edge::error::Error;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The engine's class. The binding in js-sys would add a kilobyte of unused functions that no tool removes.
    pub type Uint8Array;

    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Uint8Array;

    /// The façade's part of a store (`pkg/src/wire/http-request`). Its methods must not throw.
    pub type Host;

    /// The time in microseconds, from a monotonic clock. In workerd it stands still between I/O.
    #[wasm_bindgen(method)]
    pub fn now(this: &Host) -> f64;

    /// A random number from 0 to 2^53 − 1.
    #[wasm_bindgen(method)]
    pub fn random(this: &Host) -> f64;

    /// Sends one request. Returns a promise of the arguments for the next [`crate::task::Task::step`].
    #[wasm_bindgen(method)]
    pub fn send(
        this: &Host,
        method: &str,
        url: &str,
        body: JsValue,
        if_match: Option<&str>,
        topology_etag: f64,
        limit: f64,
    ) -> JsValue;

    /// Waits. Returns a promise of the arguments for the next step.
    #[wasm_bindgen(method)]
    pub fn pause(this: &Host, millis: f64) -> JsValue;

    /// Moves numbers between memory and pool. The façade calls [`crate::task::Task::decide`] inside its transaction.
    #[wasm_bindgen(method, js_name = move)]
    pub fn move_numbers(this: &Host, tag: &str, strict: bool) -> JsValue;

    /// Parses a topology and passes it to [`crate::store::Store::begin_topology`].
    #[wasm_bindgen(method)]
    pub fn topology(this: &Host, response: &[u8]);

    /// Notifies the app's listeners of a lease.
    #[wasm_bindgen(method)]
    pub fn leased(this: &Host, tag: &str, low: f64, high: f64, node_tag: &str, fenced: bool);

    /// Notifies the app's listeners of the outcome of a return.
    #[wasm_bindgen(method)]
    pub fn returned(this: &Host, tag: &str, low: f64, high: f64, applied: bool, error: &JsValue);

    /// Notifies the app's listeners that the server granted numbers that were issued before.
    #[wasm_bindgen(method)]
    pub fn regression(this: &Host, tag: &str, low: f64, high: f64, highest: f64);

    /// Creates an error of the façade's class. `body`: the server's response; `outage`: the same request may succeed later; `unsent`:
    /// nothing was sent; `failure`: what the error means for a save, one of `raven_edge::protocol::save`.
    #[wasm_bindgen(method)]
    fn error(
        this: &Host,
        code: &str,
        message: &str,
        body: &[u8],
        status: u16,
        request: &str,
        outage: bool,
        unsent: bool,
        failure: u32,
    ) -> JsValue;
}

#[cfg(feature = "session")]
#[wasm_bindgen]
extern "C" {
    /// Receives status and node of a command's response (`pkg/src/wire/command-request`).
    pub type Sink;

    /// Stores a response's status and node. The body never leaves JavaScript.
    #[wasm_bindgen(method)]
    pub fn keep(this: &Sink, status: u16, node: u32);
}

impl Host {
    /// Creates the façade's error for an error of the core.
    pub(crate) fn js(&self, error: &Error) -> JsValue {
        let (name, outage) = (error.code.name(), error.is_outage());
        #[cfg(feature = "session")]
        let failure = raven_edge::session::failure(error);
        #[cfg(not(feature = "session"))]
        let failure = 0;
        self.error(name, &error.message, &error.body, error.status, &error.request, outage, error.unsent, failure)
    }
}
