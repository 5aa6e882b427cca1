//! What works without a session: changes of many documents, identities, indexes.

use std::collections::BTreeMap;
use std::sync::Arc;

use raven_edge::http::{Method, NodeId, Repeat, Request, push_encoded};
use raven_edge::ids::{Limits, Maker, check};
use raven_edge::source::Expects;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::runtime::sleep;
use crate::session::{Patch, PatchStatus, QueryText};
use crate::store::{Answer, Handle, random};
use crate::{Error, Result};

/// Between two looks at an operation, in milliseconds.
const POLL: u64 = 100;

/// What works without a session: see [`DocumentStore::operations`](crate::DocumentStore::operations).
pub struct Operations {
    handle: Arc<Handle>,
}

/// An index in RavenDB's terms.
///
/// ```
/// use raven_edge_client::IndexDefinition;
/// let index = IndexDefinition::new("Orders/ByTotal").map("from order in docs.Orders select new { order.total }");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
#[non_exhaustive]
pub struct IndexDefinition {
    /// The name.
    pub name: String,
    /// Maps, in LINQ or JavaScript.
    pub maps: Vec<String>,
    /// The reduce function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduce: Option<String>,
    /// Options of fields, as RavenDB writes them: `{"name": {"Indexing": "Search"}}`.
    pub fields: Map<String, Value>,
    /// Options of the index: `{"Indexing.Static.SearchEngineType": "Corax"}`.
    pub configuration: BTreeMap<String, String>,
}

impl IndexDefinition {
    /// An index without maps.
    pub fn new(name: impl Into<String>) -> IndexDefinition {
        IndexDefinition { name: name.into(), ..IndexDefinition::default() }
    }

    /// Adds a map.
    #[must_use]
    pub fn map(mut self, map: impl Into<String>) -> IndexDefinition {
        self.maps.push(map.into());
        self
    }

    /// Sets the reduce function.
    #[must_use]
    pub fn reduce(mut self, reduce: impl Into<String>) -> IndexDefinition {
        self.reduce = Some(reduce.into());
        self
    }

    /// Sets options of a field.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, options: Value) -> IndexDefinition {
        self.fields.insert(name.into(), options);
        self
    }
}

/// A query for an operation on all its documents.
#[derive(Clone, Debug)]
pub struct ByQuery(QueryText);

impl ByQuery {
    /// RQL; for a patch with an `update` clause.
    pub fn new(rql: impl Into<String>) -> ByQuery {
        ByQuery(QueryText::new(rql.into()))
    }

    /// Sets the parameter `$name`.
    #[must_use]
    pub fn bind(mut self, name: impl Into<String>, value: impl Serialize) -> ByQuery {
        self.0.bind(name.into(), value);
        self
    }
}

/// An operation that goes on on the server.
#[must_use = "call wait()"]
pub struct Operation {
    handle: Arc<Handle>,
    id: u64,
    node: Option<NodeId>,
}

impl Operations {
    pub(crate) fn new(handle: Arc<Handle>) -> Operations {
        Operations { handle }
    }

    async fn send(&self, method: Method, route: &str, body: Option<Value>, repeat: Repeat) -> Result<Answer> {
        self.handle.send(method, route, body, repeat, None).await
    }

    /// Patches a document at once.
    ///
    /// # Errors
    ///
    /// Of the request. After a lost response ([`Error::Timeout`], [`Error::Unreachable`]) the patch may have run.
    pub async fn patch(&self, id: impl AsRef<str>, patch: &Patch) -> Result<PatchStatus> {
        let id = id.as_ref();
        if check(id, Limits::default())? != Maker::Client {
            return Err(Error::argument("a patch needs the id of a document"));
        }
        let route = with("docs", &[("id", id)]);
        let answer = self.send(Method::Patch, &route, Some(json!({ "Patch": patch.value()? })), Repeat::Never).await?;
        if answer.status == 404 {
            return Ok(PatchStatus::DocumentDoesNotExist);
        }
        if answer.status == 304 {
            return Ok(PatchStatus::NotModified);
        }
        let body = read(&answer)?;
        let status = body.get("Status").and_then(Value::as_str).and_then(PatchStatus::named);
        status.ok_or_else(|| Error::answer(&answer.request, "it has no Status"))
    }

    /// Patches all documents of a query: `from Orders where state = $state update { this.archived = true }`.
    ///
    /// # Errors
    ///
    /// Of the request. After a lost response the operation may have begun.
    pub async fn patch_by_query(&self, query: ByQuery) -> Result<Operation> {
        let body = json!({ "Query": query.0.value()? });
        self.begin(Method::Patch, body).await
    }

    /// Deletes all documents of a query.
    ///
    /// # Errors
    ///
    /// As [`Operations::patch_by_query`].
    pub async fn delete_by_query(&self, query: ByQuery) -> Result<Operation> {
        let body = query.0.value()?;
        self.begin(Method::Delete, body).await
    }

    async fn begin(&self, method: Method, body: Value) -> Result<Operation> {
        let answer = self.send(method, "queries", Some(body), Repeat::Never).await?;
        let id = read(&answer)?.get("OperationId").and_then(Value::as_u64);
        let id = id.ok_or_else(|| Error::answer(&answer.request, "it has no OperationId"))?;
        Ok(Operation { handle: Arc::clone(&self.handle), id, node: answer.node })
    }

