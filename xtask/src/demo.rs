//! `cargo xtask demo`.

use crate::{build, process, setup};
use anyhow::Result;

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

/// Builds, then serves the demo in workerd until Ctrl-C.
pub(crate) fn run(args: &Args) -> Result<()> {
    build::run(&build::Args { fast: args.fast, ..build::Args::default() })?;
    process::run(setup::node().arg("www/dev.mjs").env("PORT", args.port.to_string()))
}
