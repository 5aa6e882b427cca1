//! Parked numbers in IndexedDB. Each move is one transaction in which the core decides and nothing is awaited. Numbers that were taken
//! out are used only when the transaction is complete, and on disk. The package's twin is `pkg/src/device/parked-numbers.ts`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Weak;

use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbFactory, IdbKeyRange, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransaction};

use super::js::{call, get, global, message};
use crate::runtime::within;
use crate::store::Inner;

const DATABASE: &str = "raven-edge";
const VERSION: u32 = 1;
const RANGES: &str = "ranges";

/// The time limit of a move, in milliseconds; after it, the numbers of the move are burnt, even if it completes later.
const LIMIT: u64 = 1_000;

/// Further time, in milliseconds, for results that arrived while the page was busy.
const MOMENT: u64 = 250;

/// After so many failures in a row the device is not used any more: ids then come from memory.
const ENOUGH: u32 = 2;

/// Why a transaction has failed.
struct Failure {
    reason: String,
    /// There is no point in trying again.
    is_final: bool,
}

impl Failure {
    fn last(reason: impl Into<String>) -> Failure {
        Failure { reason: reason.into(), is_final: true }
    }
}

impl From<JsValue> for Failure {
    fn from(error: JsValue) -> Failure {
        Failure { reason: message(&error), is_final: false }
    }
}

/// One connection for all stores of the realm.
#[derive(Default)]
struct Pool {
    connection: RefCell<Option<IdbDatabase>>,
    /// The turn to open it.
    opening: tokio::sync::Mutex<()>,
    failures: Cell<u32>,
    trouble: RefCell<String>,
    stores: RefCell<Vec<Weak<Inner>>>,
}

thread_local! {
    static POOL: Rc<Pool> = Rc::default();
}

fn pool() -> Rc<Pool> {
    POOL.with(Rc::clone)
}

/// Whether numbers can be parked here, as far as is known.
pub(super) fn is_usable() -> bool {
    pool().failures.get() < ENOUGH
}

/// Why not.
pub(super) fn trouble() -> String {
    pool().trouble.borrow().clone()
}

/// Reports failures to a store, as long as there is one.
pub(super) fn watch(store: Weak<Inner>) {
    let pool = pool();
    let mut stores = pool.stores.borrow_mut();
    stores.retain(|store| store.strong_count() > 0);
    stores.push(store);
}

/// What a decision says about a record.
pub(super) enum Decision {
    Write(String),
    Keep,
    /// The record is of a version that this one does not know: it stays as it is.
    Unknown,
}

/// One move: `known` is the latest incarnation that a response has named. Returns whether it is done; a `strict` one is on disk then.
pub(super) async fn apply(
    key: String,
    home: String,
    strict: bool,
    known: Option<String>,
    decide: impl FnOnce(Option<String>, Option<String>) -> Decision + 'static,
) -> bool {
    let work = move |ranges: IdbObjectStore, transaction: Transaction| {
        let incarnation = ranges.get(&home.as_str().into())?;
        let record = ranges.get(&key.as_str().into())?;
        let read = record.clone();
        let decide = move || {
            if transaction.is_over.get() {
                return;
            }
            let stored = text(&incarnation);
            let written = match decide(text(&read), stored.clone()) {
                Decision::Keep => Ok(()),
                Decision::Unknown => Err(Failure::last("a newer version of the app has written the record")),
                Decision::Write(text) => {
                    let record = ranges.put_with_key(&text.into(), &key.into());
                    // The note of it may have been lost. A client that knows only an older incarnation writes nothing.
                    let known = known.filter(|known| stored.as_ref() != Some(known));
                    let noted = known.map(|known| ranges.put_with_key(&known.into(), &home.into()));
                    record.and(noted.transpose()).map(drop).map_err(Failure::from)
                }
            };
            if let Err(failure) = written {
                transaction.fail(failure);
            }
        };
        record.set_onsuccess(Some(Closure::once_into_js(decide).unchecked_ref()));
        Ok(())
    };
    transact(strict, work).await
}

/// Notes the latest incarnation of a database: an offline start compares with it. Also if this page parks nothing: another version may
/// have numbers here of the incarnation before.
pub(super) async fn note(home: String, incarnation: String) {
    try_to(false, move |ranges, _| ranges.put_with_key(&incarnation.into(), &home.into()).map(drop)).await;
}

/// The keys that begin with a prefix.
pub(super) async fn keys(prefix: &str) -> Vec<String> {
    let found: Rc<RefCell<Option<IdbRequest>>> = Rc::default();
    let asked = Rc::clone(&found);
    let (from, to) = (prefix.into(), format!("{prefix}\u{ffff}").into());
    let work = move |ranges: IdbObjectStore, _| {
        let range = IdbKeyRange::bound(&from, &to)?;
        *asked.borrow_mut() = Some(ranges.get_all_keys_with_key(&range)?);
        Ok(())
    };
    let read = transact(false, work).await;
    let keys = found.borrow().as_ref().filter(|_| read).and_then(|request| request.result().ok());
    keys.map(|keys| Array::from(&keys).iter().filter_map(|key| key.as_string()).collect()).unwrap_or_default()
}

/// A value that is not a text was not written by raven-edge, and is ignored.
fn text(request: &IdbRequest) -> Option<String> {
    request.result().ok()?.as_string()
}

/// A transaction under way.
#[derive(Clone)]
struct Transaction {
    of: IdbTransaction,
    /// No one waits for it any more.
    is_over: Rc<Cell<bool>>,
    failure: Rc<RefCell<Option<Failure>>>,
}

