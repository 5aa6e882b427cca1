//! The sans-IO core of raven-edge.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod source;