    /// The next number of an identity, which the whole cluster counts.
    ///
    /// # Errors
    ///
    /// Of the request. It is repeated under the same id, so that no number is lost.
    pub async fn next_identity(&self, name: &str) -> Result<u64> {
        self.identity("next", name, &[], "NewIdentityValue").await
    }

    /// Sets an identity; returns its number afterwards. A value below the current one changes nothing.
    ///
    /// # Errors
    ///
    /// Of the request.
    pub async fn seed_identity(&self, name: &str, value: u64) -> Result<u64> {
        self.identity("seed", name, &[("value", &value.to_string())], "NewSeedValue").await
    }

    async fn identity(&self, action: &str, name: &str, more: &[(&str, &str)], member: &str) -> Result<u64> {
        if name.trim().is_empty() {
            return Err(Error::argument("the identity needs a name"));
        }
        let raft = format!("{:016x}{:016x}", random(), random());
        let parameters = [&[("name", name)], more, &[("raft-request-id", raft.as_str())]].concat();
        let route = with(&format!("identity/{action}"), &parameters);
        let answer = self.send(Method::Post, &route, None, Repeat::EachNode).await?;
        let number = read(&answer)?.get(member).and_then(Value::as_u64);
        number.ok_or_else(|| Error::answer(&answer.request, &format!("it has no {member}")))
    }

    /// All identities and their numbers.
    ///
    /// # Errors
    ///
    /// Of the request.
    pub async fn identities(&self) -> Result<BTreeMap<String, u64>> {
        let answer = self.send(Method::Get, "debug/identities", None, Repeat::EachNode).await?;
        serde_json::from_slice(&answer.body).map_err(|error| Error::answer(&answer.request, &error.to_string()))
    }

    /// Creates an index, or changes it.
    ///
    /// # Errors
    ///
    /// [`Error::Server`]: RavenDB refuses the definition; the message says why.
    pub async fn put_index(&self, index: &IndexDefinition) -> Result<()> {
        if index.name.trim().is_empty() || index.maps.is_empty() {
            return Err(Error::argument("an index needs a name and a map"));
        }
        let body = json!({ "Indexes": [index] });
        self.send(Method::Put, "admin/indexes", Some(body), Repeat::EachNode).await.map(drop)
    }

    /// The definition of an index; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Of the request.
    pub async fn index(&self, name: &str) -> Result<Option<IndexDefinition>> {
        let answer = self.send(Method::Get, &with("indexes", &[("name", name)]), None, Repeat::EachNode).await?;
        if answer.status == 404 {
            return Ok(None);
        }
        let Some(Value::Array(results)) = read(&answer)?.remove("Results") else {
            return Err(Error::answer(&answer.request, "it has no Results"));
        };
        let Some(mut index) = results.into_iter().next() else { return Ok(None) };
        if let Value::Object(members) = &mut index {
            members.retain(|_, value| !value.is_null());
        }
        let index = serde_json::from_value(index);
        index.map(Some).map_err(|error| Error::answer(&answer.request, &error.to_string()))
    }
}

impl Operation {
    /// Waits until the operation has ended; returns RavenDB's result, such as `{"Total": 3, …}`.
    ///
    /// # Errors
    ///
    /// [`Error::Server`]: it has failed. [`Error::Canceled`]: it was ended. What it has changed until then stays changed.
    pub async fn wait(self) -> Result<Value> {
        let route = with("operations/state", &[("id", &self.id.to_string())]);
        loop {
            let answer = self.handle.send(Method::Get, &route, None, Repeat::EachNode, self.node).await?;
            if answer.status == 404 {
                return Err(Error::operation(
                    "the server does not know the operation: it was restarted, or the operation ended long ago",
                ));
            }
            let mut state = read(&answer)?;
            let result = state.remove("Result").unwrap_or_default();
            let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            match state.get("Status").and_then(Value::as_str) {
                Some("Completed") => return Ok(result),
                Some("Canceled") => return Err(Error::canceled("the operation was ended".into())),
                Some("Faulted") => {
                    let mut detail = crate::error::detail(text("Message"));
                    detail.server_type = Some(text("Type"));
                    return Err(Error::Server(detail));
                }
                Some("InProgress") => sleep(POLL).await,
                _ => return Err(Error::answer(&answer.request, "it has no Status")),
            }
        }
    }
}

impl Handle {
    async fn send(
        &self,
        method: Method,
        route: &str,
        body: Option<Value>,
        repeat: Repeat,
        node: Option<NodeId>,
    ) -> Result<Answer> {
        let path = self.inner.state().core.route(route);
        let mut request = Request::get(path).repeated(repeat);
        request.method = method;
        request.body = body.map(|body| body.to_string().into_bytes());
        request.node = node;
        self.inner.call(request, Expects::Command, 0).await
    }
}

fn read(answer: &Answer) -> Result<Map<String, Value>> {
    serde_json::from_slice(&answer.body)
        .map_err(|error| Error::answer(&answer.request, &format!("it is not a JSON object: {error}")))
}

/// A route with its parameters.
fn with(route: &str, parameters: &[(&str, &str)]) -> String {
    let mut text = route.to_owned();
    for (at, (name, value)) in parameters.iter().enumerate() {
        text.push(if at == 0 { '?' } else { '&' });
        text.push_str(name);
        text.push('=');
        push_encoded(&mut text, value);
    }
    text
}
