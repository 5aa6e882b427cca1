//! The test program of a model: explores its configurations and prints the number of states of each.

use crate::{Model, Report, explore};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

/// A configuration of a model.
pub struct Job {
    /// Its name on the command line.
    pub name: &'static str,
    /// Whether it takes minutes; it then runs only with `--include-ignored` or by its name.
    pub long: bool,
    /// Whether a broken law is expected.
    pub broken: bool,
    /// Explores it.
    pub explore: Box<dyn Fn() -> Report + Send + Sync>,
}

impl Job {
    /// A configuration that takes seconds and keeps the laws.
    pub fn new(name: &'static str, model: impl Model + Send + Sync + 'static) -> Self {
        Self { name, long: false, broken: false, explore: Box::new(move || explore(&model)) }
    }

    /// Whether it takes minutes.
    #[must_use]
    pub fn long(self, long: bool) -> Self {
        Self { long, ..self }
    }

    /// Whether a broken law is expected.
    #[must_use]
    pub fn broken(self, broken: bool) -> Self {
        Self { broken, ..self }
    }
}

/// Explores the configurations that the command line names (`NAME…`: a part of the name, or `=NAME`), or all;
/// `--include-ignored` includes those that take minutes.
pub fn run(jobs: &[Job]) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let full = arguments.iter().any(|argument| argument == "--include-ignored" || argument == "--ignored");
    let names: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |of: &&Job| {
        names.is_empty()
            || names
                .iter()
                .any(|name| name.strip_prefix('=').map_or(of.name.contains(name.as_str()), |exact| of.name == exact))
    };
    let chosen: Vec<&Job> = jobs.iter().filter(wanted).collect();
    println!("running {} tests", chosen.len());
    let runs = |of: &&Job| full || !of.long || !names.is_empty();
    let (run, left): (Vec<&Job>, Vec<&Job>) = chosen.into_iter().partition(runs);
    for job in &left {
        println!("test {} ... ignored, minutes", job.name);
    }
    let queue = Mutex::new(run.iter());
    let take = || queue.lock().ok().and_then(|mut queue| queue.next().copied());
    let failed = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(job) = take() {
                    if !print(job, &(job.explore)()) {
                        *failed.lock().expect("no thread panics while it holds the lock") += 1;
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or(1);
    let verdict = if failed > 0 { "FAILED" } else { "ok" };
    let passed = run.len() - failed;
    println!("\ntest result: {verdict}. {passed} passed; {failed} failed; {} ignored", left.len());
    if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Prints the result of a configuration at once; returns whether it is as expected.
fn print(job: &Job, report: &Report) -> bool {
    let Report { states, depth, time, trace } = report;
    let as_expected = trace.is_some() == job.broken;
    let found = match trace {
        None => format!("exhausted, {depth} steps deep"),
        Some(trace) => format!("{} in {} steps", trace.law, trace.steps),
    };
    let mut lines = vec![format!("law: {}: {states} states, {:.1} s: {found}", job.name, time.as_secs_f64())];
    lines.extend(trace.iter().flat_map(|trace| trace.lines.iter().map(|line| format!("law: {line}"))));
    lines.push(format!("test {} ... {}", job.name, if as_expected { "ok" } else { "FAILED" }));
    println!("{}", lines.join("\n"));
    as_expected
}
