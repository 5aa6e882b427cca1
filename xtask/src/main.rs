//! `cargo xtask …`: builds, tests, measures and runs the demo of raven-edge. All knowledge about tools is here.

mod allow;
mod api;
mod authority;
mod bench;
mod build;
mod cargo;
mod checksum;
mod demo;
mod dependencies;
mod dist;
mod drill;
mod entry_bytes;
mod features;
mod files;
mod function_order;
mod functions;
mod glue;
mod lint;
mod modules;
mod names;
mod pages;
mod plural;
mod process;
mod protocol;
mod ravendb;
mod release;
mod repo;
mod say;
mod service;
mod setup;
mod site;
mod smoke;
mod test;
mod version;
mod wasm;

use clap::Parser;
use std::fmt;
use std::process::ExitCode;

/// Builds, tests, measures and demonstrates raven-edge
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Write the reference of the package and of the crates
    Api,
    /// Measure bytes and nanoseconds
    Bench(bench::Args),
    /// Build both WebAssembly modules, call them, print their sizes
    Build(build::Args),
    /// Run the tests, print the counts
    Test(test::Args),
    /// Build, then serve the demo page and its Worker until Ctrl-C
    Demo(demo::Args),
    /// Run everything at once with faults, balance the books, write a report
    Drill(drill::Args),
    /// Check formatting, clippy, documentation, JavaScript, types, dependencies
    Lint(lint::Args),
    /// Build the package twice from clean checkouts, compare, test, pack, print checksums; publishes nothing
    Release(release::Args),
    /// Build the documentation, both references and the demo as one static site
    Site(site::Args),
    /// Get and start a real RavenDB, print its address, stay in the foreground
    Ravendb(ravendb::Args),
}

/// The error of a task that has already reported everything.
#[derive(Debug)]
struct AlreadyReported;

impl fmt::Display for AlreadyReported {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("failed; see above")
    }
}

impl std::error::Error for AlreadyReported {}

fn main() -> ExitCode {
    let task = Task::parse();
    let result = process::end_children_on_signals().and_then(|()| match task {
        Task::Api => api::run(),
        Task::Bench(args) => bench::run(&args),
        Task::Build(args) => build::run(&args),
        Task::Test(args) => test::run(&args),
        Task::Demo(args) => demo::run(&args),
        Task::Drill(args) => drill::run(&args),
        Task::Lint(args) => lint::lint(&args),
        Task::Release(args) => release::run(&args),
        Task::Site(args) => site::run(&args),
        Task::Ravendb(args) => ravendb::run(&args),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is::<AlreadyReported>() {
                eprintln!("error: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}
