//! The class that the Worker's shell calls.

use super::attachments::Upload;
use super::config::Config;
use super::decide::decide;
use super::gather::gathered;
use super::named::{Comparison, Flow};
use super::origin;
use super::plan::{Call, Caller, FollowUp, Forward, Plan, Step, Turn, described, operations_text};
use super::refusal::{Kind, Refusal, refused};
use super::request::Incoming;
use super::response::{Response, UpstreamResponse};
use super::rows::Claims;
use super::token::{Keys, SHORTEST};
use crate::prelude::*;
use crate::random::{nonce, random};
use alloc::rc::Rc;
use core::cell::RefCell;
use raven_edge::protocol::header;
use raven_edge_authority::json::{Object, read_strict, write_string};
use wasm_bindgen::prelude::*;

/// What all requests share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) config: Config,
    /// The database's incarnation according to the last response.
    latest_incarnation: RefCell<Option<String>>,
}

/// A gateway for one database.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Gateway(pub(super) Rc<Shared>);

#[wasm_bindgen]
impl Gateway {
    /// Reads a configuration: JSON, without functions and secrets.
    ///
    /// # Errors
    /// When it is invalid; the message begins with the name of the field.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str) -> Result<Self, JsError> {
        let config = Config::read(config).map_err(|error| JsError::new(&error))?;
        Ok(Self(Rc::new(Shared { config, latest_incarnation: RefCell::default() })))
    }

    /// The largest body in bytes; the shell refuses a larger one.
    #[wasm_bindgen(getter, js_name = bodyLimit)]
    pub fn body_limit(&self) -> usize {
        self.0.config.limits.body
    }

    /// Milliseconds that `authorize` and the rate limiter may take.
    #[wasm_bindgen(getter, js_name = authorizeMs)]
    pub fn authorize_ms(&self) -> usize {
        self.0.config.limits.authorize_ms
    }

    /// The largest response of RavenDB in bytes.
    #[wasm_bindgen(getter, js_name = responseLimit)]
    pub fn response_limit(&self) -> usize {
        self.0.config.limits.response
    }

    /// Milliseconds that RavenDB's responses to one request may take.
    #[wasm_bindgen(getter, js_name = upstreamMs)]
    pub fn upstream_ms(&self) -> usize {
        self.0.config.limits.upstream_ms
    }

    /// Begins with a request whose body has not been read yet; `headers`: names and values in turn.
    #[must_use]
    pub fn rule(&self, method: String, url: String, headers: Vec<String>) -> Ruling {
        let request = Incoming { method, url, headers: pairs(headers), body: Vec::new(), is_upload: false };
        let mut outcome = match origin::preflight(&request, &self.0.config) {
            Some(response) => Outcome::Response(response),
            None => origin::check(&request, &self.0.config).map_or_else(Outcome::Refusal, |()| Outcome::Open),
        };
        let mut upload = None;
        if matches!(outcome, Outcome::Open) {
            let boundary: String = random().iter().map(|byte| format!("{byte:02x}")).collect();
            match Upload::of(&request, &self.0.config, boundary).transpose() {
                Ok(found) => upload = found,
                Err(refusal) => outcome = Outcome::Refusal(refusal),
            }
        }
        let shared = Rc::clone(&self.0);
        Ruling {
            shared,
            request,
            outcome,
            caller: None,
            sent_body: None,
            sends_contents: false,
            upload,
            flow: None,
            comparison: None,
        }
    }
}

/// Names and values in turn, as pairs.
pub(super) fn pairs(mut flat: Vec<String>) -> Vec<(String, String)> {
    let (pairs, _) = flat.as_chunks_mut();
    gathered(pairs.iter_mut().map(|[name, value]| (core::mem::take(name), core::mem::take(value))))
}

#[derive(Debug)]
pub(super) enum Outcome {
    /// The caller's origin is allowed; the request itself has not been checked yet.
    Open,
    Response(Response),
    Refusal(Refusal),
    Plan(Plan),
}

