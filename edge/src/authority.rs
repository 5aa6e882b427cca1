//! The class that the Durable Object's shell calls.

use crate::random::random;
use crate::rows::Sql;
use crate::sql::SqlStorage;
use raven_edge_authority::{Authority as Core, Identity, Node, Options, Request, Timestamp};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// What the shell says about itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    database: String,
    node_tag: String,
    check_origin: bool,
}

/// An answer as the shell turns it into a `Response`.
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
            // There is one node for ever; RavenDB's etags begin at 2, so that 1 is always older.
            topology_etag: 2,
            check_origin: config.check_origin,
            // Of a database that is new; one that is there keeps its own.
            identity: Identity::from_random(random(), random()),
        };
        Ok(Self { core: Core::new(SqlStorage::open(sql)?, options)? })
    }

    /// Answers a request: `url` is path and query from `/databases/`, `/topology` or `/build/` on,
    /// `headers` an array of pairs, `base` the URL under which clients reach this node, `now` `Date.now()`.
    ///
    /// # Errors
    /// When the storage fails; the shell's transaction then undoes what was written.
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
        // A double converts with saturation: no clock value can go wrong here.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let response = self.core.try_handle(&request, Timestamp::from_unix_millis(now as u64), &mut random)?;
        let answer = Answer { status: response.status, headers: response.headers, body: response.body };
        Ok(serde_wasm_bindgen::to_value(&answer)?)
    }
}
