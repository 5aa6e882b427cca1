//! Queries in RQL.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use raven_edge::http::{Repeat, Request};
use raven_edge::protocol::{metadata, path};
use raven_edge::source::Expects;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::json::{parts, read_value};
use super::stream::{QueryStream, Row};
use super::{Document, Entity, Session};
use crate::{Error, Result};

/// A query in RQL: parameters, paging, then one of the methods that send it.
#[must_use = "call all(), each(), first(), rows() or stream()"]
pub struct Query<'a, T> {
    session: &'a Session,
    text: QueryText,
    of: PhantomData<fn() -> T>,
}

/// What the server gets.
#[derive(Clone, Debug)]
pub(crate) struct QueryText {
    rql: String,
    parameters: std::result::Result<Map<String, Value>, String>,
    start: Option<u64>,
    page: Option<u64>,
    wait: Option<Duration>,
}

impl QueryText {
    pub(crate) fn new(rql: String) -> QueryText {
        QueryText { rql, parameters: Ok(Map::new()), start: None, page: None, wait: None }
    }

    pub(crate) fn bind(&mut self, name: String, value: impl Serialize) {
        match (&mut self.parameters, serde_json::to_value(value)) {
            (Ok(parameters), Ok(value)) => drop(parameters.insert(name, value)),
            (Ok(_), Err(error)) => self.parameters = Err(format!("the parameter {name} of the query: {error}")),
            (Err(_), _) => {}
        }
    }

    pub(crate) fn value(&self) -> Result<Value> {
        if self.rql.trim().is_empty() {
            return Err(Error::argument("a query needs a text"));
        }
        let parameters = self.parameters.as_ref().map_err(|reason| Error::argument(reason.as_str()))?;
        let mut query = Map::new();
        query.insert("Query".into(), Value::from(self.rql.as_str()));
        query.insert("QueryParameters".into(), Value::Object(parameters.clone()));
        if let Some(start) = self.start {
            query.insert("Start".into(), Value::from(start));
        }
        if let Some(page) = self.page {
            query.insert("PageSize".into(), Value::from(page));
        }
        if let Some(wait) = self.wait {
            query.insert("WaitForNonStaleResults".into(), Value::from(true));
            let (seconds, millis) = (wait.as_secs(), wait.subsec_millis());
            let span = format!(
                "{}.{:02}:{:02}:{:02}.{millis:03}0000",
                seconds / 86_400,
                seconds / 3_600 % 24,
                seconds / 60 % 60,
                seconds % 60
            );
            query.insert("WaitForNonStaleResultsTimeout".into(), Value::from(span));
        }
        Ok(Value::Object(query))
    }
}

/// What the server says about the results of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// How many documents match, on all pages.
    pub total_results: u64,
    /// How many results the server has skipped, for example duplicates.
    pub skipped_results: u64,
    /// Whether the index had not seen all documents yet.
    pub is_stale: bool,
    /// Milliseconds on the server; below 0: unknown.
    pub duration_ms: i64,
    /// The index.
    pub index_name: String,
}

/// The results of a query with what the server says about them.
#[derive(Debug)]
#[non_exhaustive]
pub struct QueryResults<R> {
    /// The results, in order.
    pub results: Vec<R>,
    /// What the server says.
    pub statistics: Statistics,
}

