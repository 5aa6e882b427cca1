//! Proves that an optimised module still works: loads it in Node and calls it.

use crate::wasm::{Built, Module};
use crate::{process, repo, say, setup};
use anyhow::{Context, Result};

/// Loads the module with its glue in Node and calls it.
pub(crate) fn run(module: &Module, built: &Built) -> Result<()> {
    let mut command = setup::node();
    command.arg(repo::path("xtask/js/smoke.mjs")).arg(&built.glue).arg(&built.wasm);
    let output = process::run_quietly(&mut command).with_context(|| format!("{} does not run in Node", module.stem))?;
    say::note(&format!("{} in Node: {}", module.stem, output.trim()));
    Ok(())
}
