//! `cargo xtask test`: runs the suites beside each other, with the servers that they need; the last line has the counts.

mod costs;
mod idle;
mod js;
pub(crate) mod native;
mod schedule;
mod servers;
mod simulation;
mod since;
mod suites;
mod tally;

use crate::{AlreadyReported, cargo, lint, say};
use anyhow::{Result, bail};
use native::Run;
use schedule::{Cost, Finished, Job, Report};
use servers::Servers;
use std::time::Duration;
use suites::{Kind, Need, SUITES, Suite};
use tally::Tally;

/// The command line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also run tests that take minutes: ignored native tests, and RAVEN_EDGE_FULL=1 for the others
    #[arg(long)]
    full: bool,
    /// Only the suites that prove what has changed since this commit (the table in CONTRIBUTING.md)
    #[arg(long, value_name = "REV", conflicts_with_all = ["suites", "seed"])]
    since: Option<String>,
    /// Only replay this seed of the simulation, with a log
    #[arg(long, conflicts_with = "suites")]
    seed: Option<u64>,
    #[arg(help = format!("Only these suites: {}", suites::names()))]
    suites: Vec<String>,
}

/// Runs the suites. The last line printed has the counts of all.
pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(seed) = args.seed {
        return simulation::replay(seed);
    }
    let named = match &args.since {
        Some(rev) => since::suites(rev)?,
        None => args.suites.clone(),
    };
    if args.since.is_some() && named.is_empty() {
        say::note("nothing that a suite proves has changed");
        return Ok(());
    }
    if let Some(unknown) = named.iter().find(|name| SUITES.iter().all(|suite| suite.name != **name)) {
        bail!("there is no suite `{unknown}`: name one of {}", suites::names());
    }
    let is_wanted = |suite: &&Suite| named.is_empty() || named.iter().any(|name| name == suite.name);
    let wanted: Vec<&Suite> = SUITES.iter().filter(is_wanted).collect();
    let servers = Servers::default();
    let budget = Cost::machine();
    // A native job gets half of the cores, so that tests which wait can run beside it.
    let threads = (budget.cores / 200).max(1);
    let run = Run { full: args.full, figures: named.len() == 1, threads };
    let reports = schedule::run(jobs(&wanted, &servers, run)?, budget)?;
    // The servers end before the last lines, so that their output cannot follow them.
    let cpu_of_servers = servers.end_all()?;
    let total = summarize(&reports, cpu_of_servers);
    total.print();
    if total.good() { Ok(()) } else { Err(AlreadyReported.into()) }
}

/// Everything that the suites have to do, in the order in which it is shown.
fn jobs<'a>(suites: &[&'static Suite], servers: &'a Servers, run: Run) -> Result<Vec<Job<'a>>> {
    let mut jobs = Vec::new();
    for suite in suites {
        match suite.kind {
            Kind::Workspace => {
                jobs.push(cargo_test(suite, "workspace", native::workspace(), run));
                jobs.push(cargo_test(suite, "xtask", vec!["--package", "xtask"], run));
            }
            Kind::Law(package) => jobs.push(cargo_test(suite, "models", law(package), run)),
            Kind::Simulation(package) => {
                jobs.push(cargo_test(suite, "variants", law(package), run));
                jobs.push(native_job(suite, "seeds", run, move || simulation::seeds(run)));
            }
            Kind::Crate(package, needs) => {
                let same = ["--features", "raven-edge-features/tests"];
                let packages = [&["--package", package][..], &cargo::SAME_FEATURES, &same].concat();
                let work = with_servers(needs, servers, run, move |environment| {
                    native::cargo_test(&packages, environment, run)
                })?;
                let after = needs.iter().map(|need| need.job()).collect();
                jobs.push(Job { after, ..native_job(suite, "client", run, work) });
            }
            Kind::Lint => {
                // The set-up builds the package.
                let checks = lint::CHECKS.iter().filter(|check| check.build != lint::Build::Included);
                jobs.extend(checks.map(|check| lint_job(suite, check, run)));
            }
            Kind::Js(needs) => {
                for (name, file) in suite.files()? {
                    // With `--full` each file fills the machine.
                    let cost = if run.full { Cost::machine() } else { costs::of(suite.name) };
                    // First what needs servers that end with it.
                    let urgency = match needs.contains(&Need::OlderRavenDb) {
                        true => usize::MAX,
                        false => costs::seconds(suite.name, &name),
                    };
                    let after = needs.iter().map(|need| need.job()).collect();
                    let work =
                        with_servers(needs, servers, run, move |environment| js::run(&file, environment, run.full))?;
                    jobs.push(Job { suite: suite.name, name, cost, urgency, lock: None, after, run: Box::new(work) });
                }
            }
        }
    }
    let mut all: Vec<Job<'_>> = provided(suites).map(|need| set_up(need, servers, run)).collect();
    all.extend(jobs);
    Ok(all)
}

