//! `cargo xtask site`: the pages, both references and the demo as one static site.

use crate::{api, build, process, repo, say, setup};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The command line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out wasm-opt and minification
    #[arg(long)]
    fast: bool,
    /// Use the package as it is built
    #[arg(long)]
    no_build: bool,
}

/// The crates whose reference the site has.
const CRATES: [&str; 3] = ["raven-edge", "raven-edge-client", "raven-edge-authority"];

/// Builds the package, then the site, and checks each link of it.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.no_build {
        setup::npm_packages()?;
    } else {
        build::run(&build::Args { fast: args.fast, ..build::Args::default() })?;
    }
    // The generator, which nothing else needs.
    setup::npm_ci(&repo::path("site"))?;
    let site = repo::target().join("site/www");
    say::step("pages and demo");
    process::run_quietly(setup::node().arg("site/build.mjs"))?;
    say::step("the package's reference");
    api::package()?;
    copy(&repo::target().join("api"), &site.join("api"))?;
    say::step("the crates' reference");
    crates(&site.join("rust"))?;
    say::step("links");
    process::run(setup::node().arg("site/check.mjs"))?;
    say::note(&format!("the site: {}", site.display()));
    say::note("serve it with the demo's Worker: npx wrangler dev --config site/wrangler.jsonc");
    Ok(())
}

/// Writes the reference of the public crates alone: `target/doc` may have that of others, in its search too.
fn crates(to: &Path) -> Result<()> {
    let doc: PathBuf = repo::target().join("doc");
    if doc.exists() {
        fs::remove_dir_all(&doc).with_context(|| doc.display().to_string())?;
    }
    api::rustdoc(&CRATES.map(|name| ["--package", name]).concat())?;
    copy(&doc, to)
}

/// Copies a folder to where there is none.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let what = || format!("{} to {}", from.display(), to.display());
    fs::create_dir_all(to).with_context(what)?;
    for entry in fs::read_dir(from).with_context(what)? {
        let entry = entry.with_context(what)?;
        let target = to.join(entry.file_name());
        if entry.file_type().with_context(what)?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target).with_context(what)?;
        }
    }
    Ok(())
}
