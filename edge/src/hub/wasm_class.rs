//! The wasm class that the hub's Durable Object (`pkg/src/hub/hub-object`) calls.

use super::lease_hub::{Config, Hub as Core, HubRequest, Reply, Step};
use super::source_conversation::Report;
use super::sql_storage::SqlHubStorage;
use crate::random::{nonce, random};
use crate::sql::Sql;
use js_sys::Uint8Array;
use raven_edge::http::Input;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A lease hub for one counter, in the SQLite of one Durable Object.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Hub {
    core: Core<SqlHubStorage>,
}

/// A response; the shell turns it into a `Response`.
#[derive(Serialize)]
struct HubResponse {
    status: u16,
    body: String,
    incarnation: Option<String>,
    low: bool,
}

/// What the shell does next for a conversation with the source.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Action {
    Send {
        method: &'static str,
        url: String,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        body: JsValue,
        limit: u64,
    },
    Pause(u64),
    Failed {
        status: u16,
        body: String,
    },
}

#[wasm_bindgen]
impl Hub {
    /// Opens the hub in `ctx.storage.sql`. `config`: see `Config` in `lease_hub.rs`.
    ///
    /// # Errors
    /// When the configuration is incomplete or the storage fails. The same holds for the other methods.
    #[wasm_bindgen(constructor)]
    pub fn new(sql: Sql, config: JsValue) -> Result<Self, JsError> {
        let config: Config = serde_wasm_bindgen::from_value(config)?;
        Ok(Self { core: Core::new(SqlHubStorage::open(sql)?, config) })
    }

    /// Handles a request. `undefined` means that [`Hub::refill`] must complete first; then call this again. `known`:
    /// the database's incarnation that the sender knows; `page`: whether a page sent the request; `now`:
    /// `Date.now()`.
    #[allow(clippy::missing_errors_doc)]
    pub fn handle(
        &mut self,
        method: &str,
        target: &str,
        body: &[u8],
        client_incarnation: Option<String>,
        page: bool,
        now: f64,
    ) -> Result<JsValue, JsError> {
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
            Reply::Response(response) => serde_wasm_bindgen::to_value(&HubResponse {
                status: response.status,
                body: response.body,
                incarnation: response.incarnation,
                low: response.low,
            })?,
            Reply::NeedsSource => JsValue::UNDEFINED,
        })
    }

    /// Begins to request a range from the source; returns the first action.
    #[allow(clippy::missing_errors_doc)]
    pub fn refill(&mut self, now: f64) -> Result<JsValue, JsError> {
        action(self.core.refill(millis(now), u64::from(nonce()))?)
    }

    /// Begins to return unused numbers to the source; returns the first action.
    #[wasm_bindgen(js_name = giveBack)]
    #[allow(clippy::missing_errors_doc)]
    pub fn give_back(&mut self, now: f64) -> Result<JsValue, JsError> {
        action(self.core.give_back(millis(now))?)
    }

    /// Continues after an action with its result: status, body, and incarnation or reason. Returns `{ send }`, `{
    /// pause }`, `{ failed }`, or `undefined` when the conversation is complete.
    #[allow(clippy::missing_errors_doc)]
    pub fn step(&mut self, status: u16, body: Vec<u8>, text: Option<String>, now: f64) -> Result<JsValue, JsError> {
        let input = Input::reported(status, body, text);
        action(self.core.step(Report { input, now: millis(now), random: nonce() })?)
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

fn action(step: Step) -> Result<JsValue, JsError> {
    let action = match step {
        Step::Send(outgoing) => {
            let body = outgoing.body.map_or(JsValue::UNDEFINED, |body| Uint8Array::from(body.as_slice()).into());
            Action::Send { method: outgoing.method, url: outgoing.url, body, limit: outgoing.limit }
        }
        Step::Pause(pause) => Action::Pause(pause),
        Step::Failed(status, body) => Action::Failed { status, body },
        Step::Done => return Ok(JsValue::UNDEFINED),
    };
    Ok(serde_wasm_bindgen::to_value(&action)?)
}
