//! Bundles Node's entries into a few files: reading some sixty files one after the other would take most of the start. Each entry has a
//! file for `import` and one for `require` (test runners, and scripts that cannot import). Both lead to the same code, which is CommonJS:
//! the package has it once, and so has a program that uses both.

use crate::{process, repo, setup};
use anyhow::{Context, Result};
use std::fs;

/// Node's entries, and their names in `pkg/gen`.
pub(crate) const ENTRIES: [(&str, &str); 3] = [("node", "node"), ("session/node", "session"), ("hilo/node", "hilo")];

/// The names of their types in both places.
const TYPES: [(&str, &str); 3] = [("index", "node"), ("session", "session"), ("hilo", "hilo")];

/// Writes both files of each entry, and what they share.
pub(crate) fn bundle() -> Result<()> {
    let files = bundled()?;
    let (shared, entries): (Vec<_>, Vec<_>) = files.iter().partition(|(name, _)| name.starts_with(SHARED));
    let names: Vec<_> = shared.iter().map(|(name, _)| name.as_str()).collect();
    for (name, text) in entries {
        write(&format!("{name}.js"), &with_shared(text, &names))?;
    }
    for (name, text) in &files {
        write(&format!("{name}.cjs"), &with_shared(&requirable(name, text)?, &names))?;
    }
    for (types, name) in TYPES {
        copy_types(types, name)?;
    }
    Ok(())
}

/// Names stay, for stack traces. Short lines, because Node prints the line of an uncaught exception; see `whole_texts`.
const WITHOUT_BLANKS: [&str; 2] = ["--minify-whitespace", "--line-limit=120"];

/// Prefix of the files that entries share.
const SHARED: &str = "node-";

/// Imports what `raven-edge` alone uses. As a second user of this code it makes the bundler put it into a shared file, so that the
/// package has it once and not in both `node.js` and `node.cjs`. Its own output is dropped.
const SECOND_USER: &str = r#"
export * from "./query-exports.js";
export { PARTS } from "./parts/included.js";
export { StoreBase } from "../store/query-store.js";
export { refuseAbsent } from "../query/absent-methods.js";
export * as streams from "../stream/node-streams.js";
"#;
const SECOND_USER_NAME: &str = "second-user";

/// Bundles all entries as modules; what several of them need is in files of its own. The copy of the WebAssembly module stays apart:
/// only a bundler that left the `.wasm` file behind needs it. Returns names and texts.
fn bundled() -> Result<Vec<(String, String)>> {
    let folder = process::temporary_folder(&repo::target().join("xtask"))?;
    let second_user = repo::path(&format!("pkg/dist/entries/{SECOND_USER_NAME}.js"));
    fs::write(&second_user, SECOND_USER).with_context(|| second_user.display().to_string())?;
    let mut command = setup::npm_bin("esbuild");
    // From the sources' own output: what tests run unbundled is what is bundled.
    command
        .arg(&second_user)
        .args(ENTRIES.map(|(entry, name)| format!("{name}={}/{entry}.js", repo::path("pkg/dist/entries").display())));
    command.args(["--bundle", "--splitting", "--format=esm", "--minify-syntax", "--platform=node", "--target=node20"]);
    command.args(WITHOUT_BLANKS);
    command.arg(format!("--chunk-names={SHARED}[hash]")).arg("--log-level=error");
    command.arg(format!("--outdir={}", folder.path().display()));
    command.arg("--external:*/gen/inline.js");
    let bundled = process::run_quietly(&mut command);
    fs::remove_file(&second_user).with_context(|| second_user.display().to_string())?;
    bundled?;
    let mut files = Vec::new();
    for file in fs::read_dir(folder.path())? {
        let path = file?.path();
        let name = path.file_stem().context("a bundle's name")?.to_string_lossy().into_owned();
        if name == SECOND_USER_NAME {
            continue;
        }
        // The URLs were relative to the entry or to a file that it imports.
        let text = ["../../../gen/", "../../gen/"]
            .into_iter()
            .fold(whole_texts(&fs::read_to_string(&path)?), |text, folder| {
                text.replace(&format!("\"{folder}"), "\"./")
            });
        files.push((name, text));
    }
    Ok(files)
}

/// Joins texts that a limit of lines has split: tools look for the names of files.
fn whole_texts(code: &str) -> String {
    code.replace("\\\n", "")
}

/// Makes a module one for `require`.
fn requirable(name: &str, text: &str) -> Result<String> {
    let folder = process::temporary_folder(&repo::target().join("xtask"))?;
    let from = folder.path().join(format!("{name}.js"));
    fs::write(&from, text).with_context(|| from.display().to_string())?;
    let mut command = setup::npm_bin("esbuild");
    command.arg(&from).args(["--format=cjs", "--platform=node", "--target=node20", "--log-level=error"]);
    command.args(WITHOUT_BLANKS);
    if text.contains("import.meta.url") {
        // Locates files relative to this one.
        command.arg("--banner:js=const address = require('node:url').pathToFileURL(__filename).href;");
        command.arg("--define:import.meta.url=address");
    }
    let text = whole_texts(&process::run_quietly(&mut command)?);
    if name.starts_with(SHARED) {
        return Ok(format!("{BUILTIN}{}", text.replace("require(\"node:", "builtin(\"node:")));
    }
    // `attw` finds the exports only at the beginning of a line.
    Ok(text.replace(";__export(", ";\n__export("))
}

/// How shared code gets Node's own modules: `require` does not exist where esbuild makes one module of an app.
const BUILTIN: &str = "const builtin = process.getBuiltinModule ?? require;\n";

/// Names the shared files as they are called when they are CommonJS.
fn with_shared(text: &str, names: &[&str]) -> String {
    names
        .iter()
        .fold(text.to_owned(), |text, name| text.replace(&format!("\"./{name}.js\""), &format!("\"./{name}.cjs\"")))
}

/// Writes a file of `pkg/gen`.
fn write(name: &str, text: &str) -> Result<()> {
    fs::write(repo::path(&format!("pkg/gen/{name}")), text).with_context(|| name.to_owned())
}

/// Copies the types of an entry: TypeScript tells the kind of a module by its file name. What it imports from `pkg/dts` suits both kinds.
fn copy_types(types: &str, name: &str) -> Result<()> {
    let from = repo::path(&format!("pkg/{types}.d.ts"));
    let text = fs::read_to_string(&from).with_context(|| from.display().to_string())?;
    let text = text.replace("\"./dts/", "\"../dts/").replace("\"./index.js\"", "\"./node.cjs\"");
    let to = repo::path(&format!("pkg/gen/{name}.d.cts"));
    fs::write(&to, text).with_context(|| to.display().to_string())
}
