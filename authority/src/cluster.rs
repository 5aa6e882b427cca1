//! Several databases on one or more nodes, all in memory, for tests and simulations.

use crate::authority::{Authority, Identity, JSON, Node, Options, refusal};
use crate::call::Random;
use crate::error::{Conflict, Error};
use crate::identity;
use crate::json::{Object, Value, read_object};
use crate::message::{Request, Response};
use crate::origin;
use crate::prelude::*;
use crate::query::Query;
use crate::replication::replicate;
use crate::routes::{self, Target, server};
use crate::storage::{MemoryStorage, StorageError};
use crate::time::Timestamp;
use alloc::collections::BTreeMap;
use raven_edge::ids::key;

/// Nodes that all have the same databases.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cluster {
    nodes: Vec<Node>,
    check_origin: bool,
    databases: BTreeMap<String, Database>,
    /// Increases with every created or deleted database, like RavenDB's Raft index.
    index: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Database {
    /// One per node.
    authorities: Vec<Authority<MemoryStorage>>,
    /// The etag up to which documents were replicated, by (from, to).
    sent: BTreeMap<(usize, usize), u64>,
}

impl Cluster {
    /// Creates a cluster without databases.
    #[must_use]
    pub fn new(nodes: Vec<Node>, check_origin: bool) -> Self {
        Self { nodes, check_origin, databases: BTreeMap::new(), index: 1 }
    }

