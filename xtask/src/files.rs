//! Which files of the package are how much of an entry's script.

use crate::entry_bytes::{self, thousands};
use crate::{repo, say};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;

/// Prints the minified bytes of each file that a page downloads until its first save, largest first.
pub(crate) fn print() -> Result<()> {
    let inputs = repo::path("target/inputs.json");
    // esbuild writes no metafile beside its output on stdout.
    let bundle = format!("--outfile={}", repo::path("target/bundle.js").display());
    entry_bytes::bundle_page(&[&format!("--metafile={}", inputs.display()), &bundle])?;
    let text = fs::read_to_string(&inputs).with_context(|| inputs.display().to_string())?;
    let metafile: Value = serde_json::from_str(&text).context("esbuild's metafile")?;
    let outputs =
        metafile["outputs"].as_object().and_then(|outputs| outputs.values().next()).context("esbuild: no output")?;
    let inputs = outputs["inputs"].as_object().context("esbuild: no inputs")?;
    let bytes = |input: &Value| input["bytesInOutput"].as_u64().unwrap_or_default();
    let mut files: Vec<_> = inputs.iter().map(|(name, input)| (bytes(input), name.replace("pkg/dist/", ""))).collect();
    files.sort_unstable_by(|one, other| other.cmp(one));
    let total: u64 = files.iter().map(|(bytes, _)| bytes).sum();
    let row = |(bytes, name): &(u64, String)| {
        let share = *bytes as f64 * 100.0 / total as f64;
        vec![name.clone(), thousands(*bytes as usize), format!("{share:.1} %")]
    };
    let rows: Vec<_> = files.iter().map(row).collect();
    say::table(&["raven-edge: glue and façade by file", "minified", ""], &rows);
    Ok(())
}
