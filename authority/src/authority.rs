//! One database on one node.

use crate::call::{Call, Random};
use crate::error::{Error, Failure};
use crate::message::{Request, Response};
use crate::origin;
use crate::prelude::*;
use crate::query::Query;
use crate::routes::{self, Target};
use crate::storage::{Storage, StorageError};
use crate::time::Timestamp;
use crate::transaction::{Counter, Transaction, Writer};

/// The version of RavenDB that this authority imitates.
pub const SERVER_VERSION: &str = "7.2.7.72051";

const INCARNATION: &str = "incarnation";
const DATABASE_ID: &str = "database-id";

/// A node of the topology.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// `A`, `B`, …
    pub tag: String,
    /// Base URL without a trailing slash.
    pub url: String,
}

/// The identity of a database; created together with its storage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The `Database-Cluster-Tx-Id`: the same on all nodes, and a new one after delete and recreate.
    pub incarnation: String,
    /// Part of every change vector; each node has its own.
    pub database_id: String,
}

impl Identity {
    /// Creates an identity from two times 16 random bytes.
    #[must_use]
    pub fn from_random(incarnation: [u8; 16], database_id: [u8; 16]) -> Self {
        Self { incarnation: base64(incarnation), database_id: base64(database_id) }
    }
}

/// The configuration of a database.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Its name; case-insensitive in requests.
    pub database: String,
    /// The tag of this node, which is part of every range.
    pub node_tag: String,
    /// All nodes, this one included.
    pub nodes: Vec<Node>,
    /// Must increase when `nodes` changes.
    pub topology_etag: i64,
    /// Whether to refuse requests with a foreign `Origin`, as RavenDB does by default.
    pub check_origin: bool,
    /// Used if the storage does not contain an identity yet.
    pub identity: Identity,
}

/// A database with RavenDB's rules, over a storage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Authority<S> {
    pub(crate) storage: S,
    pub(crate) options: Options,
}

impl<S: Storage> Authority<S> {
    /// Opens a database. An empty storage receives `options.identity`.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn new(mut storage: S, mut options: Options) -> Result<Self, StorageError> {
        match (storage.meta(INCARNATION)?, storage.meta(DATABASE_ID)?) {
            (Some(incarnation), Some(database_id)) => options.identity = Identity { incarnation, database_id },
            _ => {
                storage.set_meta(INCARNATION, &options.identity.incarnation)?;
                storage.set_meta(DATABASE_ID, &options.identity.database_id)?;
            }
        }
        Ok(Self { storage, options })
    }

    /// The configuration, with the identity from the storage.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Replaces the nodes (a Durable Object learns its URL with each request).
    pub fn set_nodes(&mut self, nodes: Vec<Node>) {
        self.options.nodes = nodes;
    }

    /// The storage.
    #[must_use]
    pub fn storage(&self) -> &S {
        &self.storage
    }

    /// Handles a request; if the storage fails, the response is a 500.
    pub fn handle(&mut self, request: &Request, now: Timestamp, random: Random<'_>) -> Response {
        self.try_handle(request, now, random).unwrap_or_else(|error| refusal(&request.url, &Error::storage(&error)))
    }

    /// Handles a request. On an error the caller must roll back what was written.
    ///
    /// # Errors
    /// When the storage fails; a bad request gets an error response instead.
    pub fn try_handle(
        &mut self,
        request: &Request,
        now: Timestamp,
        random: Random<'_>,
    ) -> Result<Response, StorageError> {
        if self.options.check_origin
            && let Err(response) = origin::check(request)
        {
            return Ok(response);
        }
        self.route(request, &mut Call::new(now, random), false).map(|response| {
            if request.method == "HEAD" { Response { body: String::new(), ..response } } else { response }
        })
    }

    /// Finds the route and handles the request; `nested`: inside `multi_get`.
    pub(crate) fn route(
        &mut self,
        request: &Request,
        call: &mut Call<'_>,
        nested: bool,
    ) -> Result<Response, StorageError> {
        let response = match routes::find(&request.method, request.path()) {
            Err(error) => Err(Failure::from(error(&request.method, &request.url))),
            Ok(Target::Version) => Ok(routes::server::build_version()),
            Ok(Target::Topology) => {
                routes::server::topology(&self.options, &Query::parse(request.query())).map_err(Failure::from)
            }
            Ok(Target::Database(name, route)) if nested || routes::same_name(&name, &self.options.database) => {
                return self.in_database(route, request, call, nested);
            }
            Ok(Target::Database(name, _)) => return Ok(refusal(&request.url, &Error::database_does_not_exist(&name))),
        };
        let response = finished(&request.url, response)?;
        Ok(if response.status == 400 { response } else { response.with("Raven-Server-Version", SERVER_VERSION) })
    }

    fn in_database(
        &mut self,
        route: routes::Route,
        request: &Request,
        call: &mut Call<'_>,
        nested: bool,
    ) -> Result<Response, StorageError> {
        let outcome = match encoded(request) {
            Some(error) => Err(error.into()),
            None => route.run(self, request, call, nested),
        };
        let mut response = finished(&request.url, outcome)?
            .with("Raven-Server-Version", SERVER_VERSION)
            .with("Database-Cluster-Tx-Id", self.options.identity.incarnation.clone());
        if topology_is_older(request, self.options.topology_etag) {
            response = response.with("Refresh-Topology", "true");
        }
        Ok(response)
    }

    /// Runs commands as one transaction: either all of them take effect, or none.
    pub(crate) fn transaction<T>(
        &mut self,
        now: Timestamp,
        commands: impl FnOnce(&mut Transaction<'_, S>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Options { node_tag, identity, .. } = &self.options;
        let writer = Writer { node_tag, database_id: &identity.database_id, now };
        let mut transaction = Transaction::begin(&mut self.storage, writer)?;
        match commands(&mut transaction) {
            Ok(result) => {
                transaction.commit()?;
                Ok(result)
            }
            Err(failure) => {
                transaction.abort()?;
                Err(failure)
            }
        }
    }

    pub(crate) fn counter(&self) -> Result<Counter, StorageError> {
        Counter::load(&self.storage)
    }
}

