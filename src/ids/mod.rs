//! Checks which tags and ids RavenDB accepts, who generates an id, and which ids are equal.

mod document;
pub mod key;
pub mod tag;

pub(crate) use tag::{MAX_BYTES, has_control};

pub use document::{Limits, Maker, check};
