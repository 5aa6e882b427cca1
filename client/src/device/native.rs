//! Native programs park no numbers: no page could lose them.

use std::sync::{Arc, Mutex};

use raven_edge::hilo::At;
use raven_edge::texts::Task;

use super::Scope;
use crate::store::Inner;

/// There is none.
pub(crate) enum Device {}

impl Device {
    pub(crate) fn begin(_: &Arc<Inner>, _: Scope) {}

    pub(crate) fn note(&self, _: &str) {
        match *self {}
    }

    pub(crate) async fn tags(&self) -> Vec<String> {
        match *self {}
    }

    pub(crate) fn turn(&self, _: &Arc<Inner>, _: At) {
        match *self {}
    }

    pub(crate) fn end_turn(&self, _: u32) {
        match *self {}
    }

    pub(crate) async fn ask_siblings(&self, _: &Arc<Inner>) {
        match *self {}
    }

    pub(crate) fn end(&self, _: &Arc<Inner>) {
        match *self {}
    }

    pub(crate) async fn move_numbers(&self, _: &Arc<Inner>, _: u32, _: bool, _: Arc<Mutex<Task>>) -> bool {
        match *self {}
    }
}
