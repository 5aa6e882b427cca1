//! `cargo xtask …`: builds, tests, measures and demonstrates raven-edge. The only place that knows tools.

mod build;
mod features;
mod glue;
mod process;
mod ravendb;
mod repo;
mod say;
mod service;
mod setup;
mod sizes;
mod smoke;
mod wasm;

use clap::Parser;
use std::process::ExitCode;

/// Builds, tests, measures and demonstrates raven-edge
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Build both WebAssembly modules, call them, print their sizes
    Build(build::Args),
    /// Get and start a real RavenDB, print its address, stay in the foreground
    Ravendb(ravendb::Args),
}

fn main() -> ExitCode {
    let task = Task::parse();
    let result = process::end_children_on_signals().and_then(|()| match task {
        Task::Build(args) => build::run(&args),
        Task::Ravendb(args) => ravendb::run(&args),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
