//! The entries of Node as one file each: Node reads files one after the other, and some sixty of them take most of its start.
//! Once for `import`, and once for `require`: test runners and scripts that cannot import.

use crate::{process, repo, setup};
use anyhow::{Context, Result};
use std::fs;
use std::process::Command;

/// An entry of Node, and its name in `pkg/gen`.
const ENTRIES: [(&str, &str); 3] = [("node.js", "node"), ("session/node.js", "session"), ("hilo/node.js", "hilo")];

/// Their types, by their names in both places.
const TYPES: [(&str, &str); 3] = [("index", "node"), ("session", "session"), ("hilo", "hilo")];

/// Writes each entry twice.
pub(crate) fn bundle() -> Result<()> {
    for (entry, name) in ENTRIES {
        importable(entry, name)?;
        requirable(entry, name)?;
    }
    for (types, name) in TYPES {
        copy_types(types, name)?;
    }
    fs::create_dir_all(repo::path("pkg/gen/types"))?;
    for part in fs::read_dir(repo::path("pkg/types"))? {
        let part = part?.file_name().into_string().unwrap_or_default();
        let name = format!("types/{}", part.trim_end_matches(".d.ts"));
        copy_types(&name, &name)?;
    }
    Ok(())
}

fn bundler(entry: &str, format: &str) -> Command {
    let mut command = setup::npm_bin("esbuild");
    command.arg(repo::path("pkg").join(entry)).arg(format!("--format={format}"));
    command.args(["--bundle", "--minify-syntax", "--platform=node", "--target=node20", "--log-level=error"]);
    command
}

/// For `import`. What is fetched only when it is needed stays beside it.
fn importable(entry: &str, name: &str) -> Result<()> {
    let mut command = bundler(entry, "esm");
    for apart in ["inline", "inline_session", "inline_hilo", "plural"] {
        command.arg(format!("--external:*/gen/{apart}.js"));
    }
    let text = process::run_quietly(&mut command)?;
    // Addresses were relative to the entry, or to a file that it imports.
    let text = ["../../gen/", "../gen/", "./gen/"]
        .into_iter()
        .fold(text, |text, folder| text.replace(&format!("\"{folder}"), "\"./"));
    let to = repo::path(&format!("pkg/gen/{name}.js"));
    fs::write(&to, text).with_context(|| to.display().to_string())
}

/// For `require`, all that it imports included: who cannot import one module cannot import the others.
fn requirable(entry: &str, name: &str) -> Result<()> {
    let mut command = bundler(entry, "cjs");
    // Files are found from the place of the entry.
    let address = format!("const address = require('node:url').pathToFileURL(__dirname + '/../{entry}').href;");
    command.arg(format!("--banner:js={address}")).arg("--define:import.meta.url=address");
    command.arg(format!("--outfile={}", repo::path(&format!("pkg/gen/{name}.cjs")).display()));
    process::run_quietly(&mut command).map(drop)
}

/// The types once more: TypeScript tells by a file's name of which kind a module is.
fn copy_types(types: &str, name: &str) -> Result<()> {
    let from = repo::path(&format!("pkg/{types}.d.ts"));
    let text = fs::read_to_string(&from).with_context(|| from.display().to_string())?;
    let text = text.replace(".js\";", ".cjs\";").replace("\"./index.cjs\"", "\"./node.cjs\"");
    let to = repo::path(&format!("pkg/gen/{name}.d.cts"));
    fs::write(&to, text).with_context(|| to.display().to_string())
}
