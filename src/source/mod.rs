//! Where ranges come from.
pub mod server;
