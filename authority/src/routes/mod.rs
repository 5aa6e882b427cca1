//! Routing: which path and method belong to which route.

mod batch;
mod docs;
mod hilo;
mod identities;
mod includes;
mod listing;
mod multi_get;
mod patch;
pub(crate) mod server;
mod stats;
mod waits;

use crate::prelude::*;
pub(crate) use hilo::max_of;

use crate::authority::Authority;
use crate::call::Call;
use crate::error::{Error, Failure};
use crate::message::{Request, Response};
use crate::query::decode;
use crate::storage::Storage;
use raven_edge::ids::key;

/// A route of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    HiloNext,
    HiloReturn,
    GetDocs,
    HeadDocs,
    PostDocs,
    PutDocs,
    DeleteDocs,
    BulkDocs,
    MultiGet,
    ClientConfiguration,
    NextIdentity,
    SeedIdentity,
    Identities,
    Statistics,
}

/// The target of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Version,
    Topology,
    Database(String, Route),
}

const ROUTES: [(&str, &str, Route); 14] = [
    ("hilo/next", "GET", Route::HiloNext),
    ("hilo/return", "PUT", Route::HiloReturn),
    ("docs", "GET", Route::GetDocs),
    ("docs", "HEAD", Route::HeadDocs),
    ("docs", "POST", Route::PostDocs),
    ("docs", "PUT", Route::PutDocs),
    ("docs", "DELETE", Route::DeleteDocs),
    ("bulk_docs", "POST", Route::BulkDocs),
    ("multi_get", "POST", Route::MultiGet),
    ("configuration/client", "GET", Route::ClientConfiguration),
    ("identity/next", "POST", Route::NextIdentity),
    ("identity/seed", "POST", Route::SeedIdentity),
    ("debug/identities", "GET", Route::Identities),
    ("stats", "GET", Route::Statistics),
];

/// First path segments of database routes that RavenDB has and this authority lacks.
const ELSEWHERE: [&str; 29] = [
    "admin",
    "analyzers",
    "attachments",
    "bulk_insert",
    "changes",
    "cmpxchg",
    "collections",
    "conflicts",
    "configuration",
    "counters",
    "debug",
    "docs",
    "etl",
    "indexes",
    "metrics",
    "operations",
    "queries",
    "replication",
    "revisions",
    "sharded",
    "smuggler",
    "sorters",
    "stats",
    "streams",
    "studio",
    "subscriptions",
    "tasks",
    "timeseries",
    "transactions",
];

/// First path segments of routes of the server that RavenDB has and this authority lacks.
const SERVER_ELSEWHERE: [&str; 13] = [
    "admin",
    "auth",
    "build",
    "certificates",
    "cluster",
    "debug",
    "info",
    "license",
    "operations",
    "rachis",
    "server",
    "setup",
    "studio",
];

type Refusal = fn(&str, &str) -> Error;

fn not_implemented(method: &str, url: &str) -> Error {
    Error::not_implemented(format!(
        "{method} {url} is a route of RavenDB that this authority does not have. It has hilo/next, hilo/return, docs, bulk_docs, multi_get, identity/next, identity/seed, debug/identities, stats, configuration/client, /topology and /build/version; use a RavenDB server for the rest."
    ))
}

fn not_found(method: &str, url: &str) -> Error {
    Error::route_not_found(method, url)
}

