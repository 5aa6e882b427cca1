//! What Rust calls in the façade. Only numbers cross: the texts that they stand for are the façade's (`pkg/src/core`).

use wasm_bindgen::prelude::*;

use crate::task::Task;

#[wasm_bindgen]
extern "C" {
    /// The façade's part of a store (`pkg/src/core/core-store`). Its methods must not throw, and never call back.
    pub type Host;

    /// The time in microseconds, from a monotonic clock. In workerd it stands still between I/O.
    #[wasm_bindgen(method)]
    pub fn now(this: &Host) -> f64;

    /// A random number from 0 to 2^53 − 1.
    #[wasm_bindgen(method)]
    pub fn random(this: &Host) -> f64;

    /// Hands a block of numbers to the counter of a tag, which alone owns it; `lease_low` to `lease_high` is the whole lease that they
    /// come from. `texts`: those of the lease, if the rest of it can be returned under their fence; else 0.
    #[wasm_bindgen(method)]
    pub(crate) fn hand(
        this: &Host,
        tag: u32,
        low: f64,
        high: f64,
        affixes: u32,
        lease_low: f64,
        lease_high: f64,
        texts: u32,
    );

    /// Empties the counter of a tag. Returns the first number that it did not issue.
    #[wasm_bindgen(method)]
    pub(crate) fn surrender(this: &Host, tag: u32) -> f64;

    /// Runs a background task: a lease ahead of need, or numbers that are parked. `reports`: its end is reported to waiting callers;
    /// `pauses`: it goes on after a pause whether or not callers wait.
    #[wasm_bindgen(method)]
    pub(crate) fn spawn(this: &Host, tag: u32, task: Task, reports: bool, pauses: bool);

    /// Carries out one of [`raven_edge::protocol::effect`]. `number`: the caller, or for `RUN` the event to report after `task`.
    #[wasm_bindgen(method)]
    pub(crate) fn effect(this: &Host, tag: u32, kind: u8, number: u32, task: Option<Task>);

    /// Notifies the app's listeners of a lease.
    #[wasm_bindgen(method)]
    pub fn leased(this: &Host, tag: u32, low: f64, high: f64, affixes: u32, fenced: bool);

    /// Notifies the app's listeners of unused numbers that cannot be returned: they stay parked on the device, or are burnt.
    #[wasm_bindgen(method)]
    pub(crate) fn left(this: &Host, tag: u32, low: f64, high: f64, burnt: bool);

    /// Notifies the app's listeners that the server granted numbers that were issued before.
    #[wasm_bindgen(method)]
    pub fn regression(this: &Host, tag: u32, low: f64, high: f64, highest: f64);
}
