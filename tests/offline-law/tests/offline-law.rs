//! Explores all configurations and prints their numbers of states: `cargo test -p raven-edge-offline-law -- NAME…`;
//! `--include-ignored` includes those that take minutes.

use std::process::ExitCode;

fn main() -> ExitCode {
    raven_edge_checker::run(&raven_edge_offline_law::jobs())
}
