//! The wasm class that the hub's Durable Object, `pkg/src/hub/changes`, calls.

use super::effect::{Effect, Limits};
use super::fan_out::FanOut;
use crate::prelude::*;
use wasm_bindgen::prelude::*;

/// All listeners of a hub. Each method returns what to do: for each effect its kind, the number of numbers that follow, and these.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ChangesFanOut(FanOut);

#[wasm_bindgen]
impl ChangesFanOut {
    /// A hub without listeners.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self(FanOut::new(Limits::HUB))
    }

    /// Whether [`ChangesFanOut::tick`] is to be called every second.
    #[wasm_bindgen(getter, js_name = needsTicks)]
    #[must_use]
    pub fn needs_ticks(&self) -> bool {
        self.0.needs_ticks()
    }

    /// Somebody wants to listen.
    pub fn join(&mut self, listener: u32) -> Vec<f64> {
        written(self.0.join(listener))
    }

    /// A connection that began with an earlier instance of the hub: the commands of its watches, and their numbers in turn.
    pub fn restore(&mut self, listener: u32, watches: &[f64]) -> Vec<f64> {
        let (pairs, _) = watches.as_chunks::<2>();
        let watches: Vec<_> = pairs.iter().map(|&[command, watch]| (integer(command), watch as u32)).collect();
        written(self.0.restore(listener, &watches))
    }

    /// A connection to the hub was closed.
    pub fn leave(&mut self, listener: u32) -> Vec<f64> {
        written(self.0.leave(listener))
    }

    /// A listener begins a watch.
    pub fn watch(&mut self, listener: u32, command: f64, watch: u32) -> Vec<f64> {
        written(self.0.watch(listener, integer(command), watch))
    }

    /// A listener ends a watch; `undefined` if nobody has it.
    pub fn unwatch(&mut self, listener: u32, command: f64, watch: Option<u32>) -> Vec<f64> {
        written(self.0.unwatch(listener, integer(command), watch))
    }

    /// A listener has read what it was asked to acknowledge.
    pub fn acknowledge(&mut self, listener: u32) -> Vec<f64> {
        written(self.0.acknowledge(listener))
    }

    /// The connection to RavenDB is open.
    pub fn opened(&mut self, socket: u32) -> Vec<f64> {
        written(self.0.opened(socket))
    }

    /// It was lost, or could not be opened.
    pub fn lost(&mut self, socket: u32) -> Vec<f64> {
        written(self.0.lost(socket))
    }

    /// RavenDB has confirmed a watch.
    pub fn confirmed(&mut self, socket: u32, watch: u32) -> Vec<f64> {
        written(self.0.confirmed(socket, watch))
    }

    /// A message of RavenDB: for each of its changes the watches that it concerns, then 0.
    pub fn notified(&mut self, socket: u32, changes: &[u32]) -> Vec<f64> {
        let changes: Vec<_> = changes.split_inclusive(|&watch| watch == 0).map(<[u32]>::to_vec).collect();
        written(self.0.notified(socket, &changes))
    }

    /// A second has passed.
    pub fn tick(&mut self) -> Vec<f64> {
        written(self.0.tick())
    }
}

impl Default for ChangesFanOut {
    fn default() -> Self {
        Self::new()
    }
}

/// A number of JavaScript. The commands of listeners are whole numbers up to 2^53.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
const fn integer(number: f64) -> u64 {
    number as u64
}

/// The effects as numbers: `EFFECTS` in `pkg/src/hub/changes` names their kinds in the same order.
#[expect(clippy::cast_precision_loss, reason = "at most 2^53")]
fn written(effects: Vec<Effect>) -> Vec<f64> {
    let mut numbers = vec![];
    for effect in effects {
        let (kind, given): (u8, Vec<f64>) = match effect {
            Effect::Connect(socket) => (0, vec![socket.into()]),
            Effect::Disconnect(socket) => (1, vec![socket.into()]),
            Effect::Watch { socket, watch, begins } => (2, vec![socket.into(), watch.into(), u8::from(begins).into()]),
            Effect::Accept(listener) => (3, vec![listener.into()]),
            Effect::Refuse(listener) => (4, vec![listener.into()]),
            Effect::Drop(listener) => (5, vec![listener.into()]),
            Effect::Confirm { listener, command, asks } => {
                (6, vec![listener.into(), u8::from(asks).into(), command as f64])
            }
            Effect::Deliver { listener, changes, asks } => {
                let places = changes.into_iter().map(f64::from);
                (7, [listener.into(), u8::from(asks).into()].into_iter().chain(places).collect())
            }
            Effect::Resync { listener, asks } => (8, vec![listener.into(), u8::from(asks).into()]),
            Effect::Forget(watch) => (9, vec![watch.into()]),
        };
        numbers.push(kind.into());
        numbers.push(given.len() as f64);
        numbers.extend(given);
    }
    numbers
}
