//! Tests of whole requests: examples, random interleavings of two callers, random mutations with a judge written apart.

mod attachments_model;
pub(super) mod mutation;
pub(super) mod random;
mod receipts_tests;
mod requests_tests;
mod rows_model;

use super::plan::Caller;
use super::rows::Claims;
use super::token::Keys;
use raven_edge_authority::json::read_strict;

/// A caller with the claim `name`, if there is one.
pub(super) fn caller(name: Option<&str>) -> Caller {
    let claims = read_strict(serde_json::json!({ "name": name }).to_string().as_bytes()).unwrap();
    Caller {
        keys: Keys::new(&["0123456789abcdef0123456789abcdef".into()]).unwrap(),
        upstream: "http://ravendb".into(),
        identity: name.map(Into::into),
        claims: Claims::read(&claims, &["name".into()]).unwrap(),
        nonce: 9,
    }
}
