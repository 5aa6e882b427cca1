//! Sessions: a unit of work, its documents, and what it saves.

mod entity;
#[cfg(target_family = "wasm")]
mod js_values;
mod json;
mod patch;
mod query;
mod save;
mod stream;
mod unit;

pub use entity::Entity;
pub use patch::{Patch, PatchStatus};
pub(crate) use query::QueryText;
pub use query::{Query, QueryResults, Statistics};
pub use stream::{QueryStream, Row};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use raven_edge::http::{Method, Repeat, Request, push_encoded};
use raven_edge::ids::{Limits, Maker, check};
use raven_edge::protocol::{metadata, path};
use raven_edge::source::Expects;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::numbers::HiLo;
use crate::store::{Handle, Inner};
use crate::{Error, Result};
use entity::read_tracked;
use json::{Members, write};
use unit::{Content, Unit};

/// A kind of document.
///
/// ```
/// use raven_edge_client::Document;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Order {
///     total: f64,
/// }
///
/// impl Document for Order {
///     const COLLECTION: &'static str = "Orders";
/// }
/// ```
pub trait Document: Serialize + DeserializeOwned {
    /// The collection, such as `Orders`.
    const COLLECTION: &'static str;

    /// The counter of the ids, such as `orders`: by default the collection in lower case, unless it has several capital letters.
    fn tag() -> String {
        tag_of(Self::COLLECTION)
    }
}

/// The counter of a collection, unless its type says otherwise.
fn tag_of(collection: &str) -> String {
    let capitals = collection.chars().filter(|letter| letter.is_uppercase()).count();
    if capitals <= 1 { collection.to_lowercase() } else { collection.to_owned() }
}

/// Options of a session.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SessionOptions {
    /// Whether each write expects the change vector that the session knows; default: only writes of new documents, and of those that
    /// this session has stored under an id of [`HiLo`].
    pub optimistic_concurrency: bool,
}

impl SessionOptions {
    /// Each write expects the change vector that the session knows.
    #[must_use]
    pub fn optimistic() -> SessionOptions {
        SessionOptions { optimistic_concurrency: true }
    }
}

/// A unit of work: it has the documents that it loads and stores, and saves all changes at once.
///
/// Methods take `&self`: a session can be shared by tasks. Saves of one session follow each other.
pub struct Session {
    handle: Arc<Handle>,
    unit: Arc<Mutex<Unit>>,
    /// The turn of the save under way.
    saving: tokio::sync::Mutex<()>,
}

