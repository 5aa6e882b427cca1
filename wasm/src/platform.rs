//! Clock, timers and random numbers of the engine, the same names in every runtime.

use js_sys::{Function, Math, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &Function, millis: f64) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

/// Microseconds of a monotonic clock; in workerd it stands still between I/O.
pub(crate) fn now_micros() -> u64 {
    (performance_now() * 1_000.0) as u64
}

/// Milliseconds of the same clock.
pub(crate) fn now_millis() -> u64 {
    performance_now() as u64
}

/// 32 random bits, for jitter.
pub(crate) fn random() -> u32 {
    (Math::random() * 4_294_967_296.0) as u32
}

/// 53 random bits: enough that two requests are never taken for one.
pub(crate) fn nonce() -> u64 {
    (u64::from(random()) << 21) | u64::from(random() >> 11)
}

/// A timer that runs a closure once, unless it is dropped before: a finished wait must not keep Node alive.
pub(crate) struct Timer {
    handle: JsValue,
    _callback: Closure<dyn FnMut()>,
}

impl Timer {
    pub(crate) fn new(millis: u64, callback: impl FnOnce() + 'static) -> Timer {
        let callback = Closure::once(callback);
        let handle = set_timeout(callback.as_ref().unchecked_ref(), millis as f64);
        Timer { handle, _callback: callback }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.handle);
    }
}

/// Waits.
pub(crate) async fn sleep(millis: u64) {
    let promise = Promise::new(&mut |resolve, _| {
        set_timeout(&resolve, millis as f64);
    });
    // A timer's promise is never rejected.
    let _ = JsFuture::from(promise).await;
}
