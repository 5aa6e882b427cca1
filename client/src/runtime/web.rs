//! Tasks and timers of pages and Workers.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use gloo_timers::future::TimeoutFuture;
use js_sys::{Promise, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::Result;

pub(crate) struct Spawner;

impl Spawner {
    pub(crate) fn new() -> Spawner {
        Spawner
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + 'static) -> bool {
        spawn_local(task);
        true
    }
}

pub(crate) fn is_running() -> bool {
    true
}

pub(crate) fn assert_runtime() -> Result<()> {
    Ok(())
}

/// Browsers fire a timer of 2^31 ms and more at once.
fn timer(millis: u64) -> TimeoutFuture {
    TimeoutFuture::new(u32::try_from(millis).unwrap_or(u32::MAX).min(i32::MAX.cast_unsigned()))
}

pub(crate) async fn sleep(millis: u64) {
    timer(millis).await;
}

/// The result, or `None` after `millis`.
pub(crate) async fn within<T>(millis: u64, future: impl Future<Output = T>) -> Option<T> {
    let (mut future, mut timer) = (pin!(future), timer(millis));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => pin!(&mut timer).poll(context).map(|()| None),
    })
    .await
}

/// Lets the other tasks go first: callers of the same moment are counted before a lease is sized.
pub(crate) async fn next_turn() {
    // A promise that is resolved is not rejected.
    let _ = JsFuture::from(Promise::resolve(&JsValue::UNDEFINED)).await;
}

/// In a page, an address that begins with `/` is one of its own server.
pub(crate) fn absolute(url: String) -> String {
    match origin() {
        Some(origin) if url.starts_with('/') => format!("{origin}{url}"),
        _ => url,
    }
}

/// A page reaches nodes of its own origin: a server refuses others.
pub(crate) fn is_reachable(url: &str) -> bool {
    let Some(page) = origin().filter(|page| page.starts_with("http")) else { return true };
    web_sys::Url::new(url).is_ok_and(|url| url.origin() == page)
}

/// Whether the browser says that there is no connection. It may be wrong: a server on the same device can be reached all the same.
pub(crate) fn is_offline() -> bool {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into());
    navigator.and_then(|navigator| Reflect::get(&navigator, &"onLine".into())).is_ok_and(|is_online| is_online == false)
}

fn origin() -> Option<String> {
    let location = Reflect::get(&js_sys::global(), &"location".into());
    location.and_then(|location| Reflect::get(&location, &"origin".into())).ok()?.as_string()
}