fn locked(unit: &Arc<Mutex<Unit>>) -> MutexGuard<'_, Unit> {
    unit.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    pub(crate) fn new(handle: Arc<Handle>, options: SessionOptions) -> Session {
        let unit = Unit::new(options.optimistic_concurrency);
        Session { handle, unit: Arc::new(Mutex::new(unit)), saving: tokio::sync::Mutex::default() }
    }

    fn inner(&self) -> &Arc<Inner> {
        &self.handle.inner
    }

    fn count(&self) {
        locked(&self.unit).requests += 1;
    }

    /// How many requests the session has made.
    pub fn requests(&self) -> u32 {
        locked(&self.unit).requests
    }

    /// Whether the next save has anything to send.
    pub fn has_changes(&self) -> bool {
        locked(&self.unit).has_changes()
    }

    /// Stores a new document. Its id, such as `orders/1-A`, is final; nothing is sent before [`Session::save`].
    ///
    /// # Errors
    ///
    /// As [`HiLo::next`]; [`Error::InvalidDocument`]: it is no JSON object.
    pub async fn store<T: Document>(&self, entity: T) -> Result<Entity<T>> {
        // Refused before a number is taken.
        let members = write("(new)", &entity)?;
        let id = HiLo::new(Arc::clone(&self.handle), &T::tag())?.next().await?;
        self.keep(id, false, true, entity, members)
    }

    /// Stores a new document under an id of the app: `orders/mine`. If the id ends in `/`, the server completes it; if it ends in `|`, the
    /// cluster counts; an empty one becomes a GUID. Such an id is known after the save.
    ///
    /// A document that exists under the id is overwritten, unless the session uses optimistic concurrency.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidId`]; [`Error::NonUniqueObject`]: the session has the document already.
    pub fn store_as<T: Document>(&self, entity: T, id: impl AsRef<str>) -> Result<Entity<T>> {
        self.inner().assert_open()?;
        let id = id.as_ref();
        let is_pending = check(id, Limits::default())? != Maker::Client;
        let members = write(id, &entity)?;
        self.keep(id.to_owned(), is_pending, false, entity, members)
    }

    fn keep<T: Document>(
        &self,
        id: String,
        is_pending: bool,
        is_ours: bool,
        entity: T,
        members: Members,
    ) -> Result<Entity<T>> {
        let mut own = Map::new();
        own.insert(metadata::COLLECTION.to_owned(), Value::from(T::COLLECTION));
        let slot = locked(&self.unit).store(id, is_pending, is_ours, Content { members, metadata: own })?;
        Ok(Entity::new(Arc::clone(&self.unit), slot, 0, entity))
    }

    /// Loads a document; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidDocument`]: it does not fit `T`; the message names the member.
    pub async fn load<T: Document>(&self, id: impl AsRef<str>) -> Result<Option<Entity<T>>> {
        self.fetch(&[id.as_ref()], &[]).await?;
        self.find(id.as_ref())
    }

    /// Loads documents, in one request. In the order of the ids; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Of the request. A document that does not fit `T` is an error in its place, and keeps no other one away.
    pub async fn load_many<T: Document>(
        &self,
        ids: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Vec<Result<Option<Entity<T>>>>> {
        let ids: Vec<String> = ids.into_iter().map(|id| id.as_ref().to_owned()).collect();
        let wanted: Vec<&str> = ids.iter().map(String::as_str).collect();
        self.fetch(&wanted, &[]).await?;
        Ok(ids.iter().map(|id| self.find(id)).collect())
    }

    /// Begins a load that brings the documents along whose ids are in this member: the session then loads them without a request.
    pub fn include(&self, path: impl Into<String>) -> Including<'_> {
        Including { session: self, paths: vec![path.into()] }
    }

    /// What the session has under an id.
    fn find<T: Document>(&self, id: &str) -> Result<Option<Entity<T>>> {
        let unit = locked(&self.unit);
        let Some(slot) = unit.slot(id) else { return Ok(None) };
        let Some(document) = unit.get(slot).filter(|document| !document.is_deleted) else { return Ok(None) };
        let (value, revision) = (read_tracked(document)?, document.revision);
        drop(unit);
        Ok(Some(Entity::new(Arc::clone(&self.unit), slot, revision, value)))
    }

    /// Loads what the session does not have.
    async fn fetch(&self, ids: &[&str], includes: &[String]) -> Result<()> {
        self.inner().assert_open()?;
        let mut missing: Vec<&str> = Vec::new();
        for id in ids {
            if check(id, Limits::default())? != Maker::Client {
                return Err(Error::InvalidId(id_detail(id)));
            }
            let unit = locked(&self.unit);
            let is_known = unit.slot(id).is_some() || unit.is_absent(id);
            if !is_known && !missing.contains(id) {
                missing.push(id);
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.count();
        let (found, included) = self.inner().documents(&missing, includes).await?;
        self.track(found.into_iter().chain(included))?;
        let mut unit = locked(&self.unit);
        for id in missing {
            if unit.slot(id).is_none() {
                unit.set_absent(id);
            }
        }
        Ok(())
    }

    /// Adds documents of a response to the session.
    fn track(&self, documents: impl Iterator<Item = Value>) -> Result<()> {
        let mut unit = locked(&self.unit);
        for document in documents {
            if let Some((id, members, reported)) = json::parts(document) {
                unit.load(id, members, reported)?;
            }
        }
        Ok(())
    }

    /// Whether a document exists.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidId`], and errors of the request.
    pub async fn exists(&self, id: impl AsRef<str>) -> Result<bool> {
        let id = id.as_ref();
        self.inner().assert_open()?;
        if check(id, Limits::default())? != Maker::Client {
            return Err(Error::InvalidId(id_detail(id)));
        }
        {
            let unit = locked(&self.unit);
            if let Some(document) = unit.slot(id).and_then(|slot| unit.get(slot)) {
                return Ok(!document.is_deleted);
            }
        }
        self.count();
        let mut route = String::from("docs?id=");
        push_encoded(&mut route, id);
        let mut request = Request::get(self.inner().state().core.route(&route));
        request.method = Method::Head;
        let answer = self.inner().call(request, Expects::Command, 0).await?;
        Ok(answer.status < 300)
    }

    /// Reads a document again. Changes that are not saved are lost.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOperation`]: the document does not exist any more, or the entity is of another session.
    pub async fn refresh<T: Document>(&self, entity: &mut Entity<T>) -> Result<()> {
        if !entity.is_of(&self.unit) {
            return Err(Error::operation("the entity is of another session"));
        }
        let id = entity.id();
        if id.is_empty() || check(&id, Limits::default())? != Maker::Client {
            return Err(Error::operation("the document has no id yet"));
        }
        self.count();
        let (found, _) = self.inner().documents(&[&id], &[]).await?;
        let Some((_, members, reported)) = found.into_iter().find_map(json::parts) else {
            return Err(Error::operation(format!("the document {id} does not exist")));
        };
        {
            let mut unit = locked(&self.unit);
            unit.saves.forget(&[entity.slot()]);
            if let Some(document) = unit.get_mut(entity.slot()) {
                document.is_read(members, reported);
            }
        }
        entity.reload().map(drop)
    }

    /// The next save deletes the document.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOperation`]: the entity is of another session, or its document was forgotten.
    pub fn delete<T>(&self, entity: &Entity<T>) -> Result<()> {
        if !entity.is_of(&self.unit) {
            return Err(Error::operation("the entity is of another session"));
        }
        let mut unit = locked(&self.unit);
        let document = unit.get_mut(entity.slot());
        document.ok_or_else(|| Error::operation("the session does not have the document any more"))?.is_deleted = true;
        Ok(())
    }

    /// The next save deletes the document of this id, whether or not it exists.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidId`].
    pub fn delete_id(&self, id: impl AsRef<str>) -> Result<()> {
        self.inner().assert_open()?;
        let id = id.as_ref();
        if check(id, Limits::default())? != Maker::Client {
            return Err(Error::InvalidId(id_detail(id)));
        }
        locked(&self.unit).delete_id(id)
    }

    /// The next save patches the document. If there is none, nothing happens. An entity of it shows the result after
    /// [`Entity::reload`].
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: the patch has no script and no name, or an argument that is no JSON. [`Error::InvalidOperation`]: the
    /// session changes the document, too.
    pub fn patch(&self, id: impl AsRef<str>, patch: &Patch) -> Result<()> {
        self.inner().assert_open()?;
        let id = id.as_ref();
        if check(id, Limits::default())? != Maker::Client {
            return Err(Error::InvalidId(id_detail(id)));
        }
        let patch = patch.command()?;
        let mut unit = locked(&self.unit);
        unit.deferred.push(patch::Deferred { id: id.to_owned(), patch });
        if let Err(error) = unit.assert_apart() {
            unit.deferred.pop();
            return Err(error);
        }
        Ok(())
    }

    /// Forgets a document: changes that are not saved are lost.
    pub fn evict<T>(&self, entity: Entity<T>) {
        if entity.is_of(&self.unit) {
            locked(&self.unit).forget(entity.slot());
        }
    }

    /// Forgets all documents, and patches that are not saved.
    pub fn clear(&self) {
        locked(&self.unit).clear();
    }

    /// A query in RQL.
    ///
    /// ```
    /// # use raven_edge_client::{Document, Result, Session};
    /// # async fn _f<Order: Document>(session: Session) -> Result<()> {
    /// let open = session.query::<Order>("from Orders where total > $min").bind("min", 10).all().await?;
    /// # drop(open); Ok(()) }
    /// ```
    pub fn query<T>(&self, rql: impl Into<String>) -> Query<'_, T> {
        Query::new(self, rql.into())
    }
}

