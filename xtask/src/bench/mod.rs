//! `cargo xtask bench`: figures with their floor measured beside them in the same run.

mod cold;
mod ids;
mod import;
mod session;
mod size;
mod stream;
mod waste;

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
    /// A cold start in workerd with a first id from a hub, beside npm `ravendb`
    Cold,
    /// Nanoseconds per id, beside a bare concatenation
    Ids,
    /// CPU of a fresh Node until a client is imported and has its first id, beside npm `ravendb`
    Import,
    /// CPU and memory per document of a session, beside npm `ravendb` and one written by hand
    Session,
    /// Bytes of the package, per feature, beside npm `ravendb`
    Size,
    /// CPU per document and memory of a stream, beside npm `ravendb`
    Stream,
    /// Round trips and numbers per document, in simulated time
    Waste,
}

/// Runs the measurements.
pub(crate) fn run(args: &Args) -> Result<()> {
    let wanted = |what| args.what.is_empty() || args.what.contains(&what);
    if wanted(What::Waste) {
        waste::run()?;
    }
    if ![What::Size, What::Ids, What::Import, What::Session, What::Stream, What::Cold].into_iter().any(wanted) {
        return Ok(());
    }
    let size = wanted(What::Size);
    let total = build::make(&build::Args { features_table: size, ..build::Args::default() })?;
    if size {
        size::compare(total.main)?;
    }
    if wanted(What::Cold) {
        cold::run()?;
    }
    if wanted(What::Import) {
        import::run()?;
    }
    if wanted(What::Session) {
        session::run()?;
    }
    if wanted(What::Stream) {
        stream::run()?;
    }
    if wanted(What::Ids) {
        ids::run()?;
    }
    Ok(())
}