impl<'a, T> Query<'a, T> {
    pub(super) fn new(session: &'a Session, rql: String) -> Query<'a, T> {
        Query { session, text: QueryText::new(rql), of: PhantomData }
    }

    /// Sets the parameter `$name`. What is no JSON is an error of the method that sends the query.
    pub fn bind(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        self.text.bind(name.into(), value);
        self
    }

    /// Skips results.
    pub fn skip(mut self, count: u64) -> Self {
        self.text.start = Some(count);
        self
    }

    /// The maximum number of results.
    pub fn take(mut self, count: u64) -> Self {
        self.text.page = Some(count);
        self
    }

    /// Waits until the index has seen all documents that exist now.
    pub fn wait_for_non_stale_results(mut self, limit: Duration) -> Self {
        self.text.wait = Some(limit);
        self
    }

    /// Sends it; returns results and statistics. Included documents are the session's then.
    async fn send(&self) -> Result<(Vec<Value>, Statistics)> {
        let inner = self.session.inner();
        let body = self.text.value()?.to_string().into_bytes();
        self.session.count();
        let request = Request::post(inner.state().core.route(path::QUERIES), body, Repeat::EachNode);
        let wait = self.text.wait.map_or(0, |wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        let answer = inner.call(request, Expects::Status(200), wait).await?;
        let mut body: Map<String, Value> = serde_json::from_slice(&answer.body)
            .map_err(|error| Error::answer(&answer.request, &format!("it is not JSON: {error}")))?;
        let Some(Value::Array(results)) = body.remove("Results") else {
            return Err(Error::answer(&answer.request, "it has no Results"));
        };
        if let Some(Value::Object(included)) = body.remove("Includes") {
            self.session.track(included.into_iter().map(|(_, document)| document))?;
        }
        let number = |name: &str| body.get(name).and_then(Value::as_u64).unwrap_or_default();
        let statistics = Statistics {
            total_results: number("TotalResults"),
            skipped_results: number("SkippedResults"),
            is_stale: body.get("IsStale").and_then(Value::as_bool).unwrap_or_default(),
            duration_ms: body.get("DurationInMs").and_then(Value::as_i64).unwrap_or(-1),
            index_name: body.get("IndexName").and_then(Value::as_str).unwrap_or_default().to_owned(),
        };
        Ok((results, statistics))
    }
}

impl<'a, T: DeserializeOwned> Query<'a, T> {
    /// The results as plain values: for projections, and to read without a session.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidDocument`]: a result does not fit `T`; the message names result and member.
    pub async fn rows(self) -> Result<QueryResults<Row<T>>> {
        let (results, statistics) = self.send().await?;
        let results = results.into_iter().map(Row::read).collect::<Result<_>>()?;
        Ok(QueryResults { results, statistics })
    }

    /// All results one by one, of any number, in constant memory. They are not the session's.
    ///
    /// # Errors
    ///
    /// Of the request. An error in between is an item of the stream, which ends then.
    pub async fn stream(self) -> Result<QueryStream<T>> {
        let inner = self.session.inner();
        let body = self.text.value()?.to_string().into_bytes();
        self.session.count();
        let request = Request::post(inner.state().core.route("streams/queries"), body, Repeat::EachNode);
        let answer = Arc::clone(inner).stream(request).await?;
        Ok(QueryStream::new(answer, inner.timeout))
    }
}

impl<'a, T: Document> Query<'a, T> {
    /// The documents; they are the session's.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidDocument`]: one does not fit `T`; [`Query::each`] has the others. [`Error::InvalidOperation`]: the results are
    /// projections: see [`Query::rows`].
    pub async fn all(self) -> Result<Vec<Entity<T>>> {
        Ok(self.results().await?.results)
    }

    /// The documents, with what the server says about them.
    ///
    /// # Errors
    ///
    /// As [`Query::all`].
    pub async fn results(self) -> Result<QueryResults<Entity<T>>> {
        let QueryResults { results, statistics } = self.each().await?;
        Ok(QueryResults { results: results.into_iter().collect::<Result<_>>()?, statistics })
    }

    /// As [`Query::results`], but a document that does not fit `T` is an error in its place, and keeps no other one away.
    ///
    /// # Errors
    ///
    /// Of the request. [`Error::InvalidOperation`]: the results are projections.
    pub async fn each(self) -> Result<QueryResults<Result<Entity<T>>>> {
        let (found, statistics) = self.send().await?;
        let mut ids = Vec::new();
        for document in &found {
            let of = document.get(metadata::MEMBER).unwrap_or(&Value::Null);
            let id = of.get(metadata::ID).and_then(Value::as_str);
            let is_document = of.get(metadata::CHANGE_VECTOR).is_some() && of.get(metadata::PROJECTION).is_none();
            let Some(id) = id.filter(|_| is_document) else {
                return Err(Error::operation("the results are projections, which no session can save: call rows()"));
            };
            ids.push(id.to_owned());
        }
        self.session.track(found.into_iter())?;
        // One that the session deletes is not shown.
        let results = ids.iter().filter_map(|id| self.session.find(id).transpose()).collect();
        Ok(QueryResults { results, statistics })
    }

    /// The first document.
    ///
    /// # Errors
    ///
    /// As [`Query::all`].
    pub async fn first(mut self) -> Result<Option<Entity<T>>> {
        self.text.page = Some(1);
        Ok(self.all().await?.into_iter().next())
    }
}

impl<T: DeserializeOwned> Row<T> {
    pub(super) fn read(value: Value) -> Result<Row<T>> {
        if value.get(metadata::MEMBER).and_then(|of| of.get(metadata::ID)).and_then(Value::as_str).is_some()
            && let Some((id, members, _)) = parts(value.clone())
        {
            let value = read_value(&id, Value::Object(members))?;
            return Ok(Row { id: Some(id), value });
        }
        let mut value = value;
        if let Value::Object(members) = &mut value {
            members.remove(metadata::MEMBER);
        }
        Ok(Row { id: None, value: read_value("(a result)", value)? })
    }
}
