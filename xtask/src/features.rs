//! What each feature of the main module costs.

use crate::sizes::{Size, thousands};
use crate::wasm::MAIN;
use crate::{cargo, process, repo, say};
use anyhow::{Context, Result};
use serde_json::Value;

/// Builds the module without features, then adds its default features one by one, and prints the differences.
pub(crate) fn print() -> Result<()> {
    let mut flags = vec!["--no-default-features".to_owned()];
    let mut rows = Vec::new();
    let mut before = Size::default();
    let folder = repo::target().join("xtask/features");
    for feature in std::iter::once(None).chain(default_features()?.into_iter().map(Some)) {
        if let Some(feature) = &feature {
            flags.push(format!("--features={feature}"));
        }
        let built = MAIN.build_with(&flags, &folder, false)?;
        let size = Size::of_file(&built.wasm)?.plus(Size::of_file(&built.glue)?);
        let name = feature.map_or_else(|| "ids".to_owned(), |feature| format!("+ {feature}"));
        let added = |now: usize, then: usize| format!("{:+}", now as i64 - then as i64);
        let (gzip, brotli) = (added(size.gzip, before.gzip), added(size.brotli, before.brotli));
        rows.push(vec![name, thousands(size.raw), thousands(size.gzip), gzip, thousands(size.brotli), brotli]);
        before = size;
    }
    say::table(&["wasm + glue by feature", "raw", "gzip -9", "adds", "brotli 11", "adds"], &rows);
    Ok(())
}

/// The main module's default features, as cargo reads them.
fn default_features() -> Result<Vec<String>> {
    let mut command = cargo::cargo();
    let text = process::run_quietly(command.args(["metadata", "--no-deps", "--format-version=1"]))?;
    let metadata: Value = serde_json::from_str(&text).context("cargo metadata")?;
    let packages = metadata["packages"].as_array().context("cargo metadata")?;
    let main = packages.iter().find(|package| package["name"] == MAIN.package).context(MAIN.package)?;
    let names = main["features"]["default"].as_array().into_iter().flatten();
    Ok(names.filter_map(Value::as_str).map(str::to_owned).collect())
}
