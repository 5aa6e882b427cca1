//! The modules of the package: each belongs to an entry and has one idea. A file is neither so long that it has several, nor a fragment of
//! its only user.

use crate::{glue, repo};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Lines from which a file probably has several ideas.
const LONG: usize = 400;

/// Lines below which a file with a single user is a fragment of it.
const SHORT: usize = 25;

/// Files that may know each other in a circle, by types or in whatever way. `biome.json` refuses circles of values.
const CIRCLE: usize = 25;

/// Files that are long or short for a reason.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("documents/unit-of-work.ts", "the only writer of what a session knows: its verbs share the private members"),
    ("entries/parts/capabilities-later.ts", "an index that is loaded on demand is a module of its own"),
];

/// Checks `pkg/src`. Reports everything at once.
pub(crate) fn check() -> Result<()> {
    let mut files = repo::files("pkg/src", "")?;
    files.retain(|file| file.extension().is_some_and(|extension| extension != "md"));
    let reachable = reachable()?;
    let mut wrong = Vec::new();
    let known = known(&files)?;
    let users = users(&known);
    wrong.extend(circles(&known).iter().filter(|circle| circle.len() > CIRCLE).map(|circle| {
        let names: Vec<String> = circle.iter().map(|file| name(file)).collect();
        format!("{} files know each other in a circle, more than {CIRCLE}: {}", circle.len(), names.join(", "))
    }));
    for file in &files {
        let lines = read(file)?.lines().count();
        let is_excepted = EXCEPTIONS.iter().any(|(excepted, _)| file.ends_with(Path::new("pkg/src").join(excepted)));
        let is_fragment = lines < SHORT && users.get(file) == Some(&1);
        if (lines > LONG || is_fragment) != is_excepted {
            let name = name(file);
            wrong.push(if is_excepted {
                format!("{name}: {lines} lines are no exception any more")
            } else if is_fragment {
                format!("{name}: {lines} lines with a single user belong to it, or to EXCEPTIONS with a reason")
            } else {
                format!("{name}: more than {LONG} lines have more than one idea, or belong to EXCEPTIONS with a reason")
            });
        }
        let text = file.to_string_lossy();
        if !text.ends_with(".ts") {
            wrong.push(format!("{}: only TypeScript is allowed", name(file)));
        } else if !reachable.contains(file) && !text.ends_with(".d.ts") {
            // Declarations such as those of `.wasm` files are not modules.
            wrong.push(format!("{}: no entry of pkg/package.json imports it", name(file)));
        }
    }
    if wrong.is_empty() { Ok(()) } else { bail!("pkg/src:\n{}", wrong.join("\n")) }
}

/// The files that each file imports.
type Known = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

fn known(files: &[PathBuf]) -> Result<Known> {
    let imported = files.iter().map(|file| {
        let folder = file.parent().unwrap_or(file);
        let text = read(file)?;
        Ok((file.clone(), imports(&text).iter().filter_map(|module| source(&folder.join(module))).collect()))
    });
    imported.collect()
}

/// How many files import each file.
fn users(known: &Known) -> BTreeMap<PathBuf, usize> {
    let mut users = BTreeMap::new();
    for module in known.values().flatten() {
        *users.entry(module.clone()).or_default() += 1;
    }
    users
}

/// The files that each lead to all others of their circle. A file that leads to itself alone is no circle.
fn circles(known: &Known) -> BTreeSet<BTreeSet<&PathBuf>> {
    let led: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> = known.keys().map(|file| (file, led_to(known, file))).collect();
    let circle = |file: &&PathBuf| {
        let others = led.get(file)?.iter().filter(|other| led.get(*other).is_some_and(|back| back.contains(file)));
        Some(others.copied().collect::<BTreeSet<&PathBuf>>()).filter(|circle| circle.len() > 1)
    };
    led.keys().filter_map(circle).collect()
}

