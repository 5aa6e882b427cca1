//! The wasm class that the authority's Durable Object (`pkg/src/entries/authority`) calls.

use crate::authority_storage::SqlStorage;
use crate::random::random;
use crate::sql::Sql;
use raven_edge_authority::{Authority as Core, Identity, Node, Options, Request, Timestamp};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// The configuration that the shell passes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    database: String,
    node_tag: String,
    check_origin: bool,
}

/// A response; the shell turns it into a `Response`.
#[derive(Serialize)]
struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

/// RavenDB's rules over the SQLite of one Durable Object, which is one database.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Authority {
    core: Core<SqlStorage>,
}

#[wasm_bindgen]
impl Authority {
    /// Opens the database in `ctx.storage.sql`. `config`: `{ database, nodeTag, checkOrigin }`.
    ///
    /// # Errors
    /// When the configuration is incomplete or the storage fails.
    #[wasm_bindgen(constructor)]
    pub fn new(sql: Sql, config: JsValue) -> Result<Self, JsError> {
        let config: Config = serde_wasm_bindgen::from_value(config)?;
        let options = Options {
            database: config.database,
            node_tag: config.node_tag,
            nodes: Vec::new(),
            // There is only ever one node. RavenDB's etags begin at 2, so a client's 1 is always older.
            topology_etag: 2,
            check_origin: config.check_origin,
            // Used only for a new database; an existing one keeps the identity that it stored.
            identity: Identity::from_random(random(), random()),
        };
        Ok(Self { core: Core::new(SqlStorage::open(sql)?, options)? })
    }

    /// Handles a request. `url`: path and query, beginning with `/databases/`, `/topology` or `/build/`; `headers`:
    /// an array of pairs; `base`: the URL under which clients reach this node; `now`: `Date.now()`.
    ///
    /// # Errors
    /// When the storage fails; the shell's transaction then rolls back what the request wrote.
    pub fn handle(
        &mut self,
        method: &str,
        url: &str,
        headers: JsValue,
        body: Vec<u8>,
        base: &str,
        now: f64,
    ) -> Result<JsValue, JsError> {
        let tag = self.core.options().node_tag.clone();
        self.core.set_nodes(vec![Node { tag, url: base.into() }]);
        let request =
            Request { method: method.into(), url: url.into(), headers: serde_wasm_bindgen::from_value(headers)?, body };
        // The conversion saturates, so no clock value can overflow.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let response = self.core.try_handle(&request, Timestamp::from_unix_millis(now as u64), &mut random)?;
        let answer = Answer { status: response.status, headers: response.headers, body: response.body };
        Ok(serde_wasm_bindgen::to_value(&answer)?)
    }
}
