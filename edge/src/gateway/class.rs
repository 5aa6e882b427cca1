//! What the Worker's shell calls.

use super::answer::{Answer, Upstream};
use super::config::Config;
use super::decide::{Step, decide};
use super::origin;
use super::plan::{Caller, Forward, Plan};
use super::refusal::{Kind, Refusal, refused};
use super::request::Incoming;
use super::token::{Keys, SHORTEST};
use crate::random::nonce;
use gloo_net::http::{Request, RequestBuilder};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::RequestRedirect;

/// What all requests share.
#[derive(Debug)]
struct Shared {
    config: Config,
    /// The incarnation of the database that was heard of last.
    seen: RefCell<Option<String>>,
}

/// A gateway before one database.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Gateway(Rc<Shared>);

#[wasm_bindgen]
impl Gateway {
    /// Reads a configuration, without its functions and secrets.
    ///
    /// # Errors
    /// When it makes no sense; the message begins with the field.
    #[wasm_bindgen(constructor)]
    pub fn new(config: JsValue) -> Result<Self, JsError> {
        // By way of a value of any shape: an object of JavaScript does not tell of members that nobody asks for, and a
        // slip in a name must not switch off what it was meant to limit.
        let mut any: serde_json::Value = serde_wasm_bindgen::from_value(config)?;
        if let Some(members) = any.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        let config = Config::read(any).map_err(|error| JsError::new(&error))?;
        Ok(Self(Rc::new(Shared { config, seen: RefCell::default() })))
    }

    /// How many bytes of a body have to be read at most; one more says that it is too large.
    #[wasm_bindgen(getter, js_name = bodyLimit)]
    pub fn body_limit(&self) -> usize {
        self.0.config.limits.body
    }

    /// Begins with a request, whose body is not read yet; `headers` is an array of pairs.
    ///
    /// # Errors
    /// When `headers` is none.
    pub fn rule(&self, method: String, url: String, headers: JsValue) -> Result<Ruling, JsError> {
        let headers = serde_wasm_bindgen::from_value(headers)?;
        let request = Incoming { method, url, headers, body: Vec::new() };
        let outcome = match origin::preflight(&request, &self.0.config) {
            Some(answer) => Outcome::Answer(answer),
            None => origin::check(&request, &self.0.config).map_or_else(Outcome::Refusal, |()| Outcome::Open),
        };
        Ok(Ruling { shared: Rc::clone(&self.0), request, outcome, caller: None })
    }
}

#[derive(Debug)]
enum Outcome {
    /// Who asks may ask; what is asked is not known yet.
    Open,
    Answer(Answer),
    Refusal(Refusal),
    Plan(Plan),
}

/// What was decided about one request.
#[wasm_bindgen]
pub struct Ruling {
    shared: Rc<Shared>,
    request: Incoming,
    outcome: Outcome,
    caller: Option<Caller>,
}

impl core::fmt::Debug for Ruling {
    /// Without the keys.
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.debug_struct("Ruling")
            .field("request", &self.request)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

#[wasm_bindgen]
impl Ruling {
    /// Whether the body has to be read.
    #[wasm_bindgen(getter, js_name = isOpen)]
    pub fn is_open(&self) -> bool {
        matches!(self.outcome, Outcome::Open)
    }

    /// Decides about the request with its body, which need not stay.
    pub fn judge(&mut self, body: Vec<u8>) {
        let request = Incoming { body, ..self.request.clone() };
        self.outcome = decide(&request, &self.shared.config).map_or_else(Outcome::Refusal, Outcome::Plan);
    }

    /// What the request would do, for `authorize`, or what its answer would show beyond that; `undefined` when there is
    /// nothing to ask about.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn operations(&self) -> Result<JsValue, JsError> {
        match &self.outcome {
            Outcome::Plan(plan) => Ok(serde_wasm_bindgen::to_value(&plan.operations)?),
            Outcome::Answer(answer) if !answer.included.is_empty() => {
                Ok(serde_wasm_bindgen::to_value(&answer.included)?)
            }
            _ => Ok(JsValue::UNDEFINED),
        }
    }

    /// Refuses, for a reason that only the shell knows: the last part of a `Type`.
    pub fn refuse(&mut self, reason: &str, message: String) {
        self.outcome = Outcome::Refusal(refused(Kind::named(reason).unwrap_or(Kind::Configuration), message));
    }

