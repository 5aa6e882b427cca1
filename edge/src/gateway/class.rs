//! The class that the Worker's shell calls.

use super::config::Config;
use super::decide::{Step, decide};
use super::origin;
use super::plan::{Caller, Forward, Plan};
use super::refusal::{Kind, Refusal, refused};
use super::request::Incoming;
use super::response::{Response, UpstreamResponse};
use super::token::{Keys, SHORTEST};
use crate::random::nonce;
use gloo_net::http::{Request, RequestBuilder};
use raven_edge::protocol::header;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::RequestRedirect;

/// What all requests share.
#[derive(Debug)]
struct Shared {
    config: Config,
    /// The database's incarnation according to the last response.
    latest_incarnation: RefCell<Option<String>>,
}

/// A gateway for one database.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Gateway(Rc<Shared>);

#[wasm_bindgen]
impl Gateway {
    /// Reads a configuration, without its functions and secrets.
    ///
    /// # Errors
    /// When it is invalid; the message begins with the name of the field.
    #[wasm_bindgen(constructor)]
    pub fn new(config: JsValue) -> Result<Self, JsError> {
        // Read as any JSON value first: deserializing a JavaScript object directly would ignore unknown members, and
        // a misspelt name must not switch off the limit that it was meant to set.
        let mut any: serde_json::Value = serde_wasm_bindgen::from_value(config)?;
        if let Some(members) = any.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        let config = Config::read(any).map_err(|error| JsError::new(&error))?;
        Ok(Self(Rc::new(Shared { config, latest_incarnation: RefCell::default() })))
    }

    /// The largest body in bytes. The shell reads one byte more at most, which proves that the body is too large.
    #[wasm_bindgen(getter, js_name = bodyLimit)]
    pub fn body_limit(&self) -> usize {
        self.0.config.limits.body
    }

    /// Begins with a request whose body has not been read yet; `headers` is an array of pairs.
    ///
    /// # Errors
    /// When `headers` is not an array of pairs.
    pub fn rule(&self, method: String, url: String, headers: JsValue) -> Result<Ruling, JsError> {
        let headers = serde_wasm_bindgen::from_value(headers)?;
        let request = Incoming { method, url, headers, body: Vec::new() };
        let outcome = match origin::preflight(&request, &self.0.config) {
            Some(response) => Outcome::Response(response),
            None => origin::check(&request, &self.0.config).map_or_else(Outcome::Refusal, |()| Outcome::Open),
        };
        Ok(Ruling { shared: Rc::clone(&self.0), request, outcome, caller: None })
    }
}

#[derive(Debug)]
enum Outcome {
    /// The caller's origin is allowed; the request itself has not been checked yet.
    Open,
    Response(Response),
    Refusal(Refusal),
    Plan(Plan),
}

/// The decision about one request.
#[wasm_bindgen]
pub struct Ruling {
    shared: Rc<Shared>,
    request: Incoming,
    outcome: Outcome,
    caller: Option<Caller>,
}

impl core::fmt::Debug for Ruling {
    /// Omits the caller, which holds the keys.
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

    /// Decides about the request with its body. The body is not kept.
    pub fn judge(&mut self, body: Vec<u8>) {
        let request = Incoming { body, ..self.request.clone() };
        self.outcome = decide(&request, &self.shared.config).map_or_else(Outcome::Refusal, Outcome::Plan);
    }

    /// What the request would do, for `authorize`; after the response, which further documents the response contains.
    /// `undefined` if there is nothing to authorize.
    ///
    /// # Errors
    /// When the conversion fails.
    pub fn operations(&self) -> Result<JsValue, JsError> {
        match &self.outcome {
            Outcome::Plan(plan) => Ok(serde_wasm_bindgen::to_value(&plan.operations)?),
            Outcome::Response(response) if !response.included.is_empty() => {
                Ok(serde_wasm_bindgen::to_value(&response.included)?)
            }
            _ => Ok(JsValue::UNDEFINED),
        }
    }

