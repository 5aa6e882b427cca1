//! Dependencies that nothing uses: listed in the workspace but by no crate, or by a crate whose sources do not name them.

use crate::{process, repo};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that are used without being named: the reason stands beside them in the manifest.
const UNNAMED: &[&str] = &["raven-edge-features"];

/// Fails if a dependency is used by nothing.
pub(crate) fn check() -> Result<()> {
    let list = process::run_quietly(Command::new("git").current_dir(repo::root()).args([
        "ls-files",
        "--",
        "*Cargo.toml",
        "*.rs",
    ]))?;
    let files: Vec<PathBuf> = list.lines().map(repo::path).filter(|path| path.exists()).collect();
    let (manifests, sources): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| path.ends_with("Cargo.toml"));
    let texts: Vec<(PathBuf, String)> =
        manifests.into_iter().map(|path| read(&path).map(|text| (path, text))).collect::<Result<_>>()?;
    let mut unused = Vec::new();
    let used: Vec<String> = texts.iter().flat_map(|(_, text)| listed(text, false)).collect();
    for (path, text) in &texts {
        unused.extend(
            listed(text, true).filter(|name| !used.contains(name)).map(|name| format!("{name} in the workspace")),
        );
        let folder = path.parent().unwrap_or(path);
        // Crates inside of the folder have manifests of their own.
        let inner: Vec<&Path> = texts
            .iter()
            .filter_map(|(other, _)| other.parent())
            .filter(|other| other.starts_with(folder) && *other != folder)
            .collect();
        let is_own =
            |source: &&PathBuf| source.starts_with(folder) && !inner.iter().any(|other| source.starts_with(other));
        let own: Vec<String> = sources.iter().filter(is_own).map(|source| read(source)).collect::<Result<_>>()?;
        let is_named = |name: &String| {
            own.iter().any(|text| names(text, &name.replace('-', "_"))) || UNNAMED.contains(&name.as_str())
        };
        unused.extend(
            listed(text, false).filter(|name| !is_named(name)).map(|name| format!("{name} in {}", path.display())),
        );
    }
    if unused.is_empty() { Ok(()) } else { bail!("dependencies that nothing uses:\n{}", unused.join("\n")) }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// The names of the dependencies in a manifest: those of the workspace, or those of the crate.
fn listed(manifest: &str, of_workspace: bool) -> impl Iterator<Item = String> {
    let mut is_wanted = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_wanted = line.trim_end().ends_with("dependencies]") && line.starts_with("[workspace.") == of_workspace;
        } else if is_wanted && let Some((name, _)) = line.split_once(['=', '.']) {
            let name = name.trim();
            if !name.starts_with('#') && !name.is_empty() {
                found.push(name.to_owned());
            }
        }
    }
    found.into_iter()
}

/// Whether a source names a crate.
fn names(text: &str, name: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::{listed, names};

    const MANIFEST: &str = "[package]\nname = \"a\"\n[workspace.dependencies]\nnever-used = \"1\"\n\n[dependencies]\n# why\nb-c = { version = \"1\" }\nd.workspace = true\n\
        [target.'cfg(unix)'.dependencies]\ne = \"1\"\n[features]\nf = []\n";

    #[test]
    fn the_dependencies_of_a_manifest_are_found() {
        assert_eq!(listed(MANIFEST, false).collect::<Vec<_>>(), ["b-c", "d", "e"]);
        assert_eq!(listed(MANIFEST, true).collect::<Vec<_>>(), ["never-used"]);
    }

    #[test]
    fn a_source_names_a_crate_if_its_name_is_a_word_in_it() {
        assert!(names("use b_c::D;", "b_c") && names("b_c!()", "b_c"));
        assert!(!names("use ab_c::D; b_cd::f()", "b_c"));
    }
}
