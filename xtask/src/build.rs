//! `cargo xtask build`.

use crate::sizes::Size;
use crate::wasm::{EDGE, MAIN, Module};
use crate::{features, plural, repo, setup, sizes, smoke};
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

/// The same without a limit to the bytes; gives those of the main entry.
pub(crate) fn make(args: &Args) -> Result<Size> {
    setup::wasm_target()?;
    setup::npm_packages()?;
    let main = MAIN.build(&[], &repo::path(MAIN.folder), args.fast)?;
    let wasm = fs::read(&main.wasm)?;
    // The copy for pages whose server or bundler loses the .wasm file.
    let inline = format!("export default \"{}\";\n", BASE64_STANDARD.encode(&wasm));
    fs::write(repo::path("pkg/gen/inline.js"), inline).context("pkg/gen/inline.js")?;
    plural::bundle()?;
    let edge = EDGE.build(&[], &repo::path(EDGE.folder), args.fast)?;
    for (module, built) in [(&MAIN, &main), (&EDGE, &edge)] as [(&Module, _); 2] {
        smoke::run(module, built)?;
    }
    let total = sizes::print(&main)?;
    if args.features_table {
        features::print()?;
    }
    Ok(total)
}