    /// Refuses for a reason that only the shell knows; `reason` is the last part of a `Type`, such as `RateLimited`.
    pub fn refuse(&mut self, reason: &str, message: String) {
        self.outcome = Outcome::Refusal(refused(Kind::named(reason).unwrap_or(Kind::Configuration), message));
    }

    /// The request to the server; `undefined` if the response is known already.
    ///
    /// # Errors
    /// When the address or the secrets are invalid; the message begins with the name of the field.
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
        let step = plan.bind(&self.shared.config, &caller, self.shared.latest_incarnation.borrow().as_deref());
        let caller = self.caller.insert(caller);
        match step {
            Ok(Step::Forward(forward)) => Ok(Some(outgoing_request(&caller.upstream, forward)?)),
            Ok(Step::Response(response)) => {
                self.outcome = Outcome::Response(response);
                Ok(None)
            }
            Err(refusal) => {
                self.outcome = Outcome::Refusal(refusal);
                Ok(None)
            }
        }
    }

    /// Takes the server's response.
    ///
    /// # Errors
    /// When `headers` is not an array of pairs.
    pub fn receive(&mut self, status: u16, headers: JsValue, body: Vec<u8>) -> Result<(), JsError> {
        let upstream = UpstreamResponse { status, headers: serde_wasm_bindgen::from_value(headers)?, body };
        let (Outcome::Plan(plan), Some(caller)) = (&self.outcome, &self.caller) else { return Ok(()) };
        if let Some(incarnation) = upstream.header("database-cluster-tx-id") {
            *self.shared.latest_incarnation.borrow_mut() = Some(incarnation.into());
        }
        self.outcome = Outcome::Response(plan.response(&self.shared.config, caller, &upstream, self.target()));
        Ok(())
    }

    /// The bytes of the response.
    pub fn body(&mut self) -> Vec<u8> {
        self.response().body
    }

    /// Status and headers of the response.
    ///
    /// # Errors
    /// When the conversion fails.
    pub fn head(&mut self) -> Result<JsValue, JsError> {
        let mut response = self.response();
        origin::share(&mut response, &self.request, &self.shared.config);
        Ok(serde_wasm_bindgen::to_value(&response)?)
    }
}

impl Ruling {
    fn target(&self) -> &str {
        let target = self.request.target();
        target.strip_prefix(self.shared.config.path.as_str()).unwrap_or(target)
    }

    fn response(&self) -> Response {
        match &self.outcome {
            Outcome::Response(response) => response.clone(),
            Outcome::Refusal(refusal) => refusal.response(self.target()),
            // The server has not responded.
            Outcome::Open | Outcome::Plan(_) => {
                refused(Kind::Unreachable, "RavenDB cannot be reached").response(self.target())
            }
        }
    }
}

/// An address without its trailing slashes.
fn checked(upstream: &str) -> Result<&str, JsError> {
    let http = upstream.starts_with("http://") || upstream.starts_with("https://");
    if !http || upstream.contains(['?', '#', '@', ' ']) {
        return Err(JsError::new("upstream: must be an address such as \"https://ravendb.example\""));
    }
    Ok(upstream.trim_end_matches('/'))
}

/// Builds the request to RavenDB. The gateway sets all headers; it forwards no header of the caller.
fn outgoing_request(upstream: &str, forward: Forward) -> Result<web_sys::Request, JsError> {
    let url = [upstream, &forward.path].concat();
    let builder: RequestBuilder = match forward.method {
        "POST" => Request::post(&url),
        "PUT" => Request::put(&url),
        "DELETE" => Request::delete(&url),
        _ => Request::get(&url),
    };
    // A hub may receive this request. To pages it lends only numbers above all that their devices can have.
    let mut builder = builder.redirect(RequestRedirect::Manual).header("raven-edge-page", "1");
    if let Some(vector) = forward.if_match {
        builder = builder.header(header::IF_MATCH, &format!("\"{vector}\""));
    }
    let request = match forward.body {
        Some(body) => builder.header("Content-Type", "application/json").body(body)?,
        None => builder.build()?,
    };
    Ok(request.into())
}
