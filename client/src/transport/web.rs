//! The transport of pages and Workers: `gloo-net` writes requests and reads headers; sending and reading bodies is done here, because
//! gloo-net panics when `fetch` is rejected with something that is no `Error`.

use gloo_net::http::{Headers, RequestBuilder};
use js_sys::{Function, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStreamDefaultReader, RequestRedirect, Response};

use super::{Body, BoxFuture, HttpRequest, HttpResponse, NoResponse, Transport};

/// The platform has certificates and connections of its own.
#[derive(Default)]
pub(crate) struct Options {}

pub(crate) struct Fetch;

impl Fetch {
    pub(crate) fn new(_: &Options) -> crate::Result<Fetch> {
        Ok(Fetch)
    }
}

impl Transport for Fetch {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, NoResponse>> {
        Box::pin(send(request))
    }
}

async fn send(request: HttpRequest) -> Result<HttpResponse, NoResponse> {
    let HttpRequest { method, url, headers, body } = request;
    let abort = Abort::new().map_err(|error| unsent(&error))?;
    // A redirected POST becomes a GET, or is sent again.
    let mut builder = RequestBuilder::new(&url)
        .method(method.parse().map_err(|_| NoResponse { reason: "the method is invalid".into(), unsent: true })?)
        .redirect(RequestRedirect::Manual)
        .abort_signal(Some(&abort.0.signal()));
    for (name, value) in &headers {
        builder = builder.header(name, value);
    }
    let built = if body.is_empty() { builder.build() } else { builder.body(Uint8Array::from(body.as_slice())) };
    let request: web_sys::Request =
        built.map_err(|error| NoResponse { reason: error.to_string(), unsent: true })?.into();
    let fetch = Reflect::get(&js_sys::global(), &"fetch".into()).and_then(|fetch| fetch.dyn_into::<Function>());
    let promise = fetch.and_then(|fetch| fetch.call1(&JsValue::UNDEFINED, &request)).map_err(|error| unsent(&error))?;
    let response = settled(promise).await.and_then(|response| response.dyn_into::<Response>()).map_err(|e| lost(&e))?;
    let reader = response.body().map(|body| body.get_reader().unchecked_into());
    let headers = Headers::from_raw(response.headers()).entries().collect();
    Ok(HttpResponse { status: response.status(), headers, body: Box::new(Incoming { reader, _abort: abort }) })
}

/// The value of a promise, whatever it is rejected with.
async fn settled(promise: JsValue) -> Result<JsValue, JsValue> {
    JsFuture::from(js_sys::Promise::resolve(&promise)).await
}

struct Incoming {
    reader: Option<ReadableStreamDefaultReader>,
    _abort: Abort,
}

impl Body for Incoming {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, NoResponse>> {
        Box::pin(async {
            let Some(reader) = &self.reader else { return Ok(None) };
            let read = settled(reader.read().into()).await.map_err(|error| lost(&error))?;
            let value = Reflect::get(&read, &"value".into()).map_err(|error| lost(&error))?;
            Ok(value.dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec()))
        })
    }
}

/// Ends the request when it is dropped: who waited has given up. Of a response that was read whole nothing is left to end.
struct Abort(AbortController);

impl Abort {
    fn new() -> Result<Abort, JsValue> {
        AbortController::new().map(Abort)
    }
}

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn unsent(error: &JsValue) -> NoResponse {
    NoResponse { unsent: true, ..lost(error) }
}

/// `fetch` does not tell whether the server has received anything.
fn lost(error: &JsValue) -> NoResponse {
    let message = Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    let reason = message.or_else(|| error.as_string()).unwrap_or_else(|| "fetch was rejected without a reason".into());
    NoResponse { reason, unsent: false }
}
