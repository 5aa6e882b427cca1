//! A store on its device: events of the page, messages of siblings (stores of the same database in this page or another one, of this crate
//! or of the npm package), locks, parked numbers. The core decides what follows from them (`raven_edge::pool::presence`); this does it.
//! The package's twin is `pkg/src/device/page-events-and-tabs.ts`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use js_sys::{Array, Function, Promise};
use raven_edge::hilo::At;
use raven_edge::hilo::waiters::Event as Happened;
use raven_edge::ids::key;
use raven_edge::pool::RecordText;
use raven_edge::protocol::{presence, todo};
use raven_edge::texts::Task;
use tokio::sync::oneshot;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{BroadcastChannel, EventTarget, MessageEvent};

use super::js::{call, get, global};
use super::moves::{self, Decision};
use super::{Scope, parting};
use crate::runtime::{sleep, within};
use crate::store::{Inner, StoreEvent, random};

/// How long to wait for another page's lease, in milliseconds, before this one leases itself.
const TURN: u64 = 2_000;

/// How long siblings have to respond, in milliseconds.
const PATIENCE: u64 = 60;

/// What the names of notes in `localStorage` begin with: the package leases early only for tags without one.
const NOTE: &str = "raven-edge ";

type Listener = Closure<dyn FnMut(JsValue)>;

pub(crate) struct Device {
    /// The keys of records begin with it: source, server, database, separator, and what the source adds.
    scope: Vec<String>,
    /// The key under which the device notes the database's incarnation.
    home: String,
    /// Tells this store from its siblings.
    name: u32,
    channel: RefCell<Option<BroadcastChannel>>,
    receive: Listener,
    listeners: RefCell<Vec<(EventTarget, &'static str, Listener)>>,
    /// How to end the turn of a tag to lease.
    turns: RefCell<HashMap<u32, Function>>,
    /// Whether a failure was reported: a device that fails would be reported with every id.
    is_reported: Cell<bool>,
}

impl Device {
    /// The store begins. It has no device where there is neither a page nor IndexedDB: in Workers.
    pub(crate) fn begin(inner: &Arc<Inner>, scope: Scope) {
        let document = global("document");
        if document.is_none() && global("indexedDB").is_none() {
            return;
        }
        let Scope { source, counters, server, database, separator } = scope;
        // As the package spells it.
        let server = web_sys::Url::new(&server).map_or(server, |url| url.href());
        let store = Arc::downgrade(inner);
        let receive = listener(&store, |inner, event| {
            let message = event.dyn_into::<MessageEvent>().map(|event| Array::from(&event.data()));
            let Ok((kind, name)) = message.map(|parts| (parts.get(0), parts.get(1))) else { return };
            if let (Some(kind), Some(name)) = (kind.as_f64(), name.as_f64()) {
                // Other versions may set further bits.
                on(inner, kind as u8 & presence::MESSAGE, name as u32);
            }
        });
        // The case of names does not matter to the server.
        let database = key::key(&database);
        let home = text(&[&server, &database]);
        let device = Device {
            scope: [source.to_owned(), server, database, separator].into_iter().chain(counters).collect(),
            home,
            name: random() as u32,
            channel: RefCell::default(),
            receive,
            listeners: RefCell::default(),
            turns: RefCell::default(),
            is_reported: Cell::default(),
        };
        inner.set_device(device);
        let Some(device) = inner.device() else { return };
        if let Some(document) = &document {
            device.listen(&store, document);
        }
        moves::watch(store);
        on(inner, presence::BEGUN, u32::from(document.is_some()));
        if !moves::is_usable() {
            device.failed(inner);
        }
        on(inner, presence::BACK, 0);
    }

