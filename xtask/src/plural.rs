//! Bundles npm `pluralize` into one file: the rules for naming collections after classes, the same that npm `ravendb`
//! uses.

use crate::{process, repo, setup};
use anyhow::{Context, Result};
use std::fs;

/// Writes `pkg/gen/plural.js`, which the package loads when it first names a collection after a class.
pub(crate) fn bundle() -> Result<()> {
    let mut command = setup::node();
    command.arg("xtask/js/plural.mjs").arg(repo::path("pkg/gen/plural.js"));
    process::run_quietly(&mut command)?;
    fs::write(repo::path("pkg/gen/plural.d.ts"), "export default function plural(word: string): string;\n")
        .context("pkg/gen/plural.d.ts")
}
