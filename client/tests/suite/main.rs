//! The client with a real RavenDB, in one program, which is linked once.

mod cli;
mod first_day;
mod hilo;
mod oldest_compiler;
mod packed;
mod saving;
mod session;
#[allow(dead_code, unreachable_pub, reason = "shared with examples of the documentation")]
mod support;
