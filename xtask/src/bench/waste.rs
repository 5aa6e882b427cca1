//! The cost of page visits, in round trips and numbers per document.

use crate::{cargo, process};
use anyhow::Result;

/// Prints the table of `tests/simulation`.
pub(super) fn run() -> Result<()> {
    let mut command = cargo::cargo();
    command.args(["run", "--quiet", "--profile", "law", "--package", "raven-edge-simulation", "--bin", "waste"]);
    process::run(&mut command)
}
