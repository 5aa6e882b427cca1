//! Runs a JavaScript suite: `node --test` on its files, read through `xtask/js/reporter.mjs`.

use super::tally::Tally;
use crate::process::Running;
use crate::{repo, say, setup};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

/// A file that takes longer than this counts as hanging (milliseconds).
const FILE_LIMIT: u32 = 600_000;
/// The limit with `--full`, which has slow tests (milliseconds).
const FULL_LIMIT: u32 = 4 * 3_600_000;
/// Bytes of a file's output that are kept and shown if one of its tests fails.
const KEPT_OUTPUT: usize = 32_768;

/// How many files run at once: they wait most of the time, for timeouts, servers and browsers.
const LANES: usize = 3;
/// These take longest and begin first, so that the last of them does not run alone at the end.
const LONG: [&str; 18] = [
    "browsers/kills-chromium",
    "browsers/kills-firefox",
    "browsers/kills-webkitgtk",
    "browsers/offline-kills-chromium",
    "browsers/offline-kills-firefox",
    "browsers/offline-kills-webkitgtk",
    "browsers/demo",
    "browsers/field-notes",
    "browsers/storage",
    "browsers/pool",
    "server/outage",
    "server/dispose",
    "server/options",
    "server/failover",
    "server/saving-lost",
    "server/queries",
    "gateway/suites",
    "gateway/kills",
];
/// These measure how fast something is, have tight time limits, or fill the machine by themselves: nothing else runs meanwhile.
const ALONE: [&str; 8] = [
    "browsers/start",
    "runtimes/crowd",
    "runtimes/hub-load",
    "runtimes/streams",
    "server/reads-fail-fast",
    "server/sources-document",
    "server/sources-shared",
    "server/streams-memory",
];

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

/// Runs the files, several at a time; with `full` one after the other, since each of them fills the machine.
pub(super) fn run(suite: &str, files: &[PathBuf], environment: &[(String, String)], full: bool) -> Result<Tally> {
    let (limit, lanes) = if full { (FULL_LIMIT, 1) } else { (FILE_LIMIT, LANES) };
    let is_one_of = |names: &[&str], file: &Path| {
        let name = file.strip_prefix(repo::path("tests")).unwrap_or(file).to_string_lossy().into_owned();
        names.iter().any(|known| name == format!("{known}.test.mjs"))
    };
    let (alone, mut together): (Vec<_>, Vec<_>) = files.iter().partition(|file| is_one_of(&ALONE, file));
    together.sort_by_key(|file| !is_one_of(&LONG, file));
    let run = Run { environment, limit, wait: say::Wait::new(&format!("tests/{suite}")), tally: Mutex::default() };
    run.all(&together, lanes)?;
    run.all(&alone, 1)?;
    let tally = run.tally.into_inner().unwrap_or_default();
    run.wait.done(&tally.counts());
    Ok(tally)
}

/// A suite that runs.
struct Run<'a> {
    environment: &'a [(String, String)],
    /// Milliseconds for each file.
    limit: u32,
    wait: say::Wait,
    tally: Mutex<Tally>,
}

impl Run<'_> {
    /// Runs the files in so many lanes; each lane takes the next file when it has finished one.
    fn all(&self, files: &[&PathBuf], lanes: usize) -> Result<()> {
        let next = Mutex::new(files.iter());
        let lane = || -> Result<()> {
            loop {
                let file = next.lock().ok().and_then(|mut files| files.next());
                let Some(file) = file else { return Ok(()) };
                self.file(file)?;
            }
        };
        thread::scope(|scope| {
            let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
            lanes.into_iter().try_for_each(|lane| lane.join().unwrap_or_else(|_| bail!("a lane of tests panicked")))
        })
    }

    fn file(&self, file: &Path) -> Result<()> {
        let since = Instant::now();
        let mut output = FileOutput::default();
        self.run(file, &mut output)?;
        let name = file.strip_prefix(repo::root()).unwrap_or(file).display();
        output.lines.insert(0, format!("• {name}"));
        output.lines.push(format!("  {} ({:.1} s)", output.tally.counts(), since.elapsed().as_secs_f64()));
        self.wait.print(&output.lines);
        if let Ok(mut tally) = self.tally.lock() {
            tally.add(&file.file_name().unwrap_or_default().to_string_lossy(), output.tally);
            self.wait.progress(&tally.counts());
        }
        Ok(())
    }

    fn run(&self, file: &Path, output: &mut FileOutput) -> Result<()> {
        let mut command = setup::node();
        command.args(["--test", &format!("--test-timeout={}", self.limit)]);
        command.arg(format!("--test-reporter={}", repo::path("xtask/js/reporter.mjs").display()));
        command.arg(file).envs(self.environment.iter().map(|(name, value)| (name, value))).stdout(Stdio::piped());
        let mut node = Running::start(&mut command)?;
        let stdout = node.child().stdout.take().context("node's output")?;
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
        Ok(())
    }
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
    fn files_run_beside_each_other_and_what_fails_is_named_with_its_file() -> Result<()> {
        let folder = process::temporary_folder(&std::env::temp_dir())?;
        let meet = |mine: &str, other: &str, then: &str| {
            format!(
                "import {{ test }} from 'node:test';
                import {{ existsSync, writeFileSync }} from 'node:fs';
                const at = (name) => new URL(name, import.meta.url);
                test('meets {other}', {{ timeout: 30_000 }}, async () => {{
                    writeFileSync(at('{mine}'), '');
                    while (!existsSync(at('{other}'))) await new Promise(setImmediate);
                    {then}
                }});"
            )
        };
        let tests = [("a", meet("a", "b", "")), ("b", meet("b", "a", "throw new Error('no')"))];
        let mut files = Vec::new();
        for (name, text) in tests {
            files.push(folder.path().join(format!("{name}.test.mjs")));
            fs::write(&files[files.len() - 1], text)?;
        }
        let tally = run("none", &files, &[], false)?;
        assert_eq!((tally.passed, tally.failed), (1, vec!["b.test.mjs: meets a".to_owned()]));
        Ok(())
    }
}
