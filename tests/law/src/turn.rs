//! One step being taken, with what is told of it and the laws that it may break.

use crate::configurations::{Configuration, History, Place};
use crate::world::{Client, World};
use std::rc::Rc;

/// A law was broken: which one, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) String);

pub(crate) type Kept = Result<(), Broken>;

/// A step being taken.
pub(crate) struct Turn<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) configuration: &'a Configuration,
    /// What is told; nothing is put into words while states are only counted.
    pub(crate) told: Option<Vec<String>>,
}

impl Turn<'_> {
    /// Tells something.
    pub(crate) fn say(&mut self, text: impl FnOnce() -> String) {
        if let Some(told) = &mut self.told {
            told.push(text());
        }
    }

    /// Breaks a law unless it is kept. A broken variant is left alone until its duplicate shows.
    pub(crate) fn demand(&self, kept: bool, law: impl FnOnce() -> String) -> Kept {
        if kept || self.configuration.variant.is_some() { Ok(()) } else { Err(Broken(law())) }
    }

    /// A client, to be changed.
    pub(crate) fn client(&mut self, c: usize) -> &mut Client {
        self.world.touched |= 1 << c;
        Rc::make_mut(&mut self.world.clients[c])
    }

    /// Where a client lives.
    pub(crate) fn place(&self, client: usize) -> Place {
        self.configuration.places[client]
    }

    /// Whether the database may be deleted and made anew.
    pub(crate) fn is_recreated(&self) -> bool {
        self.configuration.history == History::Recreated
    }

    /// Whether the server never goes back.
    pub(crate) fn is_honest(&self) -> bool {
        self.configuration.history == History::Honest
    }
}
