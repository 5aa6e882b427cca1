//! The simulation suite: each seed is a whole history of devices and servers with faults.

use super::native::{self, Run};
use super::schedule::Finished;
use crate::{cargo, process};
use anyhow::Result;
use std::process::Command;

/// Number of seeds in a normal and in a full run.
const SEEDS: [u64; 2] = [5_000, 1_000_000];

/// The seeds of a run. The program prints how to replay a failed seed.
pub(super) fn seeds(run: Run) -> Result<Finished> {
    let seeds = SEEDS[usize::from(run.full)].to_string();
    native::count(program().args(["--seeds", &seeds]), "simulation", run)
}

/// Replays one seed with a log of everything that happens.
pub(super) fn replay(seed: u64) -> Result<()> {
    process::run(program().args(["--seed", &seed.to_string()]))
}

fn program() -> Command {
    let mut command = cargo::behind_tests();
    command.args(["run", "--quiet", "--profile", "law", "--package", native::SIMULATION]);
    command.args(["--bin", native::SIMULATION, "--"]);
    command
}
