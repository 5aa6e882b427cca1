//! `cargo xtask release --dry-run`: builds the package as it would be published, twice, from clean checkouts, and verifies the crates.

mod checkout;
mod run_npm_pack;

use crate::checksum::sha256;
use crate::{entry_bytes, process, repo, say, setup, version};
use anyhow::{Context, Result, bail};
use checkout::Checkout;
use run_npm_pack::Packed;
use std::fs;

/// The crates, each after those that it needs.
const CRATES: [&str; 3] = ["raven-edge-json", "raven-edge", "raven-edge-client"];

/// The command line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Publish nothing. This is the only mode: publish the printed file manually
    #[arg(long)]
    dry_run: bool,
    /// Leave out the tests, which include lint
    #[arg(long)]
    no_tests: bool,
}

/// Builds in two checkouts, which must give the same bytes; runs lint and tests in the first one and keeps its
/// package.
pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.dry_run {
        bail!("this command never publishes: use --dry-run, then publish the file that it prints manually");
    }
    let commit = clean_commit()?;
    say::step("dates of measured figures");
    process::run(setup::node().args(["xtask/js/figures.mjs", "--release"]))?;
    let home = process::temporary_folder(&std::env::temp_dir())?;
    let [first, second] = ["first", "second"].map(|name| home.path().join(name));
    let first = Checkout::of(&commit, &first)?;
    first.xtask(&["build"])?;
    let packed = run_npm_pack::make(&first)?;
    let second = Checkout::of(&commit, &second)?;
    second.xtask(&["build"])?;
    run_npm_pack::compare(&packed, &run_npm_pack::make(&second)?)?;
    say::note("both builds give the same bytes");
    // Unpacks each crate, and builds it from what was packed.
    first.cargo(&[&["package", "--locked"][..], &CRATES.map(|name| ["--package", name]).concat()].concat())?;
    let crates = CRATES.map(|name| keep_crate(&first, name)).into_iter().collect::<Result<Vec<_>>>()?;
    let file = keep(&packed)?;
    if !args.no_tests {
        first.xtask(&["test"])?;
    }
    print(&packed)?;
    say::table(&["crate", "sha256"], &crates);
    println!("\n{file}\nnothing was published");
    Ok(())
}

/// The current commit. Uncommitted changes are an error.
fn clean_commit() -> Result<String> {
    let changes =
        version::git(&["status", "--porcelain"]).context("this is not a git checkout: there is nothing to release")?;
    if let Some(first) = changes.lines().next() {
        bail!("`{}` is not committed: commit it or clean up before a release", first.trim());
    }
    version::git(&["rev-parse", "HEAD"]).context("there is no commit yet")
}

/// Moves the package out of the temporary folder; returns its location.
fn keep(packed: &Packed) -> Result<String> {
    let folder = repo::target().join("package");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let file = folder.join(&packed.file_name);
    fs::write(&file, &packed.tarball).with_context(|| file.display().to_string())?;
    Ok(file.display().to_string())
}

/// Copies a packed crate to where the package is; returns its location and checksum.
fn keep_crate(checkout: &Checkout, name: &str) -> Result<Vec<String>> {
    let file = format!("{name}-{}.crate", env!("CARGO_PKG_VERSION"));
    let from = checkout.folder.join("target/package").join(&file);
    let bytes = fs::read(&from).with_context(|| from.display().to_string())?;
    let folder = repo::target().join("package");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let to = folder.join(&file);
    fs::write(&to, &bytes).with_context(|| to.display().to_string())?;
    Ok(vec![to.display().to_string(), sha256(&bytes)])
}

fn print(packed: &Packed) -> Result<()> {
    let unpacked: usize = packed.files.values().map(Vec::len).sum();
    let mut rows = vec![
        vec!["name".to_owned(), packed.name.clone()],
        vec!["version".to_owned(), packed.version.clone()],
        vec!["build".to_owned(), packed.build()?],
        vec!["files".to_owned(), packed.files.len().to_string()],
        vec!["bytes, packed".to_owned(), entry_bytes::thousands(packed.tarball.len())],
        vec!["bytes, unpacked".to_owned(), entry_bytes::thousands(unpacked)],
        vec!["npm's integrity".to_owned(), packed.integrity.clone()],
        vec![format!("sha256 of {}", packed.file_name), sha256(&packed.tarball)],
    ];
    let modules = packed.files.iter().filter(|(name, _)| name.ends_with(".wasm"));
    rows.extend(modules.map(|(name, bytes)| vec![format!("sha256 of {name}"), sha256(bytes)]));
    say::table(&["release", ""], &rows);
    Ok(())
}
