//! Builds with cargo.

use crate::process::Running;
use crate::repo;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A package without code that commands name beside others, so that all of them compile dependencies with the same features
/// (`xtask/features`).
pub(crate) const SAME_FEATURES: [&str; 2] = ["--package", "raven-edge-features"];

/// The cargo that started xtask, run in the repository's root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(repo::root());
    command
}

/// The same with a lower priority: it takes what tests that wait for servers and browsers leave of the cores.
pub(crate) fn behind_tests() -> Command {
    let cargo = cargo();
    let mut command = Command::new("nice");
    command.args(["-n", "5"]).arg(cargo.get_program()).current_dir(repo::root());
    command
}

/// A build with this variable checks the workspace's crates as clippy does, and prints its warnings again when nothing has changed: what is
/// both checked and run is compiled once.
pub(crate) fn with_clippy() -> (&'static str, PathBuf) {
    ("RUSTC_WORKSPACE_WRAPPER", PathBuf::from(cargo().get_program()).with_file_name("clippy-driver"))
}

/// A file that cargo produced, or found up to date.
pub(crate) struct Artifact {
    /// The file.
    pub(crate) file: PathBuf,
    /// Whether the file is executable.
    pub(crate) program: bool,
}

/// Runs `cargo build` with its progress shown; returns the produced files.
pub(crate) fn build(flags: &[&str]) -> Result<Vec<Artifact>> {
    build_with(flags, &[])
}

/// Runs `cargo build` with additional environment variables.
pub(crate) fn build_with(flags: &[&str], environment: &[(&str, &str)]) -> Result<Vec<Artifact>> {
    let mut command = cargo();
    command.envs(environment.iter().copied());
    command.arg("build").args(flags).arg("--message-format=json-render-diagnostics").stdout(Stdio::piped());
    let mut running = Running::start(&mut command)?;
    let stdout = running.child().stdout.take().context("cargo's output")?;
    let messages = io::read_to_string(stdout).context("cargo's output")?;
    if !running.wait()?.success() {
        bail!("`cargo build {}` failed", flags.join(" "));
    }
    Ok(messages.lines().flat_map(artifacts).collect())
}

/// The texts of warnings and errors in cargo's messages.
pub(crate) fn diagnostics(messages: &str) -> Vec<String> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.filter_map(|message| message["message"]["rendered"].as_str().map(str::to_owned)).collect()
}

fn artifacts(line: &str) -> Vec<Artifact> {
    let message: Value = serde_json::from_str(line).unwrap_or_default();
    let program = message["executable"].is_string();
    let files = message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str);
    files.map(|file| Artifact { file: file.into(), program }).collect()
}
