//! The wasm class that the authority's Durable Object (`pkg/src/entries/authority`) calls.

use crate::authority_storage::SqlStorage;
use crate::prelude::*;
use crate::random::random;
use crate::sql::Sql;
use js_sys::Array;
use raven_edge_authority::{Authority as Core, Identity, Node, Options, Request, Timestamp};
use wasm_bindgen::prelude::*;

/// Handles requests by RavenDB's rules for leases and documents, and stores data in the SQLite of a Durable Object. Each object is one
/// database.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Authority {
    core: Core<SqlStorage>,
}

#[wasm_bindgen]
impl Authority {
    /// Opens the database in `ctx.storage.sql`.
    ///
    /// # Errors
    /// When the storage fails.
    #[wasm_bindgen(constructor)]
    pub fn new(sql: Sql, database: String, node_tag: String, check_origin: bool) -> Result<Self, JsError> {
        let options = Options {
            database,
            node_tag,
            nodes: Vec::new(),
            // There is only ever one node. RavenDB's etags of topologies begin at 2: a client that sends 1 has an older topology.
            topology_etag: 2,
            check_origin,
            // Used only for a new database; an existing one keeps the identity that it stored.
            identity: Identity::from_random(random(), random()),
        };
        Ok(Self { core: Core::new(SqlStorage::open(sql)?, options)? })
    }

    /// Handles a request. `url`: path and query, beginning with `/databases/`, `/topology` or `/build/`; `headers`: names and values
    /// in turn; `base`: the URL under which clients reach this node; `now`: `Date.now()`. Returns the status, the body, and an array of
    /// headers, which are pairs.
    ///
    /// # Errors
    /// When the storage fails; the transaction of the JavaScript around it then rolls back what the request wrote.
    pub fn handle(
        &mut self,
        method: &str,
        url: &str,
        headers: Vec<String>,
        body: Vec<u8>,
        base: &str,
        now: f64,
    ) -> Result<Array, JsError> {
        let tag = self.core.options().node_tag.clone();
        self.core.set_nodes(vec![Node { tag, url: base.into() }]);
        let mut headers = headers.into_iter();
        let headers = core::iter::from_fn(|| Some((headers.next()?, headers.next()?))).collect();
        let request = Request { method: method.into(), url: url.into(), headers, body };
        // The conversion saturates, so no clock value can overflow.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let response = self.core.try_handle(&request, Timestamp::from_unix_millis(now as u64), &mut random)?;
        let pair = |(name, value): (&str, String)| Array::of2(&name.into(), &value.into());
        let headers: Array = response.headers.into_iter().map(pair).collect();
        Ok(Array::of3(&response.status.into(), &response.body.into(), &headers))
    }
}