    /// The nodes.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Creates an empty database on every node; returns `false` if the name is taken.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn create(&mut self, name: &str, random: Random<'_>) -> Result<bool, StorageError> {
        let key = key::key(name);
        if self.databases.contains_key(&key) {
            return Ok(false);
        }
        self.index += 1;
        let incarnation = random();
        let mut authorities = Vec::new();
        for node in &self.nodes {
            let options = Options {
                database: name.into(),
                node_tag: node.tag.clone(),
                nodes: self.nodes.clone(),
                topology_etag: self.index,
                check_origin: self.check_origin,
                identity: Identity::from_random(incarnation, random()),
            };
            authorities.push(Authority::new(MemoryStorage::default(), options)?);
        }
        self.databases.insert(key, Database { authorities, sent: BTreeMap::new() });
        Ok(true)
    }

    /// Deletes a database with all its data; returns `false` if it does not exist.
    pub fn delete(&mut self, name: &str) -> bool {
        let deleted = self.databases.remove(&key::key(name)).is_some();
        self.index += i64::from(deleted);
        deleted
    }

    /// A database on a node; `node` is an index into [`Self::nodes`].
    pub fn authority_mut(&mut self, node: usize, name: &str) -> Option<&mut Authority<MemoryStorage>> {
        self.databases.get_mut(&key::key(name))?.authorities.get_mut(node)
    }

    /// Replicates all databases from one node to another.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn replicate(&mut self, from: usize, to: usize) -> Result<(), StorageError> {
        for database in self.databases.values_mut() {
            let since = database.sent.get(&(from, to)).copied().unwrap_or(0);
            let Ok([source, target]) = database.authorities.get_disjoint_mut([from, to]) else { continue };
            let sent = replicate(source, target, since)?;
            database.sent.insert((from, to), sent);
        }
        Ok(())
    }

    /// Replicates between all nodes until each has all documents.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn replicate_all(&mut self) -> Result<(), StorageError> {
        let nodes = self.nodes.len();
        // Two rounds: conflicts that a node resolved in the first are replicated in the second.
        for _ in 0..2 {
            for from in 0..nodes {
                for to in (0..nodes).filter(|&to| to != from) {
                    self.replicate(from, to)?;
                }
            }
        }
        Ok(())
    }

    /// Handles a request that a node received.
    pub fn handle(&mut self, node: usize, request: &Request, now: Timestamp, random: Random<'_>) -> Response {
        if self.check_origin
            && let Err(response) = origin::check(request)
        {
            return response;
        }
        if request.path() == "/admin/databases" {
            let outcome = match request.method.as_str() {
                "PUT" => self.put_database(request, random),
                "DELETE" => self.delete_databases(request),
                _ => Err(Error::not_implemented("/admin/databases other than PUT and DELETE.")),
            };
            return outcome
                .map_or_else(|error| refusal(&request.url, &error), |response| response.with("Content-Type", JSON));
        }
        let query = Query::parse(request.query());
        let name = match routes::find(&request.method, request.path()) {
            Ok(Target::Database(name, _)) => Some(name),
            Ok(Target::Topology) => query.required("name").ok().map(Into::into),
            _ => None,
        };
        if let Some(authority) = name.as_deref().and_then(|name| self.authority_mut(node, name)) {
            let response = authority.handle(request, now, random);
            let shared = name.as_deref().map_or(Ok(()), |name| self.share_identities(node, name));
            return shared.map_or_else(|error| refusal(&request.url, &Error::storage(&error)), |()| response);
        }
        match (routes::find(&request.method, request.path()), name) {
            (Ok(Target::Topology), Some(name)) => server::database_missing(&name).with("Content-Type", JSON),
            (Ok(Target::Database(..)), Some(name)) => refusal(&request.url, &Error::database_does_not_exist(&name)),
            // The remaining routes need no database; any empty one can respond.
            _ => self.nameless(node).handle(request, now, random),
        }
    }

    /// Identities belong to the cluster: all nodes have a new number before the response is sent.
    fn share_identities(&mut self, from: usize, name: &str) -> Result<(), StorageError> {
        let Some(database) = self.databases.get_mut(&key::key(name)) else { return Ok(()) };
        for to in (0..database.authorities.len()).filter(|&to| to != from) {
            let Ok([source, target]) = database.authorities.get_disjoint_mut([from, to]) else { continue };
            identity::share(&source.storage, &mut target.storage)?;
        }
        Ok(())
    }

    fn nameless(&self, node: usize) -> Authority<MemoryStorage> {
        let node_tag = self.nodes.get(node).map(|n| n.tag.clone()).unwrap_or_default();
        let identity = Identity { incarnation: String::new(), database_id: String::new() };
        let options = Options {
            database: String::new(),
            node_tag,
            nodes: Vec::new(),
            topology_etag: 0,
            check_origin: false,
            identity,
        };
        Authority { storage: MemoryStorage::default(), options }
    }

    /// `PUT /admin/databases`.
    fn put_database(&mut self, request: &Request, random: Random<'_>) -> Result<Response, Error> {
        let body = read_object(&request.body)?;
        let name = match body.get("DatabaseName") {
            Some(Value::String(name)) => name.clone(),
            _ => return Err(Error::null_reference("DatabaseName")),
        };
        if name.is_empty()
            || name.len() > 230
            || !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
        {
            return Err(Error::bad_request(format!(
                "The name '{name}' contains characters that are forbidden for use!"
            )));
        }
        let created = self.create(&name, random).map_err(|error| Error::storage(&error))?;
        if !created {
            return Err(Error::concurrency(format!("Database '{name}' already exists!"), Conflict::default()));
        }
        let text = |s: &str| Value::String(s.into());
        let members = self.nodes.iter().map(|node| text(&node.tag)).collect();
        let urls = self.nodes.iter().map(|node| text(&node.url)).collect();
        let body = Object::new(vec![
            ("RaftCommandIndex".into(), Value::Number(self.index.to_string())),
            ("Name".into(), text(&name)),
            ("Topology".into(), Value::Object(Object::new(vec![("Members".into(), Value::Array(members))]))),
            ("NodesAddedTo".into(), Value::Array(urls)),
            ("ShardsDefined".into(), Value::Bool(false)),
        ]);
        Ok(Response::new(201, text_of(body)))
    }

    /// `DELETE /admin/databases`; unknown names are not an error.
    fn delete_databases(&mut self, request: &Request) -> Result<Response, Error> {
        let body = read_object(&request.body)?;
        if let Some(Value::Array(names)) = body.get("DatabaseNames") {
            for name in names.iter().filter_map(Value::as_str) {
                self.delete(name);
            }
        }
        Ok(Response::new(200, format!(r#"{{"RaftCommandIndex":{},"PendingDeletes":[]}}"#, self.index)))
    }
}

fn text_of(object: Object) -> String {
    let mut out = String::new();
    crate::json::write(&mut out, &Value::Object(object));
    out
}
