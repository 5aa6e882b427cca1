//! Requests of a page that is left: they outlive it, and no code waits for their responses.

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::js::{call, get, global};
use crate::transport::HttpRequest;

/// Sends a request: as a beacon, which Firefox delivers while a page closes, else by `fetch` with `keepalive`. `is_plain`: the app has no
/// headers of its own, which a beacon could not send.
pub(super) fn send(request: &HttpRequest, is_plain: bool) {
    if is_plain && beacon(request) == Some(true) {
        return;
    }
    // Numbers whose return fails are a gap.
    let _ = fetch(request);
}

/// Whether the browser has accepted a batch as a beacon; `None`: there are none. The body is `text/plain`, which a page may send to
/// another origin without a preflight, and RavenDB reads `text/plain` only in a `multi_get`.
fn beacon(HttpRequest { url, body, .. }: &HttpRequest) -> Option<bool> {
    let base = url.strip_suffix("bulk_docs")?;
    // Before this part the URL has the path under which the page reaches RavenDB, which can have any name.
    let path = url.get(url.rfind("/databases/")?..)?;
    let content = std::str::from_utf8(body).ok()?;
    let text = format!(r#"{{"Requests":[{{"Url":"{path}","Query":"","Method":"POST","Content":{content}}}]}}"#);
    let sent = call(&global("navigator")?, "sendBeacon", [&format!("{base}multi_get").into(), &text.into()]);
    sent.ok()?.as_bool()
}

fn fetch(HttpRequest { method, url, headers, body, .. }: &HttpRequest) -> Result<(), JsValue> {
    let pair = |(name, value): &(String, String)| [name, value].into_iter().map(JsValue::from).collect::<Array>();
    let headers: Array = headers.iter().map(pair).collect();
    let init = Object::new();
    let body = js_sys::Uint8Array::from(body.as_slice());
    let members: [(&str, &JsValue); 4] =
        [("method", &(*method).into()), ("headers", &headers), ("body", &body), ("keepalive", &true.into())];
    for (name, value) in members {
        Reflect::set(&init, &name.into(), value)?;
    }
    let fetch: Function = get(&js_sys::global(), "fetch").ok_or("there is no fetch")?.dyn_into()?;
    let sent: Promise = fetch.call2(&JsValue::UNDEFINED, &url.into(), &init)?.unchecked_into();
    // A rejection that nobody expects would be reported.
    spawn_local(async move { drop(JsFuture::from(sent).await) });
    Ok(())
}
