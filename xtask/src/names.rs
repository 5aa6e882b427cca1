//! Short names for the imports and exports between the module and its glue.
//!
//! wasm-bindgen adds a hash to the name of every import: sixteen digits that do not compress, once in the module and
//! once in the glue. Nothing else uses these names, so both sides get one or two letters instead.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use walrus::ModuleConfig;

/// Prefix of exports that the JavaScript engine may call by itself (finalizers), where nobody could catch an exception;
/// `pkg/src/runtime/gate` knows it too.
const UNATTENDED: &str = "_";

/// The short name of each import and export, in order.
#[derive(Clone, Default)]
pub(crate) struct Names {
    imports: Vec<String>,
    exports: Vec<String>,
}

/// Renames imports and exports in both files. `names`: those of another module's glue, if that glue will serve this module; else empty.
/// Returns the names of this glue.
pub(crate) fn shorten(wasm: &Path, glue: &Path, mut names: Names) -> Result<Names> {
    let mut module = ModuleConfig::new()
        .generate_producers_section(false)
        .parse_file(wasm)
        .with_context(|| wasm.display().to_string())?;
    let mut text = fs::read_to_string(glue).with_context(|| glue.display().to_string())?;
    let from = module.imports.iter().next().map(|import| import.module.clone()).context("a module without imports")?;
    for import in module.imports.iter_mut() {
        if import.module != from {
            bail!("imports of two modules, {from} and {}: give each its own name", import.module);
        }
        let name = letters(position(&mut names.imports, &import.name));
        text = replace_word(&text, &import.name, &name);
        import.name = name;
        import.module = "i".to_owned();
    }
    text = text.replace(&format!("\"{from}\""), "\"i\"");
    // wasm-bindgen exports helpers for features that a module may use; those that the glue never calls are removed.
    let called = |name: &str| replace_word(&text, &format!("wasm.{name}"), "") != text;
    let idle: Vec<_> = module.exports.iter().filter(|export| !called(&export.name)).map(|export| export.id()).collect();
    idle.into_iter().for_each(|export| module.exports.delete(export));
    for export in module.exports.iter_mut() {
        let unattended = export.name.ends_with("_free") || export.name.contains("destroy");
        let name = letters(position(&mut names.exports, &export.name));
        let name = format!("{}{name}", if unattended { UNATTENDED } else { "" });
        text = replace_word(&text, &format!("wasm.{}", export.name), &format!("wasm.{name}"));
        export.name = name;
    }
    fs::write(glue, text).with_context(|| glue.display().to_string())?;
    module.emit_wasm_file(wasm).with_context(|| wasm.display().to_string())?;
    Ok(names)
}

/// Where a name is in the list; it is added if it is not there.
fn position(names: &mut Vec<String>, name: &str) -> usize {
    let known = names.iter().position(|known| known == name);
    known.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// a, b, … z, ba, bb, …
fn letters(number: usize) -> String {
    let (rest, last) = (number / 26, char::from(b'a' + (number % 26) as u8));
    if rest == 0 { last.to_string() } else { format!("{}{last}", letters(rest)) }
}

/// Replaces a name where it is a whole word.
fn replace_word(text: &str, word: &str, with: &str) -> String {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, found) = rest.split_at(at);
        let after = &found[word.len()..];
        let whole = !before.ends_with(part) && !after.starts_with(part);
        out.push_str(before);
        out.push_str(if whole { with } else { word });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{letters, replace_word};

    #[test]
    fn letters_never_repeat() {
        let names: std::collections::BTreeSet<_> = (0..2_000).map(letters).collect();
        assert_eq!(names.len(), 2_000);
        assert_eq!((letters(0), letters(25), letters(26)), ("a".into(), "z".into(), "ba".into()));
    }

    #[test]
    fn only_whole_words_are_replaced() {
        let text = "wasm.store_new(wasm.store_new_x, mywasm.store_new); wasm.store_new";
        assert_eq!(
            replace_word(text, "wasm.store_new", "wasm.a"),
            "wasm.a(wasm.store_new_x, mywasm.store_new); wasm.a"
        );
    }
}
