//! Tests of whole requests: examples, random interleavings of two callers, random mutations with a judge written apart.

pub(super) mod mutation;
mod requests_tests;
mod rows_model;