    fn listen(&self, store: &Weak<Inner>, document: &JsValue) {
        let left = |inner: &Arc<Inner>, _| {
            on(inner, presence::LEFT, 0);
        };
        let back = |inner: &Arc<Inner>, _| {
            on(inner, presence::BACK, 0);
        };
        let shown = |inner: &Arc<Inner>, event: JsValue| {
            // A page that was loaded is not restored.
            if get(&event, "persisted").is_some_and(|persisted| persisted.is_truthy()) {
                on(inner, presence::BACK, 0);
            }
        };
        let window: EventTarget = js_sys::global().unchecked_into();
        let document: &EventTarget = document.unchecked_ref();
        for (target, event, listener) in [
            (&window, "pagehide", listener(store, left)),
            (&window, "pageshow", listener(store, shown)),
            (document, "freeze", listener(store, left)),
            (document, "resume", listener(store, back)),
        ] {
            if target.add_event_listener_with_callback(event, listener.as_ref().unchecked_ref()).is_ok() {
                self.listeners.borrow_mut().push((target.clone(), event, listener));
            }
        }
    }

    /// A move has failed; after several ones the device is not used any more.
    pub(super) fn failed(&self, inner: &Arc<Inner>) {
        if !self.is_reported.replace(true) {
            inner.emit(StoreEvent::Storage { error: moves::trouble() });
        }
        if !moves::is_usable() {
            on(inner, presence::FAILED, 0);
        }
    }

    /// Notes the latest incarnation: an offline start compares with it.
    pub(crate) fn note(&self, incarnation: &str) {
        let (home, incarnation) = (self.home.clone(), incarnation.to_owned());
        spawn_local(moves::note(home, incarnation));
    }

    /// The tags of which the device has numbers.
    pub(crate) async fn tags(&self) -> Vec<String> {
        let scope = text(&self.scope);
        let keys = moves::keys(&format!("{},", scope.trim_end_matches(']'))).await;
        let tag = |key: String| serde_json::from_str::<Vec<String>>(&key).ok()?.pop();
        keys.into_iter().filter_map(tag).collect()
    }

    /// Waits for the turn of a tag to lease when no sibling leases: both may be served by the same lease.
    pub(crate) fn turn(&self, inner: &Arc<Inner>, At { tag, group }: At) {
        let at = At { tag, group };
        let locks = global("navigator").and_then(|navigator| get(&navigator, "locks"));
        let (Some(locks), true) = (locks, on(inner, presence::TURN, 0) > 0) else {
            return inner.notify(at, Happened::Turned);
        };
        let mut release = None;
        let held = Promise::new(&mut |resolve, _| release = Some(resolve));
        let (granted, turned) = oneshot::channel();
        // If no one waits any more, the lock is free at once.
        let begin = move || if granted.send(()).is_ok() { held.into() } else { JsValue::UNDEFINED };
        let begin = Closure::once_into_js(begin);
        let key = self.key(&inner.name(tag));
        if call(&locks, "request", [&key.into(), &begin]).is_err() {
            return inner.notify(at, Happened::Turned);
        }
        let store = Arc::clone(inner);
        spawn_local(async move {
            let is_turn = matches!(within(TURN, turned).await, Some(Ok(())));
            if let (true, Some(release), Some(device)) = (is_turn, release, store.device()) {
                device.turns.borrow_mut().insert(tag, release);
                if store.is_disposed() {
                    device.end_turn(tag);
                }
            }
            store.notify(at, Happened::Turned);
        });
    }

    /// The lease is over.
    pub(crate) fn end_turn(&self, tag: u32) {
        if let Some(release) = self.turns.borrow_mut().remove(&tag) {
            // A function of the platform, which does not fail.
            let _ = release.call0(&JsValue::UNDEFINED);
        }
    }

    /// Asks which siblings exist, and waits for their responses.
    pub(crate) async fn ask_siblings(&self, inner: &Arc<Inner>) {
        if on(inner, presence::ASKED, 0) & todo::WAIT > 0 {
            sleep(PATIENCE + 1).await;
        }
    }

    /// The store has ended.
    pub(crate) fn end(&self, inner: &Arc<Inner>) {
        on(inner, presence::ENDED, 0);
        self.stop();
    }

