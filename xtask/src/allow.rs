//! Which crates may be in the main module: every other one costs bytes that nobody decided on.

use crate::wasm::MAIN;
use crate::{cargo, process, setup};
use anyhow::{Result, bail};

/// The project's own crates and those that it chose.
const CHOSEN: &[&str] = &[
    "raven-edge",
    "raven-edge-json",
    "raven-edge-wasm",
    "wasm-bindgen",
    // The allocator: 2.6 KB less than the standard one.
    "rlsf",
];
/// What the chosen ones bring along; most of it runs in the compiler and never reaches the module.
const BROUGHT: &[&str] = &[
    "bumpalo",
    "cfg-if",
    "const-default",
    "proc-macro2",
    "quote",
    "rustversion",
    "syn",
    "unicode-ident",
    "wasm-bindgen-macro",
    "wasm-bindgen-macro-support",
    "wasm-bindgen-shared",
];

/// Fails when the main module depends on a crate that is not on the list.
pub(crate) fn check() -> Result<()> {
    let mut command = cargo::cargo();
    command.args(["tree", "--package", MAIN.package, "--target", setup::WASM, "--edges=normal"]);
    let tree = process::run_quietly(command.args(["--prefix=none", "--format={p}"]))?;
    let mut others: Vec<&str> =
        tree.lines().filter_map(|line| line.split(' ').next()).filter(|name| !allowed(name)).collect();
    others.sort_unstable();
    others.dedup();
    if !others.is_empty() {
        bail!("{} depends on {}: not on the list in xtask/src/allow.rs", MAIN.package, others.join(", "));
    }
    Ok(())
}

fn allowed(name: &str) -> bool {
    CHOSEN.contains(&name) || BROUGHT.contains(&name)
}