/// What a file leads to, directly or through other files; itself only through others.
fn led_to<'a>(known: &'a Known, file: &PathBuf) -> BTreeSet<&'a PathBuf> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<&PathBuf> = known.get(file).into_iter().flatten().collect();
    while let Some(next) = waiting.pop() {
        if found.insert(next) {
            waiting.extend(known.get(next).into_iter().flatten());
        }
    }
    found
}

/// The files that the entries lead to, directly or through other files.
fn reachable() -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut waiting = entries()?;
    while let Some(file) = waiting.pop() {
        if found.contains(&file) {
            continue;
        }
        let folder = file.parent().unwrap_or(&file).to_path_buf();
        for module in imports(&read(&file)?) {
            waiting.extend(source(&folder.join(module)));
        }
        found.insert(file);
    }
    Ok(found)
}

/// The sources of what `pkg/package.json` exports, declarations included.
fn entries() -> Result<Vec<PathBuf>> {
    let manifest: serde_json::Value = serde_json::from_str(&read(&repo::path("pkg/package.json"))?)?;
    let mut named = Vec::new();
    strings(manifest.get("exports").context("pkg/package.json exports nothing")?, &mut named);
    let exported = named.into_iter().map(|path| format!("pkg/{path}"));
    let glue = format!("{}.js", glue::GATE);
    Ok(exported.chain([glue]).filter_map(|path| source(&repo::path(&path))).collect())
}

/// All texts in a JSON value.
fn strings(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => found.push(text.clone()),
        serde_json::Value::Object(members) => members.values().for_each(|member| strings(member, found)),
        _ => {}
    }
}

/// What the file imports from others: static imports, re-exports and `import()`.
fn imports(text: &str) -> Vec<&str> {
    let quotes = text.match_indices("\"").map(|(at, _)| text.split_at(at));
    let specifiers = quotes.filter_map(|(before, quoted)| {
        let is_import = ["from", "import", "import("].iter().any(|word| before.trim_end().ends_with(word));
        quoted.get(1..).and_then(|rest| rest.split_once('"')).filter(|_| is_import).map(|(module, _)| module)
    });
    specifiers.filter(|module| module.starts_with('.')).collect()
}

/// The source of a module that is named by its output: `pkg/lib` and `pkg/dts` are made of `pkg/src`.
fn source(module: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in module.components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            Component::Normal(name) if (name == "lib" || name == "dts") && path.ends_with("pkg") => path.push("src"),
            _ => path.push(part),
        }
    }
    let text = path.to_string_lossy();
    let stem = text.strip_suffix(".d.ts").or_else(|| text.strip_suffix(".js"))?;
    ["ts", "d.ts"].iter().map(|end| PathBuf::from(format!("{stem}.{end}"))).find(|file| {
        // The build writes what is in `gen`.
        file.is_file() && !file.starts_with(repo::path("pkg/gen"))
    })
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

/// A path as the repository calls it.
fn name(path: &Path) -> String {
    path.strip_prefix(repo::root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_the_files_that_lead_to_each_other() {
        let known: Known = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("e", "e")]
            .map(|(file, module)| (PathBuf::from(file), BTreeSet::from([PathBuf::from(module)])))
            .into();
        let found: Vec<Vec<String>> =
            circles(&known).iter().map(|circle| circle.iter().map(|file| name(file)).collect()).collect();
        assert_eq!(found, [["a", "b", "c"]]);
    }

    #[test]
    fn static_and_dynamic_imports_of_own_modules_are_found() {
        let text = "import { a } from \"./a.js\";\nimport \"../b.js\";\nexport * from \"./c.js\";\nimport fs from \"node:fs\";\n\
                    const d = () => import(\"./d.js\");\ntype E = typeof import(\n  \"./e.js\"\n);\nconst text = \"./f.js\";";
        assert_eq!(imports(text), ["./a.js", "../b.js", "./c.js", "./d.js", "./e.js"]);
    }
}
