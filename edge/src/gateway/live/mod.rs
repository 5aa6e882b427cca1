//! Changes over a WebSocket: which watches a caller may open, and what their messages contain.
//!
//! The Worker's shell has two connections for each page: to the page and to RavenDB. Here is decided what passes between them;
//! no text of one of them reaches the other one.
//!
//! | module | content |
//! |---|---|
//! | `wasm_class` | what the shell calls |
//! | `route` | the requests that begin a connection |
//! | `ticket` | headers of a request, sealed for the connection that follows it |
//! | `watches` | what a connection listens to, and what it hears |

mod route;
mod ticket;
mod wasm_class;
mod watches;

#[cfg(test)]
mod tests;

pub(super) use route::no_socket;
pub use wasm_class::LiveWatches;
