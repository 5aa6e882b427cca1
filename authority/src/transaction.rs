//! A transaction: writes are buffered until all commands of a request have succeeded.

use crate::change_vector::ChangeVector;
use crate::document::{Content, Incoming, Record};
use crate::error::{Error, Failure};
use crate::id;
use crate::optimistic_concurrency::{check_delete, check_put};
use crate::prelude::*;
use crate::storage::{Storage, StorageError};
use crate::time::Timestamp;
use alloc::collections::BTreeMap;
use raven_edge::ids::key;

/// Key under which [`Counter`] is stored.
const COUNTER: &str = "counter";

/// The last etag, and the state of the whole database.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    pub(crate) etag: u64,
    pub(crate) vector: ChangeVector,
}

impl Counter {
    pub(crate) fn load(storage: &impl Storage) -> Result<Self, StorageError> {
        let Some(text) = storage.meta(COUNTER)? else { return Ok(Self::default()) };
        let broken = || StorageError(format!("the stored counter cannot be read: {text}"));
        let (etag, vector) = text.split_once(' ').ok_or_else(broken)?;
        Ok(Self { etag: etag.parse().map_err(|_| broken())?, vector: ChangeVector::parse(vector).ok_or_else(broken)? })
    }

    pub(crate) fn save(&self, storage: &mut impl Storage) -> Result<(), StorageError> {
        storage.set_meta(COUNTER, &format!("{} {}", self.etag, self.vector))
    }

    /// The next etag. Etags of aborted transactions are not used again.
    pub(crate) fn next(&mut self) -> Result<u64, StorageError> {
        self.etag = self.etag.checked_add(1).ok_or_else(|| StorageError("out of etags".into()))?;
        Ok(self.etag)
    }
}

/// The writing node: its tag, and the database's id on it.
pub(crate) struct Writer<'a> {
    pub(crate) node_tag: &'a str,
    pub(crate) database_id: &'a str,
    pub(crate) now: Timestamp,
}

/// The result of a deletion.
pub(crate) enum Deleted {
    /// A tombstone exists now, or existed before.
    Yes,
    /// The document never existed.
    NeverExisted,
}

pub(crate) struct Transaction<'a, S> {
    storage: &'a mut S,
    writer: Writer<'a>,
    counter: Counter,
    staged: BTreeMap<String, Record>,
}

impl<'a, S: Storage> Transaction<'a, S> {
    pub(crate) fn begin(storage: &'a mut S, writer: Writer<'a>) -> Result<Self, StorageError> {
        let counter = Counter::load(storage)?;
        Ok(Self { storage, writer, counter, staged: BTreeMap::new() })
    }

    /// The record of an id, including this transaction's own writes.
    pub(crate) fn get(&self, id: &str) -> Result<Option<Record>, StorageError> {
        let key = key::key(id);
        match self.staged.get(&key) {
            Some(record) => Ok(Some(record.clone())),
            None => self.storage.get(&key),
        }
    }

    /// Writes a document. `expected`: `None` checks nothing, an empty text means "must not exist".
    /// An id that ends in `/` is completed with the document's etag.
    pub(crate) fn put(&mut self, id: &str, document: Incoming, expected: Option<&str>) -> Result<Record, Failure> {
        if id.ends_with('/') {
            let (id, etag) = self.complete(id)?;
            return self.put_as(&id, Some(etag), document, expected);
        }
        self.put_as(id, None, document, expected)
    }

    /// Completes `users/` to a free id; also returns the etag for that document.
    fn complete(&mut self, prefix: &str) -> Result<(String, u64), StorageError> {
        let etag = self.counter.next()?;
        let id = id::of_etag(prefix, etag, self.writer.node_tag);
        if self.get(&id)?.is_none_or(|record| record.content.is_none()) {
            return Ok((id, etag));
        }
        // A client has stored this very id by hand. The database's id makes another one that clients cannot predict.
        let id = id::of_etag(prefix, self.counter.next()?, self.writer.database_id);
        Ok((id, self.counter.next()?))
    }

    fn put_as(
        &mut self,
        id: &str,
        etag: Option<u64>,
        document: Incoming,
        expected: Option<&str>,
    ) -> Result<Record, Failure> {
        id::check_new(id)?;
        let old = self.get(id)?;
        let live = old.as_ref().filter(|record| record.content.is_some());
        check_put(id, live, expected)?;
        if let Some(content) = live.and_then(|record| record.content.as_ref()) {
            let before = Incoming::from_stored(content)?;
            if key::key(before.collection()) != key::key(document.collection()) {
                return Err(Error::collection_mismatch(id, before.collection(), document.collection()).into());
            }
        }
        let etag = etag.map_or_else(|| self.counter.next(), Ok)?;
        Ok(self.write_as(id, etag, Some(document.into_content())))
    }

    /// Deletes a document; if `expected` is given, it must be the document's change vector.
    pub(crate) fn delete(&mut self, id: &str, expected: Option<&str>) -> Result<Deleted, Failure> {
        id::check_lookup(id)?;
        let old = self.get(id)?;
        check_delete(id, old.as_ref(), expected)?;
        let is_live = old.as_ref().is_some_and(|record| record.content.is_some());
        let Some(old) = old else { return Ok(Deleted::NeverExisted) };
        if is_live {
            self.write(&old.id, None)?;
        }
        Ok(Deleted::Yes)
    }

    /// Writes without checking the current state.
    pub(crate) fn write(&mut self, id: &str, content: Option<Content>) -> Result<Record, StorageError> {
        let etag = self.counter.next()?;
        Ok(self.write_as(id, etag, content))
    }

    fn write_as(&mut self, id: &str, etag: u64, content: Option<Content>) -> Record {
        self.counter.vector.raise(self.writer.node_tag, etag, self.writer.database_id);
        let change_vector = self.counter.vector.to_string();
        let record = Record { id: id.into(), etag, change_vector, modified: self.writer.now, content };
        self.staged.insert(key::key(id), record.clone());
        record
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.writer.now
    }

    /// Applies the writes to the storage.
    pub(crate) fn commit(self) -> Result<(), StorageError> {
        if self.staged.is_empty() {
            return Ok(());
        }
        for (key, record) in self.staged {
            self.storage.put(&key, record)?;
        }
        self.counter.save(self.storage)
    }

    /// Discards the writes, but not the etags: a vector or id that an error has shown is not used again.
    pub(crate) fn abort(self) -> Result<(), StorageError> {
        let before = Counter::load(self.storage)?;
        if before.etag == self.counter.etag {
            return Ok(());
        }
        Counter { etag: self.counter.etag, vector: before.vector }.save(self.storage)
    }
}
