//! What the façade does for Rust: the engine's `fetch` and timers, the app's listeners, objects of its classes.
//!
//! One object with methods. Building arrays and objects property by property from here would cost several imports and
//! a kilobyte each.

use raven_edge::error::Error;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The engine's class. The one of js-sys would bring along whatever else JavaScript might call there: a kilobyte that
    /// nothing in here calls and no tool takes out.
    pub type Uint8Array;

    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Uint8Array;

    /// The façade's side of a store (`pkg/src/wire/http-request`). None of its methods throws.
    pub type Host;

    /// Microseconds of a monotonic clock; in workerd it stands still between I/O.
    #[wasm_bindgen(method)]
    pub fn now(this: &Host) -> f64;

    /// A random number from 0 to 2^53 − 1.
    #[wasm_bindgen(method)]
    pub fn random(this: &Host) -> f64;

    /// Sends one request; a promise of the arguments of the next [`crate::task::Task::step`].
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

    /// Waits; a promise of the arguments of the next step.
    #[wasm_bindgen(method)]
    pub fn pause(this: &Host, millis: f64) -> JsValue;

    /// Moves numbers between memory and the pool: what to do with the task that goes on with [`crate::task::Task::decide`].
    #[wasm_bindgen(method, js_name = move)]
    pub fn move_numbers(this: &Host, tag: &str, strict: bool) -> JsValue;

    /// Reads a topology and gives it to [`crate::store::Store::begin_topology`].
    #[wasm_bindgen(method)]
    pub fn topology(this: &Host, response: &[u8]);

    /// Tells the app's listeners of a lease.
    #[wasm_bindgen(method)]
    pub fn leased(this: &Host, tag: &str, low: f64, high: f64, node_tag: &str, fenced: bool);

    /// Tells the app's listeners what became of a return.
    #[wasm_bindgen(method)]
    pub fn returned(this: &Host, tag: &str, low: f64, high: f64, applied: bool, error: &JsValue);

    /// Tells the app's listeners that the server granted numbers that were issued before.
    #[wasm_bindgen(method)]
    pub fn regression(this: &Host, tag: &str, low: f64, high: f64, highest: f64);

    /// Makes an error of the façade's class; `body` is what the server said, `outage`: the same may succeed later, `unsent`:
    /// nothing has left; `failure`: what it says of a save, one of `raven_edge::protocol::save`.
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
    /// Where the façade wants to know which node answered a command, and how (`pkg/src/wire/command-request`).
    pub type Sink;

    /// Keeps a response's status, and which node gave it. The body has never left JavaScript.
    #[wasm_bindgen(method)]
    pub fn keep(this: &Sink, status: u16, node: u32);
}

impl Host {
    /// The façade's error object for an error of the core.
    pub(crate) fn js(&self, error: &Error) -> JsValue {
        let (name, outage) = (error.code.name(), error.is_outage());
        #[cfg(feature = "session")]
        let failure = raven_edge::session::failure(error);
        #[cfg(not(feature = "session"))]
        let failure = 0;
        self.error(name, &error.message, &error.body, error.status, &error.request, outage, error.unsent, failure)
    }
}
