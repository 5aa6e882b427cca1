//! The parts of JSON that the core needs. The crate `raven-edge-json` finds members and elements in a text without parsing all of it;
//! this module reads and writes strings and numbers.

mod text;
mod write;

pub use raven_edge_json::{Elements, Members, elements, get, integer, members, value};
pub use text::{string, text};
pub use write::{push_integer, push_string};
