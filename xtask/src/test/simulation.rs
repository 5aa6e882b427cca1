//! The simulation suite: each seed is a whole history of devices and servers with faults.

use super::native;
use super::tally::Tally;
use crate::{cargo, process};
use anyhow::Result;
use std::process::Command;

/// Number of seeds in a normal and in a full run.
const SEEDS: [u64; 2] = [5_000, 1_000_000];

/// Runs the crate's own tests, which detect broken variants of the adapter, then the seeds. The program prints how to replay a
/// failed seed.
pub(super) fn run(full: bool) -> Result<Tally> {
    let mut tally = Tally::default();
    native::cargo_test(&["--profile", "simulation", "--package", native::SIMULATION], full, &mut tally)?;
    let seeds = SEEDS[usize::from(full)].to_string();
    native::count(program().args(["--seeds", &seeds]), "simulation", &mut tally)?;
    Ok(tally)
}

/// Replays one seed with a log of everything that happens.
pub(super) fn replay(seed: u64) -> Result<()> {
    process::run(program().args(["--seed", &seed.to_string()]))
}

fn program() -> Command {
    let mut command = cargo::cargo();
    command.args(["run", "--quiet", "--profile", "simulation", "--package", native::SIMULATION]);
    command.args(["--bin", native::SIMULATION, "--"]);
    command
}
