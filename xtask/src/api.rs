//! `cargo xtask api`: the reference of the package (typedoc, from its types) and of the crates (rustdoc).

use crate::{cargo, process, repo, say, setup};
use anyhow::Result;

/// Writes both references and prints their locations.
pub(crate) fn run() -> Result<()> {
    setup::npm_packages()?;
    package()?;
    crates()?;
    say::note(&format!("the package: {}/index.html", folder()));
    say::note(&format!("the crates: {}/index.html", repo::target().join("doc/raven_edge").display()));
    Ok(())
}

/// The reference of the package. Broken links and types that are not exported are errors (`typedoc.json`).
pub(crate) fn package() -> Result<()> {
    process::run_quietly(setup::npm_bin("typedoc").args(["--out", &folder()])).map(drop)
}

/// The reference of the crates.
pub(crate) fn crates() -> Result<()> {
    rustdoc(&["--workspace"])
}

/// The reference of the crates that these flags name. Warnings are errors.
pub(crate) fn rustdoc(packages: &[&str]) -> Result<()> {
    let mut command = cargo::behind_tests();
    command.env("RUSTDOCFLAGS", "--deny=warnings").args(["doc", "--no-deps", "--all-features"]).args(packages);
    process::run_quietly(&mut command).map(drop)
}

fn folder() -> String {
    repo::target().join("api").display().to_string()
}
