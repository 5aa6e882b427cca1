//! Native suites: runs `cargo test` and counts the results.

use super::schedule::Finished;
use crate::process::Running;
use crate::{cargo, setup};
use anyhow::{Context, Result};
use std::io::{self, BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;

/// Crates that visit millions of states. They are compiled with the profile `law`, and each is a suite of its own.
pub(super) const LAW: &str = "raven-edge-law";
pub(super) const SESSION_LAW: &str = "raven-edge-session-law";
pub(super) const OFFLINE_LAW: &str = "raven-edge-offline-law";
/// The client for Rust: its tests need a server.
pub(super) const CLIENT: &str = "raven-edge-client";
/// Programs with the client; they have no tests of their own.
const PROGRAMS: [&str; 2] = ["raven-edge-rust-cli", "raven-edge-rust-bench"];
/// The model checker that they use; it has no tests.
const CHECKER: &str = "raven-edge-checker";
pub(super) const SIMULATION: &str = "raven-edge-simulation";

/// The tests of the workspace's crates with all features, but for those that are a suite of their own, and for xtask, which is tested
/// with the features that it runs with: its dependencies would else be built twice.
pub(crate) fn workspace() -> Vec<&'static str> {
    let apart = ["xtask", LAW, SESSION_LAW, OFFLINE_LAW, CHECKER, SIMULATION, CLIENT].into_iter().chain(PROGRAMS);
    ["--workspace", "--all-features"].into_iter().chain(apart.flat_map(|name| ["--exclude", name])).collect()
}

/// Runs `cargo test` with these flags and variables, and counts and shows the results.
pub(super) fn cargo_test(packages: &[&str], environment: &[(String, String)], run: Run) -> Result<Finished> {
    // A test of the core bundles JavaScript.
    setup::npm_packages()?;
    let mut command = cargo::behind_tests();
    command.args(["test", "--no-fail-fast"]).args(packages);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    if run.full {
        command.args(["--", "--include-ignored"]);
    }
    count(&mut command, &format!("cargo test {}", packages.join(" ")), run)
}

/// How to run a suite.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// Also run what takes minutes.
    pub(super) full: bool,
    /// Show figures that tests print, such as the number of states of a model.
    pub(super) figures: bool,
    /// How many threads compile or test at once.
    pub(super) threads: usize,
}

/// Runs a program with output like that of test programs, and counts the results.
pub(super) fn count(command: &mut Command, name: &str, run: Run) -> Result<Finished> {
    let threads = run.threads.to_string();
    command.env("CARGO_BUILD_JOBS", &threads).env("RUST_TEST_THREADS", &threads);
    let mut running = Running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let stderr = running.child().stderr.take().context("cargo's errors")?;
    let errors = thread::spawn(move || io::read_to_string(stderr).unwrap_or_default());
    let stdout = running.child().stdout.take().context("cargo's output")?;
    let mut reader = Reader { figures: run.figures, ..Reader::default() };
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        reader.read(&line);
    }
    let status = running.wait()?;
    let errors = errors.join().unwrap_or_default();
    let mut finished = reader.finished;
    if !status.success() && finished.tally.failed.is_empty() {
        finished.lines.extend(reader.kept.iter().map(|line| format!("    {line}")));
        finished.lines.extend(errors.lines().map(|line| format!("    {line}")));
        finished.tally.failed.push(format!("{name} ({status})"));
    }
    Ok(finished)
}

/// Reads the output of several test programs in sequence.
#[derive(Default)]
struct Reader {
    finished: Finished,
    figures: bool,
    /// Output that is shown if something fails.
    kept: Vec<String>,
}

impl Reader {
    fn read(&mut self, line: &str) {
        let Finished { tally, lines, .. } = &mut self.finished;
        if line.starts_with("running ") {
            self.kept.clear();
        } else if line.starts_with("test result: ") {
            if line.starts_with("test result: FAILED") {
                lines.extend(self.kept.iter().map(|line| format!("    {line}")));
            }
            self.kept.clear();
        } else if let Some((name, outcome)) = outcome(line) {
            match outcome {
                Outcome::Passed => tally.passed += 1,
                Outcome::Failed => tally.failed.push(name),
                Outcome::Left => tally.left += 1,
            }
        } else if let Some(figures) = line.strip_prefix("law: ") {
            if self.figures {
                lines.push(format!("    {figures}"));
            }
        } else {
            self.kept.push(line.to_owned());
        }
    }
}

enum Outcome {
    Passed,
    Failed,
    Left,
}

/// The name and result in a line such as `test a::b ... ok`.
fn outcome(line: &str) -> Option<(String, Outcome)> {
    let (name, outcome) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let outcome = match outcome {
        "ok" => Outcome::Passed,
        "FAILED" => Outcome::Failed,
        _ if outcome.starts_with("ignored") => Outcome::Left,
        _ => return None,
    };
    Some((name.to_owned(), outcome))
}

#[cfg(test)]
mod tests {
    use super::Reader;

    #[test]
    fn the_results_of_a_test_program_are_counted() {
        let output = "running 4 tests\ntest a::b ... ok\ntest c - should panic ... ok\ntest d ... FAILED\n\
            test e ... ignored, minutes\n\nfailures:\n---- d stdout ----\nboo\n\ntest result: FAILED. 2 passed; 1 failed";
        let mut reader = Reader::default();
        output.lines().for_each(|line| reader.read(line));
        let tally = &reader.finished.tally;
        assert_eq!((tally.passed, &tally.failed, tally.left), (2, &vec!["d".to_owned()], 1));
    }
}