impl Transaction {
    fn fail(&self, failure: Failure) {
        *self.failure.borrow_mut() = Some(failure);
        // It fails if the transaction is over.
        let _ = self.of.abort();
    }
}

/// Whether a transaction has completed in time; none is begun if nothing is parked here.
async fn transact(strict: bool, work: impl FnOnce(IdbObjectStore, Transaction) -> Result<(), JsValue>) -> bool {
    is_usable() && try_to(strict, work).await
}

/// Whether a transaction has completed in time.
async fn try_to(strict: bool, work: impl FnOnce(IdbObjectStore, Transaction) -> Result<(), JsValue>) -> bool {
    let pool = pool();
    // If several transactions of a busy page fail at the same time, they count as one failure.
    let failures = pool.failures.get() + 1;
    let begun: RefCell<Option<Transaction>> = RefCell::default();
    let through = async {
        let connection = pool.open().await?;
        let of = pool.begin(&connection, strict)?;
        let transaction = Transaction { of, is_over: Rc::default(), failure: Rc::default() };
        *begun.borrow_mut() = Some(transaction.clone());
        let ended = Promise::new(&mut |resolve, reject| {
            transaction.of.set_oncomplete(Some(&resolve));
            transaction.of.set_onabort(Some(&reject));
        });
        if let Err(error) = work(transaction.of.object_store(RANGES)?, transaction.clone()) {
            transaction.fail(error.into());
        }
        JsFuture::from(ended).await.map(drop).map_err(|_| {
            let failure = transaction.failure.borrow_mut().take();
            let reason =
                || transaction.of.error().map_or("the transaction was aborted".into(), |error| error.message());
            failure.unwrap_or_else(|| Failure { reason: reason(), is_final: false })
        })
    };
    let failure = match in_time(through).await {
        Some(Ok(())) => {
            if is_usable() {
                pool.failures.set(0);
            }
            return true;
        }
        Some(Err(failure)) => failure,
        None => Failure { reason: "IndexedDB does not respond".to_owned(), is_final: false },
    };
    if let Some(transaction) = begun.take() {
        transaction.is_over.set(true);
        // It fails if the transaction is over already.
        let _ = transaction.of.abort();
    }
    pool.failed(&failure.reason, if failure.is_final { ENOUGH } else { failures });
    false
}

async fn in_time<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    match within(LIMIT, &mut future).await {
        None => within(MOMENT, &mut future).await,
        some => some,
    }
}

impl Pool {
    async fn open(self: &Rc<Self>) -> Result<IdbDatabase, Failure> {
        let _turn = self.opening.lock().await;
        if let Some(connection) = &*self.connection.borrow() {
            return Ok(connection.clone());
        }
        let connection = connect().await.map_err(|error| Failure::last(message(&error)))?;
        for event in ["versionchange", "close"] {
            let (pool, closing) = (Rc::clone(self), connection.clone());
            let closed = Closure::once_into_js(move || {
                closing.close();
                pool.connection.take();
                // The next move finds out what is left.
                pool.failed(&format!("IndexedDB was closed ({event})"), pool.failures.get());
            });
            let _ = connection.add_event_listener_with_callback(event, closed.unchecked_ref());
        }
        *self.connection.borrow_mut() = Some(connection.clone());
        Ok(connection)
    }

    fn begin(&self, connection: &IdbDatabase, strict: bool) -> Result<IdbTransaction, Failure> {
        let options = Object::new();
        let durability = if strict { "strict" } else { "relaxed" };
        Reflect::set(&options, &"durability".into(), &durability.into())?;
        let begun = call(connection, "transaction", [&RANGES.into(), &"readwrite".into(), &options]);
        let has = begun.as_ref().ok().and_then(|begun| get(begun, "durability")?.as_string());
        if begun.is_err() || strict && has.as_deref() != Some(durability) {
            connection.close();
            self.connection.take();
        }
        let begun = begun?;
        // After a power cut, a move that was not on disk would be undone, and its numbers would be issued again.
        if strict && has.as_deref() != Some(durability) {
            return Err(Failure::last("IndexedDB without strict durability"));
        }
        Ok(begun.unchecked_into())
    }

    fn failed(&self, reason: &str, failures: u32) {
        if self.failures.get() >= ENOUGH {
            return;
        }
        self.failures.set(self.failures.get().max(failures));
        *self.trouble.borrow_mut() = format!("numbers cannot be parked on this device: {reason}");
        let stores = self.stores.borrow().clone();
        stores.iter().filter_map(Weak::upgrade).for_each(|store| {
            if let Some(device) = store.device() {
                device.failed(&store);
            }
        });
    }
}

/// Opens the database.
async fn connect() -> Result<IdbDatabase, JsValue> {
    let factory = global("indexedDB").ok_or("there is no IndexedDB")?;
    let request: IdbOpenDbRequest = factory.unchecked_into::<IdbFactory>().open_with_u32(DATABASE, VERSION)?;
    let upgrading = request.clone();
    let upgrade = Closure::once_into_js(move || {
        let made: Result<JsValue, JsValue> = upgrading.result();
        // If this fails, transactions do.
        let _ = made.map(|made| made.unchecked_into::<IdbDatabase>().create_object_store(RANGES));
    });
    request.set_onupgradeneeded(Some(upgrade.unchecked_ref()));
    let opened = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
        request.set_onblocked(Some(&reject));
    });
    let opened = JsFuture::from(opened).await;
    match (opened, request.error()) {
        (Ok(_), _) => request.result().map(JsCast::unchecked_into),
        (Err(_), Ok(Some(error))) => Err(error.into()),
        (Err(_), _) => Err("another version of the app has it open".into()),
    }
}