    fn stop(&self) {
        for (target, event, listener) in self.listeners.take() {
            let _ = target.remove_event_listener_with_callback(event, listener.as_ref().unchecked_ref());
        }
        self.leave();
    }

    /// Carries out the move of a task, which decides about the record. Returns whether its result is certain.
    pub(crate) async fn move_numbers(
        &self,
        inner: &Arc<Inner>,
        tag: u32,
        strict: bool,
        task: Arc<Mutex<Task>>,
    ) -> bool {
        let (key, known) = (self.key(&inner.name(tag)), inner.incarnation());
        let (store, note) = (Arc::clone(inner), format!("{NOTE}{key}"));
        let decide = move |record: Option<String>, stored: Option<String>| {
            if record.as_deref().is_some_and(RecordText::is_of_newer_version) {
                return Decision::Unknown;
            }
            let mut task = task.lock().unwrap_or_else(PoisonError::into_inner);
            let decided = store.enter(|state, _| state.core.decide(&mut task, record.as_deref(), stored.as_deref()));
            if record.is_some() || decided.is_some() {
                // Only a hint: a page may be allowed to store nothing there.
                let _ = global("localStorage").map(|notes| call(&notes, "setItem", [&note.into(), &"".into()]));
            }
            decided.map_or(Decision::Keep, Decision::Write)
        };
        moves::apply(key, self.home.clone(), strict, known, decide).await
    }

    fn hello(&self) {
        let mut channel = self.channel.borrow_mut();
        if channel.is_none() {
            // Where a site may store nothing, browsers refuse channels, too.
            let Ok(opened) = BroadcastChannel::new(&format!("raven-edge {}", self.home)) else { return };
            opened.set_onmessage(Some(self.receive.as_ref().unchecked_ref()));
            *channel = Some(opened);
        }
        drop(channel);
        self.say(presence::HELLO);
    }

    fn say(&self, message: u8) {
        if let Some(channel) = &*self.channel.borrow() {
            // It is a hint.
            let _ = channel.post_message(&Array::of2(&message.into(), &self.name.into()));
        }
    }

    /// A page in the back/forward cache must not keep a channel open.
    fn leave(&self) {
        if let Some(channel) = self.channel.take() {
            channel.set_onmessage(None);
            channel.close();
        }
    }

    /// The key of a tag's record.
    fn key(&self, tag: &str) -> String {
        text(&[&self.scope[..], &[key::key(tag)]].concat())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.stop();
    }
}

fn listener(store: &Weak<Inner>, call: impl Fn(&Arc<Inner>, JsValue) + 'static) -> Listener {
    let store = Weak::clone(store);
    Closure::new(move |event| {
        if let Some(inner) = store.upgrade() {
            call(&inner, event);
        }
    })
}

/// As `JSON.stringify` writes it.
fn text(parts: &[impl AsRef<str>]) -> String {
    serde_json::Value::from(parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>()).to_string()
}

/// Reports an event to the core, and does what it says.
fn on(inner: &Arc<Inner>, event: u8, detail: u32) -> u8 {
    let Some(device) = inner.device() else { return 0 };
    let todo = inner.enter(|state, calls| {
        let todo = calls.core(state, |core, host| core.device(host, event, detail));
        // Before numbers are returned, no more may be issued.
        if todo & todo::GIVE_BACK > 0 {
            calls.empty(state, true);
        }
        todo
    });
    if todo & todo::GIVE_BACK > 0 {
        inner.part(|request, is_plain| parting::send(&request, is_plain));
    }
    if todo & todo::HELLO > 0 {
        device.hello();
    }
    if todo & todo::HERE > 0 {
        device.say(presence::HERE);
    }
    if todo & todo::BYE > 0 {
        device.say(presence::BYE);
        device.leave();
    }
    if todo & todo::WAIT > 0 {
        let store = Arc::clone(inner);
        spawn_local(async move {
            sleep(PATIENCE).await;
            on(&store, presence::OVER, 0);
        });
    }
    todo
}
