//! Bundles each of Node's entries into one file: reading some sixty files one after the other would take most of its
//! start. One file is for `import`, one for `require` (test runners, and scripts that cannot import).

use crate::{process, repo, setup};
use anyhow::{Context, Result};
use std::fs;
use std::process::Command;

/// Node's entries, and their names in `pkg/gen`.
pub(crate) const ENTRIES: [(&str, &str); 3] = [("node", "node"), ("session/node", "session"), ("hilo/node", "hilo")];

/// The names of their types in both places.
const TYPES: [(&str, &str); 3] = [("index", "node"), ("session", "session"), ("hilo", "hilo")];

/// Writes both files of each entry.
pub(crate) fn bundle() -> Result<()> {
    for (entry, name) in ENTRIES {
        importable(entry, name)?;
        requirable(entry, name)?;
    }
    for (types, name) in TYPES {
        copy_types(types, name)?;
    }
    emitted_types()
}

fn bundler(entry: &str, format: &str) -> Command {
    let mut command = setup::npm_bin("esbuild");
    // From the sources' own output: what tests run unbundled is what is bundled.
    command.arg(repo::path(&format!("pkg/dist/entries/{entry}.js"))).arg(format!("--format={format}"));
    command.args(["--bundle", "--minify-syntax", "--platform=node", "--target=node20", "--log-level=error"]);
    command
}

/// For `import`. Modules that are loaded on demand stay separate files.
fn importable(entry: &str, name: &str) -> Result<()> {
    let mut command = bundler(entry, "esm");
    for apart in ["inline", "inline_hilo", "plural"] {
        command.arg(format!("--external:*/gen/{apart}.js"));
    }
    let text = process::run_quietly(&mut command)?;
    // The URLs were relative to the entry or to a file that it imports.
    let text = ["../../../gen/", "../../gen/"]
        .into_iter()
        .fold(text, |text, folder| text.replace(&format!("\"{folder}"), "\"./"));
    let to = repo::path(&format!("pkg/gen/{name}.js"));
    fs::write(&to, text).with_context(|| to.display().to_string())
}

/// For `require`, including all imported modules: a caller that cannot import one module cannot import the others.
fn requirable(entry: &str, name: &str) -> Result<()> {
    let mut command = bundler(entry, "cjs");
    // Locates files relative to the entry.
    let address =
        "const address = require('node:url').pathToFileURL(__dirname + '/../dist/entries/runtimes/node.js').href;";
    command.arg(format!("--banner:js={address}")).arg("--define:import.meta.url=address");
    command.arg(format!("--outfile={}", repo::path(&format!("pkg/gen/{name}.cjs")).display()));
    process::run_quietly(&mut command).map(drop)
}

/// The declarations that were emitted to `pkg/dts`, by the same paths in `pkg/gen/dts`.
fn emitted_types() -> Result<()> {
    let (from, to) = (repo::path("pkg/dts"), repo::path("pkg/gen/dts"));
    if to.exists() {
        fs::remove_dir_all(&to).context("pkg/gen/dts")?;
    }
    for file in repo::files("pkg/dts", ".d.ts")? {
        let inside = file.strip_prefix(&from)?.to_string_lossy().into_owned();
        let name = format!("dts/{}", inside.trim_end_matches(".d.ts"));
        fs::create_dir_all(to.join(&inside).parent().context("pkg/gen/dts")?)?;
        copy_types(&name, &name)?;
    }
    Ok(())
}

/// Copies the types: TypeScript tells the kind of a module by its file name.
fn copy_types(types: &str, name: &str) -> Result<()> {
    let from = repo::path(&format!("pkg/{types}.d.ts"));
    let text = fs::read_to_string(&from).with_context(|| from.display().to_string())?;
    let text = text.replace(".js\";", ".cjs\";").replace("\"./index.cjs\"", "\"./node.cjs\"");
    let to = repo::path(&format!("pkg/gen/{name}.d.cts"));
    fs::write(&to, text).with_context(|| to.display().to_string())
}
