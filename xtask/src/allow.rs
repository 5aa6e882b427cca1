//! The crates that may be part of the main module. Any other crate would add bytes that nobody decided on.

use crate::wasm::MAIN;
use crate::{cargo, process, setup};
use anyhow::{Result, bail};

/// The project's own crates, and its chosen dependencies.
const CHOSEN: &[&str] = &[
    "raven-edge",
    "raven-edge-json",
    "raven-edge-wasm",
    "wasm-bindgen",
    // The allocator: 2.6 KB less than the standard one.
    "rlsf",
];
/// Dependencies of the chosen crates; most of them run at compile time and never reach the module.
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

/// Fails if the main module depends on a crate that is not listed.
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
