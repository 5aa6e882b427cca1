//! What the Worker's shell calls for a connection.

use super::super::plan::operations_text;
use super::super::response::Response;
use super::super::token::Keys;
use super::super::wasm_class::{Gateway, Outcome, Ruling, Shared};
use super::watches::{Step, Watches};
use super::{route, ticket};
use crate::prelude::*;
use alloc::rc::Rc;
use raven_edge_authority::json::write_string;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Gateway {
    /// The watches of a connection.
    #[must_use]
    pub fn live(&self) -> LiveWatches {
        LiveWatches { shared: Rc::clone(&self.0), watches: Watches::default(), reply: None, sent: None, closes: false }
    }

    /// The headers in a ticket, names and values in turn; `undefined` if it is not valid now. `now`: milliseconds.
    #[wasm_bindgen(js_name = openTicket)]
    #[must_use]
    pub fn open_ticket(&self, secrets: Vec<String>, origin: &str, ticket: &str, now: f64) -> Option<Vec<String>> {
        ticket::open(&Keys::new(&secrets)?, &self.0.config.database, origin, ticket, millis(now))
    }
}

#[wasm_bindgen]
impl Ruling {
    /// Decides about a request that begins a connection; it has no body.
    #[wasm_bindgen(js_name = judgeLive)]
    pub fn judge_live(&mut self) {
        self.outcome = route::decide(&self.request, &self.shared.config).map_or_else(Outcome::Refusal, Outcome::Plan);
    }

    /// Responds with a ticket for the headers of the request. `now`: milliseconds.
    ///
    /// # Errors
    /// If a secret is too short.
    #[wasm_bindgen(js_name = sealTicket)]
    pub fn seal_ticket(&mut self, secrets: Vec<String>, now: f64) -> Result<(), JsError> {
        let keys = Keys::new(&secrets).ok_or_else(|| JsError::new("secret: too short"))?;
        let config = &self.shared.config;
        let ticket = ticket::seal(&keys, &config.database, &self.request, &config.headers, millis(now));
        let mut text = String::from("{\"Ticket\":");
        write_string(&mut text, &ticket);
        text.push('}');
        self.outcome = Outcome::Response(Response::json(200, text));
        Ok(())
    }
}

/// What a connection listens to. The shell hands on `sent` to RavenDB and `reply` to the caller, each once.
#[wasm_bindgen]
#[derive(Debug)]
pub struct LiveWatches {
    shared: Rc<Shared>,
    watches: Watches,
    reply: Option<String>,
    sent: Option<String>,
    closes: bool,
}

#[wasm_bindgen]
impl LiveWatches {
    /// Takes a text of the caller; returns what `authorize` is asked, as JSON.
    pub fn take(&mut self, text: &str) -> Option<String> {
        match self.watches.take(text, &self.shared.config.collections) {
            Step::Ask(operation) => return Some(operations_text(&[operation])),
            Step::Send(text) => self.sent = Some(text),
            Step::Reply(text) => self.reply = Some(text),
            Step::Close => self.closes = true,
        }
        None
    }

    /// What `authorize` says about what [`LiveWatches::take`] returned.
    pub fn settle(&mut self, permitted: bool) {
        if permitted {
            self.sent = self.watches.permit();
        } else {
            self.reply = self.watches.deny();
        }
    }

    /// What RavenDB gets.
    pub fn sent(&mut self) -> Option<String> {
        self.sent.take()
    }

    /// What the caller gets.
    pub fn reply(&mut self) -> Option<String> {
        self.reply.take()
    }

    /// Whether the caller sent something that is no command.
    #[wasm_bindgen(getter)]
    pub fn closes(&self) -> bool {
        self.closes
    }

    /// What the connection listens to, as JSON, to be authorized again.
    #[must_use]
    pub fn operations(&self) -> String {
        operations_text(&self.watches.operations(&self.shared.config.collections))
    }

    /// What the caller gets of a message of RavenDB or the hub; `undefined` if it is none.
    pub fn forward(&mut self, text: &str) -> Option<String> {
        self.watches.forward(text, &self.shared.config.collections)
    }
}

/// A time of the platform.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds since 1970")]
const fn millis(now: f64) -> u64 {
    now as u64
}
