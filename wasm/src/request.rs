//! Sending a request: `fetch` with a time limit, on the node that the executor names, again where that is safe.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use js_sys::{ArrayBuffer, Object, Reflect, Uint8Array};
use raven_edge::error::{Code, Error};
use raven_edge::http::{Answer, Attempt, Request, Topology, Verdict, is_outage_status, server_error};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, Headers, RequestInit, Response};

use crate::platform::{Timer, now_millis, random, sleep};
use crate::store::Inner;

/// Sends the request and gives its answer, whatever its status; an outage that lasts is an error.
pub(crate) async fn execute(store: &Rc<Inner>, request: &Request, limit: u64) -> Result<Answer, Error> {
    let mut call = store.executor.borrow().call(now_millis(), limit);
    loop {
        let attempt = store.executor.borrow().attempt(&call, request, now_millis());
        let node = attempt.node;
        let error = match send(store, request, &attempt).await {
            Ok((answer, refresh)) if !is_outage_status(answer.status) => {
                store.executor.borrow_mut().answered(node);
                if refresh {
                    refresh_topology(store);
                }
                return Ok(answer);
            }
            Ok((answer, _)) => server_error(request, answer.status, &answer.body),
            Err(error) => error,
        };
        let verdict = store.executor.borrow().failed(&mut call, request, node, error, now_millis(), random());
        match verdict {
            Verdict::Fail(error) => return Err(error),
            Verdict::Again(0) => {}
            Verdict::Again(pause) => sleep(pause).await,
        }
    }
}

/// The answer, if its status is the one of success.
pub(crate) fn check(request: &Request, answer: Answer, status: u16) -> Result<Answer, Error> {
    if answer.status == status {
        return Ok(answer);
    }
    Err(server_error(request, answer.status, &answer.body))
}

/// One attempt. The flag says that the server has a newer topology.
async fn send(store: &Rc<Inner>, request: &Request, attempt: &Attempt) -> Result<(Answer, bool), Error> {
    let failed = |code, message: &str| {
        let mut error = Error::new(code, String::from(message));
        error.request = request.summary();
        error
    };
    let unreachable = |reason: JsValue| failed(Code::Unreachable, &reason_of(&reason));
    let controller = AbortController::new().map_err(unreachable)?;
    let init = init(store, request, &controller).map_err(unreachable)?;
    let limit = attempt.limit;
    let timer = Timer::new(limit, {
        let controller = controller.clone();
        move || controller.abort()
    });
    let answer = receive(store, &attempt.url, &init).await;
    drop(timer);
    match answer {
        Ok((response, body)) => {
            let header = |name| response.headers().get(name).ok().flatten();
            let refresh = header("Refresh-Topology").is_some_and(|value| value.eq_ignore_ascii_case("true"));
            let incarnation = header("Database-Cluster-Tx-Id");
            Ok((Answer { status: response.status(), body, node: attempt.node, incarnation }, refresh))
        }
        Err(_) if controller.signal().aborted() => Err(failed(Code::Timeout, "the server did not answer in time")),
        Err(reason) => Err(unreachable(reason)),
    }
}

async fn receive(store: &Rc<Inner>, url: &str, init: &RequestInit) -> Result<(Response, Vec<u8>), JsValue> {
    let response: Response = JsFuture::from(store.config.fetch(url, init)?).await?.unchecked_into();
    let buffer: ArrayBuffer = JsFuture::from(response.array_buffer()?).await?.unchecked_into();
    Ok((response, Uint8Array::new(&buffer).to_vec()))
}

fn init(store: &Rc<Inner>, request: &Request, controller: &AbortController) -> Result<RequestInit, JsValue> {
    let init = RequestInit::new();
    init.set_method(request.method.name());
    init.set_signal(Some(&controller.signal()));
    let headers = Headers::new()?;
    if let Some(body) = &request.body {
        headers.set("Content-Type", "application/json")?;
        init.set_body(&Uint8Array::from(body.as_slice()));
    }
    if let Some(vector) = &request.if_match {
        headers.set("If-Match", vector)?;
    }
    if store.config.topology() {
        let mut etag = String::from("\"");
        raven_edge::json::push_integer(&mut etag, store.executor.borrow().topology_etag());
        etag.push('"');
        headers.set("Topology-Etag", &etag)?;
    }
    init.set_headers(&headers);
    Ok(init)
}

/// Reads the topology in the background; a newer answer or the next hint makes up for one that fails.
fn refresh_topology(store: &Rc<Inner>) {
    // A read that its request took along to its end must not stop later ones: the mark is a time, not a flag.
    let now = now_millis();
    let timeout = store.executor.borrow().timeout();
    if store.refreshing.get().is_some_and(|since| now.saturating_sub(since) < timeout) {
        return;
    }
    store.refreshing.set(Some(now));
    let store = Rc::clone(store);
    spawn_local(async move {
        let request = store.executor.borrow().topology_request();
        let attempt = {
            let executor = store.executor.borrow();
            executor.attempt(&executor.call(now_millis(), timeout), &request, now_millis())
        };
        if let Ok((answer, _)) = send(&store, &request, &attempt).await
            && let Some(topology) = Topology::parse(&answer.body).filter(|_| answer.status == 200)
        {
            let origin = store.config.origin();
            let reachable = |url: &str| origin.is_empty() || url == origin || url.starts_with(&(origin.clone() + "/"));
            store.executor.borrow_mut().set_topology(&topology, reachable);
        }
        store.refreshing.set(None);
    });
}

/// What a rejected `fetch` says, its cause included (Node hides the reason there).
fn reason_of(reason: &JsValue) -> String {
    let field = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let mut text = String::from("the server cannot be reached");
    let cause = if reason.is_object() { field(reason, "cause") } else { JsValue::UNDEFINED };
    for part in [reason.clone(), cause] {
        let part = if part.is_instance_of::<Object>() { field(&part, "message") } else { part };
        if let Some(part) = part.as_string().filter(|part| !part.is_empty()) {
            text.push_str(": ");
            text.push_str(&part);
        }
    }
    text
}
