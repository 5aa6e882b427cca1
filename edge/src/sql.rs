//! The authority's storage over the SQLite of a Durable Object (`ctx.storage.sql`).
//!
//! Reads and writes are synchronous there, so the synchronous core runs as it is. The shell runs each
//! request in `transactionSync`: an error that leaves the wasm undoes what the request wrote.

use crate::rows::{Sql, optional_text, text};
use js_sys::Array;
use raven_edge_authority::document::{Content, Record};
use raven_edge_authority::storage::{Count, Scan};
use raven_edge_authority::{Storage, StorageError, Timestamp};
use wasm_bindgen::prelude::*;

const SCHEMA: [&str; 2] = [
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    // `modified` in ticks is beyond what a JavaScript number holds, hence text.
    "CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, id TEXT NOT NULL, etag INTEGER NOT NULL UNIQUE, \
     vector TEXT NOT NULL, modified TEXT NOT NULL, body TEXT, metadata TEXT) WITHOUT ROWID",
];
const COLUMNS: &str = "key, id, etag, vector, modified, body, metadata";
/// Rows read at a time: a listing of a whole database must not fill the memory.
const PAGE: u32 = 128;

/// Documents in a Durable Object.
#[derive(Debug)]
pub(crate) struct SqlStorage {
    sql: Sql,
}

impl SqlStorage {
    /// Opens the storage; makes its tables when they are not there.
    pub(crate) fn open(sql: Sql) -> Result<Self, StorageError> {
        let storage = Self { sql };
        for statement in SCHEMA {
            storage.rows(statement, &[])?;
        }
        Ok(storage)
    }

    fn rows(&self, query: &str, bindings: &[JsValue]) -> Result<Vec<Array>, StorageError> {
        self.sql.rows(query, bindings)
    }

    fn page(&self, rest: &str, bindings: &[JsValue]) -> Result<Vec<(String, Record)>, StorageError> {
        self.rows(&format!("SELECT {COLUMNS} FROM records {rest}"), bindings)?.iter().map(read).collect()
    }

    /// Visits page after page; `rest` selects and orders, its last binding is the place to go on from.
    fn pages<P: Into<JsValue>>(
        &self,
        rest: &str,
        mut from: P,
        next: impl Fn(&str, &Record) -> P,
        visit: &mut dyn FnMut(&str, &Record) -> bool,
    ) -> Result<(), StorageError> {
        loop {
            let page = self.page(&format!("{rest} LIMIT {PAGE}"), &[from.into()])?;
            for (key, record) in &page {
                if !visit(key, record) {
                    return Ok(());
                }
            }
            match page.last() {
                Some((key, record)) => from = next(key, record),
                None => return Ok(()),
            }
        }
    }
}

impl Storage for SqlStorage {
    fn meta(&self, name: &str) -> Result<Option<String>, StorageError> {
        let rows = self.rows("SELECT value FROM meta WHERE name = ?", &[name.into()])?;
        rows.first().map(|row| text(row, 0)).transpose()
    }

    fn set_meta(&mut self, name: &str, value: &str) -> Result<(), StorageError> {
        self.rows("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", &[name.into(), value.into()]).map(drop)
    }

    fn remove_meta(&mut self, name: &str) -> Result<(), StorageError> {
        self.rows("DELETE FROM meta WHERE name = ?", &[name.into()]).map(drop)
    }

    fn metas(&self, prefix: &str) -> Result<Vec<(String, String)>, StorageError> {
        // The last of all characters stands behind whatever may follow the prefix.
        let query = "SELECT name, value FROM meta WHERE name >= ? AND name < ? || char(1114111) ORDER BY name";
        let rows = self.rows(query, &[prefix.into(), prefix.into()])?;
        rows.iter().map(|row| Ok((text(row, 0)?, text(row, 1)?))).collect()
    }

    fn get(&self, key: &str) -> Result<Option<Record>, StorageError> {
        Ok(self.page("WHERE key = ?", &[key.into()])?.pop().map(|(_, record)| record))
    }

    fn put(&mut self, key: &str, record: Record) -> Result<(), StorageError> {
        let (body, metadata) = match record.content {
            Some(Content { body, metadata }) => (body.into(), metadata.into()),
            None => (JsValue::NULL, JsValue::NULL),
        };
        let row = [
            key.into(),
            record.id.into(),
            to_double(record.etag).into(),
            record.change_vector.into(),
            record.modified.ticks().to_string().into(),
            body,
            metadata,
        ];
        self.rows(&format!("INSERT OR REPLACE INTO records ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"), &row).map(drop)
    }

    fn scan(&self, scan: Scan<'_>, visit: &mut dyn FnMut(&str, &Record) -> bool) -> Result<(), StorageError> {
        match scan {
            Scan::Prefix { prefix, after } => {
                let mut within = |key: &str, record: &Record| key.starts_with(prefix) && visit(key, record);
                // The prefix itself may be an id; everything else lies above it.
                let from = after.filter(|after| *after >= prefix);
                if from.is_none()
                    && let Some(record) = self.get(prefix)?
                    && !within(prefix, &record)
                {
                    return Ok(());
                }
                let from = from.unwrap_or(prefix).to_owned();
                self.pages("WHERE key > ? ORDER BY key", from, |key, _| key.to_owned(), &mut within)
            }
            Scan::Newest => self.pages(
                "WHERE etag < ? ORDER BY etag DESC",
                to_double(MAX_ETAG),
                |_, record| to_double(record.etag),
                visit,
            ),
            Scan::Since(etag) => {
                self.pages("WHERE etag > ? ORDER BY etag", to_double(etag), |_, record| to_double(record.etag), visit)
            }
        }
    }

    fn count(&self) -> Result<Count, StorageError> {
        let rows = self.rows("SELECT COUNT(body), COUNT(*) - COUNT(body) FROM records", &[])?;
        // A table has fewer rows than a double has digits.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let number = |column| rows.first().and_then(|row| row.get(column).as_f64()).map_or(0, |number| number as u64);
        Ok(Count { documents: number(0), tombstones: number(1) })
    }
}

/// Where JavaScript's numbers end; a database would have to write a million documents a second for 285 years.
const MAX_ETAG: u64 = 1 << 53;

#[allow(clippy::cast_precision_loss)]
fn to_double(etag: u64) -> f64 {
    etag.min(MAX_ETAG) as f64
}

fn read(row: &Array) -> Result<(String, Record), StorageError> {
    let number = |text: String| text.parse::<u64>().map_err(|_| StorageError(format!("no time: {text}")));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let etag = row.get(2).as_f64().ok_or_else(|| StorageError("the etag is no number".into()))? as u64;
    let content = match (optional_text(row, 5)?, optional_text(row, 6)?) {
        (Some(body), Some(metadata)) => Some(Content { body, metadata }),
        _ => None,
    };
    let record = Record {
        id: text(row, 1)?,
        etag,
        change_vector: text(row, 3)?,
        modified: Timestamp::from_ticks(number(text(row, 4)?)?),
        content,
    };
    Ok((text(row, 0)?, record))
}
