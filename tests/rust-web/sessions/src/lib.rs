//! The client's calls for the table of `scenarios.mjs`, which runs in a page and in workerd. A session numbers its entities as they come.
#![cfg(target_family = "wasm")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use js_sys::Promise;
use raven_edge_client::{
    ByQuery, Document, DocumentStore, Entity, Error, HiLo, IndexDefinition, Patch, Session, SessionOptions, Source,
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

type Result<T> = std::result::Result<T, JsError>;

const LIMIT: Duration = Duration::from_secs(15);

#[derive(Serialize, Deserialize)]
struct Order {
    n: i64,
    #[serde(default)]
    of: String,
}

impl Document for Order {
    const COLLECTION: &'static str = "Orders";
}

/// Values that JavaScript cannot hold, and a member that it would make an object of its own kind.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wide {
    big: u64,
    negative: i64,
    precise: f64,
    map: HashMap<String, u64>,
}

impl Document for Wide {
    const COLLECTION: &'static str = "Wide";
}

/// A row of a projection.
#[derive(Deserialize)]
struct Only {
    n: i64,
}

/// A store.
#[wasm_bindgen]
pub struct Store(DocumentStore);

#[wasm_bindgen]
impl Store {
    /// `addresses`: with spaces in between. The server behind a proxy would report its own.
    #[wasm_bindgen(constructor)]
    pub fn new(addresses: &str, database: &str, timeout_ms: u32) -> Result<Store> {
        let (first, others) = addresses.split_once(' ').unwrap_or((addresses, ""));
        let builder = DocumentStore::builder(first, database).disable_topology_updates();
        let builder = others.split_whitespace().fold(builder, |builder, url| builder.address(url));
        Ok(Store(builder.timeout(Duration::from_millis(timeout_ms.into())).build()?))
    }

    /// A store that writes the counter documents itself.
    #[wasm_bindgen(js_name = withCounters)]
    pub fn with_counters(url: &str, database: &str) -> Result<Store> {
        Ok(Store(DocumentStore::builder(url, database).source(Source::Document).build()?))
    }

    /// The store of a gateway's caller.
    #[wasm_bindgen(js_name = asCaller)]
    pub fn as_caller(url: &str, database: &str, name: &str) -> Result<Store> {
        Ok(Store(DocumentStore::builder(url, database).header("x-user", name).build()?))
    }

    /// A session.
    pub fn session(&self, optimistic: bool) -> Work {
        let options = if optimistic { SessionOptions::optimistic() } else { SessionOptions::default() };
        Work { session: self.0.session_with(options), entities: RefCell::default() }
    }

    /// The ids of a counter.
    pub fn ids(&self, tag: &str) -> Result<Ids> {
        Ok(Ids(self.0.hilo(tag)?))
    }

    /// Whether a document with exact numbers and a map comes back as it was.
    #[wasm_bindgen(js_name = keepsNumbers)]
    pub async fn keeps_numbers(&self) -> Result<bool> {
        let wide = || Wide {
            big: i64::MAX as u64,
            negative: -9_007_199_254_740_993,
            precise: 0.1 + 0.2,
            map: (0..40).map(|n| (format!("k{n}"), 9_007_199_254_740_993 + n)).collect(),
        };
        let session = self.0.session();
        let entity = session.store(wide()).await?;
        session.save().await?;
        let again: Option<Entity<Wide>> = self.0.session().load(entity.id()).await?;
        Ok(again.is_some_and(|again| *again == wide()))
    }

    /// Patches a document at once; returns what became of it.
    pub async fn patch(&self, id: String, script: String) -> Result<String> {
        Ok(format!("{:?}", self.0.operations().patch(id, &Patch::script(script)).await?))
    }

    /// Patches all documents of a query; returns RavenDB's result.
    #[wasm_bindgen(js_name = patchByQuery)]
    pub async fn patch_by_query(&self, rql: String) -> Result<String> {
        Ok(self.0.operations().patch_by_query(ByQuery::new(rql)).await?.wait().await?.to_string())
    }

    /// Deletes all documents of a query.
    #[wasm_bindgen(js_name = deleteByQuery)]
    pub async fn delete_by_query(&self, rql: String) -> Result<()> {
        self.0.operations().delete_by_query(ByQuery::new(rql)).await?.wait().await?;
        Ok(())
    }

    /// Sets an identity, and takes the next number.
    pub async fn identity(&self, name: String, seed: u32) -> Result<f64> {
        self.0.operations().seed_identity(&name, seed.into()).await?;
        Ok(self.0.operations().next_identity(&name).await? as f64)
    }

    /// Creates an index; returns its maps as the server has them.
    pub async fn index(&self, name: String, map: String) -> Result<Vec<String>> {
        let operations = self.0.operations();
        operations.put_index(&IndexDefinition::new(&name).map(map)).await?;
        Ok(operations.index(&name).await?.map(|index| index.maps).unwrap_or_default())
    }

