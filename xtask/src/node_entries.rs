//! Bundles Node's entries into a few files, which they share: reading some sixty files one after the other would take most of
//! the start. There is a set of files for `import`, and one for `require` (test runners, and scripts that cannot import).

use crate::{process, repo, setup};
use anyhow::{Context, Result};
use std::fs;

/// Node's entries, and their names in `pkg/gen`.
pub(crate) const ENTRIES: [(&str, &str); 3] = [("node", "node"), ("session/node", "session"), ("hilo/node", "hilo")];

/// The names of their types in both places.
const TYPES: [(&str, &str); 3] = [("index", "node"), ("session", "session"), ("hilo", "hilo")];

/// Writes both files of each entry.
pub(crate) fn bundle() -> Result<()> {
    importable()?;
    requirable()?;
    for (types, name) in TYPES {
        copy_types(types, name)?;
    }
    Ok(())
}

/// The modules that a caller of `import` loads on demand or shares with other platforms.
const IMPORTED: [&str; 2] = ["inline", "plural"];
/// The same for `require`, which cannot load modules. The copy of the module stays apart nevertheless: only a bundler that left the
/// `.wasm` file behind needs it, and bundlers can import.
const REQUIRED: [&str; 1] = ["inline"];

/// Names stay, for stack traces. Short lines, because Node prints the line of an uncaught exception; see `whole_texts`.
const WITHOUT_BLANKS: [&str; 2] = ["--minify-whitespace", "--line-limit=120"];

/// Prefix of the files that entries share.
const SHARED: &str = "node-";

/// Bundles all entries as modules; what several of them need is in files of its own. Returns names and texts, shared files first.
fn bundled(apart: &[&str]) -> Result<Vec<(String, String)>> {
    let folder = process::temporary_folder(&repo::target().join("xtask"))?;
    let mut command = setup::npm_bin("esbuild");
    // From the sources' own output: what tests run unbundled is what is bundled.
    command
        .args(ENTRIES.map(|(entry, name)| format!("{name}={}/{entry}.js", repo::path("pkg/dist/entries").display())));
    command.args(["--bundle", "--splitting", "--format=esm", "--minify-syntax", "--platform=node", "--target=node20"]);
    command.args(WITHOUT_BLANKS);
    command.arg(format!("--chunk-names={SHARED}[hash]")).arg("--log-level=error");
    command.arg(format!("--outdir={}", folder.path().display()));
    command.args(apart.iter().map(|name| format!("--external:*/gen/{name}.js")));
    process::run_quietly(&mut command)?;
    let mut files = Vec::new();
    for file in fs::read_dir(folder.path())? {
        let path = file?.path();
        let name = path.file_stem().context("a bundle's name")?.to_string_lossy().into_owned();
        // The URLs were relative to the entry or to a file that it imports.
        let text = ["../../../gen/", "../../gen/"]
            .into_iter()
            .fold(whole_texts(&fs::read_to_string(&path)?), |text, folder| {
                text.replace(&format!("\"{folder}"), "\"./")
            });
        files.push((name, text));
    }
    files.sort_by_key(|(name, _)| (!name.starts_with(SHARED), name.clone()));
    Ok(files)
}

/// Joins texts that a limit of lines has split: tools look for the names of files.
fn whole_texts(code: &str) -> String {
    code.replace("\\\n", "")
}

/// Writes files with the same ending.
fn publish(files: &[(String, String)], ending: &str) -> Result<()> {
    for (name, text) in files {
        let to = repo::path(&format!("pkg/gen/{name}{ending}"));
        fs::write(&to, text).with_context(|| to.display().to_string())?;
    }
    Ok(())
}

/// For `import`.
fn importable() -> Result<()> {
    publish(&bundled(&IMPORTED)?, ".js")
}

/// For `require`.
fn requirable() -> Result<()> {
    let folder = process::temporary_folder(&repo::target().join("xtask"))?;
    let mut files = bundled(&REQUIRED)?;
    for (name, text) in &mut files {
        let from = folder.path().join(format!("{name}.js"));
        fs::write(&from, &*text).with_context(|| from.display().to_string())?;
        let mut command = setup::npm_bin("esbuild");
        command.arg(&from).args(["--format=cjs", "--platform=node", "--target=node20", "--log-level=error"]);
        command.args(WITHOUT_BLANKS);
        // Locates files relative to this one.
        command.arg("--banner:js=const address = require('node:url').pathToFileURL(__filename).href;");
        command.arg("--define:import.meta.url=address");
        *text = whole_texts(&process::run_quietly(&mut command)?);
    }
    let names: Vec<_> = files.iter().map(|(name, _)| name.clone()).filter(|name| name.starts_with(SHARED)).collect();
    for (_, text) in &mut files {
        // `attw` finds the exports only at the beginning of a line.
        *text = text.replace(";__export(", ";\n__export(");
        for name in &names {
            *text = text.replace(&format!("require(\"./{name}.js\")"), &format!("require(\"./{name}.cjs\")"));
        }
    }
    publish(&files, ".cjs")
}

/// Copies the types of an entry: TypeScript tells the kind of a module by its file name. What it imports from `pkg/dts` suits both kinds.
fn copy_types(types: &str, name: &str) -> Result<()> {
    let from = repo::path(&format!("pkg/{types}.d.ts"));
    let text = fs::read_to_string(&from).with_context(|| from.display().to_string())?;
    let text = text.replace("\"./dts/", "\"../dts/").replace("\"./index.js\"", "\"./node.cjs\"");
    let to = repo::path(&format!("pkg/gen/{name}.d.cts"));
    fs::write(&to, text).with_context(|| to.display().to_string())
}
