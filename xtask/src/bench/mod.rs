//! `cargo xtask bench`: measurements, each with its lower bound measured in the same run.

mod bulk_insert;
mod ids;
mod import;
mod rust;
mod session;
mod size;
mod start;
mod stream;
mod time_series;
mod waste;
mod write;

use crate::{build, files, functions};
use anyhow::Result;

/// The command line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these measurements
    #[arg(value_enum)]
    what: Vec<What>,
    /// With `size`: only the bytes of each function in the modules of pages
    #[arg(long)]
    functions: bool,
    /// With `size`: only the bytes of each file in the script of `raven-edge` in a page
    #[arg(long)]
    files: bool,
    /// With `rust`: also write the tables into `docs/comparison.md`
    #[arg(long)]
    write: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// CPU per document and memory of a bulk insert, compared with npm `ravendb` and with hand-written code
    BulkInsert,
    /// Nanoseconds per id, compared with a string concatenation
    Ids,
    /// CPU of a fresh Node process until a client is imported and has its first id, compared with npm `ravendb`
    Import,
    /// Microseconds per document of the client for Rust, compared with the npm package and with hand-written code; bytes of a page
    Rust,
    /// CPU and memory per document of a session, compared with npm `ravendb` and with hand-written code
    Session,
    /// Bytes of the package, per feature, compared with npm `ravendb`
    Size,
    /// Cold starts: in workerd, compared with npm `ravendb`; in Chromium until the first id and the first saved document
    Start,
    /// CPU per document and memory of a stream, compared with npm `ravendb`
    Stream,
    /// CPU of reading a time series of 100,000 entries, compared with npm `ravendb`
    TimeSeries,
    /// Round trips and numbers per document, in simulated time
    Waste,
}

/// Runs the measurements.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.functions {
        return functions::print();
    }
    if args.files {
        return files::print();
    }
    let wanted = |what| args.what.is_empty() || args.what.contains(&what);
    if wanted(What::Waste) {
        waste::run()?;
    }
    let packaged = [What::Size, What::Ids, What::Import, What::Session, What::Stream, What::Start, What::TimeSeries];
    if !packaged.into_iter().chain([What::BulkInsert, What::Rust]).any(wanted) {
        return Ok(());
    }
    let size = wanted(What::Size);
    let total = build::make(&build::Args { features_table: size, ..build::Args::default() })?;
    if size {
        size::compare(total[0].1)?;
    }
    if wanted(What::Start) {
        start::run()?;
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
    if wanted(What::TimeSeries) {
        time_series::run()?;
    }
    if wanted(What::BulkInsert) {
        bulk_insert::run()?;
    }
    if wanted(What::Rust) {
        rust::run(args.write)?;
    }
    if wanted(What::Ids) {
        ids::run()?;
    }
    Ok(())
}