/// Finds the route, or the reason for a refusal.
pub(crate) fn find(method: &str, path: &str) -> Result<Target, Refusal> {
    if method == "OPTIONS" {
        return Err(not_found);
    }
    match (method, path) {
        ("GET", "/build/version") => return Ok(Target::Version),
        ("GET", "/topology") => return Ok(Target::Topology),
        (_, "/" | "/databases") => return Err(not_implemented),
        _ => {}
    }
    // `/databases/` is case-sensitive; the rest of the path is not.
    let Some(rest) = path.strip_prefix("/databases/") else {
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        return Err(if SERVER_ELSEWHERE.contains(&first) { not_implemented } else { not_found });
    };
    let (name, inner) = rest.split_once('/').ok_or(not_found as Refusal)?;
    let inner = decode(inner).to_ascii_lowercase();
    if let Some((_, _, route)) = ROUTES.iter().find(|(p, m, _)| *p == inner && *m == method) {
        return Ok(Target::Database(decode(name), *route));
    }
    let known = ROUTES.iter().any(|(p, _, _)| *p == inner) && !(inner == "docs" && method == "PATCH");
    let first = inner.split('/').next().unwrap_or_default();
    Err(if !known && inner != "docs/" && ELSEWHERE.contains(&first) { not_implemented } else { not_found })
}

/// Whether two names denote the same database.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    key::same(a, b)
}

impl Route {
    pub(crate) fn run<S: Storage>(
        self,
        authority: &mut Authority<S>,
        request: &Request,
        call: &mut Call<'_>,
        nested: bool,
    ) -> Result<Response, Failure> {
        match self {
            Self::HiloNext => hilo::next(authority, request, call.now),
            Self::HiloReturn => hilo::give_back(authority, request, call.now),
            Self::GetDocs => docs::get(authority, request),
            Self::HeadDocs => docs::head(authority, request),
            Self::PostDocs => docs::post(authority, request),
            Self::PutDocs => docs::put(authority, request, call.now),
            Self::DeleteDocs => docs::delete(authority, request, call.now),
            Self::BulkDocs => batch::run(authority, request, call),
            Self::MultiGet if nested => {
                Err(Error::not_implemented("multi_get inside multi_get: put its requests into the outer one.").into())
            }
            Self::MultiGet => multi_get::run(authority, request, call),
            Self::ClientConfiguration => Ok(server::client_configuration()),
            Self::NextIdentity => identities::next(authority, request),
            Self::SeedIdentity => identities::seed(authority, request),
            Self::Identities => identities::list(authority, request),
            Self::Statistics => stats::get(authority, call.now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(method: &str, path: &str) -> u16 {
        find(method, path).map_or_else(|refusal| refusal(method, path).status, |_| 200)
    }

    #[test]
    fn paths_lead_to_their_routes() {
        for (method, path, expected) in [
            ("GET", "/databases/t/hilo/next", 200),
            ("GET", "/databases/T/HILO/Next", 200),
            ("GET", "/databases/%70/do%63s", 200),
            ("GET", "/databases//docs", 200),
            ("GET", "/Databases/t/docs", 400),
            ("GET", "/databases/t/hilo/next/", 400),
            ("GET", "/databases/t//hilo/next", 400),
            ("HEAD", "/databases/t/hilo/next", 400),
            ("POST", "/databases/t/hilo/return", 400),
            ("OPTIONS", "/databases/t/docs", 400),
            ("GET", "/databases/t", 400),
            ("GET", "/databases/t/", 400),
            ("GET", "/databases/t/nope", 400),
            ("GET", "/databases/t/topology", 400),
            ("GET", "/databases/t/docs/", 400),
            ("PUT", "/databases/t/bulk_docs", 400),
            ("GET", "/Topology", 400),
            ("GET", "/nope", 400),
            ("PATCH", "/databases/t/docs", 501),
            ("POST", "/databases/t/queries", 501),
            ("GET", "/databases/t/streams/docs", 501),
            ("POST", "/databases/t/identity/next", 200),
            ("GET", "/databases/t/identity/next", 400),
            ("POST", "/databases/t/identity", 400),
            ("GET", "/databases/t/stats/detailed", 501),
            ("GET", "/databases/t/cmpxchg", 501),
            ("GET", "/databases/t/docs/size", 501),
            ("GET", "/databases", 501),
            ("GET", "/", 501),
            ("GET", "/admin/cluster/node", 501),
        ] {
            assert_eq!(status(method, path), expected, "{method} {path}");
        }
    }
}