/// The decision about one request.
#[wasm_bindgen]
pub struct Ruling {
    pub(super) shared: Rc<Shared>,
    pub(super) request: Incoming,
    pub(super) outcome: Outcome,
    caller: Option<Caller>,
    /// The body of the request that `bind` or `receive` returned.
    sent_body: Option<String>,
    /// Whether the contents of attachments follow that body.
    pub(super) sends_contents: bool,
    /// The body of the caller, if it stores attachments.
    pub(super) upload: Option<Upload>,
    /// A stream that has begun.
    flow: Option<Flow>,
    /// A comparison that has begun, and the response's headers so far.
    comparison: Option<(Comparison, UpstreamResponse)>,
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

    /// Decides about the request with its body, which is not kept; that of an upload is [`Ruling::take_commands`]'s.
    pub fn judge(&mut self, body: Vec<u8>) {
        let config = &self.shared.config;
        self.request.body = self.upload.as_ref().map_or(body, |upload| upload.commands().to_vec());
        self.request.is_upload = self.upload.is_some();
        let plan = decide(&self.request, config);
        self.request.body = Vec::new();
        if let (Some(upload), Ok(Plan { call: Call::Write(write), .. })) = (&mut self.upload, &plan) {
            upload.permit(&write.contents(config));
        }
        self.outcome = plan.map_or_else(Outcome::Refusal, Outcome::Plan);
    }

