//! A JavaScript suite: `node --test` over its files, read through `xtask/js/reporter.mjs`.

use super::tally::Tally;
use crate::process::Running;
use crate::{repo, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A file that takes longer than this hangs (milliseconds).
const FILE_LIMIT: u32 = 600_000;
/// How much of a file's output is kept for the case that a test of it fails.
const KEPT_OUTPUT: usize = 32_768;

/// A line of the reporter.
#[derive(Deserialize)]
struct Event {
    file: Option<PathBuf>,
    #[serde(default)]
    name: String,
    output: Option<String>,
    failed: Option<String>,
    #[serde(default)]
    passed: bool,
    #[serde(default)]
    skipped: bool,
}

/// Runs the files with the environment.
pub(super) fn run(files: &[PathBuf], environment: &[(String, String)]) -> Result<Tally> {
    let mut command = setup::node();
    command.args(["--test", &format!("--test-timeout={FILE_LIMIT}")]);
    command.arg(format!("--test-reporter={}", repo::path("xtask/js/reporter.mjs").display()));
    command.args(files).envs(environment.iter().map(|(name, value)| (name, value))).stdout(Stdio::piped());
    let wait = say::Wait::new(&format!("{} test files", files.len()));
    let mut node = Running::start(&mut command)?;
    let stdout = node.child().stdout.take().context("node's output")?;
    let mut tally = Tally::default();
    let mut outputs: HashMap<PathBuf, String> = HashMap::new();
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(event) => count(event, &mut tally, &mut outputs),
            Err(_) => eprintln!("    {line}"),
        }
        wait.progress(&format!("{} passed", tally.passed));
    }
    let status = node.wait()?;
    if !status.success() && tally.failed.is_empty() {
        tally.failed.push(format!("node --test ({status})"));
    }
    wait.done(&format!("{} passed", tally.passed));
    Ok(tally)
}

fn count(event: Event, tally: &mut Tally, outputs: &mut HashMap<PathBuf, String>) {
    let file = event.file.unwrap_or_default();
    if let Some(output) = event.output {
        let kept = outputs.entry(file).or_default();
        if kept.len() < KEPT_OUTPUT {
            kept.push_str(&output);
        }
        return;
    }
    // A file that fails as a whole has its own path as its name.
    let whole = Path::new(&event.name) == file;
    let name = if whole { short(&file) } else { format!("{} › {}", short(&file), event.name) };
    if let Some(reason) = event.failed {
        show_failure(&name, &reason, outputs.remove(&file));
        tally.failed.push(name);
    } else if event.skipped {
        tally.skipped.push(name);
    } else if event.passed {
        tally.passed += 1;
    }
}

/// Shows why a test failed; the file's output comes with its first failure.
fn show_failure(name: &str, reason: &str, output: Option<String>) {
    eprintln!("  ✗ {name}");
    for line in reason.lines() {
        eprintln!("      {line}");
    }
    if let Some(output) = output {
        eprintln!("    output of the file:");
        for line in output.lines() {
            eprintln!("      {line}");
        }
    }
}

fn short(file: &Path) -> String {
    file.strip_prefix(repo::root()).unwrap_or(file).display().to_string()
}
