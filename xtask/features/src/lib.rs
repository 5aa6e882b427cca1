//! No code: the manifest names features of dependencies.
//!
//! Cargo compiles a dependency once for each set of its features, and that set depends on the packages that a command selects. Commands
//! of xtask also select this package, so that they agree on one set: the gate would else compile `tokio` three times and `syn` five times.
//! To see why cargo compiles something again, compare `cargo tree --edges features --package NAME`.
//!
//! - What xtask needs, too: `bitflags`, `foldhash`, `getrandom`, `http`, `libc`, `memchr`, `serde`, `serde_json`
//! - What tests need: `hyper`, `hyper_util`, `tokio`
//! - What macros need: `proc_macro2`, `quote`, `syn`, `syn_2`
