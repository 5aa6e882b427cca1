//! `cargo xtask build`.

use crate::sizes::Totals;
use crate::wasm::{Built, EDGE, HILO, MAIN, Module, SESSION};
use crate::{features, node_entries, plural, repo, setup, sizes, smoke, version};
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

/// Builds both modules, calls them, prints the sizes; too many bytes are an error.
pub(crate) fn run(args: &Args) -> Result<()> {
    let total = make(args)?;
    if args.fast { Ok(()) } else { sizes::gate(total) }
}

/// The same without a limit to the bytes; gives those of the entries.
pub(crate) fn make(args: &Args) -> Result<Totals> {
    setup::wasm_target()?;
    setup::npm_packages()?;
    let main = MAIN.build(args.fast)?;
    inline(&main, "pkg/gen/inline.js")?;
    let session = SESSION.build(args.fast)?;
    inline(&session, "pkg/gen/inline_session.js")?;
    let hilo = HILO.build(args.fast)?;
    inline(&hilo, "pkg/gen/inline_hilo.js")?;
    plural::bundle()?;
    version::write()?;
    node_entries::bundle()?;
    let edge = EDGE.build(args.fast)?;
    for (module, built) in [(&MAIN, &main), (&SESSION, &session), (&HILO, &hilo), (&EDGE, &edge)] as [(&Module, _); 4] {
        smoke::run(module, built)?;
    }
    let total = sizes::print(&main, &session, &hilo)?;
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
