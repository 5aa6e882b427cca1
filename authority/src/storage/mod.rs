//! The storage of a database.

mod memory;

use crate::prelude::*;
pub use memory::MemoryStorage;

use crate::document::Record;
use core::fmt;

/// The storage itself failed (a disk, a SQL engine); the client did nothing wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageError(pub String);

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for StorageError {}

/// How many records a storage has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Records with content.
    pub documents: u64,
    /// Records without content.
    pub tombstones: u64,
}

/// Which records to visit, and in which order.
#[derive(Clone, Copy, Debug)]
pub enum Scan<'a> {
    /// Records whose key starts with `prefix`, ordered by the bytes of their keys, after the key `after`.
    Prefix {
        /// The beginning of the keys.
        prefix: &'a str,
        /// A key, which need not exist.
        after: Option<&'a str>,
    },
    /// All records, the most recently written first.
    Newest,
    /// Records with a higher etag than this, in the order in which they were written.
    Since(u64),
}

/// A storage of records, including tombstones, and of a few named texts.
///
/// The caller makes all writes of one request one transaction: in memory nothing can interrupt them, and a Durable
/// Object wraps the request in `transactionSync`.
pub trait Storage {
    /// Reads a named text.
    ///
    /// # Errors
    /// When the storage fails. The same holds for the other methods.
    fn meta(&self, name: &str) -> Result<Option<String>, StorageError>;
    /// Writes a named text.
    #[allow(clippy::missing_errors_doc)]
    fn set_meta(&mut self, name: &str, value: &str) -> Result<(), StorageError>;
    /// Deletes a named text.
    #[allow(clippy::missing_errors_doc)]
    fn remove_meta(&mut self, name: &str) -> Result<(), StorageError>;
    /// All named texts whose names start with `prefix`, ordered by name.
    #[allow(clippy::missing_errors_doc)]
    fn metas(&self, prefix: &str) -> Result<Vec<(String, String)>, StorageError>;
    /// The record with this key.
    #[allow(clippy::missing_errors_doc)]
    fn get(&self, key: &str) -> Result<Option<Record>, StorageError>;
    /// Writes the record with this key; replaces an existing one.
    #[allow(clippy::missing_errors_doc)]
    fn put(&mut self, key: &str, record: Record) -> Result<(), StorageError>;
    /// Visits records until the function returns false.
    #[allow(clippy::missing_errors_doc)]
    fn scan(&self, scan: Scan<'_>, visit: &mut dyn FnMut(&str, &Record) -> bool) -> Result<(), StorageError>;
    /// How many records there are.
    #[allow(clippy::missing_errors_doc)]
    fn count(&self) -> Result<Count, StorageError>;
}
