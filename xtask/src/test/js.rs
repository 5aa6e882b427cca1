//! Runs a JavaScript test file with Node, and reads what `xtask/js/reporter.mjs` says of it.
//!
//! The file runs in the process that reports: with `node --test` there would be two for each file, which costs a tenth of a CPU second.

use super::schedule::Finished;
use super::tally::Tally;
use crate::process::{self, Running};
use crate::{repo, setup};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

/// A file that takes longer than this counts as hanging.
const FILE_LIMIT: Duration = Duration::from_secs(900);
/// The limit with `--full`, which has slow tests.
const FULL_LIMIT: Duration = Duration::from_secs(4 * 3_600);
/// Bytes of a file's output, the last ones, that are shown if one of its tests fails.
const SHOWN_OUTPUT: usize = 32_768;

/// A line of the reporter.
#[derive(Deserialize)]
struct Event {
    name: String,
    failed: Option<String>,
    #[serde(default)]
    passed: bool,
    #[serde(default)]
    skipped: bool,
}

/// Runs a file.
pub(super) fn run(file: &Path, environment: &[(String, String)], full: bool) -> Result<Finished> {
    let folder = process::temporary_folder(&std::env::temp_dir())?;
    let (events, printed) = (folder.path().join("events"), folder.path().join("printed"));
    let output = File::create(&printed).with_context(|| printed.display().to_string())?;
    let mut command = setup::node();
    command.arg(format!("--test-reporter={}", repo::path("xtask/js/reporter.mjs").display()));
    command.arg(format!("--test-reporter-destination={}", events.display()));
    command.arg(file).envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdout(output.try_clone()?).stderr(output);
    let limit = if full { FULL_LIMIT } else { FILE_LIMIT };
    let status = Running::start(&mut command)?.wait_at_most(limit)?;
    let mut finished = Finished::default();
    for line in fs::read_to_string(&events).unwrap_or_default().lines() {
        count(serde_json::from_str(line).context(line.to_owned())?, &mut finished);
    }
    let Finished { tally, lines } = &mut finished;
    match status {
        None => tally.failed.push(format!("the file takes longer than {} s", limit.as_secs())),
        Some(status) if !status.success() && tally.failed.is_empty() => tally.failed.push(format!("node ({status})")),
        Some(_) if *tally == Tally::default() => tally.failed.push("it defines no test".to_owned()),
        Some(_) => {}
    }
    show(&fs::read(&printed)?, !tally.failed.is_empty(), lines);
    Ok(finished)
}

fn count(event: Event, Finished { tally, lines }: &mut Finished) {
    if let Some(reason) = event.failed {
        lines.push(format!("  ✗ {}", event.name));
        lines.extend(reason.lines().map(|line| format!("      {line}")));
        tally.failed.push(event.name);
    } else if event.skipped {
        tally.skipped.push(event.name);
    } else if event.passed {
        tally.passed += 1;
    }
}

/// What a file has printed: its warnings, which are worth reading in a run that passes, too, and the end of it if a test failed.
fn show(printed: &[u8], failed: bool, lines: &mut Vec<String>) {
    let printed = String::from_utf8_lossy(printed);
    let warnings = printed.lines().filter(|line| line.starts_with("warning: "));
    lines.extend(warnings.map(|line| format!("  {line}")));
    if failed && !printed.is_empty() {
        let begin = printed.len().saturating_sub(SHOWN_OUTPUT);
        let begin = (begin..).find(|at| printed.is_char_boundary(*at)).unwrap_or_default();
        lines.push("    printed:".to_owned());
        lines.extend(printed[begin..].lines().map(|line| format!("      {line}")));
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

    #[test]
    fn a_file_that_crashes_or_defines_no_test_fails() -> Result<()> {
        let folder = process::temporary_folder(&std::env::temp_dir())?;
        let file = folder.path().join("a.test.mjs");
        for (text, failure) in [("throw new Error('clue');", "node (exit status: 1)"), ("", "it defines no test")] {
            fs::write(&file, text)?;
            let finished = run(&file, &[], false)?;
            assert_eq!(finished.tally.failed, [failure]);
            assert_eq!(finished.lines.iter().any(|line| line.contains("clue")), !text.is_empty());
        }
        Ok(())
    }

    #[test]
    fn warnings_of_a_file_that_passes_are_shown_however_much_it_prints() -> Result<()> {
        let folder = process::temporary_folder(&std::env::temp_dir())?;
        let file = folder.path().join("a.test.mjs");
        let text = "import { test } from 'node:test';
            test('holds', () => console.log('warning: slow\\n' + 'more '.repeat(10_000)));";
        fs::write(&file, text)?;
        assert_eq!(run(&file, &[], false)?.lines, ["  warning: slow"]);
        Ok(())
    }
}
