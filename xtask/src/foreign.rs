//! Builds an example from the crates as they would be published, in a project that is not of this workspace: as an app does.

use crate::release::CRATES;
use crate::{cargo, process, repo, setup, wasm};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Where the example finds the client in this repository.
const IN_REPOSITORY: &str = "path = \"../../client\"";

/// Packs and unpacks the crates, and builds `examples/NAME` beside them. Returns the folder of its module, its glue and its page.
pub(crate) fn example(name: &str) -> Result<PathBuf> {
    setup::wasm_target()?;
    let folder = repo::target().join("foreign");
    let unpacked = |package: &str| format!("{package}-{}", env!("CARGO_PKG_VERSION"));
    let mut pack = cargo::cargo();
    pack.args(["package", "--locked", "--no-verify", "--allow-dirty"]).env("CARGO_TARGET_DIR", &folder);
    process::run(pack.args(CRATES.iter().flat_map(|package| ["--package", package])))?;
    for package in CRATES {
        let file = folder.join("package").join(format!("{}.crate", unpacked(package)));
        process::run(Command::new("tar").arg("-xzf").arg(file).arg("-C").arg(&folder))?;
    }
    let project = folder.join(name);
    fs::create_dir_all(project.join("src")).with_context(|| project.display().to_string())?;
    let from = repo::path("examples").join(name);
    for source in repo::files(&format!("examples/{name}/src"), ".rs")? {
        fs::copy(&source, project.join(source.strip_prefix(&from)?)).with_context(|| source.display().to_string())?;
    }
    let client = format!("path = \"../{}\"", unpacked("raven-edge-client"));
    let mut manifest = fs::read_to_string(from.join("Cargo.toml"))?.replace(IN_REPOSITORY, &client);
    // What is not published yet is taken from beside.
    manifest.push_str("\n[patch.crates-io]\n");
    for package in CRATES.iter().filter(|package| **package != "raven-edge-client") {
        manifest.push_str(&format!("{package} = {{ path = \"../{}\" }}\n", unpacked(package)));
    }
    let path = project.join("Cargo.toml");
    fs::write(&path, manifest).with_context(|| path.display().to_string())?;
    let path = path.display().to_string();
    let [built] = wasm::bound([name], &["--manifest-path", &path], &folder.join("target"))?;
    Ok(built)
}
