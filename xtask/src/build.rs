//! `cargo xtask build`.

use crate::sizes::Totals;
use crate::wasm::{Built, EDGE, HILO, MAIN, Module, SESSION, WORKERS};
use crate::{features, node_entries, pages, plural, protocol, repo, setup, sizes, smoke, version};
use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::fs;

/// What the command line asks for.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Leave out wasm-opt, minification and the size gate (for development)
    #[arg(long)]
    pub(crate) fast: bool,
    /// Also build every set of features and print what each adds
    #[arg(long)]
    pub(crate) features_table: bool,
}

/// Builds all modules, calls them, prints the sizes; too many bytes are an error.
pub(crate) fn run(args: &Args) -> Result<()> {
    let total = make(args)?;
    if args.fast { Ok(()) } else { sizes::gate(total) }
}

/// The same without a limit to the bytes; gives those of the entries.
pub(crate) fn make(args: &Args) -> Result<Totals> {
    setup::wasm_target()?;
    setup::npm_packages()?;
    protocol::write()?;
    let main = MAIN.build(args.fast)?;
    inline(&main, "pkg/gen/inline.js")?;
    let session = SESSION.build(args.fast)?;
    inline(&session, "pkg/gen/inline_session.js")?;
    let hilo = HILO.build(args.fast)?;
    inline(&hilo, "pkg/gen/inline_hilo.js")?;
    let workers = WORKERS.iter().map(|module| module.build(args.fast)).collect::<Result<Vec<_>>>()?;
    plural::bundle()?;
    pages::copy()?;
    version::write()?;
    node_entries::bundle()?;
    let edge = EDGE.build(args.fast)?;
    let others: [(&Module, &Built); 4] = [(&MAIN, &main), (&SESSION, &session), (&HILO, &hilo), (&EDGE, &edge)];
    for (module, built) in others.into_iter().chain(WORKERS.iter().zip(&workers)) {
        smoke::run(module, built)?;
    }
    let total = sizes::print(&main, &session, &hilo, &workers)?;
    if args.features_table {
        features::print()?;
    }
    Ok(total)
}

/// The copy for pages whose server or bundler loses the .wasm file.
fn inline(built: &Built, file: &str) -> Result<()> {
    let wasm = fs::read(&built.wasm).with_context(|| built.wasm.display().to_string())?;
    let text = format!("export default \"{}\";\n", BASE64_STANDARD.encode(wasm));
    fs::write(repo::path(file), text).context(file.to_owned())
}
