//! Just enough JSON: `raven-edge-json` cuts texts into pieces, every byte of them, and is compiled for speed; the texts in the
//! pieces are read and written here, in fewer bytes of code.

mod text;
mod write;

pub use raven_edge_json::{Elements, Members, elements, get, integer, members};
pub use text::{string, text};
pub use write::{push_integer, push_string};
