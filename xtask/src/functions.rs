//! Which functions of the modules are how long.

use crate::entry_bytes::thousands;
use crate::wasm::{AUTHORITY, CHANGES, GATEWAY, HILO, HUB, MAIN, Module};
use crate::{process, repo, say};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use walrus::FunctionKind;

/// Shorter functions are counted together.
const SHORTEST: usize = 200;

/// Builds each module with the names of its functions and prints their bytes, longest first.
pub(crate) fn print() -> Result<()> {
    for module in [&MAIN, &HILO, &GATEWAY, &HUB, &CHANGES, &AUTHORITY] {
        print_of(module)?;
    }
    Ok(())
}

fn print_of(module: &Module) -> Result<()> {
    let folder = repo::target().join("xtask");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let work = process::temporary_folder(&folder)?;
    let mut functions = read(&module.build_named(work.path())?)?;
    functions.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
    let total: usize = functions.iter().map(|(_, bytes)| bytes).sum();
    let row = |name: &str, bytes: usize| {
        vec![name.to_owned(), thousands(bytes), format!("{:.1} %", bytes as f64 * 100.0 / total as f64)]
    };
    let mut parts = BTreeMap::<String, usize>::new();
    for (name, bytes) in &functions {
        *parts.entry(part(name)).or_default() += bytes;
    }
    let mut parts: Vec<_> = parts.into_iter().collect();
    parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let rows: Vec<_> = parts.iter().map(|(name, bytes)| row(name, *bytes)).collect();
    say::table(&[&format!("{}: code by module", module.stem), "bytes", ""], &rows);
    let (long, short): (Vec<_>, Vec<_>) = functions.iter().partition(|(_, bytes)| *bytes >= SHORTEST);
    let mut rows: Vec<_> = long.iter().map(|(name, bytes)| row(name, *bytes)).collect();
    let rest = short.iter().map(|(_, bytes)| bytes).sum();
    rows.push(row(&format!("{} shorter than {SHORTEST} bytes", short.len()), rest));
    rows.push(row(&format!("all {}", functions.len()), total));
    say::table(&[&format!("{}: code by function", module.stem), "bytes", ""], &rows);
    Ok(())
}

/// Names and lengths of a module's functions.
pub(crate) fn read(wasm: &Path) -> Result<Vec<(String, usize)>> {
    let module = walrus::Module::from_file(wasm).with_context(|| wasm.display().to_string())?;
    let functions = module.funcs.iter().filter_map(|function| {
        let FunctionKind::Local(local) = &function.kind else { return None };
        let bytes = local.original_range.clone().map_or(0, |range| range.len());
        Some((plain(function.name.as_deref().unwrap_or("?")), bytes))
    });
    Ok(functions.collect())
}

/// A name without hashes: `…::h1595652f216d5c5c`, `core[c5930c85a12de822]::…`.
fn plain(name: &str) -> String {
    let is_hash = |text: &str| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut name = name.to_owned();
    while let Some((open, hash)) = name.char_indices().filter(|(_, sign)| *sign == '[').find_map(|(at, _)| {
        let hash = name[at + 1..].split(']').next()?;
        is_hash(hash).then_some((at, hash.len()))
    }) {
        name.replace_range(open..open + hash + 2, "");
    }
    match name.rsplit_once("::h") {
        Some((path, hash)) if is_hash(hash) => path.to_owned(),
        _ => name,
    }
}

/// The crate that a function belongs to.
pub(crate) fn crate_of(name: &str) -> String {
    let part = part(name);
    part.split("::").next().unwrap_or_default().to_owned()
}

/// The module of the sources that a function belongs to: crate and module of its path, or of the type that it is a method of.
fn part(name: &str) -> String {
    let path = name.trim_start_matches(['<', '&']);
    let end = path.find([' ', '<', '>', '(']).unwrap_or(path.len());
    let pieces: Vec<_> = path[..end].split("::").collect();
    match pieces.as_slice() {
        [one] => (if one.contains("__") || one.contains('_') { "exports" } else { "other" }).to_owned(),
        [krate @ ("core" | "alloc" | "std" | "rlsf" | "wasm_bindgen"), ..] => (*krate).to_owned(),
        [krate, module, ..] => format!("{krate}::{module}"),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{part, plain};

    #[test]
    fn names_lose_their_hashes() {
        for (name, expected) in [
            ("a::b::h1595652f216d5c5c", "a::b"),
            ("core[c5930c85a12de822]::str::<[S]>", "core::str::<[S]>"),
            ("task_step multivalue shim", "task_step multivalue shim"),
        ] {
            assert_eq!(plain(name), expected);
        }
    }

    #[test]
    fn functions_belong_to_a_module() {
        for (name, expected) in [
            ("raven_edge::hilo::ledger::Ledger::surrender", "raven_edge::hilo"),
            ("<raven_edge::source::custom::CustomSource as raven_edge::source::Source>::lease", "raven_edge::source"),
            ("core::ptr::drop_in_place<raven_edge::http::Request>", "core"),
            ("session_plan", "exports"),
        ] {
            assert_eq!(part(name), expected);
        }
    }
}
