//! The storage of a hub in the SQLite of a Durable Object.

use super::storage_trait::{HubStorage, Result};
use super::stored_records::{Chunk, GrantRecord, HubState, Loan};
use crate::prelude::*;
use crate::sql::{Sql, integer, number, optional_text, text};
use js_sys::Array;
use raven_edge::hilo::Range;
use raven_edge_authority::StorageError;
use wasm_bindgen::JsValue;

// Stored names cannot change. `hub_book.facts` is a `HubState`, a row of `hub_chunks` a `Chunk`, of `hub_grants` a `GrantRecord`, of
// `hub_loans` a `Loan`; the columns `lease` are the id of a grant.
const SCHEMA: [&str; 4] = [
    "CREATE TABLE IF NOT EXISTS hub_book (id INTEGER PRIMARY KEY, facts TEXT NOT NULL)",
    // The key contains the grant because two nodes may grant the same numbers.
    "CREATE TABLE IF NOT EXISTS hub_chunks (lease INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL, \
     PRIMARY KEY (lease, low)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS hub_grants (id INTEGER PRIMARY KEY, high INTEGER NOT NULL, tag TEXT NOT NULL, \
     fence TEXT, url TEXT NOT NULL)",
    // `at` is text because a time in ticks exceeds 2^53, the largest exact integer of JavaScript.
    "CREATE TABLE IF NOT EXISTS hub_loans (id INTEGER PRIMARY KEY, secret TEXT, lease INTEGER NOT NULL, \
     low INTEGER NOT NULL, high INTEGER NOT NULL, at TEXT NOT NULL UNIQUE)",
];
const CHUNK: &str = "SELECT lease, low, high FROM hub_chunks";
const OF_TAG: &str = "lease IN (SELECT id FROM hub_grants WHERE tag = ?1) AND high > ?2";
const LOAN: &str = "SELECT id, secret, lease, low, high, at FROM hub_loans WHERE";

/// A hub's storage in a Durable Object.
#[derive(Debug)]
pub(super) struct SqlHubStorage {
    sql: Sql,
}

impl SqlHubStorage {
    /// Opens the storage and creates its tables if they do not exist.
    pub(super) fn open(sql: Sql) -> Result<Self> {
        for statement in SCHEMA {
            sql.rows(statement, &[])?;
        }
        Ok(Self { sql })
    }

    fn run(&self, statement: &str, bindings: &[JsValue]) -> Result<()> {
        self.sql.rows(statement, bindings).map(drop)
    }

    fn chunks(&self, rest: &str, bindings: &[JsValue]) -> Result<Vec<Chunk>> {
        self.sql.rows(&format!("{CHUNK} {rest}"), bindings)?.iter().map(chunk).collect()
    }
}

fn range(row: &Array, column: u32) -> Result<Range> {
    let (low, high) = (integer(row, column)?, integer(row, column + 1)?);
    Range::new(low, high).ok_or_else(|| StorageError(format!("no range: {low} to {high}")))
}

fn chunk(row: &Array) -> Result<Chunk> {
    Ok(Chunk { grant: integer(row, 0)?, range: range(row, 1)? })
}

fn loan(row: &Array) -> Result<Loan> {
    let at = text(row, 5)?;
    Ok(Loan {
        id: integer(row, 0)?,
        secret: optional_text(row, 1)?,
        grant: integer(row, 2)?,
        low: integer(row, 3)?,
        high: integer(row, 4)?,
        at: at.parse().map_err(|_| StorageError(format!("no time: {at}")))?,
    })
}

impl HubStorage for SqlHubStorage {
    fn state(&self) -> Result<Option<HubState>> {
        let rows = self.sql.rows("SELECT facts FROM hub_book", &[])?;
        let read = |facts: String| HubState::read(&facts).map_err(StorageError);
        rows.first().map(|row| text(row, 0).and_then(read)).transpose()
    }

    fn set_state(&mut self, state: &HubState) -> Result<()> {
        self.run("INSERT OR REPLACE INTO hub_book (id, facts) VALUES (1, ?)", &[state.stored().into()])
    }

    fn first_chunk(&self, tag: &str, above: u64) -> Result<Option<Chunk>> {
        let first = format!("WHERE {OF_TAG} ORDER BY lease, low LIMIT 1");
        Ok(self.chunks(&first, &[tag.into(), number(above)])?.pop())
    }

