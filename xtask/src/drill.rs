//! `cargo xtask drill`: browsers, Workers and Node work on one database while faults happen. At the end it checks that no id, document,
//! attachment or queued change was lost or doubled (`docs/drill.md`).

use crate::{build, process, ravendb, repo, say, setup};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The command line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long faults happen
    #[arg(long, default_value_t = 10)]
    minutes: u32,
    /// Chooses the faults; printed by each run
    #[arg(long)]
    seed: Option<u32>,
    /// The folder for the report, its picture and the log
    #[arg(long, default_value = "target/drill")]
    out: PathBuf,
    /// Leave out wasm-opt and minification
    #[arg(long)]
    fast: bool,
}

/// Builds, then runs `tests/drill/run.mjs`, which starts the servers and the browsers.
pub(crate) fn run(args: &Args) -> Result<()> {
    build::run(&build::Args { fast: args.fast, ..build::Args::default() })?;
    setup::firefox()?;
    setup::webkit()?;
    // Downloads RavenDB now if necessary. The drill starts it later.
    ravendb::prepare(ravendb::VERSION)?;
    let xtask = std::env::current_exe().context("xtask's own path")?;
    let mut node = setup::node();
    node.arg("tests/drill/run.mjs").args(["--minutes", &args.minutes.to_string()]);
    node.arg("--out").arg(&args.out);
    if let Some(seed) = args.seed {
        node.args(["--seed", &seed.to_string()]);
    }
    node.env("CHROMIUM", setup::chromium()?).env("RAVENDB_START", format!("{} ravendb --own", xtask.display()));
    let ran = process::run(&mut node);
    say::note(&format!("report, picture and log: {}", repo::path(&args.out.to_string_lossy()).display()));
    ran
}
