//! The class that the Durable Object's shell calls: the keeper, behind wasm-bindgen.

use super::keeper::{Asked, Config, Keeper, Reply, Step};
use super::sending::Report;
use super::sql::SqlShelf;
use crate::random::{nonce, random};
use crate::rows::Sql;
use js_sys::Uint8Array;
use raven_edge::http::Input;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A lease hub over the SQLite of one Durable Object, which is one counter.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Hub {
    keeper: Keeper<SqlShelf>,
}

/// An answer as the shell turns it into a `Response`.
#[derive(Serialize)]
struct Answer {
    status: u16,
    body: String,
    incarnation: Option<String>,
    low: bool,
}

/// What the shell does for a conversation with the source.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum ToDo {
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
    /// Opens the hub in `ctx.storage.sql`. `config`: see `Config` in `keeper.rs`.
    ///
    /// # Errors
    /// When the configuration is incomplete or the storage fails; so all of these.
    #[wasm_bindgen(constructor)]
    pub fn new(sql: Sql, config: JsValue) -> Result<Self, JsError> {
        let config: Config = serde_wasm_bindgen::from_value(config)?;
        Ok(Self { keeper: Keeper::new(SqlShelf::open(sql)?, config) })
    }

    /// Answers a request, or gives nothing: then [`Hub::refill`] has to be through first. `heard`: the database's
    /// incarnation as the sender heard it; `page`: a page sends it; `now`: `Date.now()`.
    #[allow(clippy::missing_errors_doc)]
    pub fn handle(
        &mut self,
        method: &str,
        target: &str,
        body: &[u8],
        heard: Option<String>,
        page: bool,
        now: f64,
    ) -> Result<JsValue, JsError> {
        let secret = random().iter().map(|byte| format!("{byte:02x}")).collect();
        let asked = Asked { method, target, body, heard: heard.as_deref(), page, secret, now: millis(now) };
        Ok(match self.keeper.handle(asked)? {
            Reply::Answer(said) => serde_wasm_bindgen::to_value(&Answer {
                status: said.status,
                body: said.body,
                incarnation: said.incarnation,
                low: said.low,
            })?,
            Reply::Wait => JsValue::UNDEFINED,
        })
    }

    /// Asks the source for a range: gives what to do first.
    #[allow(clippy::missing_errors_doc)]
    pub fn refill(&mut self, now: f64) -> Result<JsValue, JsError> {
        to_do(self.keeper.refill(millis(now), u64::from(nonce()))?)
    }

    /// Gives what is unused back to the source: gives what to do first.
    #[wasm_bindgen(js_name = giveBack)]
    #[allow(clippy::missing_errors_doc)]
    pub fn give_back(&mut self, now: f64) -> Result<JsValue, JsError> {
        to_do(self.keeper.give_back(millis(now))?)
    }

    /// Goes on with what came: status, body, and incarnation or reason. Gives `{ send }`, `{ pause }`, `{ failed }`, or
    /// nothing when it is done.
    #[allow(clippy::missing_errors_doc)]
    pub fn step(&mut self, status: u16, body: Vec<u8>, text: Option<String>, now: f64) -> Result<JsValue, JsError> {
        let input = Input::reported(status, body, text);
        to_do(self.keeper.step(Report { input, now: millis(now), random: nonce() })?)
    }

    /// When the last loan was made, as `Date.now()`.
    #[wasm_bindgen(js_name = lentAt)]
    #[allow(clippy::missing_errors_doc, clippy::cast_precision_loss)]
    pub fn lent_at(&self) -> Result<f64, JsError> {
        Ok(self.keeper.lent_at()? as f64)
    }

    /// Burns all that is here, lent or not: after the object's storage was set back to an earlier day.
    #[allow(clippy::missing_errors_doc)]
    pub fn burn(&mut self) -> Result<(), JsError> {
        Ok(self.keeper.burn()?)
    }
}

/// A double converts with saturation: no clock value can go wrong here.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn millis(now: f64) -> u64 {
    now as u64
}

fn to_do(step: Step) -> Result<JsValue, JsError> {
    let to_do = match step {
        Step::Send(sending) => {
            let body = sending.body.map_or(JsValue::UNDEFINED, |body| Uint8Array::from(body.as_slice()).into());
            ToDo::Send { method: sending.method, url: sending.url, body, limit: sending.limit }
        }
        Step::Pause(pause) => ToDo::Pause(pause),
        Step::Failed(status, body) => ToDo::Failed { status, body },
        Step::Done => return Ok(JsValue::UNDEFINED),
    };
    Ok(serde_wasm_bindgen::to_value(&to_do)?)
}
