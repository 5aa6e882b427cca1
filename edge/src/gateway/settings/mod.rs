//! The configuration: read and validated once; errors begin with the path of the field.

pub(super) mod collections;
pub(super) mod config;
mod limits;
