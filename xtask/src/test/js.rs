//! Runs a JavaScript test file: `node --test`, read through `xtask/js/reporter.mjs`.

use super::schedule::Finished;
use super::tally::Tally;
use crate::process::Running;
use crate::{repo, setup};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

/// A file that takes longer than this counts as hanging (milliseconds).
const FILE_LIMIT: u32 = 900_000;
/// The limit with `--full`, which has slow tests (milliseconds).
const FULL_LIMIT: u32 = 4 * 3_600_000;
/// Bytes of a file's output that are kept and shown if one of its tests fails.
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

/// Runs a file.
pub(super) fn run(file: &Path, environment: &[(String, String)], full: bool) -> Result<Finished> {
    let limit = if full { FULL_LIMIT } else { FILE_LIMIT };
    let mut command = setup::node();
    command.args(["--test", &format!("--test-timeout={limit}")]);
    command.arg(format!("--test-reporter={}", repo::path("xtask/js/reporter.mjs").display()));
    command.arg(file).envs(environment.iter().map(|(name, value)| (name, value))).stdout(Stdio::piped());
    let mut node = Running::start(&mut command)?;
    let stdout = node.child().stdout.take().context("node's output")?;
    let mut output = FileOutput::default();
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(event) => output.count(event),
            Err(_) => output.lines.push(format!("    {line}")),
        }
    }
    let status = node.wait()?;
    if !status.success() && output.tally.failed.is_empty() {
        output.tally.failed.push(format!("node --test ({status})"));
    }
    Ok(Finished { tally: output.tally, lines: output.lines })
}

/// The output of a file so far. It is shown when the file has ended, because other files run at the same time.
#[derive(Default)]
struct FileOutput {
    tally: Tally,
    /// Failures and warnings.
    lines: Vec<String>,
    /// What it has printed since the last failure.
    output: String,
}

impl FileOutput {
    fn count(&mut self, event: Event) {
        if let Some(text) = event.output {
            // What a suite warns of is worth reading in a run that passes, too.
            let warnings = text.lines().filter(|line| line.starts_with("warning: "));
            self.lines.extend(warnings.map(|line| format!("  {line}")));
            if self.output.len() < KEPT_OUTPUT {
                self.output.push_str(&text);
            }
        } else if let Some(reason) = event.failed {
            self.fail(&event.name, &reason);
            self.tally.failed.push(event.name);
        } else if event.skipped {
            self.tally.skipped.push(event.name);
        } else if event.passed {
            self.tally.passed += 1;
        }
    }

    /// Why a test failed; what its file has printed since the last failure comes along.
    fn fail(&mut self, name: &str, reason: &str) {
        self.lines.push(format!("  ✗ {name}"));
        self.lines.extend(reason.lines().map(|line| format!("      {line}")));
        let output = std::mem::take(&mut self.output);
        if !output.is_empty() {
            self.lines.push("    printed until then:".to_owned());
            self.lines.extend(output.lines().map(|line| format!("      {line}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::process;
    use anyhow::Result;
    use std::fs;

    #[test]
    fn passed_and_failed_tests_of_a_file_are_counted_and_what_it_printed_is_shown() -> Result<()> {
        let folder = process::temporary_folder(&std::env::temp_dir())?;
        let file = folder.path().join("a.test.mjs");
        let text = "import { test } from 'node:test';
            test('holds', () => {});
            test('does not hold', () => { console.log('clue', process.env.WORLD); throw new Error('no'); });";
        fs::write(&file, text)?;
        let finished = run(&file, &[("WORLD".to_owned(), "flat".to_owned())], false)?;
        assert_eq!((finished.tally.passed, finished.tally.failed), (1, vec!["does not hold".to_owned()]));
        assert!(finished.lines.iter().any(|line| line.contains("clue flat")), "{:?}", finished.lines);
        assert!(process::cpu_spent() > 0.0);
        Ok(())
    }
}
