//! The native authority server, for suites and measurements.

use crate::service::Service;
use crate::test::native;
use crate::{cargo, say};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The crate with the program.
const PACKAGE: &str = "raven-edge-authority";

/// Builds the program. It selects the same packages as the native suite, and a test of this program, so that both share build results.
pub(crate) fn build() -> Result<PathBuf> {
    say::step(&format!("cargo build {PACKAGE}"));
    let artifacts = cargo::build(&[&native::workspace()[..], &["--bin", PACKAGE, "--test", "serve"]].concat())?;
    let program = artifacts.into_iter().find(|made| made.program && made.file.ends_with(PACKAGE));
    Ok(program.with_context(|| format!("{PACKAGE} has no program"))?.file)
}

/// Starts the program on a free port, in memory.
pub(crate) fn start(program: &Path) -> Result<Service> {
    Service::start(Command::new(program).args(["--port", "0"]), "authority", Duration::from_secs(20))
}