    fn fitting_chunk(&self, tag: &str, count: u64, above: u64) -> Result<Option<Chunk>> {
        // Counts the free numbers above ?2 of each chunk, at most ?3, and takes the highest count: that is the first chunk
        // that fits, or else the largest.
        let most = format!("WHERE {OF_TAG} ORDER BY min(high - max(low - 1, ?2), ?3) DESC, lease, low LIMIT 1");
        Ok(self.chunks(&most, &[tag.into(), number(above), number(count)])?.pop())
    }

    fn adjacent(&self, grant: u64, before: u64, after: u64) -> Result<Vec<Chunk>> {
        let bindings = [number(grant), number(before), number(after)];
        self.chunks("WHERE lease = ? AND (high + 1 = ? OR low = ? + 1)", &bindings)
    }

    fn available(&self, tag: &str, above: u64) -> Result<u64> {
        let sum = format!("SELECT coalesce(sum(high - max(low - 1, ?2)), 0) FROM hub_chunks WHERE {OF_TAG}");
        self.sql.rows(&sum, &[tag.into(), number(above)])?.first().map_or(Ok(0), |row| integer(row, 0))
    }

    fn put(&mut self, chunk: Chunk) -> Result<()> {
        let bindings = [chunk.grant, chunk.range.low(), chunk.range.high()].map(number);
        self.run("INSERT INTO hub_chunks (lease, low, high) VALUES (?, ?, ?)", &bindings)
    }

    fn remove(&mut self, chunk: Chunk) -> Result<()> {
        let bindings = [chunk.grant, chunk.range.low()].map(number);
        self.run("DELETE FROM hub_chunks WHERE lease = ? AND low = ?", &bindings)
    }

    fn grant(&self, id: u64) -> Result<Option<GrantRecord>> {
        let rows = self.sql.rows("SELECT high, tag, fence, url FROM hub_grants WHERE id = ?", &[number(id)])?;
        let read = |row: &Array| {
            let (tag, fence, url) = (text(row, 1)?, optional_text(row, 2)?, text(row, 3)?);
            Ok(GrantRecord { id, high: integer(row, 0)?, tag, fence, url })
        };
        rows.first().map(read).transpose()
    }

    fn set_grant(&mut self, granted: &GrantRecord) -> Result<()> {
        let GrantRecord { id, high, tag, fence, url } = granted;
        let fence = fence.as_deref().map_or(JsValue::NULL, JsValue::from);
        let bindings = [number(*id), number(*high), tag.into(), fence, url.into()];
        self.run("INSERT OR REPLACE INTO hub_grants (id, high, tag, fence, url) VALUES (?, ?, ?, ?, ?)", &bindings)
    }

    fn loan(&self, id: u64) -> Result<Option<Loan>> {
        self.sql.rows(&format!("{LOAN} id = ?"), &[number(id)])?.first().map(loan).transpose()
    }

    fn loan_at(&self, at: u64) -> Result<Option<Loan>> {
        self.sql.rows(&format!("{LOAN} at = ?"), &[at.to_string().into()])?.first().map(loan).transpose()
    }

    fn set_loan(&mut self, loan: &Loan) -> Result<()> {
        let Loan { id, secret, grant, low, high, at } = loan;
        let secret = secret.as_deref().map_or(JsValue::NULL, JsValue::from);
        let bindings =
            [number(*id), secret, number(*grant), number(*low), number(*high), JsValue::from(at.to_string())];
        let insert = "INSERT OR REPLACE INTO hub_loans (id, secret, lease, low, high, at) VALUES (?, ?, ?, ?, ?, ?)";
        self.run(insert, &bindings)
    }

    fn prune(&mut self, before: u64, chunks: u64) -> Result<()> {
        self.run("DELETE FROM hub_loans WHERE id < ?", &[number(before)])?;
        let old = "SELECT lease, low FROM hub_chunks ORDER BY lease DESC, low DESC LIMIT -1 OFFSET ?";
        self.run(&format!("DELETE FROM hub_chunks WHERE (lease, low) IN ({old})"), &[number(chunks)])?;
        let left = "SELECT lease FROM hub_chunks UNION SELECT lease FROM hub_loans";
        self.run(&format!("DELETE FROM hub_grants WHERE id NOT IN ({left})"), &[])
    }

    fn clear(&mut self) -> Result<()> {
        ["hub_chunks", "hub_grants", "hub_loans"]
            .into_iter()
            .try_for_each(|table| self.run(&format!("DELETE FROM {table}"), &[]))
    }
}