/// A load that brings other documents along: see [`Session::include`].
#[must_use = "call load() or load_many()"]
pub struct Including<'a> {
    session: &'a Session,
    paths: Vec<String>,
}

impl Including<'_> {
    /// Another member with ids.
    pub fn include(mut self, path: impl Into<String>) -> Self {
        self.paths.push(path.into());
        self
    }

    /// As [`Session::load`].
    ///
    /// # Errors
    ///
    /// As [`Session::load`].
    pub async fn load<T: Document>(self, id: impl AsRef<str>) -> Result<Option<Entity<T>>> {
        self.session.fetch(&[id.as_ref()], &self.paths).await?;
        self.session.find(id.as_ref())
    }

    /// As [`Session::load_many`].
    ///
    /// # Errors
    ///
    /// As [`Session::load_many`].
    pub async fn load_many<T: Document>(
        self,
        ids: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Vec<Result<Option<Entity<T>>>>> {
        let ids: Vec<String> = ids.into_iter().map(|id| id.as_ref().to_owned()).collect();
        let wanted: Vec<&str> = ids.iter().map(String::as_str).collect();
        self.session.fetch(&wanted, &self.paths).await?;
        Ok(ids.iter().map(|id| self.session.find(id)).collect())
    }
}

fn id_detail(id: &str) -> Box<crate::Detail> {
    crate::error::detail(format!("the id \"{id}\" is not that of a document: the server completes it"))
}

impl Inner {
    /// Documents by id, and those that they include.
    pub(crate) async fn documents(
        self: &Arc<Self>,
        ids: &[&str],
        includes: &[String],
    ) -> Result<(Vec<Value>, Vec<Value>)> {
        let mut route = String::from(path::DOCS);
        let mut mark = '?';
        for include in includes {
            route.push(mark);
            route.push_str("include=");
            push_encoded(&mut route, include);
            mark = '&';
        }
        let body = json!({ "Ids": ids }).to_string().into_bytes();
        let request = Request::post(self.state().core.route(&route), body, Repeat::EachNode);
        let answer = self.call(request, Expects::Documents, 0).await?;
        if answer.status == 404 {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut body: BTreeMap<String, Value> = serde_json::from_slice(&answer.body)
            .map_err(|error| Error::answer(&answer.request, &format!("it is not JSON: {error}")))?;
        let Some(Value::Array(results)) = body.remove("Results") else {
            return Err(Error::answer(&answer.request, "it has no Results"));
        };
        let included = match body.remove("Includes") {
            Some(Value::Object(included)) => included.into_iter().map(|(_, document)| document).collect(),
            _ => Vec::new(),
        };
        Ok((results, included))
    }
}
