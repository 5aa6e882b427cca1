//! `cargo xtask demo`.

use crate::{build, process, service, setup};
use anyhow::{Context, Result};

/// The command line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The port on 127.0.0.1
    #[arg(long, env = "PORT", default_value_t = 8787)]
    port: u16,
    /// Leave out wasm-opt and minification
    #[arg(long)]
    fast: bool,
}

/// Builds, then serves the lease map, and the app of `examples/field-notes` on the next port, in workerd until Ctrl-C.
pub(crate) fn run(args: &Args) -> Result<()> {
    // Port 0 means any free one, for both.
    let notes = args.port.checked_add(u16::from(args.port > 0)).context("the app needs the next port")?;
    service::assert_free(args.port)?;
    service::assert_free(notes)?;
    build::run(&build::Args { fast: args.fast, ..build::Args::default() })?;
    let ports = [("PORT", args.port), ("NOTES_PORT", notes)];
    process::run(setup::node().arg("www/dev.mjs").envs(ports.map(|(name, port)| (name, port.to_string()))))
}