    /// What the request would do, for `authorize`, as JSON; after the response, which further documents the response
    /// contains. `undefined` if there is nothing to authorize.
    #[must_use]
    pub fn operations(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Plan(plan) => Some(operations_text(&plan.operations)),
            Outcome::Response(response) if !response.included.is_empty() => Some(operations_text(&response.included)),
            _ => None,
        }
    }

    /// Whether the request changes nothing, so that it may be aborted when its caller is gone.
    #[wasm_bindgen(getter, js_name = onlyReads)]
    pub fn only_reads(&self) -> bool {
        matches!(&self.outcome, Outcome::Plan(plan) if plan.only_reads())
    }

    /// Refuses because `authorize` does. `signed_in`: whether it knows who the caller is.
    pub fn deny(&mut self, signed_in: bool) {
        let what = match &self.outcome {
            Outcome::Plan(plan) => described(&plan.operations),
            // Their ids are known to RavenDB alone, and to those who may read them.
            _ => "read what this read includes".to_owned(),
        };
        self.outcome = Outcome::Refusal(if signed_in {
            refused(Kind::Authorization, format!("the caller may not {what}: the app's `authorize` does not permit it"))
        } else {
            refused(Kind::SignIn, format!("sign in to {what}: the app's `authorize` knows no caller"))
        });
    }

    /// Refuses for a reason that only the shell knows; `reason` is the last part of a `Type`, such as `RateLimited`.
    pub fn refuse(&mut self, reason: &str, message: String) {
        self.outcome = Outcome::Refusal(refused(Kind::named(reason).unwrap_or(Kind::Configuration), message));
    }

    /// The request to the server as JSON, `{ method, url, headers }`; its body is [`Ruling::sent_body`]. `undefined` if the
    /// response is known already. `claims`: what `authorize` returned for the caller, as JSON.
    ///
    /// # Errors
    /// When the address, the secrets or the claims are invalid; the message begins with the name of the field.
    pub fn bind(
        &mut self,
        upstream: &str,
        secrets: Vec<String>,
        identity: Option<String>,
        claims: Option<String>,
    ) -> Result<Option<String>, JsError> {
        if !matches!(self.outcome, Outcome::Plan(_)) {
            return Ok(None);
        }
        let upstream = checked(upstream)?.to_owned();
        let short = || JsError::new(&format!("secret: at least {SHORTEST} characters, random ones"));
        let keys = Keys::new(&secrets).ok_or_else(short)?;
        let claims = claims.as_ref().map_or(Ok(Object::default()), |text| read_strict(text.as_bytes()));
        let claims = claims.map_err(|_| ": one of them is no valid Unicode text".to_owned());
        let read = |claims| Claims::read(&claims, &self.shared.config.claims).map_err(|reason| format!(".{reason}"));
        let claims = claims.and_then(read).map_err(|reason| JsError::new(&format!("claims{reason}")))?;
        self.caller = Some(Caller { keys, upstream, identity, claims, nonce: nonce() });
        Ok(self.send())
    }

    /// The body of the request to the server, once.
    #[wasm_bindgen(js_name = sentBody)]
    pub fn sent_body(&mut self) -> Option<String> {
        self.sent_body.take()
    }

    /// Takes the server's response; `headers`: names and values in turn. Returns the next request if one more is needed.
    pub fn receive(&mut self, status: u16, headers: Vec<String>, body: Vec<u8>) -> Option<String> {
        let upstream = UpstreamResponse { status, headers: pairs(headers), body };
        let (Outcome::Plan(_), Some(caller)) = (&self.outcome, &self.caller) else { return None };
        if let Some(incarnation) = upstream.header("database-cluster-tx-id") {
            *self.shared.latest_incarnation.borrow_mut() = Some(incarnation.into());
        }
        // The plan is used up: pages of queries grow in it, and would be copied.
        let Outcome::Plan(plan) = core::mem::replace(&mut self.outcome, Outcome::Open) else { return None };
        let follow_up = {
            let latest_incarnation = self.shared.latest_incarnation.borrow();
            plan.response(&self.turn(caller, latest_incarnation.as_deref()), &upstream)
        };
        match follow_up {
            FollowUp::Response(response) => {
                self.outcome = Outcome::Response(response);
                None
            }
            FollowUp::Next(plan) => {
                self.outcome = Outcome::Plan(plan);
                self.send()
            }
        }
    }

    /// Whether the response may be of any length, and passes in pieces.
    #[wasm_bindgen(getter, js_name = isStream)]
    pub fn is_stream(&self) -> bool {
        matches!(&self.outcome, Outcome::Plan(Plan { call: Call::Stream(_), .. }))
    }

    /// Takes the head of RavenDB's response to a stream: [`Ruling::head`] is that of the response to the caller. Its body are the
    /// results of [`Ruling::piece`] and [`Ruling::end`].
    #[wasm_bindgen(js_name = beginStream)]
    pub fn begin_stream(&mut self, headers: Vec<String>) {
        let upstream = UpstreamResponse { status: 200, headers: pairs(headers), body: Vec::new() };
        let mut response = Response::json(200, String::new());
        response.pass(&upstream);
        if let Outcome::Plan(Plan { call: Call::Stream(stream), .. }) =
            core::mem::replace(&mut self.outcome, Outcome::Response(response))
        {
            self.flow = Some(stream.flow());
        }
    }

    /// Takes a piece of RavenDB's response; returns what the caller gets of it, `undefined` if the response must be cut.
    pub fn piece(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let (flow, caller) = self.flow.as_mut().zip(self.caller.as_ref())?;
        flow.next(bytes, &self.shared.config, caller).map(String::into_bytes)
    }

    /// The end of the response once RavenDB's has ended; `undefined` if that was cut.
    pub fn end(&self) -> Option<String> {
        self.flow.as_ref()?.end().map(Into::into)
    }

    /// Whether the response is the stream of a comparison, which is read to its end before the caller gets anything.
    #[wasm_bindgen(getter, js_name = isComparison)]
    pub fn is_comparison(&self) -> bool {
        matches!(&self.outcome, Outcome::Plan(Plan { call: Call::Sync(sync), .. }) if sync.is_stream())
    }

    /// Takes the head of RavenDB's response to a comparison.
    #[wasm_bindgen(js_name = beginComparison)]
    pub fn begin_comparison(&mut self, headers: Vec<String>) {
        let upstream = UpstreamResponse { status: 200, headers: pairs(headers), body: Vec::new() };
        if let Outcome::Plan(Plan { call: Call::Sync(sync), .. }) = core::mem::replace(&mut self.outcome, Outcome::Open)
        {
            self.comparison = Some((sync.begin(&self.shared.config), upstream));
        }
    }

    /// Takes a piece of it; `false`: the response must be cut.
    pub fn compare(&mut self, bytes: &[u8]) -> bool {
        let Some(((comparison, _), caller)) = self.comparison.as_mut().zip(self.caller.as_ref()) else { return false };
        match comparison.next(bytes, &self.shared.config, caller) {
            Ok(taken) => taken.is_some(),
            Err(refusal) => {
                self.outcome = Outcome::Refusal(refusal);
                false
            }
        }
    }

    /// Makes the response once RavenDB's has ended; `false`: that was cut.
    #[wasm_bindgen(js_name = endComparison)]
    pub fn end_comparison(&mut self) -> bool {
        let Some(((mut comparison, upstream), caller)) = self.comparison.take().zip(self.caller.as_ref()) else {
            return false;
        };
        self.outcome = match comparison.end(&self.shared.config, caller) {
            Ok(Some(mut response)) => {
                response.pass(&upstream);
                Outcome::Response(response)
            }
            Ok(None) => return false,
            Err(refusal) => Outcome::Refusal(refusal),
        };
        true
    }

    /// Status and headers of the response, as JSON.
    #[must_use]
    pub fn head(&mut self) -> String {
        let mut response = match core::mem::replace(&mut self.outcome, Outcome::Open) {
            Outcome::Response(response) => response,
            Outcome::Refusal(refusal) => refusal.response(self.target()),
            // The server has not responded.
            Outcome::Open | Outcome::Plan(_) => {
                refused(Kind::Unreachable, "RavenDB cannot be reached").response(self.target())
            }
        };
        origin::share(&mut response, &self.request, &self.shared.config);
        let mut text = format!("{{\"status\":{},\"headers\":", response.status);
        write_pairs(&mut text, &response.headers);
        text.push('}');
        self.outcome = Outcome::Response(response);
        text
    }

    /// The bytes of the response, once; after [`Ruling::head`].
    pub fn body(&mut self) -> Vec<u8> {
        match &mut self.outcome {
            Outcome::Response(response) => core::mem::take(&mut response.body),
            _ => Vec::new(),
        }
    }
}

