//! `GET stats`: the numbers of documents and tombstones.
//!
//! RavenDB's members about pagers and sizes on disk are omitted, because this authority has
//! neither.

use crate::authority::Authority;
use crate::error::{Failure, json_string};
use crate::message::Response;
use crate::prelude::*;
use crate::storage::{Count, Scan, Storage};
use crate::time::Timestamp;

pub(super) fn get<S: Storage>(authority: &Authority<S>, now: Timestamp) -> Result<Response, Failure> {
    let Count { documents, tombstones } = authority.storage.count()?;
    let mut last_document = 0;
    authority.storage.scan(Scan::Newest, &mut |_, record| {
        let found = record.content.is_some();
        if found {
            last_document = record.etag;
        }
        !found
    })?;
    let options = &authority.options;
    let url = options.nodes.iter().find(|node| node.tag == options.node_tag).map_or("", |node| node.url.as_str());
    let counter = authority.counter()?;
    Ok(Response::new(
        200,
        format!(
            concat!(
                r#"{{"@metadata":{{"DateTime":"{}","WebUrl":{},"NodeTag":{}}},"CountOfIndexes":0,"CountOfDocuments":{},"#,
                r#""CountOfRevisionDocuments":0,"CountOfTombstones":{},"CountOfDocumentsConflicts":0,"CountOfConflicts":0,"#,
                r#""CountOfAttachments":0,"CountOfCounterEntries":0,"CountOfTimeSeriesSegments":0,"Indexes":[],"#,
                r#""CountOfUniqueAttachments":0,"DatabaseChangeVector":{},"DatabaseId":{},"LastDocEtag":{},"#,
                r#""LastDatabaseEtag":{},"LastIndexingTime":null}}"#
            ),
            now,
            json_string(url),
            json_string(&options.node_tag),
            documents,
            tombstones,
            json_string(&counter.vector.to_string()),
            json_string(&options.identity.database_id),
            last_document,
            counter.etag,
        ),
    ))
}