    /// Returns the numbers that are left.
    pub async fn dispose(&self) -> Result<()> {
        Ok(self.0.dispose().await?)
    }
}

/// The ids of a counter.
#[wasm_bindgen]
pub struct Ids(HiLo);

#[wasm_bindgen]
impl Ids {
    /// The next id.
    pub async fn next(&self) -> Result<String> {
        Ok(self.0.next().await?)
    }

    /// The next id, unless the promise is resolved first: the caller is dropped then.
    #[wasm_bindgen(js_name = nextUntil)]
    pub async fn next_until(&self, promise: Promise) -> Result<Option<String>> {
        Ok(unless(promise, self.0.next()).await.transpose()?)
    }
}

/// A session and its entities.
#[wasm_bindgen]
pub struct Work {
    session: Session,
    entities: RefCell<Vec<Option<Entity<Order>>>>,
}

#[wasm_bindgen]
impl Work {
    fn keep(&self, entity: Entity<Order>) -> usize {
        self.entities.borrow_mut().push(Some(entity));
        self.entities.borrow().len() - 1
    }

    fn with<T>(&self, at: usize, read: impl FnOnce(&mut Entity<Order>) -> T) -> Result<T> {
        let mut entities = self.entities.borrow_mut();
        entities.get_mut(at).and_then(Option::as_mut).map(read).ok_or_else(|| JsError::new("no such entity"))
    }

    /// Stores a document; returns the number of the entity.
    pub async fn store(&self, n: i32) -> Result<usize> {
        let entity = self.session.store(order(n)).await?;
        Ok(self.keep(entity))
    }

    /// Stores a document under an id of the app.
    #[wasm_bindgen(js_name = storeAs)]
    pub fn store_as(&self, n: i32, id: &str) -> Result<usize> {
        Ok(self.keep(self.session.store_as(order(n), id)?))
    }

    /// Loads a document; `undefined` if there is none.
    pub async fn load(&self, id: String) -> Result<Option<usize>> {
        let found = self.session.load(id).await?;
        Ok(found.map(|entity| self.keep(entity)))
    }

    /// What a load of several documents gives for each: see [`found`].
    #[wasm_bindgen(js_name = loadMany)]
    pub async fn load_many(&self, ids: Vec<String>) -> Result<Vec<String>> {
        let all = self.session.load_many::<Order>(ids).await?.into_iter();
        Ok(all.map(|one| one.transpose().map_or_else(|| "absent".to_owned(), found)).collect())
    }

    /// What a query gives for each result: see [`found`].
    pub async fn each(&self, rql: String) -> Result<Vec<String>> {
        let query = self.session.query::<Order>(rql).wait_for_non_stale_results(LIMIT);
        Ok(query.each().await?.results.into_iter().map(found).collect())
    }

    /// Loads a document and the one that its member `of` names.
    pub async fn include(&self, id: String) -> Result<Option<usize>> {
        let found = self.session.include("of").load(id).await?;
        Ok(found.map(|entity| self.keep(entity)))
    }

    /// Whether a document exists.
    pub async fn exists(&self, id: String) -> Result<bool> {
        Ok(self.session.exists(id).await?)
    }

    /// Stores an object of JavaScript; returns its id.
    #[wasm_bindgen(js_name = storeJs)]
    pub async fn store_js(&self, entity: JsValue) -> Result<String> {
        Ok(self.session.store_js(Order::COLLECTION, &entity).await?)
    }

    /// A document as an object of JavaScript; `undefined` if there is none.
    #[wasm_bindgen(js_name = loadJs)]
    pub async fn load_js(&self, id: String) -> Result<JsValue> {
        Ok(self.session.load_js(id).await?.unwrap_or_default())
    }

    /// The id of an entity.
    pub fn id(&self, at: usize) -> Result<String> {
        self.with(at, |entity| entity.id())
    }

    /// The value of an entity.
    pub fn n(&self, at: usize) -> Result<i32> {
        self.with(at, |entity| entity.n as i32)
    }

    /// The change vector of an entity.
    pub fn vector(&self, at: usize) -> Result<Option<String>> {
        self.with(at, |entity| entity.change_vector())
    }

    /// Changes an entity.
    pub fn update(&self, at: usize, n: i32) -> Result<()> {
        Ok(self.with(at, |entity| entity.update(|order| order.n = n.into()))??)
    }

    /// Sets a member of the metadata.
    #[wasm_bindgen(js_name = setMetadata)]
    pub fn set_metadata(&self, at: usize, name: &str, value: &str) -> Result<()> {
        Ok(self.with(at, |entity| entity.set_metadata(name, value))??)
    }

    /// A member of the metadata, as JSON.
    pub fn metadata(&self, at: usize, name: &str) -> Result<Option<String>> {
        self.with(at, |entity| entity.metadata(name).map(|value| value.to_string()))
    }

    /// Shows what the session has; returns whether that is newer.
    pub fn reload(&self, at: usize) -> Result<bool> {
        Ok(self.with(at, Entity::reload)??)
    }

