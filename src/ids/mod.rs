//! What RavenDB accepts as a tag or an id, and who makes an id.

mod document;
pub mod key;
pub mod tag;

pub(crate) use tag::{MAX_BYTES, has_control};

pub use document::{Limits, Maker, check};
