//! A task of the core in progress.

use alloc::string::String;
use alloc::vec::Vec;
#[cfg(feature = "pool")]
use raven_edge::protocol::reply;
use raven_edge::texts::{self, Input, Wait, Waited};
use wasm_bindgen::prelude::*;

use crate::host::Uint8Array;
use crate::store::Shared;

/// The parts of the app's request that the core does not know.
#[cfg(feature = "session")]
#[derive(Default)]
pub(crate) struct Extra {
    /// The body, which stays in JavaScript; `undefined`: no body.
    pub(crate) body: JsValue,
    /// Receives status and node of the response.
    pub(crate) sink: Option<crate::host::Sink>,
}

/// A task in progress. The façade calls [`Task::step`] until it is done.
#[wasm_bindgen]
pub struct Task {
    store: Shared,
    task: texts::Task,
    #[cfg(feature = "session")]
    extra: Extra,
}

impl Task {
    /// A task of the core.
    pub(crate) fn new(store: &Shared, task: texts::Task) -> Task {
        Task {
            store: store.clone(),
            task,
            #[cfg(feature = "session")]
            extra: Extra::default(),
        }
    }

    /// A request of the app.
    #[cfg(feature = "session")]
    pub(crate) fn of_app(store: &Shared, call: texts::Call, extra: Extra) -> Task {
        let task = store.store.borrow_mut().call(store, call);
        Task { store: store.clone(), task, extra }
    }

    /// Starts in the host what the task waits for. The store must not be borrowed here, because the host calls the app's code.
    fn promise(&self, waited: Waited) -> Result<JsValue, JsValue> {
        let host = &self.store.host;
        Ok(match waited.map_err(|error| host.js(&error))? {
            Wait::Send(attempt) => {
                let Some(request) = self.task.request() else { return Ok(JsValue::UNDEFINED) };
                let body = match &request.body {
                    Some(bytes) if !bytes.is_empty() => Uint8Array::new(bytes).into(),
                    #[cfg(feature = "session")]
                    _ => self.extra.body.clone(),
                    #[cfg(not(feature = "session"))]
                    _ => JsValue::UNDEFINED,
                };
                let etag = self.store.topology_etag();
                let (method, if_match) = (request.method.name(), request.if_match.as_deref());
                host.send(method, &attempt.url, body, if_match, etag, attempt.limit as f64)
            }
            Wait::Pause(pause) => host.pause(pause as f64),
            #[cfg(feature = "pool")]
            Wait::Move { tag, strict } => host.move_numbers(self.store.store.borrow().name(tag), strict),
            #[cfg(feature = "session")]
            Wait::Done(Some((status, node))) => {
                if let Some(sink) = &self.extra.sink {
                    sink.keep(status, node.0);
                }
                JsValue::UNDEFINED
            }
            _ => JsValue::UNDEFINED,
        })
    }
}

#[wasm_bindgen]
impl Task {
    /// Continues with the result of the last promise: an HTTP status, body and `Database-Cluster-Tx-Id`; or one of
    /// [`raven_edge::protocol::reply`], with the reason as `text`. Returns the promise to wait for, or `undefined` when the task is
    /// done; throws if it has failed.
    pub fn step(&mut self, status: u16, body: Vec<u8>, text: Option<String>) -> Result<JsValue, JsValue> {
        let (store, task) = (&self.store, &mut self.task);
        let mut core = store.store.borrow_mut();
        let waited = match status {
            #[cfg(feature = "pool")]
            reply::MOVED | reply::LOST => core.moved(store, task, status == reply::MOVED),
            _ => core.step(store, task, Input::reported(status, body, text)),
        };
        drop(core);
        self.promise(waited)
    }
}

#[cfg(feature = "pool")]
#[wasm_bindgen]
impl Task {
    /// Applies the move to the record of its tag; `stored` is the database's incarnation according to the device. Returns the text to
    /// write, or nothing if the record stays unchanged.
    pub fn decide(&mut self, record: Option<String>, stored: Option<String>) -> Option<String> {
        self.store.store.borrow_mut().decide(&mut self.task, record.as_deref(), stored.as_deref())
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.store.store.borrow_mut().dropped(&self.task);
    }
}
