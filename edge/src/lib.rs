//! The second wasm of raven-edge: the authority for Workers.
