//! Post-processes the JavaScript that wasm-bindgen generates: puts the gate around every entry, and bundles all files
//! into one.

use crate::{process, repo, setup};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The hand-written gate, which becomes part of the glue.
pub(crate) const GATE: &str = "pkg/src/runtime/gate";

/// The two places where the glue of wasm-bindgen 0.2.130 stores the exports of an instance: at first, and in its
/// reset function.
const TAKEN: [&str; 2] = ["wasm = instance.exports;", "wasm = wasmInstance.exports;"];

/// How the glue of wasm-bindgen 0.2.130 distinguishes a compiled module from bytes, and a replacement that also works
/// for a module that was compiled in another realm: edge runtimes run an app in its own realm.
const COMPILED: [&str; 2] =
    ["!(module instanceof WebAssembly.Module)", "String(module) !== '[object WebAssembly.Module]'"];

/// What the façade calls of a module; and the other classes, for tests.
const CALLED: [&str; 11] = [
    "class Store",
    "class Session",
    "class Task",
    "class Queue",
    "class SetRun",
    "function outcome",
    "function evictKept",
    "function showKept",
    "function takeKept",
    "function initSync",
    "function __wbg_reset_state",
];

/// What gives the glue of a module by its name, where one glue serves several.
const OF: &str = "glueOf";

/// Makes the glue in the file use the module only through the gate.
pub(crate) fn add_gate(file: &Path) -> Result<()> {
    let glue = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let text = gated(&glue)?;
    fs::write(file, format!("{text}\n{}\n", called(&text))).with_context(|| file.display().to_string())
}

/// Completes the declarations of wasm-bindgen in the file: adds the object of called functions, removes the default
/// export.
pub(crate) fn declare(file: &Path, gated: bool, shared: bool) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut text = declared(&text, gated);
    if shared {
        text.push_str(&format!("\nexport declare function {OF}(module: string): typeof glue;\n"));
    }
    fs::write(file, text).with_context(|| file.display().to_string())
}

fn declared(types: &str, gated: bool) -> String {
    let text = types.split("export default function").next().unwrap_or(types);
    if !gated {
        return text.to_owned();
    }
    let there = CALLED.into_iter().filter(|called| types.contains(&format!("export {called}")));
    let names = there.filter_map(|called| Some(called.split_once(' ')?.1));
    let members: String = names.map(|name| format!(" {name}: typeof {name};")).collect();
    let gate = "isAlive(): boolean | undefined; onDeath(watcher: (error: unknown) => void): unknown;";
    format!("{text}\nexport declare const glue: {{ {gate}{members} }};\n")
}

/// The functions that the façade calls, as one object: bundlers turn `import *` into a larger one, with a getter for
/// each name.
fn called(glue: &str) -> String {
    let there = CALLED.into_iter().filter(|declared| glue.contains(declared));
    let names: Vec<_> = there.filter_map(|declared| Some(declared.split_once(' ')?.1)).collect();
    format!("export const glue = {{ isAlive, onDeath, {} }};", names.join(", "))
}

/// The glue, with each assignment of the module's exports wrapped in the `guard` of its own gate.
fn gated(glue: &str) -> Result<String> {
    let mut text = glue.to_owned();
    for taken in TAKEN {
        if glue.matches(taken).count() != 1 {
            bail!(
                "the generated glue should have `{taken}` once: find out how this version of wasm-bindgen stores the exports"
            );
        }
        let (left, exports) = taken.trim_end_matches(';').split_once(" = ").unwrap_or_default();
        text = text.replace(taken, &format!("{left} = guard({exports});"));
    }
    let assigned = glue.matches(" wasm = ").count();
    if assigned != TAKEN.len() {
        bail!("the generated glue assigns `wasm` {assigned} times, not {}: each must go through the gate", TAKEN.len());
    }
    let [here, anywhere] = COMPILED;
    if !text.contains(here) {
        bail!(
            "the generated glue has no `{here}`: find out how this version of wasm-bindgen recognises a compiled module"
        );
    }
    text = text.replace(here, anywhere);
    let gate = "const { guard, isAlive, onDeath } = gate();\nexport { onDeath };";
    let module = serde_json::to_string(&repo::path(GATE))?;
    Ok(format!("import {{ gate }} from {module};\n{gate}\n{text}"))
}

