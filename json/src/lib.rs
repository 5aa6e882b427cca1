//! Splits JSON text into its parts: works on bytes and builds no tree.
//!
//! The engine's `JSON.parse` creates the objects; Rust only finds where parts begin and end. All functions accept any
//! bytes: text that is not JSON yields `None`, never a panic or an endless loop.
//!
//! A crate of its own because the gateway, through which whole responses pass, compiles it for speed (feature `fast`). The
//! modules for apps read short texts alone and compile it for size.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod read;

pub use read::{Elements, Members, elements, get, integer, members, value};
