//! The package for `require`: test runners and scripts that cannot import.

use crate::{process, repo, setup};
use anyhow::{Context, Result};
use std::fs;

/// What can be required: an entry of Node, and its name in `pkg/gen`.
const ENTRIES: [(&str, &str); 3] = [("node.js", "node"), ("session/node.js", "session"), ("hilo/node.js", "hilo")];

/// Their types, and what those import, by their names in both places.
const TYPES: [(&str, &str); 4] = [("index", "node"), ("session", "session"), ("hilo", "hilo"), ("queries", "queries")];

/// Writes each entry as one file, all that it imports included: who cannot import one module cannot import the others.
pub(crate) fn bundle() -> Result<()> {
    for (entry, name) in ENTRIES {
        let mut command = setup::npm_bin("esbuild");
        command.arg(repo::path("pkg").join(entry));
        command.args(["--bundle", "--minify-syntax", "--format=cjs", "--platform=node", "--target=node20"]);
        // Files are found from the place of the entry.
        let address = format!("const address = require('node:url').pathToFileURL(__dirname + '/../{entry}').href;");
        command.arg(format!("--banner:js={address}")).arg("--define:import.meta.url=address");
        command.arg(format!("--outfile={}", repo::path(&format!("pkg/gen/{name}.cjs")).display()));
        process::run_quietly(command.arg("--log-level=error"))?;
    }
    for (types, name) in TYPES {
        copy_types(types, name)?;
    }
    Ok(())
}

/// The types once more: TypeScript tells by a file's name of which kind a module is.
fn copy_types(types: &str, name: &str) -> Result<()> {
    let from = repo::path(&format!("pkg/{types}.d.ts"));
    let mut text = fs::read_to_string(&from).with_context(|| from.display().to_string())?;
    for (module, file) in TYPES {
        text = text.replace(&format!("\"./{module}.js\""), &format!("\"./{file}.cjs\""));
    }
    let to = repo::path(&format!("pkg/gen/{name}.d.cts"));
    fs::write(&to, text).with_context(|| to.display().to_string())
}