/// Bundles the glue, the gate and the snippets into one file, without the default export: it weighs half a kilobyte,
/// and nothing loads the module with it.
pub(crate) fn bundle(from: &Path, to: &Path, shared: bool, minify: bool) -> Result<()> {
    let name = from.file_name().context("the glue's name")?.to_string_lossy().into_owned();
    let entry = from.with_file_name("entry.js");
    let exports = if shared { "{ glue }" } else { "*" };
    fs::write(&entry, format!("export {exports} from \"./{name}\";\n")).with_context(|| entry.display().to_string())?;
    if shared {
        let text = process::run_quietly(&mut setup::bundler(&entry))?;
        fs::write(&entry, repeatable(&text)?).with_context(|| entry.display().to_string())?;
    }
    let mut command = setup::bundler(&entry);
    command.arg(format!("--outfile={}", to.display()));
    if minify {
        command.arg("--minify");
    }
    process::run_quietly(&mut command).map(drop)
}

/// The glue as a function: what wasm-bindgen keeps in variables of the file exists once for each name of a module.
fn repeatable(bundled: &str) -> Result<String> {
    let body = bundled.trim_end().strip_suffix("export {\n  glue\n};");
    let body = body.context("the bundled glue does not end in its export")?;
    Ok(format!(
        "const make = () => {{\n{body}return glue;\n}};\nconst made = {{}};\n\
        export const {OF} = (module) => (made[module] ??= make());\n"
    ))
}

/// Fails unless the glue of another module can do all that a module's own glue can, in the same words.
pub(crate) fn check_borrowed(own: &str, other: &str) -> Result<()> {
    let known: BTreeSet<_> = code(other).collect();
    let missing: Vec<_> = code(own).filter(|line| !known.contains(line)).collect();
    if missing.is_empty() { Ok(()) } else { bail!("it lacks:\n{}", missing.join("\n")) }
}

/// The lines of code that name imports, exports or arguments: not comments, and not the lists of what is exported.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !["//", "/*", "*", "export "].iter().any(|start| line.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::{called, check_borrowed, gated, repeatable};

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
    fn both_instances_go_through_the_gate() {
        let text = gated(GLUE).unwrap();
        assert!(text.starts_with("import { gate } from "));
        assert!(text.contains("wasm = guard(instance.exports);"));
        assert!(text.contains("wasm = guard(wasmInstance.exports);"));
        assert!(!text.contains("= instance.exports"));
        assert!(!text.contains("instanceof"), "a module of another realm must be recognised too");
    }

    #[test]
    fn called_functions_are_one_object() {
        let glue = "export class Store {\n}\nexport class Task {\n}\nfunction initSync(module) {\n}";
        assert_eq!(called(glue), "export const glue = { isAlive, onDeath, Store, Task, initSync };");
    }

    #[test]
    fn glue_for_two_modules_is_a_function() {
        let text = repeatable("var wasm;\nvar glue = {};\nexport {\n  glue\n};\n").unwrap();
        assert!(text.starts_with("const make = () => {\nvar wasm;\nvar glue = {};\nreturn glue;\n};\n"));
        assert!(repeatable("export { glue, other };").is_err());
    }

    #[test]
    fn a_glue_serves_modules_that_use_less_of_it() {
        let other = "wasm.a(value);\nwasm.b();\nexport const glue = { a, b };";
        assert!(check_borrowed("// another module\nwasm.b();\nexport const glue = { b };", other).is_ok());
        assert!(check_borrowed("wasm.a();", other).is_err(), "other arguments");
        assert!(check_borrowed("wasm.c();", other).is_err(), "an export that is not there");
    }

    #[test]
    fn glue_with_another_structure_is_refused() {
        assert!(gated("wasm = instance.exports;").is_err());
        assert!(gated(&format!("{GLUE} wasm = other.exports;")).is_err());
        assert!(gated(&format!("{GLUE} wasm = instance.exports;")).is_err());
    }
}
