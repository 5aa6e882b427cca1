//! `cargo xtask test`: runs the suites and their servers; the last line has the counts.

mod js;
mod native;
mod servers;
mod simulation;
mod suites;
mod tally;

use crate::{AlreadyReported, say};
use anyhow::Result;
use servers::Servers;
use std::thread;
use std::time::Instant;
use suites::{Kind, SUITES, Suite};
use tally::Tally;

/// The command line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also run tests that take minutes: ignored native tests, and RAVEN_EDGE_FULL=1 for the others
    #[arg(long)]
    full: bool,
    /// Only replay this seed of the simulation, with a log
    #[arg(long, conflicts_with = "suites")]
    seed: Option<u64>,
    /// Only these suites
    #[arg(value_parser = suites::names())]
    suites: Vec<String>,
}

/// Runs the suites. The last line printed has the counts of all.
pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(seed) = args.seed {
        return simulation::replay(seed);
    }
    let wanted = |suite: &&Suite| args.suites.is_empty() || args.suites.iter().any(|name| name == suite.name);
    let suites: Vec<&Suite> = SUITES.iter().filter(wanted).filter(|suite| suite.exists()).collect();
    let total = thread::scope(|scope| {
        // Downloads during compilation; a suite that needs a server waits for its download.
        scope.spawn(|| servers::fetch_ahead(&suites));
        run_suites(&suites, args.full)
    });
    total.print();
    if total.good() { Ok(()) } else { Err(AlreadyReported.into()) }
}

fn run_suites(suites: &[&Suite], full: bool) -> Tally {
    let started = Instant::now();
    let mut servers = Servers::new(full);
    let mut total = Tally::default();
    let mut rows = Vec::new();
    for suite in suites {
        let since = Instant::now();
        say::step(&format!("suite {}", suite.name));
        let tally = run_suite(suite, &mut servers, full).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            Tally::failure(format!("could not run: {error:#}"))
        });
        rows.push(tally.row(suite.name, since.elapsed()));
        total.add(suite.name, tally);
    }
    if let Some(error) = servers.too_heavy.take() {
        total.add("size", Tally::failure(format!("{error:#}")));
    }
    // The servers end before the last line, so that their output cannot follow it.
    drop(servers);
    rows.push(total.row("all", started.elapsed()));
    say::table(&["suite", "passed", "failed", "skipped", "seconds"], &rows);
    println!();
    total
}

fn run_suite(suite: &Suite, servers: &mut Servers, full: bool) -> Result<Tally> {
    match suite.kind {
        Kind::Native(run) => run(full),
        Kind::Js(needs) => {
            for need in needs {
                servers.provide(*need)?;
            }
            js::run(suite.name, &suite.files()?, servers.environment(), full)
        }
    }
}
