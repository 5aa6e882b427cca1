//! Bundles npm `pluralize` into one file: the rules for naming collections after classes, the same that npm `ravendb`
//! uses.

use crate::{process, repo, setup};
use anyhow::{Context, Result};
use std::fs;

/// Writes `pkg/gen/plural.js`, which the package loads when it first names a collection after a class.
pub(crate) fn bundle() -> Result<()> {
    let entry = repo::path("target/plural.js");
    fs::create_dir_all(repo::path("target")).context("target")?;
    let module = serde_json::to_string(&repo::path("node_modules/pluralize/pluralize.js"))?;
    fs::write(&entry, format!("import {{ plural }} from {module};\nexport default plural;\n"))
        .with_context(|| entry.display().to_string())?;
    let mut command = setup::bundler(&entry);
    command
        .args(["--minify", "--legal-comments=inline"])
        .arg(format!("--outfile={}", repo::path("pkg/gen/plural.js").display()));
    process::run_quietly(&mut command)?;
    fs::write(repo::path("pkg/gen/plural.d.ts"), "export default function plural(word: string): string;\n")
        .context("pkg/gen/plural.d.ts")
}