impl Ruling {
    fn target(&self) -> &str {
        let target = self.request.target();
        target.strip_prefix(self.shared.config.path.as_str()).unwrap_or(target)
    }

    fn turn<'a>(&'a self, caller: &'a Caller, latest_incarnation: Option<&'a str>) -> Turn<'a> {
        Turn { config: &self.shared.config, caller, target: self.target(), latest_incarnation }
    }

    /// The next request of the plan.
    fn send(&mut self) -> Option<String> {
        let (Outcome::Plan(plan), Some(caller)) = (&self.outcome, &self.caller) else { return None };
        let latest_incarnation = self.shared.latest_incarnation.borrow();
        match plan.bind(&self.turn(caller, latest_incarnation.as_deref())) {
            Ok(Step::Forward(forward)) => {
                let upload = self.upload.as_mut().filter(|_| forward.with_contents);
                let content_type = upload.as_ref().map(|upload| upload.content_type());
                let head = outgoing_head(&caller.upstream, &forward, content_type);
                self.sends_contents = upload.is_some();
                self.sent_body = match (upload, forward.body) {
                    (Some(upload), Some(commands)) => Some(upload.opening(&commands)),
                    (_, body) => body,
                };
                Some(head)
            }
            Ok(Step::Response(response)) => {
                self.outcome = Outcome::Response(response);
                None
            }
            Err(refusal) => {
                self.outcome = Outcome::Refusal(refusal);
                None
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

/// The request to RavenDB. The gateway sets all headers; it forwards no header of the caller.
fn outgoing_head(upstream: &str, forward: &Forward, content_type: Option<String>) -> String {
    // A hub may receive this request. To pages it lends only numbers above all that their devices can have.
    let mut headers = vec![("raven-edge-page".to_owned(), "1".to_owned())];
    if let Some(vector) = &forward.if_match {
        headers.push((header::IF_MATCH.into(), format!("\"{vector}\"")));
    }
    if forward.body.is_some() {
        headers.push(("Content-Type".into(), content_type.unwrap_or_else(|| "application/json".into())));
    }
    if let Some(range) = &forward.range {
        headers.push(("Range".into(), range.clone()));
    }
    let mut text = format!("{{\"method\":\"{}\",\"url\":", forward.method);
    write_string(&mut text, &[upstream, &forward.path].concat());
    text.push_str(",\"headers\":");
    write_pairs(&mut text, &headers);
    text.push('}');
    text
}

/// Pairs as a JSON array of arrays.
fn write_pairs(out: &mut String, pairs: &[(String, String)]) {
    out.push('[');
    for (name, value) in pairs {
        out.push_str(if out.ends_with('[') { "[" } else { ",[" });
        write_string(out, name);
        out.push(',');
        write_string(out, value);
        out.push(']');
    }
    out.push(']');
}
