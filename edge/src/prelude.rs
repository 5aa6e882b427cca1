//! What the standard library's prelude has beyond `core`'s: modules of WebAssembly are built without it.

#![allow(unused_imports, reason = "each module of WebAssembly uses some of them")]
pub(crate) use alloc::borrow::ToOwned;
pub(crate) use alloc::boxed::Box;
pub(crate) use alloc::string::{String, ToString};
pub(crate) use alloc::vec::Vec;
pub(crate) use alloc::{format, vec};
