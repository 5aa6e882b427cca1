//! One crate as WebAssembly with its glue: cargo, wasm-bindgen, the gate, esbuild, wasm-opt.

use crate::{cargo, glue, names, process, repo, say, setup, version};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use wasm_bindgen_cli_support::Bindgen;

/// A module that is built: its crate and the names of what comes out.
pub(crate) struct Module {
    /// The crate.
    pub(crate) package: &'static str,
    /// The files are `STEM.js` and `STEM_bg.wasm`.
    pub(crate) stem: &'static str,
    /// The features that it is built with, as cargo's flags.
    pub(crate) flags: &'static [&'static str],
    /// The folder for both, inside the repository.
    pub(crate) folder: &'static str,
    /// Whether every entry passes `gate.js`, and whether a dead instance can be replaced.
    pub(crate) gated: bool,
}

/// The main entry: ids, sessions and queries.
pub(crate) const MAIN: Module =
    Module { package: "raven-edge-wasm", stem: "raven_edge", flags: &[], folder: "pkg/gen", gated: true };
/// The entry without queries.
pub(crate) const SESSION: Module =
    Module { stem: "raven_edge_session", flags: &["--no-default-features", "--features=pool,session"], ..MAIN };
/// The entry of ids alone.
pub(crate) const HILO: Module =
    Module { stem: "raven_edge_hilo", flags: &["--no-default-features", "--features=pool"], ..MAIN };
/// The same three for Workers, which have no device to park numbers on: 5 KB less each, and a faster start.
pub(crate) const WORKERS: [Module; 3] = [
    Module { stem: "raven_edge_worker", flags: &["--no-default-features", "--features=query"], ..MAIN },
    Module { stem: "raven_edge_session_worker", flags: &["--no-default-features", "--features=session"], ..MAIN },
    Module { stem: "raven_edge_hilo_worker", flags: &["--no-default-features"], ..MAIN },
];
/// What is for Workers alone: the authority (later the gateway), the hub.
pub(crate) const EDGE: Module =
    Module { package: "raven-edge-edge", stem: "edge", flags: &[], folder: "pkg/gen", gated: false };

/// The two files of a built module.
pub(crate) struct Built {
    /// The optimised module.
    pub(crate) wasm: PathBuf,
    /// The glue, snippets included, minified.
    pub(crate) glue: PathBuf,
}

impl Module {
    /// Builds the module where it belongs; `fast` leaves out what only shrinks.
    pub(crate) fn build(&self, fast: bool) -> Result<Built> {
        let flags: Vec<String> = self.flags.iter().map(|flag| (*flag).to_owned()).collect();
        self.build_with(&flags, &repo::path(self.folder), fast)
    }

    /// Builds the module into a folder. `cargo_flags` choose features.
    pub(crate) fn build_with(&self, cargo_flags: &[String], folder: &Path, fast: bool) -> Result<Built> {
        let raw = self.compile(cargo_flags)?;
        let work = work_folder()?;
        let work = work.path();
        let wait =
            say::Wait::new(&format!("{}: wasm-bindgen, glue{}", self.stem, if fast { "" } else { ", wasm-opt" }));
        self.bindgen(&raw, work)?;
        let js = work.join(format!("{}.js", self.stem));
        if self.gated {
            glue::add_gate(&js)?;
        }
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let built = Built {
            wasm: folder.join(format!("{}_bg.wasm", self.stem)),
            glue: folder.join(format!("{}.js", self.stem)),
        };
        let optimised = work.join("optimised.wasm");
        let bound = work.join(format!("{}_bg.wasm", self.stem));
        if self.gated {
            names::shorten(&bound, &js)?;
        }
        if fast {
            fs::copy(&bound, &optimised)?;
        } else {
            optimise(&bound, &optimised)?;
        }
        version::stamp(&optimised)?;
        let bundled = work.join("bundled.js");
        glue::bundle(&js, &bundled, !fast)?;
        // Only now, and each at once: who reads meanwhile never finds half of a file.
        publish(&bundled, &built.glue)?;
        publish(&optimised, &built.wasm)?;
        wait.done("");
        Ok(built)
    }

    /// `cargo build` for WebAssembly; the path of the module that cargo made.
    fn compile(&self, cargo_flags: &[String]) -> Result<PathBuf> {
        say::step(&format!("cargo build {} {}", self.package, cargo_flags.join(" ")));
        let mut flags = vec!["--release", "--target", setup::WASM, "--package", self.package];
        flags.extend(cargo_flags.iter().map(String::as_str));
        let mut artifacts = cargo::build_with(&flags, &[("CARGO_ENCODED_RUSTFLAGS", &rustc_flags()?)])?
            .into_iter()
            .map(|artifact| artifact.file);
        let module = artifacts.rfind(|file| file.extension().is_some_and(|end| end == "wasm"));
        module.with_context(|| format!("cargo made no .wasm of {}: is it a cdylib?", self.package))
    }

