//! `cargo xtask api`: the reference of the package (typedoc, out of its types) and of the crates (rustdoc).

use crate::{cargo, process, repo, say, setup};
use anyhow::Result;

/// Writes both, and says where.
pub(crate) fn run() -> Result<()> {
    setup::npm_packages()?;
    package()?;
    crates()?;
    say::note(&format!("the package: {}/index.html", folder()));
    say::note(&format!("the crates: {}/index.html", repo::target().join("doc/raven_edge").display()));
    Ok(())
}

/// The package's, in which a link to nothing or a type that is not exported is an error (`typedoc.json`).
pub(crate) fn package() -> Result<()> {
    process::run_quietly(setup::npm_bin("typedoc").args(["--out", &folder()])).map(drop)
}

/// The crates', warnings being errors.
pub(crate) fn crates() -> Result<()> {
    let mut command = cargo::cargo();
    process::run(command.env("RUSTDOCFLAGS", "--deny=warnings").args([
        "doc",
        "--workspace",
        "--no-deps",
        "--all-features",
    ]))
}

fn folder() -> String {
    repo::target().join("api").display().to_string()
}
