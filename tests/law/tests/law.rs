//! Explores every configuration and prints how many states it has: `cargo test -p raven-edge-law -- NAME…`,
//! `--include-ignored` for those that take minutes.

use std::process::ExitCode;

fn main() -> ExitCode {
    raven_edge_checker::run(&raven_edge_law::jobs())
}
