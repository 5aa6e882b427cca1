//! The authority's storage over the SQLite of a Durable Object (`ctx.storage.sql`).
//!
//! SQLite is synchronous in a Durable Object, so the synchronous core runs unchanged. The shell runs each request in
//! `transactionSync`: an error that leaves the wasm rolls back what the request wrote.

use crate::prelude::*;
use crate::sql::{Sql, optional_text, text};
use js_sys::Array;
use raven_edge_authority::document::{Content, Record};
use raven_edge_authority::storage::{Count, Scan};
use raven_edge_authority::{Storage, StorageError, Timestamp};
use wasm_bindgen::prelude::*;

const SCHEMA: [&str; 2] = [
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    // `modified` is text because a time in ticks exceeds 2^53, the largest exact integer of JavaScript.
    "CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, id TEXT NOT NULL, etag INTEGER NOT NULL UNIQUE, \
     vector TEXT NOT NULL, modified TEXT NOT NULL, body TEXT, metadata TEXT) WITHOUT ROWID",
];
const COLUMNS: &str = "key, id, etag, vector, modified, body, metadata";
/// Rows read per page, so that listing a whole database does not fill the memory.
const PAGE: u32 = 128;

/// The authority's documents in a Durable Object.
#[derive(Debug)]
pub(crate) struct SqlStorage {
    sql: Sql,
}

impl SqlStorage {
    /// Opens the storage and creates its tables if they do not exist.
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

    /// Visits all rows page by page. `rest`: the WHERE and ORDER BY clauses; the last binding is where the next page
    /// begins.
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
        // U+10FFFF is the last character, so `prefix || U+10FFFF` is an upper bound of all names with this prefix.
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
                // The prefix itself may be an id; all other ids with this prefix sort after it.
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
        // The number of rows in a table is far below 2^53.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let number = |column| rows.first().and_then(|row| row.get(column).as_f64()).map_or(0, |number| number as u64);
        Ok(Count { documents: number(0), tombstones: number(1) })
    }
}

/// The largest exact integer of JavaScript. A database reaches it after 285 years of a million writes per second.
const MAX_ETAG: u64 = 1 << 53;

#[allow(clippy::cast_precision_loss)]
fn to_double(etag: u64) -> f64 {
    etag.min(MAX_ETAG) as f64
}

fn read(row: &Array) -> Result<(String, Record), StorageError> {
    let number = |text: String| text.parse::<u64>().map_err(|_| StorageError(format!("no time: {text}")));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let etag = row.get(2).as_f64().ok_or_else(|| StorageError("the etag is not a number".into()))? as u64;
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
