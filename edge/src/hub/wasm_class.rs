//! The wasm class that the hub's Durable Object (`pkg/src/hub/hub-object`) calls.

use super::config::Config;
use super::lease_hub::{Hub as Core, HubRequest, HubResponse, Reply, Step};
use super::source_conversation::Report;
use super::sql_storage::SqlHubStorage;
use crate::prelude::*;
use crate::random::{nonce, random};
use crate::sql::Sql;
use js_sys::{Array, Uint8Array};
use raven_edge::texts::Input;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A response; `low`: the source should be asked now, before the numbers run out. */
export type HubResponse = [status: number, body: string, incarnation: string | undefined, low: boolean];
/** A request to the source; `url` may be the name of a function of the app. `timeout` in milliseconds. */
export type SourceRequest = [action: "send", method: string, url: string, body: Uint8Array<ArrayBuffer> | undefined, timeout: number];
/** A conversation has failed: the response to all that wait. */
export type Failure = [action: "failed", status: number, body: string];
/** What a conversation does next; `undefined`: it is complete. */
export type Action = SourceRequest | Failure | [action: "pause", milliseconds: number];
"#;

/// A lease hub for one counter, in the SQLite of one Durable Object.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Hub {
    core: Core<SqlHubStorage>,
}

#[wasm_bindgen]
impl Hub {
    /// Opens the hub in `ctx.storage.sql`. `config`: JSON, see `config.rs`.
    ///
    /// # Errors
    /// When the configuration is incomplete or the storage fails. The same holds for the other methods.
    #[wasm_bindgen(constructor)]
    pub fn new(sql: Sql, config: &str) -> Result<Self, JsError> {
        let config = Config::read(config).map_err(|error| JsError::new(&error))?;
        Ok(Self { core: Core::new(SqlHubStorage::open(sql)?, config) })
    }

    /// Handles a request. `undefined` means that [`Hub::refill`] must complete first; then call this again. `known`:
    /// the database's incarnation that the sender knows; `page`: whether a page sent the request; `now`:
    /// `Date.now()`.
    #[wasm_bindgen(unchecked_return_type = "HubResponse | undefined")]
    #[allow(clippy::missing_errors_doc)]
    pub fn handle(
        &mut self,
        method: &str,
        target: &str,
        body: &[u8],
        client_incarnation: Option<String>,
        page: bool,
        now: f64,
    ) -> Result<Option<Array>, JsError> {
        let secret = random().iter().map(|byte| format!("{byte:02x}")).collect();
        let request = HubRequest {
            method,
            target,
            body,
            client_incarnation: client_incarnation.as_deref(),
            page,
            secret,
            now: millis(now),
        };
        Ok(match self.core.handle(request)? {
            Reply::Response(HubResponse { status, body, incarnation, low }) => {
                Some(Array::of4(&status.into(), &body.into(), &incarnation.into(), &low.into()))
            }
            Reply::NeedsSource => None,
        })
    }

    /// Begins to request a range from the source; returns the first action.
    #[wasm_bindgen(unchecked_return_type = "Action | undefined")]
    #[allow(clippy::missing_errors_doc)]
    pub fn refill(&mut self, now: f64) -> Result<Option<Array>, JsError> {
        Ok(action(self.core.refill(millis(now), u64::from(nonce()))?))
    }

    /// Begins to return unused numbers to the source; returns the first action.
    #[wasm_bindgen(js_name = giveBack, unchecked_return_type = "Action | undefined")]
    #[allow(clippy::missing_errors_doc)]
    pub fn give_back(&mut self, now: f64) -> Result<Option<Array>, JsError> {
        Ok(action(self.core.give_back(millis(now))?))
    }

    /// Continues after an action with its result: status, body, and incarnation or reason. Returns the next action, or `undefined`
    /// when the conversation is complete.
    #[wasm_bindgen(unchecked_return_type = "Action | undefined")]
    #[allow(clippy::missing_errors_doc)]
    pub fn step(
        &mut self,
        status: u16,
        body: Vec<u8>,
        text: Option<String>,
        now: f64,
    ) -> Result<Option<Array>, JsError> {
        let input = Input::reported(status, body, text);
        Ok(action(self.core.step(Report { input, now: millis(now), random: nonce() })?))
    }

    /// When the last loan was made, as `Date.now()`.
    #[wasm_bindgen(js_name = lentAt)]
    #[allow(clippy::missing_errors_doc, clippy::cast_precision_loss)]
    pub fn lent_at(&self) -> Result<f64, JsError> {
        Ok(self.core.lent_at()? as f64)
    }

    /// Discards all numbers, lent or not. Call it after the object's storage was restored to an earlier point in
    /// time.
    #[allow(clippy::missing_errors_doc)]
    pub fn burn(&mut self) -> Result<(), JsError> {
        Ok(self.core.burn()?)
    }
}

/// The conversion saturates, so no clock value can overflow.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn millis(now: f64) -> u64 {
    now as u64
}

/// An action of the shell; `None`: the conversation is complete.
#[allow(clippy::cast_precision_loss)]
fn action(step: Step) -> Option<Array> {
    let millis = |millis: u64| JsValue::from(millis as f64);
    Some(match step {
        Step::Send(outgoing) => {
            let body = outgoing.body.map_or(JsValue::UNDEFINED, |body| Uint8Array::from(body.as_slice()).into());
            Array::of5(&"send".into(), &outgoing.method.into(), &outgoing.url.into(), &body, &millis(outgoing.limit))
        }
        Step::Pause(pause) => Array::of2(&"pause".into(), &millis(pause)),
        Step::Failed(status, body) => Array::of3(&"failed".into(), &status.into(), &body.into()),
        Step::Done => return None,
    })
}
