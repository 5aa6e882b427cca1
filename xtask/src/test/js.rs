//! A JavaScript suite: `node --test` over its files, read through `xtask/js/reporter.mjs`.

use super::tally::Tally;
use crate::process::Running;
use crate::{repo, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A file that takes longer than this hangs (milliseconds).
const FILE_LIMIT: u32 = 600_000;
/// With `--full`, where some take their time.
const FULL_LIMIT: u32 = 4 * 3_600_000;
/// How much of a file's output is kept for the case that a test of it fails.
const KEPT_OUTPUT: usize = 32_768;

/// A line of the reporter.
#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    name: String,
    output: Option<String>,
    failed: Option<String>,
    #[serde(default)]
    passed: bool,
    #[serde(default)]
    skipped: bool,
}

/// Runs the files one after the other: they share servers, and some of them measure time.
pub(super) fn run(files: &[PathBuf], environment: &[(String, String)], full: bool) -> Result<Tally> {
    let limit = if full { FULL_LIMIT } else { FILE_LIMIT };
    let mut tally = Tally::default();
    for file in files {
        let name = file.strip_prefix(repo::root()).unwrap_or(file).display().to_string();
        let wait = say::Wait::new(&name);
        let of_file = run_file(file, environment, limit, &wait)?;
        wait.done(&of_file.counts());
        tally.add(&file.file_name().unwrap_or_default().to_string_lossy(), of_file);
    }
    Ok(tally)
}

fn run_file(file: &Path, environment: &[(String, String)], limit: u32, wait: &say::Wait) -> Result<Tally> {
    let mut command = setup::node();
    command.args(["--test", &format!("--test-timeout={limit}")]);
    command.arg(format!("--test-reporter={}", repo::path("xtask/js/reporter.mjs").display()));
    command.arg(file).envs(environment.iter().map(|(name, value)| (name, value))).stdout(Stdio::piped());
    let mut node = Running::start(&mut command)?;
    let stdout = node.child().stdout.take().context("node's output")?;
    let mut tally = Tally::default();
    let mut output = String::new();
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(event) => count(event, &mut tally, &mut output),
            Err(_) => eprintln!("    {line}"),
        }
        wait.progress(&tally.counts());
    }
    let status = node.wait()?;
    if !status.success() && tally.failed.is_empty() {
        tally.failed.push(format!("node --test ({status})"));
    }
    Ok(tally)
}

fn count(event: Event, tally: &mut Tally, output: &mut String) {
    if let Some(text) = event.output {
        show_warnings(&text);
        if output.len() < KEPT_OUTPUT {
            output.push_str(&text);
        }
    } else if let Some(reason) = event.failed {
        show_failure(&event.name, &reason, &std::mem::take(output));
        tally.failed.push(event.name);
    } else if event.skipped {
        tally.skipped.push(event.name);
    } else if event.passed {
        tally.passed += 1;
    }
}

/// What a suite warns of is worth reading in a run that passes, too.
fn show_warnings(output: &str) {
    for line in output.lines().filter(|line| line.starts_with("warning: ")) {
        say::note(line);
    }
}

/// Shows why a test failed; what its file has printed since the last failure comes along.
fn show_failure(name: &str, reason: &str, output: &str) {
    eprintln!("  ✗ {name}");
    for line in reason.lines() {
        eprintln!("      {line}");
    }
    if !output.is_empty() {
        eprintln!("    printed until then:");
        for line in output.lines() {
            eprintln!("      {line}");
        }
    }
}
