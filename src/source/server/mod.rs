//! RavenDB 4 and later: `hilo/next` and the fenced return.
pub mod wire;
