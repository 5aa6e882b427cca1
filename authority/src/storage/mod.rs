//! Where documents are kept.

mod memory;

pub use memory::MemoryStorage;

use crate::document::Record;
use core::fmt;

/// The storage itself failed (a disk, a SQL engine); nothing that the client did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageError(pub String);

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StorageError {}

/// How many records a storage has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// With content.
    pub documents: u64,
    /// Without.
    pub tombstones: u64,
}

/// Which records to visit, in which order.
#[derive(Clone, Copy, Debug)]
pub enum Scan<'a> {
    /// Those whose key starts with `prefix`, in the byte order of the keys, after the key `after`.
    Prefix {
        /// Folded.
        prefix: &'a str,
        /// Folded; need not exist.
        after: Option<&'a str>,
    },
    /// All, the one written last first.
    Newest,
    /// Those with a higher etag than this, in the order in which they were written.
    Since(u64),
}

/// A store of records, tombstones included, and a few named texts.
///
/// Whoever embeds the authority makes the writes of one request one transaction: in memory nothing
/// can come between them, a Durable Object wraps the request in `transactionSync`.
pub trait Storage {
    /// One of the named texts.
    ///
    /// # Errors
    /// When the storage fails; so all of these.
    fn meta(&self, name: &str) -> Result<Option<String>, StorageError>;
    /// Writes a named text.
    #[allow(clippy::missing_errors_doc)]
    fn set_meta(&mut self, name: &str, value: &str) -> Result<(), StorageError>;
    /// Forgets a named text.
    #[allow(clippy::missing_errors_doc)]
    fn remove_meta(&mut self, name: &str) -> Result<(), StorageError>;
    /// The named texts whose names start with `prefix`, by name.
    #[allow(clippy::missing_errors_doc)]
    fn metas(&self, prefix: &str) -> Result<Vec<(String, String)>, StorageError>;
    /// The record under a folded id.
    #[allow(clippy::missing_errors_doc)]
    fn get(&self, key: &str) -> Result<Option<Record>, StorageError>;
    /// Puts a record under a folded id, in place of any that is there.
    #[allow(clippy::missing_errors_doc)]
    fn put(&mut self, key: &str, record: Record) -> Result<(), StorageError>;
    /// Visits records until the function says no.
    #[allow(clippy::missing_errors_doc)]
    fn scan(&self, scan: Scan<'_>, visit: &mut dyn FnMut(&str, &Record) -> bool) -> Result<(), StorageError>;
    /// How many records there are.
    #[allow(clippy::missing_errors_doc)]
    fn count(&self) -> Result<Count, StorageError>;
}
