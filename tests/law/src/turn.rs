//! The execution of a step, with its description and the laws that it may break.

use crate::configurations::{Configuration, History, Place};
use crate::world::{Client, World};
use std::rc::Rc;

/// A broken law: which one, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) String);

pub(crate) type Kept = Result<(), Broken>;

/// The execution of a step.
pub(crate) struct Turn<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) configuration: &'a Configuration,
    /// The description; not created while states are only counted.
    pub(crate) trace: Option<Vec<String>>,
}

impl Turn<'_> {
    /// Adds a line to the description.
    pub(crate) fn say(&mut self, text: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(text());
        }
    }

    /// Fails if a law is broken. A broken variant continues until its duplicate appears.
    pub(crate) fn require(&self, kept: bool, law: impl FnOnce() -> String) -> Kept {
        if kept || self.configuration.variant.is_some() { Ok(()) } else { Err(Broken(law())) }
    }

    /// A client, for changes.
    pub(crate) fn client(&mut self, c: usize) -> &mut Client {
        self.world.touched |= 1 << c;
        Rc::make_mut(&mut self.world.clients[c])
    }

    /// Where a client lives.
    pub(crate) fn place(&self, client: usize) -> Place {
        self.configuration.places[client]
    }

    /// Whether the database may be recreated.
    pub(crate) fn is_recreated(&self) -> bool {
        self.configuration.history == History::Recreated
    }

    /// Whether the server is never rolled back.
    pub(crate) fn is_honest(&self) -> bool {
        self.configuration.history == History::Honest
    }
}
