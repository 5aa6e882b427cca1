//! `GET`, `HEAD`, `POST`, `PUT` and `DELETE docs`.

use super::{identities, includes, listing};
use crate::authority::Authority;
use crate::document::{Incoming, Record};
use crate::error::{Error, Failure, json_string};
use crate::id;
use crate::identity;
use crate::json::{Value, read_object};
use crate::message::{Request, Response};
use crate::prelude::*;
use crate::query::Query;
use crate::storage::Storage;
use crate::time::Timestamp;
use raven_edge::ids::key;

/// Parameters that request additional data, which this authority lacks.
const ADDITIONS: [&str; 8] = [
    "counter",
    "timeseries",
    "timeseriestime",
    "timeseriescount",
    "timeseriesAllTime",
    "includeCompareExchange",
    "revisions",
    "revisionsBefore",
];

/// Documents by id, or a listing if there is no `id`.
pub(super) fn get<S: Storage>(authority: &Authority<S>, request: &Request) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    check_additions(&query)?;
    let ids: Vec<Option<String>> = query.all("id").map(|id| Some(id.to_owned())).collect();
    if ids.is_empty() { listing::list(authority, request, &query) } else { by_ids(authority, request, &query, &ids) }
}

/// Documents by the ids in the body. An empty list returns a listing of all documents, as in RavenDB.
pub(super) fn post<S: Storage>(authority: &Authority<S>, request: &Request) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    check_additions(&query)?;
    let body = read_object(&request.body)?;
    let ids: Vec<Option<String>> = match body.get("Ids") {
        None => return Err(Error::argument("Request should have a property name 'Ids' which is mandatory.").into()),
        Some(Value::Null) => return Err(Error::null_reference("Ids").into()),
        // An entry that is not a string counts as an id that does not exist.
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        Some(other) => return Err(Error::format(other, "Sparrow.Json.BlittableJsonReaderArray").into()),
    };
    if ids.is_empty() { listing::list(authority, request, &query) } else { by_ids(authority, request, &query, &ids) }
}

fn check_additions(query: &Query) -> Result<(), Error> {
    for name in ADDITIONS {
        if query.all(name).any(|value| !value.trim().is_empty()) {
            return Err(Error::not_implemented(format!(
                "The parameter '{name}' of GET docs: load those documents by id instead."
            )));
        }
    }
    match query.first("txMode") {
        Some(mode) if !mode.eq_ignore_ascii_case("SingleNode") => {
            Err(Error::not_implemented("txMode 'ClusterWide': this authority has no cluster-wide transactions."))
        }
        _ => Ok(()),
    }
}

fn by_ids<S: Storage>(
    authority: &Authority<S>,
    request: &Request,
    query: &Query,
    ids: &[Option<String>],
) -> Result<Response, Failure> {
    let metadata_only = query.flag("metadataOnly")?;
    let mut records = Vec::with_capacity(ids.len());
    for id in ids {
        records.push(find(authority, id.as_deref().unwrap_or_default())?);
    }
    if let [None] = records.as_slice() {
        // RavenDB's ETag of a document that does not exist.
        return Ok(Response::new(if matches_etag(request, "404 Response") { 304 } else { 404 }, ""));
    }
    let included = includes::find(authority, query.all("include"), &records)?;
    let etag = match (records.as_slice(), included.as_slice()) {
        ([Some(record)], []) => record.change_vector.clone(),
        (many, included) => format!("Hash-{:032x}", hash(many, included)),
    };
    if matches_etag(request, &etag) {
        return Ok(Response::new(304, ""));
    }
    let mut body = String::from(r#"{"Results":["#);
    for (at, record) in records.iter().enumerate() {
        if at > 0 {
            body.push(',');
        }
        match record {
            Some(record) => record.show(&mut body, metadata_only),
            None => body.push_str("null"),
        }
    }
    body.push_str(r#"],"Includes":{"#);
    for (at, record) in included.iter().enumerate() {
        if at > 0 {
            body.push(',');
        }
        body.push_str(&json_string(&record.id));
        body.push(':');
        // Includes are complete even if the results contain metadata only.
        record.show(&mut body, false);
    }
    body.push_str("}}");
    Ok(Response::new(200, body).with("ETag", format!("\"{etag}\"")))
}

/// An existing document.
pub(super) fn find<S: Storage>(authority: &Authority<S>, id: &str) -> Result<Option<Record>, Failure> {
    id::check_lookup(id)?;
    Ok(authority.storage.get(&key::key(id))?.filter(|record| record.content.is_some()))
}

/// FNV-1a of the vectors in order: two responses differ exactly if the vectors or their order do.
fn hash(results: &[Option<Record>], included: &[Record]) -> u128 {
    let vectors = results.iter().map(Option::as_ref).chain([None]).chain(included.iter().map(Some));
    let bytes = vectors.flat_map(|record| record.map_or("", |r| r.change_vector.as_str()).bytes().chain([b'\n']));
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
    })
}

