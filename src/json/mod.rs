//! Just enough JSON: `raven-edge-json` cuts texts into pieces, for the gateway at full speed; the texts in the pieces are read and
//! written here.

mod text;
mod write;

pub use raven_edge_json::{Elements, Members, elements, get, integer, members};
pub use text::{string, text};
pub use write::{push_integer, push_string};