/// Work that needs these servers: they stay until it has ended.
fn with_servers<'a>(
    needs: &'static [Need],
    servers: &'a Servers,
    run: Run,
    work: impl FnOnce(&[(String, String)]) -> Result<Finished> + Send + 'a,
) -> Result<impl FnOnce() -> Result<Finished> + Send + 'a> {
    servers.expect(needs)?;
    Ok(move || {
        servers.assert_alive(needs)?;
        let finished = work(&servers.environment(needs, run.full)?);
        servers.release(needs)?;
        finished
    })
}

fn law(package: &'static str) -> Vec<&'static str> {
    vec!["--profile", "law", "--package", package]
}

/// The needs of these suites, each once.
fn provided(suites: &[&'static Suite]) -> impl Iterator<Item = Need> {
    let needs: Vec<_> = suites.iter().flat_map(|suite| suite.needs()).copied().collect();
    Need::ALL.into_iter().filter(move |need| needs.contains(need))
}

fn set_up(need: Need, servers: &Servers, run: Run) -> Job<'_> {
    let key = need.job();
    let (suite, name) = key.split_once('/').unwrap_or(("set-up", key));
    let cost = Cost { cores: need.cores() * run.threads, memory: 1_000 };
    let work = move || servers.provide(need, run.full);
    let (lock, after) = (need.lock(), need.after());
    Job { suite, name: name.to_owned(), cost, urgency: usize::MAX, lock, after, run: Box::new(work) }
}

fn cargo_test<'a>(suite: &'static Suite, name: &str, packages: Vec<&'static str>, run: Run) -> Job<'a> {
    native_job(suite, name, run, move || native::cargo_test(&packages, &[], run))
}

fn native_job<'a>(
    suite: &'static Suite,
    name: &str,
    run: Run,
    work: impl FnOnce() -> Result<Finished> + Send + 'a,
) -> Job<'a> {
    let cost = costs::native(run.threads);
    let urgency = costs::seconds(suite.name, name);
    Job {
        suite: suite.name,
        name: name.to_owned(),
        cost,
        urgency,
        lock: Some(lint::COMPILER),
        after: vec![],
        run: Box::new(work),
    }
}

fn lint_job<'a>(suite: &'static Suite, check: &'static lint::Check, run: Run) -> Job<'a> {
    let work = move || {
        let mut tally = Tally::default();
        let mut lines = Vec::new();
        match (check.run)() {
            Ok(()) => tally.passed = 1,
            Err(error) => {
                tally.failed.push(check.name.to_owned());
                lines.push(format!("  {error:#}"));
            }
        }
        Ok(Finished { tally, lines })
    };
    let cost = costs::native(run.threads);
    let urgency = costs::seconds(suite.name, check.name);
    // It reads the declarations of a build.
    let after = if check.build == lint::Build::Read { vec![Need::Build.job()] } else { vec![] };
    Job { suite: suite.name, name: check.name.to_owned(), cost, urgency, lock: check.lock, after, run: Box::new(work) }
}

/// Prints a table of the suites; returns the sum of their counts.
fn summarize(reports: &[Report], cpu_of_servers: f64) -> Tally {
    let mut rows = Vec::new();
    let mut total = Tally::default();
    let (mut all_ended, mut all_cpu) = (Duration::ZERO, 0.0);
    for name in ["set-up"].into_iter().chain(SUITES.iter().map(|suite| suite.name)) {
        let reports: Vec<_> = reports.iter().filter(|report| report.suite == name).collect();
        let Some(ended) = reports.iter().map(|report| report.ended).max() else { continue };
        let cpu: f64 = reports.iter().map(|report| report.cpu).sum();
        let mut tally = Tally::default();
        reports.iter().for_each(|report| tally.add(&report.name, &report.tally));
        rows.push(tally.row(name, ended, cpu));
        total.add(name, &tally);
        all_ended = all_ended.max(ended);
        all_cpu += cpu;
    }
    rows.push(Tally::default().row("servers", all_ended, cpu_of_servers));
    rows.push(total.row("all", all_ended, all_cpu + cpu_of_servers));
    say::table(&["suite", "passed", "failed", "skipped", "ended after s", "CPU s"], &rows);
    println!();
    total
}
