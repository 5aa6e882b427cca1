//! The unit of work: the text of a batch.
//!
//! Entities, and what the server last said of them, stay with JavaScript (`pkg/hot/`): the engine's `JSON.parse` has read all
//! answers anyway, and documents that are known on both sides cost twice the memory and a crossing each. Text comes in bulk
//! and leaves in bulk; a document's own text is cut, never parsed.

mod batch;

pub use batch::Batch;
