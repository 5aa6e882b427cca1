//! `cargo xtask lint`: everything that reads the code without running it.

use crate::process::run;
use crate::wasm::{EDGE, MAIN};
use crate::{Told, allow, api, cargo, say, setup};
use anyhow::Result;
use std::time::Instant;

/// A check and its name.
type Check = (&'static str, fn() -> Result<()>);

const CHECKS: &[Check] = &[
    ("formatting", || run(cargo::cargo().args(["fmt", "--all", "--check"]))),
    ("dependencies of the module", allow::check),
    ("clippy", || clippy(&["--workspace", "--all-targets", "--all-features"])),
    ("clippy without features", || clippy(&["--package", "raven-edge", "--all-targets", "--no-default-features"])),
    ("clippy for WebAssembly", || clippy_for_wasm(&["--package", "raven-edge", "--package", MAIN.package])),
    ("clippy for WebAssembly, ids alone", || clippy_for_wasm(&["--package", MAIN.package, "--no-default-features"])),
    // Apart: together with the main module, which has no std, its features of wasm-bindgen would bring one in.
    ("clippy for WebAssembly, edge", || clippy_for_wasm(&["--package", EDGE.package])),
    ("documentation of the crates", api::crates),
    ("documentation of the package", api::package),
    ("JavaScript", biome),
    ("types", || run(setup::npm_bin("tsc").args(["--noEmit", "--project", "tsconfig.json"]))),
];

/// What the command line asks for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// First write what a formatter can put right by itself
    #[arg(long)]
    fix: bool,
}

/// Runs every check, so that one run tells everything.
pub(crate) fn lint(args: &Args) -> Result<()> {
    setup::wasm_target()?;
    setup::npm_packages()?;
    if args.fix {
        run(cargo::cargo().args(["fmt", "--all"]))?;
        run(setup::npm_bin("biome").args(["check", "--write", "--colors=off"]))?;
    }
    let mut failed = Vec::new();
    for (name, check) in CHECKS {
        say::step(name);
        let since = Instant::now();
        match check() {
            Ok(()) => say::note(&format!("clean ({:.1} s)", since.elapsed().as_secs_f64())),
            Err(error) => {
                say::note(&format!("error: {error:#}"));
                failed.push(*name);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    eprintln!("error: not clean: {}", failed.join(", "));
    Err(Told.into())
}

fn clippy(flags: &[&str]) -> Result<()> {
    run(cargo::cargo().arg("clippy").args(flags).args(["--", "--deny=warnings"]))
}

fn clippy_for_wasm(packages: &[&str]) -> Result<()> {
    clippy(&[&["--target", setup::WASM], packages].concat())
}

fn biome() -> Result<()> {
    run(setup::npm_bin("biome").args(["ci", "--error-on-warnings", "--colors=off"]))
}
