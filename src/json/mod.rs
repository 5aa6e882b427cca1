//! Just enough JSON to cut answers into pieces and to write requests, on bytes, without a tree.
//!
//! The engine's `JSON.parse` turns documents into objects; Rust only finds where things begin and end.
//! Every function takes any bytes: text that is not JSON gives `None`, never a panic or a loop.

mod read;
mod write;

pub use read::{elements, get, integer, members, string};
pub use write::{push_integer, push_string};
