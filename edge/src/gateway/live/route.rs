//! The requests that begin a connection: the upgrade, and the request for a ticket.

use super::super::config::Config;
use super::super::decide::{own_database, unknown};
use super::super::origin;
use super::super::plan::{Call, Operation, Plan};
use super::super::refusal::Refusal;
use super::super::request::{Incoming, Query};
use super::super::response::Response;
use crate::prelude::*;
use crate::reply;
use raven_edge::protocol::path;

/// The route of changes, below the database.
const CHANGES: &str = "changes";
/// The route of tickets.
const TICKET: &str = "changes/ticket";

/// Returns what the request does, or why it is refused. The levels decide about each watch, see `watches`.
pub(super) fn decide(request: &Incoming, config: &Config) -> Result<Plan, Refusal> {
    origin::check(request, config)?;
    let target = request.target().strip_prefix(config.path.as_str()).ok_or_else(unknown)?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (name, route) = path.strip_prefix(path::DATABASES).and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    own_database(name, config)?;
    match (request.method.as_str(), route) {
        ("GET", CHANGES) => Query::read(query, &["ticket"])?,
        ("POST", TICKET) => Query::read(query, &[])?,
        _ => return Err(unknown()),
    };
    Ok(Plan::new(vec![Operation::watch(None)], Call::Live))
}

/// The response to a request of the route of changes without an upgrade: that of RavenDB, by which the client knows that it may
/// listen.
pub(in super::super) fn no_socket() -> Response {
    const TYPE: &str = "System.InvalidOperationException";
    Response::json(400, reply::error(CHANGES, TYPE, "Not a WebSocket request.", ""))
}
