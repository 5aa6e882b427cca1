//! The starter script that may exist next to the repository, in `../shared/ravendb`.

use super::Launch;
use crate::{process, repo, say};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

fn starter() -> PathBuf {
    repo::path("../shared/ravendb/start")
}

/// Whether the script exists.
pub(super) fn there() -> bool {
    starter().is_file()
}

fn command(version: &str) -> Command {
    let mut command = Command::new(starter());
    command.env("RAVENDB_VERSION", version).env("RAVENDB_CACHE", repo::cache().join("ravendb"));
    command
}

/// Makes the script download and unpack what it needs.
pub(super) fn prepare(version: &str) -> Result<()> {
    let complete = repo::cache().join(format!("ravendb-{version}/server/.complete"));
    if complete.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(repo::cache())?;
    let wait = say::Wait::new(&format!("fetching RavenDB {version} (once, about 250 MB)"));
    process::run_quietly(command(version).arg("--prepare"))?;
    wait.done("");
    Ok(())
}

/// Runs `start PORT`.
pub(super) fn launch(version: &str) -> Result<Launch> {
    Ok(Launch { command: command(version), port: |port| port.to_string(), _data: None })
}
