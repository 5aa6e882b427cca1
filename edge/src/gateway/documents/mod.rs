//! Documents: reads, listings and writes, each judged by the levels and rows of its collection.

mod command;
pub(super) mod found;
mod guard;
pub(super) mod read;
mod read_response;
mod receipt;
pub(super) mod several;
pub(super) mod write;