    /// Reads an entity again.
    pub async fn refresh(&self, at: usize) -> Result<()> {
        let mut entity = self.with(at, |_| ()).map(|()| self.entities.borrow_mut()[at].take())?;
        let refreshed = match &mut entity {
            Some(entity) => self.session.refresh(entity).await,
            None => Ok(()),
        };
        self.entities.borrow_mut()[at] = entity;
        Ok(refreshed?)
    }

    /// The next save deletes the entity's document.
    pub fn delete(&self, at: usize) -> Result<()> {
        Ok(self.with(at, |entity| self.session.delete(entity))??)
    }

    /// The next save deletes the document of this id.
    #[wasm_bindgen(js_name = deleteId)]
    pub fn delete_id(&self, id: &str) -> Result<()> {
        Ok(self.session.delete_id(id)?)
    }

    /// Forgets an entity's document.
    pub fn evict(&self, at: usize) -> Result<()> {
        self.with(at, |_| ())?;
        if let Some(entity) = self.entities.borrow_mut()[at].take() {
            self.session.evict(entity);
        }
        Ok(())
    }

    /// The next save patches the document.
    pub fn patch(&self, id: &str, script: &str) -> Result<()> {
        Ok(self.session.patch(id, &Patch::script(script))?)
    }

    /// The next save patches the document by name, with a line.
    #[wasm_bindgen(js_name = addLine)]
    pub fn add_line(&self, id: &str, n: i32) -> Result<()> {
        let line = HashMap::from([("n", n)]);
        Ok(self.session.patch(id, &Patch::named("addLine").arg("line", line))?)
    }

    /// Whether the next save has anything to send.
    #[wasm_bindgen(js_name = hasChanges)]
    pub fn has_changes(&self) -> bool {
        self.session.has_changes()
    }

    /// How many requests the session has made.
    pub fn requests(&self) -> u32 {
        self.session.requests()
    }

    /// Saves: see [`said`].
    pub async fn save(&self) -> String {
        said(self.session.save().await)
    }

    /// Saves, unless the promise is resolved first: the save is dropped then.
    #[wasm_bindgen(js_name = saveUntil)]
    pub async fn save_until(&self, promise: Promise) -> String {
        unless(promise, self.session.save()).await.map_or_else(|| "dropped".to_owned(), said)
    }

    /// A page of a query: how many match, and the values of those on the page.
    pub async fn query(&self, rql: String, min: i32, skip: u32, take: u32) -> Result<Vec<f64>> {
        let query = self.session.query::<Order>(rql).bind("min", min).skip(skip.into()).take(take.into());
        let found = query.wait_for_non_stale_results(LIMIT).results().await?;
        let total = found.statistics.total_results as f64;
        Ok([total].into_iter().chain(found.results.iter().map(|order| order.n as f64)).collect())
    }

    /// The rows of a projection.
    pub async fn rows(&self, rql: String) -> Result<Vec<f64>> {
        let rows = self.session.query::<Only>(rql).wait_for_non_stale_results(LIMIT).rows().await?;
        Ok(rows.results.iter().map(|row| row.n as f64).collect())
    }

    /// How many results have come one by one, and how the stream has ended.
    pub async fn stream(&self, rql: String) -> Result<String> {
        let mut stream = self.session.query::<Order>(rql).stream().await?;
        let mut count = 0;
        while let Some(row) = stream.next().await {
            match row {
                Ok(_) => count += 1,
                Err(error) => return Ok(format!("{} after some: {}", error.code(), count < 9)),
            }
        }
        Ok(format!("all {count}"))
    }
}

fn order(n: i32) -> Order {
    Order { n: n.into(), of: String::new() }
}

/// The value of a document, or the error's code and document.
fn found(result: raven_edge_client::Result<Entity<Order>>) -> String {
    match result {
        Ok(order) => order.n.to_string(),
        Err(error) => format!("{} {}", error.code(), error.detail().id.as_deref().unwrap_or_default()),
    }
}

/// `saved`, or the error's code, its outcome, the advice, the document, and the code of its cause.
fn said(result: raven_edge_client::Result<()>) -> String {
    let Err(error) = result else { return "saved".to_owned() };
    let (code, detail) = (error.code(), error.detail());
    let mut words = vec![code.to_owned()];
    words.extend(detail.outcome.map(|outcome| format!("{outcome:?}")));
    words.extend(detail.advice.map(|advice| format!("{advice:?}")));
    words.extend(detail.id.clone());
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<Error>());
    words.extend(cause.map(|cause| cause.code().to_owned()));
    words.join(" ")
}

/// The result of a future; `None` if the promise is resolved first: the future is dropped then.
async fn unless<T>(promise: Promise, future: impl Future<Output = T>) -> Option<T> {
    let (mut future, mut end) = (pin!(future), pin!(JsFuture::from(promise)));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => end.as_mut().poll(context).map(|_| None),
    })
    .await
}
