//! The native suite: runs `cargo test` and counts the results.

use super::tally::Tally;
use crate::process::Running;
use crate::{cargo, say, setup};
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Crates that visit millions of states. They are compiled with the profile `law`, and each is a suite of its own.
const LAW: &str = "raven-edge-law";
const SESSION_LAW: &str = "raven-edge-session-law";
const OFFLINE_LAW: &str = "raven-edge-offline-law";
/// The model checker that they use; it has no tests.
const CHECKER: &str = "raven-edge-checker";
pub(super) const SIMULATION: &str = "raven-edge-simulation";

/// Runs the tests of all crates, including documentation tests.
pub(super) fn run(full: bool) -> Result<Tally> {
    // A test of the core bundles JavaScript.
    setup::npm_packages()?;
    let mut tally = Tally::default();
    // xtask is tested separately, with the features that it runs with; otherwise its dependencies would be built
    // twice.
    let apart = ["xtask", LAW, SESSION_LAW, OFFLINE_LAW, CHECKER, SIMULATION].map(|name| ["--exclude", name]).concat();
    cargo_test(&[&["--workspace", "--all-features"][..], &apart].concat(), full, &mut tally)?;
    cargo_test(&["--package", "xtask"], full, &mut tally)?;
    Ok(tally)
}

/// Explores all configurations of the law and prints how many states each has.
pub(super) fn law(full: bool) -> Result<Tally> {
    let mut tally = Tally::default();
    cargo_test(&["--profile", "law", "--package", LAW], full, &mut tally)?;
    Ok(tally)
}

/// The same for the law of sessions.
pub(super) fn session_law(full: bool) -> Result<Tally> {
    let mut tally = Tally::default();
    cargo_test(&["--profile", "law", "--package", SESSION_LAW], full, &mut tally)?;
    Ok(tally)
}

/// The same for the law of the offline queue.
pub(super) fn offline_law(full: bool) -> Result<Tally> {
    let mut tally = Tally::default();
    cargo_test(&["--profile", "law", "--package", OFFLINE_LAW], full, &mut tally)?;
    Ok(tally)
}

/// Runs `cargo test` with these flags and counts the results.
pub(super) fn cargo_test(packages: &[&str], full: bool, tally: &mut Tally) -> Result<()> {
    let mut command = cargo::cargo();
    command.args(["test", "--no-fail-fast"]).args(packages);
    if full {
        command.args(["--", "--include-ignored"]);
    }
    count(&mut command, &format!("cargo test {}", packages.join(" ")), tally)
}

/// Runs a program with output like that of test programs, and counts the results.
pub(super) fn count(command: &mut Command, name: &str, tally: &mut Tally) -> Result<()> {
    let mut running = Running::start(command.stdout(Stdio::piped()))?;
    let stdout = running.child().stdout.take().context("cargo's output")?;
    let mut reader = Reader::default();
    let failed_before = tally.failed.len();
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        reader.read(&line, tally);
    }
    let status = running.wait()?;
    if !status.success() && tally.failed.len() == failed_before {
        reader.show();
        tally.failed.push(format!("{name} ({status})"));
    }
    Ok(())
}

/// Reads the output of several test programs in sequence.
#[derive(Default)]
struct Reader {
    /// Output that is shown if something fails.
    kept: Vec<String>,
}

impl Reader {
    fn read(&mut self, line: &str, tally: &mut Tally) {
        if line.starts_with("running ") {
            *self = Self::default();
        } else if line.starts_with("test result: ") {
            if line.starts_with("test result: FAILED") {
                self.show();
            }
            say::note(line.split(';').take(3).collect::<Vec<_>>().join(";").trim_start_matches("test result: "));
            *self = Self::default();
        } else if let Some((name, outcome)) = outcome(line) {
            match outcome {
                Outcome::Passed => tally.passed += 1,
                Outcome::Failed => tally.failed.push(name),
                Outcome::Left => tally.left += 1,
            }
        } else if let Some(figures) = line.strip_prefix("law: ") {
            say::note(figures);
        } else {
            self.kept.push(line.to_owned());
        }
    }

    fn show(&self) {
        for line in &self.kept {
            eprintln!("    {line}");
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
    use super::{Reader, Tally};

    #[test]
    fn the_results_of_a_test_program_are_counted() {
        let output = "running 4 tests\ntest a::b ... ok\ntest c - should panic ... ok\ntest d ... FAILED\n\
            test e ... ignored, minutes\n\nfailures:\n---- d stdout ----\nboo\n\ntest result: FAILED. 2 passed; 1 failed";
        let mut tally = Tally::default();
        let mut reader = Reader::default();
        output.lines().for_each(|line| reader.read(line, &mut tally));
        assert_eq!((tally.passed, tally.failed, tally.left), (2, vec!["d".to_owned()], 1));
    }
}
