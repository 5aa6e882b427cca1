//! Explores every configuration and prints how many states it has: `cargo test -p raven-edge-law -- NAME…`,
//! `--include-ignored` for those that take minutes.

use raven_edge_law::{CONFIGURATIONS, Configuration, Expected, Report, explore};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let full = arguments.iter().any(|argument| argument == "--include-ignored" || argument == "--ignored");
    let names: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |of: &&Configuration| {
        names.is_empty()
            || names
                .iter()
                .any(|name| name.strip_prefix('=').map_or(of.name.contains(name.as_str()), |exact| of.name == exact))
    };
    let chosen: Vec<&Configuration> = CONFIGURATIONS.iter().filter(wanted).collect();
    println!("running {} tests", chosen.len());
    let runs = |of: &&Configuration| full || !of.long || !names.is_empty();
    let (run, left): (Vec<&Configuration>, Vec<&Configuration>) = chosen.into_iter().partition(runs);
    for configuration in &left {
        println!("test {} ... ignored, minutes", configuration.name);
    }
    let queue = Mutex::new(run.iter());
    let take = || queue.lock().ok().and_then(|mut queue| queue.next().copied());
    let failed = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(configuration) = take() {
                    if !print(configuration, &explore(configuration)) {
                        *failed.lock().expect("nobody panics with it") += 1;
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

/// Prints what came of a configuration, in one piece; whether it is as expected.
fn print(configuration: &Configuration, report: &Report) -> bool {
    let Report { states, depth, time, trace } = report;
    let as_expected = trace.is_some() == (configuration.expected() == Expected::Duplicate);
    let mut lines = Vec::new();
    let found = match trace {
        None => format!("exhausted, {depth} steps deep"),
        Some(trace) => format!("{} in {} steps", trace.law, trace.steps),
    };
    lines.push(format!("law: {}: {states} states, {:.1} s: {found}", configuration.name, time.as_secs_f64()));
    lines.extend(trace.iter().flat_map(|trace| trace.told.iter().map(|line| format!("law: {line}"))));
    lines.push(format!("test {} ... {}", configuration.name, if as_expected { "ok" } else { "FAILED" }));
    println!("{}", lines.join("\n"));
    as_expected
}
