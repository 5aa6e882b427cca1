//! What RavenDB accepts as a tag or an id.

pub mod tag;
