//! Replication between nodes (RavenDB's master-master replication, as far as leases need it).
//!
//! A document is sent if the target has not seen its state. Two states that have not seen each other conflict.
//! A conflict of counter documents (`Raven/Hilo/*`) is resolved to the highest `Max`, as in RavenDB. Any other conflict
//! is resolved to the document modified last, which is RavenDB's default. Both nodes compute the same resolution, with both vectors
//! merged, so it is not replicated back and forth. Clusters of several nodes could not be compared with RavenDB here,
//! because its unlicensed server refuses them.

use crate::authority::Authority;
use crate::change_vector::Relation;
use crate::document::{Content, Record};
use crate::json::read_object;
use crate::prelude::*;
use crate::routes::max_of;
use crate::storage::{Scan, Storage, StorageError};
use raven_edge::ids::key;
use raven_edge::source::server::wire::HILO_PREFIX;

/// Replicates what `from` wrote after the etag `since` to `to`; returns the etag to continue from.
///
/// # Errors
/// When a storage fails.
pub fn replicate<A: Storage, B: Storage>(
    from: &Authority<A>,
    to: &mut Authority<B>,
    since: u64,
) -> Result<u64, StorageError> {
    let mut records = Vec::new();
    from.storage.scan(Scan::Since(since), &mut |key, record| {
        records.push((key.to_owned(), record.clone()));
        true
    })?;
    for (key, record) in records {
        receive(to, &key, record)?;
    }
    Ok(from.counter()?.etag)
}

/// Applies a record of another node.
fn receive<S: Storage>(to: &mut Authority<S>, key: &str, incoming: Record) -> Result<(), StorageError> {
    let incoming_vector = incoming.vector();
    let mut result = incoming;
    if let Some(local) = to.storage.get(key)? {
        let local_vector = local.vector();
        match local_vector.relation(&incoming_vector) {
            Relation::Covers => return Ok(()),
            Relation::CoveredBy => {}
            Relation::Conflict => {
                let mut merged = local_vector;
                merged.merge(&incoming_vector);
                result = Record { change_vector: merged.to_string(), ..resolve(key, local, result) };
            }
        }
    }
    let mut counter = to.counter()?;
    counter.vector.merge(&incoming_vector);
    // The etag orders what this node replicates; it is not part of the vector.
    result.etag = counter.next()?;
    to.storage.put(key, result)?;
    counter.save(&mut to.storage)
}

/// The winner of two conflicting states; the same on both nodes.
fn resolve(key: &str, a: Record, b: Record) -> Record {
    let is_hilo = key.starts_with(&key::key(HILO_PREFIX));
    let rank =
        |record: &Record| (if is_hilo { max(record) } else { None }, record.modified, record.change_vector.clone());
    if rank(&a) >= rank(&b) { a } else { b }
}

/// A counter's `Max` as a number, in any notation; `None` for a deleted counter, which loses.
fn max(record: &Record) -> Option<i64> {
    let Content { body, .. } = record.content.as_ref()?;
    let body = read_object(body.as_bytes()).ok()?;
    Some(max_of(body.get("Max")).unwrap_or(0))
}