fn finished(url: &str, outcome: Result<Response, Failure>) -> Result<Response, StorageError> {
    match outcome {
        // RavenDB sets the JSON content type on all responses, also empty ones, except those that cannot have a body.
        Ok(response) if response.status == 204 => Ok(response),
        Ok(response) => Ok(response.with("Content-Type", JSON)),
        Err(Failure::Refused(error)) => Ok(refusal(url, &error)),
        Err(Failure::Storage(error)) => Err(error),
    }
}

/// The response for an error.
pub(crate) fn refusal(url: &str, error: &Error) -> Response {
    Response::new(error.status, error.body(url)).with("Content-Type", JSON)
}

pub(crate) const JSON: &str = "application/json; charset=utf-8";

fn encoded(request: &Request) -> Option<Error> {
    let encoding = request.header_value("Content-Encoding")?.trim();
    (!encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity"))
        .then(|| Error::not_implemented(format!("Content-Encoding '{encoding}': send the body unencoded.")))
}

/// Whether `Topology-Etag: "n"` is older than the current topology. Quotes are optional; invalid values are ignored.
fn topology_is_older(request: &Request, current: i64) -> bool {
    let Some(header) = request.header_value("Topology-Etag").map(str::trim) else { return false };
    let text = header.strip_prefix('"').map_or(Some(header), |rest| rest.strip_suffix('"'));
    text.and_then(|text| text.parse::<i64>().ok()).is_some_and(|etag| etag < current)
}

/// Encodes 16 bytes as 22 characters without padding, as RavenDB writes its ids.
fn base64(bytes: [u8; 16]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let number = u128::from_be_bytes(bytes);
    (0..22)
        .map(|at: u32| {
            // 128 bits are 21 groups of six bits, and two bits at the high end of the last group.
            let group = if at < 21 { (number >> (122 - 6 * at)) & 63 } else { (number & 3) << 4 };
            usize::try_from(group).ok().and_then(|g| ALPHABET.get(g)).map_or('A', |&b| char::from(b))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_base64_without_padding() {
        assert_eq!(base64([0; 16]), "AAAAAAAAAAAAAAAAAAAAAA");
        assert_eq!(base64([255; 16]), "/////////////////////w");
        assert_eq!(base64(*b"0123456789abcdef"), "MDEyMzQ1Njc4OWFiY2RlZg");
    }

    #[test]
    fn an_older_topology_etag_is_recognised() {
        for (header, older) in [
            ("0", true),
            ("\"0\"", true),
            ("-1", true),
            (" 0 ", true),
            ("5", false),
            ("\"99\"", false),
            ("\"0", false),
            ("1.5", false),
            ("x", false),
            ("", false),
        ] {
            assert_eq!(topology_is_older(&Request::get("/").header("topology-etag", header), 5), older, "{header}");
        }
    }
}
