//! Documents: reads, listings and writes, each judged by the levels and rows of its collection.

pub(super) mod command;
pub(super) mod multi_get;
pub(super) mod read;
mod read_response;
pub(super) mod receipt;
pub(super) mod visible_documents;
pub(super) mod write;
pub(super) mod write_guard;
