//! Storage in memory: plain data that a model checker can clone, compare and hash.

use super::{Count, Scan, Storage, StorageError};
use crate::document::Record;
use crate::prelude::*;
use alloc::collections::BTreeMap;
use core::ops::Bound;

/// A storage in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemoryStorage {
    meta: BTreeMap<String, String>,
    records: BTreeMap<String, Record>,
    /// The key of each record by its etag, that is, in the order in which the records were last written.
    written: BTreeMap<u64, String>,
}

impl Storage for MemoryStorage {
    fn meta(&self, name: &str) -> Result<Option<String>, StorageError> {
        Ok(self.meta.get(name).cloned())
    }

    fn set_meta(&mut self, name: &str, value: &str) -> Result<(), StorageError> {
        self.meta.insert(name.into(), value.into());
        Ok(())
    }

    fn remove_meta(&mut self, name: &str) -> Result<(), StorageError> {
        self.meta.remove(name);
        Ok(())
    }

    fn metas(&self, prefix: &str) -> Result<Vec<(String, String)>, StorageError> {
        let from = self.meta.range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        let under = from.take_while(|(name, _)| name.starts_with(prefix));
        Ok(under.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    fn get(&self, key: &str) -> Result<Option<Record>, StorageError> {
        Ok(self.records.get(key).cloned())
    }

    fn put(&mut self, key: &str, record: Record) -> Result<(), StorageError> {
        self.written.insert(record.etag, key.into());
        if let Some(old) = self.records.insert(key.into(), record) {
            self.written.remove(&old.etag);
        }
        Ok(())
    }

    fn scan(&self, scan: Scan<'_>, visit: &mut dyn FnMut(&str, &Record) -> bool) -> Result<(), StorageError> {
        let mut visit_key = |key: &String| self.records.get(key).is_none_or(|record| visit(key, record));
        match scan {
            Scan::Prefix { prefix, after } => {
                let from = match after {
                    Some(after) if after >= prefix => Bound::Excluded(after),
                    _ => Bound::Included(prefix),
                };
                let keys = self.records.range::<str, _>((from, Bound::Unbounded)).map(|(key, _)| key);
                for key in keys.take_while(|key| key.starts_with(prefix)) {
                    if !visit_key(key) {
                        break;
                    }
                }
            }
            Scan::Newest => {
                self.written.values().rev().all(visit_key);
            }
            Scan::Since(etag) => {
                self.written.range((Bound::Excluded(etag), Bound::Unbounded)).map(|(_, key)| key).all(visit_key);
            }
        }
        Ok(())
    }

    fn count(&self) -> Result<Count, StorageError> {
        let mut count = Count::default();
        for record in self.records.values() {
            *(if record.content.is_some() { &mut count.documents } else { &mut count.tombstones }) += 1;
        }
        Ok(count)
    }
}