    /// The request for the server; `undefined` when the answer is there already.
    ///
    /// # Errors
    /// When address or secrets make no sense; the message begins with the field.
    pub fn bind(
        &mut self,
        upstream: &str,
        secrets: Vec<String>,
        identity: Option<String>,
    ) -> Result<Option<web_sys::Request>, JsError> {
        let Outcome::Plan(plan) = &self.outcome else { return Ok(None) };
        let upstream = checked(upstream)?.to_owned();
        let short = || JsError::new(&format!("secret: at least {SHORTEST} characters, random ones"));
        let caller = Caller { keys: Keys::new(&secrets).ok_or_else(short)?, upstream, identity, nonce: nonce() };
        let step = plan.bind(&self.shared.config, &caller, self.shared.seen.borrow().as_deref());
        let caller = self.caller.insert(caller);
        match step {
            Ok(Step::Forward(forward)) => Ok(Some(sent(&caller.upstream, forward)?)),
            Ok(Step::Answer(answer)) => {
                self.outcome = Outcome::Answer(answer);
                Ok(None)
            }
            Err(refusal) => {
                self.outcome = Outcome::Refusal(refusal);
                Ok(None)
            }
        }
    }

    /// What the server said.
    ///
    /// # Errors
    /// When `headers` is no array of pairs.
    pub fn heard(&mut self, status: u16, headers: JsValue, body: Vec<u8>) -> Result<(), JsError> {
        let said = Upstream { status, headers: serde_wasm_bindgen::from_value(headers)?, body };
        let (Outcome::Plan(plan), Some(caller)) = (&self.outcome, &self.caller) else { return Ok(()) };
        if let Some(incarnation) = said.header("database-cluster-tx-id") {
            *self.shared.seen.borrow_mut() = Some(incarnation.into());
        }
        self.outcome = Outcome::Answer(plan.answer(&self.shared.config, caller, &said, self.target()));
        Ok(())
    }

    /// The bytes of the answer.
    pub fn body(&mut self) -> Vec<u8> {
        self.answer().body
    }

    /// Status and headers of the answer.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn head(&mut self) -> Result<JsValue, JsError> {
        let mut answer = self.answer();
        origin::share(&mut answer, &self.request, &self.shared.config);
        Ok(serde_wasm_bindgen::to_value(&answer)?)
    }
}

impl Ruling {
    fn target(&self) -> &str {
        let target = self.request.target();
        target.strip_prefix(self.shared.config.path.as_str()).unwrap_or(target)
    }

    fn answer(&self) -> Answer {
        match &self.outcome {
            Outcome::Answer(answer) => answer.clone(),
            Outcome::Refusal(refusal) => refusal.answer(self.target()),
            // Nobody has heard of an answer.
            Outcome::Open | Outcome::Plan(_) => {
                refused(Kind::Unreachable, "RavenDB cannot be reached").answer(self.target())
            }
        }
    }
}

/// An address without its trailing slashes.
fn checked(upstream: &str) -> Result<&str, JsError> {
    let http = upstream.starts_with("http://") || upstream.starts_with("https://");
    if !http || upstream.contains(['?', '#', '@', ' ']) {
        return Err(JsError::new("upstream: an address such as \"https://ravendb.example\""));
    }
    Ok(upstream.trim_end_matches('/'))
}

/// The request, of headers of our own alone: nothing of the caller's passes but what was understood.
fn sent(upstream: &str, forward: Forward) -> Result<web_sys::Request, JsError> {
    let url = [upstream, &forward.path].concat();
    let builder: RequestBuilder = match forward.method {
        "POST" => Request::post(&url),
        "PUT" => Request::put(&url),
        "DELETE" => Request::delete(&url),
        _ => Request::get(&url),
    };
    // Behind it may be a hub, which lends pages no number below those that their devices can have.
    let mut builder = builder.redirect(RequestRedirect::Manual).header("raven-edge-page", "1");
    if let Some(vector) = forward.if_match {
        builder = builder.header("If-Match", &format!("\"{vector}\""));
    }
    let request = match forward.body {
        Some(body) => builder.header("Content-Type", "application/json").body(body)?,
        None => builder.build()?,
    };
    Ok(request.into())
}
