//! `cargo xtask release --dry-run`: the package as it would be published, out of a clean checkout, built twice.

mod checkout;
mod pack;

use crate::{process, repo, say, sizes, version};
use anyhow::{Context, Result, bail};
use checkout::Checkout;
use pack::Packed;
use std::fs;

/// What the command line asks for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Publish nothing. There is no other way: who publishes does it by hand, with the file that this names
    #[arg(long)]
    dry_run: bool,
    /// Leave out lint and tests
    #[arg(long)]
    no_tests: bool,
}

/// Two checkouts in folders of their own give the same bytes, the first one passes lint and tests, its package is kept.
pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.dry_run {
        bail!("nothing here publishes: say --dry-run, and publish the file that it names by hand");
    }
    let commit = clean_commit()?;
    let home = process::temporary_folder(&std::env::temp_dir())?;
    let [first, second] = ["first", "second"].map(|name| home.path().join(name));
    let first = Checkout::of(&commit, &first)?;
    first.xtask(&["build"])?;
    let packed = pack::make(&first)?;
    let second = Checkout::of(&commit, &second)?;
    second.xtask(&["build"])?;
    pack::compare(&packed, &pack::make(&second)?)?;
    say::note("both builds give the same bytes");
    let file = keep(&packed)?;
    if !args.no_tests {
        first.xtask(&["lint"])?;
        first.xtask(&["test"])?;
    }
    print(&packed)?;
    println!("\n{file}\nnothing was published");
    Ok(())
}

/// The commit of this checkout, which has nothing in it that is in no commit.
fn clean_commit() -> Result<String> {
    let changes = version::git(&["status", "--porcelain"]).context("this is no checkout of git: nothing to release")?;
    if let Some(first) = changes.lines().next() {
        bail!("`{}` is in no commit: commit it, or clean up, before a release", first.trim());
    }
    version::git(&["rev-parse", "HEAD"]).context("there is no commit yet")
}

/// Puts the package where it outlives the temporary folder; says where.
fn keep(packed: &Packed) -> Result<String> {
    let folder = repo::target().join("package");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let file = folder.join(&packed.file_name);
    fs::write(&file, &packed.tarball).with_context(|| file.display().to_string())?;
    Ok(file.display().to_string())
}

fn print(packed: &Packed) -> Result<()> {
    let unpacked: usize = packed.files.values().map(Vec::len).sum();
    let mut rows = vec![
        vec!["name".to_owned(), packed.name.clone()],
        vec!["version".to_owned(), packed.version.clone()],
        vec!["build".to_owned(), packed.build()?],
        vec!["files".to_owned(), packed.files.len().to_string()],
        vec!["bytes, packed".to_owned(), sizes::thousands(packed.tarball.len())],
        vec!["bytes, unpacked".to_owned(), sizes::thousands(unpacked)],
        vec!["npm's integrity".to_owned(), packed.integrity.clone()],
        vec![format!("sha256 of {}", packed.file_name), pack::sha256(&packed.tarball)],
    ];
    let modules = packed.files.iter().filter(|(name, _)| name.ends_with(".wasm"));
    rows.extend(modules.map(|(name, bytes)| vec![format!("sha256 of {name}"), pack::sha256(bytes)]));
    say::table(&["release", ""], &rows);
    Ok(())
}
