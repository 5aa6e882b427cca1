//! `POST identity/next`, `POST identity/seed`, `GET debug/identities`.

use crate::authority::Authority;
use crate::error::{Error, Failure, json_string};
use crate::identity;
use crate::message::{Request, Response};
use crate::prelude::*;
use crate::query::Query;
use crate::storage::Storage;

/// The id that identifies a repeated call; a blank one counts as absent.
pub(super) fn request_id(query: &Query) -> Option<&str> {
    query.first("raft-request-id").filter(|id| !id.trim().is_empty())
}

/// The next number.
pub(super) fn next<S: Storage>(authority: &mut Authority<S>, request: &Request) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    let value = identity::next(&mut authority.storage, query.required("name")?, request_id(&query))?;
    Ok(Response::new(200, format!(r#"{{"NewIdentityValue":{value}}}"#)))
}

/// Sets the last number.
pub(super) fn seed<S: Storage>(authority: &mut Authority<S>, request: &Request) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    let name = query.required("name")?;
    let value = query.required_long("value")?;
    // Unlike other flags, this one may be blank.
    let force = query.first("force").is_some_and(|text| !text.is_empty()) && query.flag("force")?;
    let value = identity::seed(&mut authority.storage, name, value, force, request_id(&query))?;
    Ok(Response::new(200, format!(r#"{{"NewSeedValue":{value}}}"#)))
}

/// All identities by name.
pub(super) fn list<S: Storage>(authority: &Authority<S>, request: &Request) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    if query.int("start")?.unwrap_or(0) != 0 {
        return Err(Error::not_implemented(
            "The parameter 'start' of GET debug/identities, which counts entries of RavenDB's log.",
        )
        .into());
    }
    let page = usize::try_from(query.int("pageSize")?.unwrap_or(i32::MAX)).unwrap_or(0);
    let found = identity::list(&authority.storage)?;
    let members: Vec<String> =
        found.into_iter().take(page).map(|(name, value)| format!("{}:{value}", json_string(&name))).collect();
    Ok(Response::new(200, format!("{{{}}}", members.join(","))))
}