    fn bindgen(&self, raw: &Path, work: &Path) -> Result<()> {
        let mut bindgen = Bindgen::new();
        bindgen
            .input_path(raw)
            .out_name(self.stem)
            .web(true)?
            .omit_default_module_path(true)
            .remove_name_section(true)
            .remove_producers_section(true)
            .typescript(false)
            .reset_state_function(self.gated);
        bindgen.generate(work).with_context(|| format!("wasm-bindgen on {}", self.package))
    }
}

/// What LLVM does to a module. Found by trying, by what gzip makes of it, 2 % together: what two branches have in common stands
/// once, nothing is computed early in both of them, loops count as they are written, what ends in a panic is split off.
const SHARE: [&str; 5] =
    ["-sink-common-insts", "-hoist-common-insts", "-enable-pre=0", "-disable-lsr", "-hot-cold-split"];

/// Flags for rustc; without the first three the bytes of a module would tell where it was built: panics name source files.
fn rustc_flags() -> Result<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let folders = [
        (home.unwrap_or_default(), "cargo".to_owned()),
        (repo::root(), "raven-edge".to_owned()),
        standard_library(&rustc(&["--print", "sysroot"])?, &rustc(&["-vV"])?)?,
    ];
    let paths = folders.map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()));
    let shares = SHARE.map(|flag| format!("-Cllvm-args={flag}"));
    Ok([&paths[..], &shares].concat().join("\x1f"))
}

/// Where rustc finds the sources of the standard library, if the component `rust-src` is installed, and how it names them if
/// it is not. `version` is what `rustc -vV` prints.
fn standard_library(sysroot: &str, version: &str) -> Result<(PathBuf, String)> {
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: "));
    let commit = commit.filter(|commit| *commit != "unknown").context("`rustc -vV` names no commit")?;
    Ok((Path::new(sysroot.trim_end()).join("lib/rustlib/src/rust"), format!("/rustc/{commit}")))
}

/// What the compiler that cargo uses says.
fn rustc(arguments: &[&str]) -> Result<String> {
    process::run_quietly(Command::new("rustc").current_dir(repo::root()).args(arguments))
}

/// A folder for the steps in between, of this build alone: two builds may run at a time.
fn work_folder() -> Result<TempDir> {
    let folder = repo::target().join("xtask");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    process::temporary_folder(&folder)
}

/// Puts a finished file where it is read.
fn publish(from: &Path, to: &Path) -> Result<()> {
    let near = to.with_extension("new");
    fs::copy(from, &near).and_then(|_| fs::rename(&near, to)).with_context(|| to.display().to_string())
}

/// What binaryen does to a module. Found by trying, by what gzip makes of it: control flow made anew and optimised again and
/// again is 1.5 % smaller than `-Os`; another 1.5 % where only the shortest functions are put into their callers, and of those with
/// one caller all but the longest, like ones become one, and accesses to memory do not say that they are aligned, which no engine asks. The lowest kilobyte is the far
/// end of the stack, which nothing reaches, and memory begins as zeros.
const OPTIMISE: [&str; 13] = [
    "--one-caller-inline-max-function-size=1000",
    "--always-inline-max-function-size=6",
    "--rse",
    "--merge-similar-functions",
    "--flatten",
    "--rereloop",
    "-Oz",
    "-Oz",
    "-Oz",
    "--dealign",
    "--low-memory-unused",
    "--zero-filled-memory",
    "--strip-target-features",
];

/// binaryen's optimiser, the pinned npm one: Debian's is older, and `--all-features` makes modules that browsers refuse.
fn optimise(from: &Path, to: &Path) -> Result<()> {
    let mut command = setup::npm_bin("wasm-opt");
    process::run_quietly(command.args(OPTIMISE).arg(from).arg("-o").arg(to)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_library_is_named_as_where_its_sources_are_not_installed() -> Result<()> {
        let version = "rustc 1.95.0 (59807616e 2026-04-14)\ncommit-hash: 59807616e1\nhost: x86_64\n";
        let (folder, name) = standard_library("/home/me/toolchain\n", version)?;
        assert_eq!(folder, Path::new("/home/me/toolchain/lib/rustlib/src/rust"));
        assert_eq!(name, "/rustc/59807616e1");
        assert!(standard_library("/toolchain", "rustc 1.95.0\ncommit-hash: unknown\n").is_err());
        Ok(())
    }

    #[test]
    fn every_folder_that_differs_between_machines_is_renamed() -> Result<()> {
        let flags = rustc_flags()?;
        let sysroot = rustc(&["--print", "sysroot"])?;
        for folder in [repo::root().display().to_string(), format!("{}/lib/rustlib/src/rust", sysroot.trim_end())] {
            assert!(
                flags.split('\x1f').any(|flag| flag.starts_with(&format!("--remap-path-prefix={folder}="))),
                "{flags}"
            );
        }
        Ok(())
    }
}
