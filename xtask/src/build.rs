//! `cargo xtask build`.

use crate::entry_bytes::Totals;
use crate::wasm::{AUTHORITY, Built, CHANGES, GATEWAY, GATEWAY_LIVE, HILO, HUB, MAIN, Module, QUEUE, WORKERS};
use crate::{dist, entry_bytes, features, pages, plural, protocol, repo, setup, smoke, version, wasm};
use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

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
    if args.fast { Ok(()) } else { entry_bytes::gate(&total) }
}

/// Builds, calls and prints all modules without size limits; returns the sizes of the entries.
pub(crate) fn make(args: &Args) -> Result<Totals> {
    setup::wasm_target()?;
    setup::npm_packages()?;
    let begun = SystemTime::now();
    protocol::write()?;
    // The longest first: the others are compiled while it is made ready.
    let [worker, hilo_worker] = &WORKERS;
    let modules = [&AUTHORITY, &GATEWAY, &GATEWAY_LIVE, &HUB, &CHANGES, &MAIN, &HILO, &QUEUE, worker, hilo_worker];
    let [authority, gateway, gateway_live, hub, changes, main, hilo, queue, workers @ ..] =
        wasm::build(modules, args.fast)?;
    inline(&main, "pkg/gen/inline.js")?;
    inline(&queue, "pkg/gen/inline_queue.js")?;
    plural::bundle()?;
    pages::copy()?;
    version::write()?;
    if args.fast {
        dist::build_fast();
    } else {
        dist::build()?;
    }
    remove_older(&repo::path("pkg/gen"), begun)?;
    let pages: [(&Module, &Built); 3] = [(&MAIN, &main), (&HILO, &hilo), (&QUEUE, &queue)];
    let edge = [
        (&GATEWAY, &gateway),
        (&GATEWAY_LIVE, &gateway_live),
        (&HUB, &hub),
        (&CHANGES, &changes),
        (&AUTHORITY, &authority),
    ];
    for (module, built) in pages.into_iter().chain(edge).chain(WORKERS.iter().zip(&workers)) {
        smoke::run(module, built)?;
    }
    let total = entry_bytes::print(&main, &hilo, &workers, [&gateway, &gateway_live, &hub, &changes, &authority])?;
    if args.features_table {
        features::print([&workers[1], &hilo, &main])?;
    }
    Ok(total)
}

/// Removes what earlier builds wrote and this one did not: it would be packed.
fn remove_older(folder: &Path, begun: SystemTime) -> Result<()> {
    // The clock of files may be some milliseconds behind.
    let begun = begun - Duration::from_secs(1);
    for file in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let file = file?;
        let path = file.path();
        if file.metadata()?.modified()? < begun {
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }
                .with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

/// Unpacks the copy of the module: in that script, because nothing else needs it.
const UNPACK: &str = "const packed = new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]);
export default () => new Response(packed.stream().pipeThrough(new DecompressionStream(\"gzip\"))).arrayBuffer();
";

/// Writes the module inlined in a script, for pages whose server or bundler loses the .wasm file. It has all sources, as a store may
/// name any, and serves the entry with ids alone, too.
fn inline(built: &Built, file: &str) -> Result<()> {
    let wasm = fs::read(&built.wasm).with_context(|| built.wasm.display().to_string())?;
    let text = format!("const text = \"{}\";\n{UNPACK}", BASE64_STANDARD.encode(entry_bytes::gzipped(&wasm)?));
    let types =
        "/** The bytes of the module. */\ndeclare const bytes: () => Promise<ArrayBuffer>;\nexport default bytes;\n";
    let declared = file.replace(".js", ".d.ts");
    fs::write(repo::path(&declared), types).context(declared)?;
    fs::write(repo::path(file), text).context(file.to_owned())
}
