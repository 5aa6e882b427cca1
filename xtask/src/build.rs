//! `cargo xtask build`.

use crate::sizes::Totals;
use crate::wasm::{AUTHORITY, Built, GATEWAY, HILO, HUB, MAIN, Module, WHOLE, WORKERS};
use crate::{dist, features, node_entries, pages, plural, protocol, repo, setup, sizes, smoke, version, wasm};
use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::fs;

/// The command line.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Leave out wasm-opt, minification and the size gate (for development)
    #[arg(long)]
    pub(crate) fast: bool,
    /// Also print what each feature of the main module adds
    #[arg(long)]
    pub(crate) features_table: bool,
}

/// Builds all modules, calls them and prints their sizes. Exceeding a size limit is an error.
pub(crate) fn run(args: &Args) -> Result<()> {
    let total = make(args)?;
    if args.fast { Ok(()) } else { sizes::gate(&total) }
}

/// The same without size limits; returns the sizes of the entries.
pub(crate) fn make(args: &Args) -> Result<Totals> {
    setup::wasm_target()?;
    setup::npm_packages()?;
    protocol::write()?;
    // The longest first: the others are compiled while it is made ready.
    let [worker, hilo_worker] = &WORKERS;
    let [main_whole, hilo_whole] = &WHOLE;
    let modules = [&AUTHORITY, &GATEWAY, &HUB, &MAIN, main_whole, &HILO, hilo_whole, worker, hilo_worker];
    let [authority, gateway, hub, main, main_whole, hilo, hilo_whole, workers @ ..] = wasm::build(modules, args.fast)?;
    wasm::share_glue(&main, &main_whole)?;
    wasm::share_glue(&hilo, &hilo_whole)?;
    // Whoever needs a copy in a script may name any source.
    inline(&main_whole, "pkg/gen/inline.js")?;
    inline(&hilo_whole, "pkg/gen/inline_hilo.js")?;
    plural::bundle()?;
    pages::copy()?;
    version::write()?;
    if args.fast {
        dist::build_fast();
    } else {
        dist::build()?;
    }
    node_entries::bundle()?;
    let whole = [
        Built { wasm: main_whole.wasm, glue: main.glue.clone() },
        Built { wasm: hilo_whole.wasm, glue: hilo.glue.clone() },
    ];
    let others: [(&Module, &Built); 5] =
        [(&MAIN, &main), (&HILO, &hilo), (&GATEWAY, &gateway), (&HUB, &hub), (&AUTHORITY, &authority)];
    for (module, built) in others.into_iter().chain(WHOLE.iter().zip(&whole)).chain(WORKERS.iter().zip(&workers)) {
        smoke::run(module, built)?;
    }
    let total = sizes::print(&main, &hilo, &workers, [&gateway, &hub, &authority])?;
    if args.features_table {
        features::print([&workers[1], &hilo, &main])?;
    }
    Ok(total)
}

/// Writes the module inlined in a script, for pages whose server or bundler loses the .wasm file.
fn inline(built: &Built, file: &str) -> Result<()> {
    let wasm = fs::read(&built.wasm).with_context(|| built.wasm.display().to_string())?;
    let text = format!("export default \"{}\";\n", BASE64_STANDARD.encode(wasm));
    let types = file.replace(".js", ".d.ts");
    fs::write(repo::path(&types), "/** The module in base64. */\ndeclare const text: string;\nexport default text;\n")
        .context(types)?;
    fs::write(repo::path(file), text).context(file.to_owned())
}
