//! `cargo xtask bench`: figures with their floor measured beside them in the same run.

mod ids;
mod size;

use crate::build;
use anyhow::Result;

/// What the command line asks for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these measurements
    #[arg(value_enum)]
    what: Vec<What>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Nanoseconds per id, beside a bare concatenation
    Ids,
    /// Bytes of the package, per feature, beside npm `ravendb`
    Size,
}

/// Runs the measurements.
pub(crate) fn run(args: &Args) -> Result<()> {
    let wanted = |what| args.what.is_empty() || args.what.contains(&what);
    let size = wanted(What::Size);
    let total = build::make(&build::Args { features_table: size, ..build::Args::default() })?;
    if size {
        size::compare(total)?;
    }
    if wanted(What::Ids) {
        ids::run()?;
    }
    Ok(())
}
