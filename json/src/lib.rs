//! Just enough JSON to cut texts into pieces, on bytes, without a tree.
//!
//! The engine's `JSON.parse` turns documents into objects; Rust only finds where things begin and end.
//! Every function takes any bytes: text that is not JSON gives `None`, never a panic or a loop.
//!
//! A crate of its own, because it is the one part of the core that is compiled for speed (`[profile]` in the workspace):
//! every byte that is saved or loaded passes here.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod read;

pub use read::{Elements, Members, elements, get, integer, members};
