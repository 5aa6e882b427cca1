//! Documents: reads, listings and writes, each judged by the levels and rows of its collection.

mod command;
mod guard;
pub(super) mod read;
mod receipt;
pub(super) mod several;
pub(super) mod write;