/// Whether `If-None-Match` is exactly this ETag; quotes are optional, lists and `*` are not supported.
pub(super) fn matches_etag(request: &Request, etag: &str) -> bool {
    request.header_value("If-None-Match").is_some_and(|value| unquote(value) == etag)
}

fn unquote(value: &str) -> &str {
    let value = value.trim();
    match value.strip_prefix('"') {
        Some(rest) => rest.char_indices().next_back().and_then(|(last, _)| rest.get(..last)).unwrap_or(""),
        None => value,
    }
}

/// Whether a document exists.
pub(super) fn head<S: Storage>(authority: &Authority<S>, request: &Request) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    Ok(match find(authority, query.required("id")?)? {
        None => Response::new(404, ""),
        Some(record) if matches_etag(request, &record.change_vector) => Response::new(304, ""),
        Some(record) => Response::new(200, "").with("ETag", format!("\"{}\"", record.change_vector)),
    })
}

/// Writes one document.
pub(super) fn put<S: Storage>(
    authority: &mut Authority<S>,
    request: &Request,
    now: Timestamp,
) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    let mut id = query.required("id")?.to_owned();
    let body = read_object(&request.body)?;
    if let Some(identity) = id::asked_identity(&id) {
        // The number is used up even if the document is not stored, for example because its id is taken.
        let value = identity::next(&mut authority.storage, &id, identities::request_id(&query))?;
        id = id::of_identity(&identity, value);
    }
    let document = Incoming::from_client(body)?;
    let record = authority.transaction(now, |transaction| transaction.put(&id, document, expected(request)))?;
    Ok(Response::new(
        201,
        format!(r#"{{"Id":{},"ChangeVector":{}}}"#, json_string(&record.id), json_string(&record.change_vector)),
    ))
}

/// Deletes a document; succeeds also if it does not exist.
pub(super) fn delete<S: Storage>(
    authority: &mut Authority<S>,
    request: &Request,
    now: Timestamp,
) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    let id = query.required("id")?;
    authority.transaction(now, |transaction| transaction.delete(id, expected(request)))?;
    Ok(Response::new(204, ""))
}

/// `If-Match`: absent checks nothing; empty or `""` means "must not exist"; anything else is a vector, also `*`.
fn expected(request: &Request) -> Option<&str> {
    request.header_value("If-Match").map(unquote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_around_an_etag_are_optional() {
        for (header, vector) in [
            ("", ""),
            (" ", ""),
            ("\"\"", ""),
            ("A:1-x", "A:1-x"),
            ("\"A:1-x\"", "A:1-x"),
            ("\"x", ""),
            ("*", "*"),
            ("\"", ""),
            ("\"é", ""),
        ] {
            assert_eq!(expected(&Request::get("/").header("if-match", header)), Some(vector), "{header:?}");
        }
        assert_eq!(expected(&Request::get("/")), None);
    }
}
