//! A document of a session in the hands of the app.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::json::{read, take_over, write};
use super::unit::{Tracked, Unit};
use super::{Document, locked};
use crate::{Error, Result};

/// A document of a session. It reads like the value inside; [`Entity::update`] changes it, and the next save sends the change.
///
/// The app owns the value, so reading needs no lock and no `clone`. If the session has a newer one (another entity of the same document was
/// updated, the document was refreshed or patched), `update` begins with that, and [`Entity::reload`] shows it.
pub struct Entity<T> {
    unit: Arc<Mutex<Unit>>,
    slot: u32,
    revision: u64,
    value: T,
}

impl<T> Entity<T> {
    pub(super) fn new(unit: Arc<Mutex<Unit>>, slot: u32, revision: u64, value: T) -> Entity<T> {
        Entity { unit, slot, revision, value }
    }

    pub(super) fn slot(&self) -> u32 {
        self.slot
    }

    pub(super) fn is_of(&self, unit: &Arc<Mutex<Unit>>) -> bool {
        Arc::ptr_eq(&self.unit, unit)
    }

    fn with<U>(&self, read: impl FnOnce(&Tracked) -> U) -> Option<U> {
        locked(&self.unit).get(self.slot).map(read)
    }

    /// The id. If the server makes it, its prefix until it is saved. Empty after the session has forgotten the document.
    pub fn id(&self) -> String {
        self.with(|document| document.id.clone()).unwrap_or_default()
    }

    /// The change vector that the server has reported; `None` for a new document.
    pub fn change_vector(&self) -> Option<String> {
        self.with(|document| document.change_vector.clone()).flatten()
    }

    /// A member of the metadata, such as `@last-modified`, or one of the app's own.
    pub fn metadata(&self, name: &str) -> Option<Value> {
        let found = |document: &Tracked| {
            let own = document.wanted.metadata.get(name);
            own.or_else(|| document.reported.get(name)).cloned()
        };
        self.with(found).flatten()
    }

    /// Sets a member of the metadata, such as `@expires`; the next save sends it. `Value::Null` removes it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: only the server writes this member. [`Error::InvalidOperation`]: the session has forgotten the document.
    pub fn set_metadata(&self, name: &str, value: impl Serialize) -> Result<()> {
        if raven_edge::protocol::list::METADATA.contains(&name) {
            return Err(Error::argument(format!("only the server writes {name}")));
        }
        let id = self.id();
        let value = serde_json::to_value(value).map_err(|error| Error::document(&id, name, error))?;
        let mut unit = locked(&self.unit);
        let document = unit.get_mut(self.slot).ok_or_else(forgotten)?;
        match value {
            Value::Null => drop(document.wanted.metadata.remove(name)),
            value => drop(document.wanted.metadata.insert(name.to_owned(), value)),
        }
        Ok(())
    }

    /// The value alone; the session still has the document.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T: Document> Entity<T> {
    /// Changes the document. The next save sends it if it differs from what the server has.
    ///
    /// Members of the stored document that `T` does not have stay as they are, except inside of arrays, which are sent whole.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidDocument`]: the value is no JSON, or the session's newer one does not fit `T`; nothing is changed then.
    /// [`Error::InvalidOperation`]: the session has forgotten or deleted the document.
    pub fn update<U>(&mut self, change: impl FnOnce(&mut T) -> U) -> Result<U> {
        self.reload()?;
        if self.with(|document| document.is_deleted) != Some(false) {
            return Err(forgotten());
        }
        let id = self.id();
        let before = write(&id, &self.value)?;
        let result = change(&mut self.value);
        let after = write(&id, &self.value);
        let mut unit = locked(&self.unit);
        let document = unit.get_mut(self.slot).ok_or_else(forgotten)?;
        // An `alias` of the type may be a member that seems unknown: written under its other name, too, nobody could read the document.
        let after = after.and_then(|after| {
            let mut members = document.wanted.members.clone();
            take_over(&mut members, &before, &after);
            if members.len() > after.len() {
                read::<T>(&id, &members)?;
            }
            Ok(members)
        });
        match after {
            Ok(members) => {
                document.wanted.members = members;
                document.revision += 1;
                self.revision = document.revision;
                Ok(result)
            }
            Err(error) => {
                self.value = read(&id, &document.wanted.members)?;
                Err(error)
            }
        }
    }

    /// Takes over what the session has, if it is newer. Returns whether it was.
    ///
    /// # Errors
    ///
    /// As [`Entity::update`].
    pub fn reload(&mut self) -> Result<bool> {
        let unit = locked(&self.unit);
        let document = unit.get(self.slot).ok_or_else(forgotten)?;
        if document.revision == self.revision {
            return Ok(false);
        }
        self.value = read_tracked(document)?;
        self.revision = document.revision;
        Ok(true)
    }
}

/// The value of a document.
pub(super) fn read_tracked<T: DeserializeOwned>(document: &Tracked) -> Result<T> {
    read(&document.id, &document.wanted.members)
}

fn forgotten() -> Error {
    Error::operation("the session does not have the document any more: it was deleted, evicted or cleared")
}

impl<T> Deref for Entity<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Entity<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Entity").field("id", &self.id()).field("value", &self.value).finish()
    }
}
