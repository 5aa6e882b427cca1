//! The JavaScript that wasm-bindgen writes: the gate around every entry, and one file out of many.

use crate::{process, setup, trim::trim};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Where the hand-written gate is, seen from the generated glue.
const GATE: &str = "../gate.js";

/// The two places where the glue of wasm-bindgen 0.2.130 takes over an instance: the first, and the one
/// of its reset function.
const TAKEN: [&str; 2] = ["wasm = instance.exports;", "wasm = wasmInstance.exports;"];

/// How the glue of wasm-bindgen 0.2.130 tells a compiled module from bytes, and how that is true of one that another realm
/// compiled, too: edge runtimes run an app in a realm of its own.
const COMPILED: [&str; 2] =
    ["!(module instanceof WebAssembly.Module)", "String(module) !== '[object WebAssembly.Module]'"];

/// What the façade calls of a module; `raven-edge/hilo` has neither queries nor streams.
const CALLED: [&str; 5] =
    ["class Store", "class Splitter", "function renderQuery", "function initSync", "function __wbg_reset_state"];

/// Makes the glue see the module only through the gate, in the file, and cuts what the gate makes needless.
pub(crate) fn add_gate(file: &Path) -> Result<()> {
    let glue = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let text = trim(&gated(&glue)?)?;
    fs::write(file, format!("{text}\n{}\n", called(&text))).with_context(|| file.display().to_string())
}

/// What the façade calls, as one object: bundlers make a larger one of `import *`, with a getter for each name.
fn called(glue: &str) -> String {
    let there = CALLED.into_iter().filter(|declared| glue.contains(declared));
    let names: Vec<_> = there.filter_map(|declared| Some(declared.split_once(' ')?.1)).collect();
    format!("export const glue = {{ isAlive, onDeath, {} }};", names.join(", "))
}

/// The glue with every assignment of the module's exports led through the `guard` of a gate of its own.
fn gated(glue: &str) -> Result<String> {
    let mut text = glue.to_owned();
    for taken in TAKEN {
        if glue.matches(taken).count() != 1 {
            bail!("the generated glue should have `{taken}` once: look how this wasm-bindgen takes over its instance");
        }
        let (left, exports) = taken.trim_end_matches(';').split_once(" = ").unwrap_or_default();
        text = text.replace(taken, &format!("{left} = guard({exports});"));
    }
    let assigned = glue.matches(" wasm = ").count();
    if assigned != TAKEN.len() {
        bail!("the generated glue assigns `wasm` {assigned} times, not {}: each must pass the gate", TAKEN.len());
    }
    let [here, anywhere] = COMPILED;
    if !text.contains(here) {
        bail!("the generated glue has no `{here}`: look how this wasm-bindgen knows a compiled module");
    }
    text = text.replace(here, anywhere);
    let gate = "const { guard, isAlive, onDeath } = gate();\nexport { onDeath };";
    Ok(format!("import {{ gate }} from \"{GATE}\";\n{gate}\n{text}"))
}

/// Bundles the glue and its snippets into one file, without the default export: nobody here loads the module that way,
/// and it weighs half a kilobyte. The gate stays an import.
pub(crate) fn bundle(from: &Path, to: &Path, minify: bool) -> Result<()> {
    let name = from.file_name().context("the glue's name")?.to_string_lossy().into_owned();
    let entry = from.with_file_name("entry.js");
    fs::write(&entry, format!("export * from \"./{name}\";\n")).with_context(|| entry.display().to_string())?;
    let mut command = setup::bundler(&entry);
    command.arg(format!("--external:{GATE}")).arg(format!("--outfile={}", to.display()));
    if minify {
        command.arg("--minify");
    }
    process::run_quietly(&mut command).map(drop)
}

#[cfg(test)]
mod tests {
    use super::{called, gated};

    const GLUE: &str = "
    let wasmModule, wasmInstance, wasm;
    if (!(module instanceof WebAssembly.Module)) { module = new WebAssembly.Module(module); }
    function __wbg_finalize_init(instance, module) {
        wasmInstance = instance;
        wasm = instance.exports;
    }
    function __wbg_reset_state() {
        wasmInstance = new WebAssembly.Instance(wasmModule, __wbg_get_imports());
        wasm = wasmInstance.exports;
    }";

    #[test]
    fn both_instances_pass_the_gate() {
        let text = gated(GLUE).unwrap();
        assert!(text.starts_with("import { gate } from \"../gate.js\";\n"));
        assert!(text.contains("wasm = guard(instance.exports);"));
        assert!(text.contains("wasm = guard(wasmInstance.exports);"));
        assert!(!text.contains("= instance.exports"));
        assert!(!text.contains("instanceof"), "a realm is no part of a module");
    }

    #[test]
    fn what_is_called_is_one_object() {
        let glue = "export class Store {\n}\nexport class Task {\n}\nfunction initSync(module) {\n}";
        assert_eq!(called(glue), "export const glue = { isAlive, onDeath, Store, initSync };");
    }

    #[test]
    fn glue_of_another_shape_is_refused() {
        assert!(gated("wasm = instance.exports;").is_err());
        assert!(gated(&format!("{GLUE} wasm = other.exports;")).is_err());
        assert!(gated(&format!("{GLUE} wasm = instance.exports;")).is_err());
    }
}
