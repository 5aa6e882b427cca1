//! Builds a crate as WebAssembly with its glue: cargo, wasm-bindgen, the gate, esbuild, wasm-opt.

use crate::names::Names;
use crate::{cargo, checksum, function_order, glue, names, process, repo, say, setup, version};
use anyhow::{Context, Result, anyhow, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::Instant;
use tempfile::TempDir;
use wasm_bindgen_cli_support::{Bindgen, EncodeInto};

/// A module to build: its crate, and the names of the output files.
pub(crate) struct Module {
    /// The crate.
    pub(crate) package: &'static str,
    /// The files are `STEM.js` and `STEM_bg.wasm`.
    pub(crate) stem: &'static str,
    /// The features that it is built with, as cargo's flags.
    pub(crate) flags: &'static [&'static str],
    /// The folder of both files, inside the repository.
    pub(crate) folder: &'static str,
    /// Whether all entries go through `gate.js`, so that a dead instance can be replaced.
    pub(crate) gated: bool,
    /// Whose glue the module has.
    pub(crate) glue: Glue,
}

/// The glue of a module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Glue {
    /// Its own.
    Own,
    /// Its own. Later modules marked `Borrowed` use it, too, because one page can have an instance of each.
    Shared,
    /// The one of the module before it that shares its own.
    Borrowed,
}

/// The module of the entries with sessions, and of Node. Queries, streams and sources of ids need no code of the module.
pub(crate) const MAIN: Module = Module {
    package: "raven-edge-wasm",
    stem: "raven_edge",
    flags: &["--no-default-features", "--features=pool,session"],
    folder: "pkg/gen",
    gated: true,
    glue: Glue::Shared,
};
/// The entry with ids only.
pub(crate) const HILO: Module = Module {
    stem: "raven_edge_hilo",
    flags: &["--no-default-features", "--features=pool"],
    glue: Glue::Borrowed,
    ..MAIN
};
/// The two entries in Workers, which cannot park numbers on a device: 5 KB less each, and a faster start.
pub(crate) const WORKERS: [Module; 2] = [
    Module {
        stem: "raven_edge_worker",
        flags: &["--no-default-features", "--features=session"],
        glue: Glue::Own,
        ..MAIN
    },
    Module { stem: "raven_edge_hilo_worker", flags: &["--no-default-features"], glue: Glue::Own, ..MAIN },
];
/// The offline queue of `raven-edge/offline`: its entry has it inside of a script, because it is small.
pub(crate) const QUEUE: Module =
    Module { package: "raven-edge-queue", stem: "raven_edge_queue", flags: &[], glue: Glue::Own, ..MAIN };
/// The gateway reads every byte of a response.
const FAST_READER: &str = "profile.release.package.raven-edge-json.opt-level=3";
/// For Workers only, one module each: a Worker uploads what it uses.
pub(crate) const GATEWAY: Module = Module {
    package: "raven-edge-edge",
    stem: "edge_gateway",
    flags: &["--no-default-features", "--features=gateway", "--config", FAST_READER],
    folder: "pkg/gen",
    gated: false,
    glue: Glue::Own,
};
/// The gateway with connections for changes.
pub(crate) const GATEWAY_LIVE: Module = Module {
    stem: "edge_gateway_live",
    flags: &["--no-default-features", "--features=live", "--config", FAST_READER],
    ..GATEWAY
};
/// The lease hub.
pub(crate) const HUB: Module =
    Module { stem: "edge_hub", flags: &["--no-default-features", "--features=hub"], ..GATEWAY };
/// The hub for changes.
pub(crate) const CHANGES: Module =
    Module { stem: "edge_changes", flags: &["--no-default-features", "--features=changes"], ..GATEWAY };
/// The authority.
pub(crate) const AUTHORITY: Module =
    Module { stem: "edge_authority", flags: &["--no-default-features", "--features=authority"], ..GATEWAY };

/// The files of a built module.
pub(crate) struct Built {
    /// The optimised module.
    pub(crate) wasm: PathBuf,
    /// The minified glue, including its snippets.
    pub(crate) glue: PathBuf,
}

/// A module and its matching glue, in a temporary folder that is deleted when this value is dropped.
struct Bound {
    wasm: PathBuf,
    glue: PathBuf,
    /// Their names for imports and exports.
    names: Names,
    folder: TempDir,
}

/// Builds modules. While cargo compiles a module, one thread for each earlier module finishes it.
pub(crate) fn build<const COUNT: usize>(modules: [&Module; COUNT], fast: bool) -> Result<[Built; COUNT]> {
    let bound = modules.map(|module| (module, OnceLock::new()));
    let built = thread::scope(|scope| {
        let mut finishing = Vec::new();
        let mut lender = None;
        for (module, bound) in &bound {
            let borrowed = lender.filter(|_| module.glue == Glue::Borrowed);
            let names = borrowed.map(|lender: &Bound| lender.names.clone()).unwrap_or_default();
            let made = module.bind(&module.compile()?, names)?;
            let bound = bound.get_or_init(|| made);
            if module.glue == Glue::Shared {
                lender = Some(bound);
            }
            finishing.push(scope.spawn(move || (module.finish(bound, borrowed, fast), process::cpu_spent())));
        }
        let built = finishing.into_iter().map(|thread| {
            let (built, cpu) = thread.join().ok().context("a build panicked")?;
            process::spend(cpu);
            built
        });
        built.collect::<Result<Vec<_>>>()
    })?;
    built.try_into().map_err(|_| anyhow!("a module is missing"))
}

impl Module {
    /// Generates the glue of a compiled module, and shortens the names in both. `names`: those of the glue that the module borrows.
    fn bind(&self, compiled: &Path, names: Names) -> Result<Bound> {
        let folder = work_folder()?;
        let work = folder.path();
        self.bindgen(compiled, work, false)?;
        let glue = work.join(format!("{}.js", self.stem));
        let wasm = work.join(format!("{}_bg.wasm", self.stem));
        if self.gated {
            glue::add_gate(&glue)?;
        }
        let names = if self.gated { names::shorten(&wasm, &glue, names)? } else { names };
        Ok(Bound { wasm, glue, names, folder })
    }

    /// Makes a module ready to be shipped; `fast` skips the steps that only reduce the size.
    fn finish(&self, bound: &Bound, lender: Option<&Bound>, fast: bool) -> Result<Built> {
        let since = Instant::now();
        let folder = repo::path(self.folder);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let work = bound.folder.path();
        let glue = match lender {
            Some(lender) => {
                let [own, theirs] = [&bound.glue, &lender.glue]
                    .map(|file| fs::read_to_string(file).with_context(|| file.display().to_string()));
                glue::check_borrowed(&own?, &theirs?)
                    .with_context(|| format!("{} cannot use the shared glue", self.stem))?;
                folder.join(lender.glue.file_name().context("the glue's name")?)
            }
            None => {
                let to = folder.join(format!("{}.js", self.stem));
                let shared = self.glue == Glue::Shared;
                let types = work.join(format!("{}.d.ts", self.stem));
                glue::declare(&types, self.gated, shared)?;
                let bundled = work.join("bundled.js");
                glue::bundle(&bound.glue, &bundled, shared, !fast)?;
                // Each file is replaced at once and at the end, so that readers never see a partial file.
                publish(&types, &to.with_extension("d.ts"))?;
                publish(&bundled, &to)?;
                to
            }
        };
        let optimised = work.join("optimised.wasm");
        if fast {
            fs::copy(&bound.wasm, &optimised)?;
        } else {
            optimise(&bound.wasm, &optimised, &[])?;
            function_order::sort(&optimised)?;
        }
        version::stamp(&optimised)?;
        let wasm = folder.join(format!("{}_bg.wasm", self.stem));
        publish(&optimised, &wasm)?;
        let steps = if fast { "wasm-bindgen, glue" } else { "wasm-bindgen, glue, wasm-opt" };
        say::step(&format!("{}: {steps} ({:.1} s)", self.stem, since.elapsed().as_secs_f64()));
        Ok(Built { wasm, glue })
    }

    /// Builds the optimised module with the names of its functions into a folder. The module is analysed, never run.
    pub(crate) fn build_named(&self, folder: &Path) -> Result<PathBuf> {
        self.bindgen(&self.compile()?, folder, true)?;
        let bound = folder.join(format!("{}_bg.wasm", self.stem));
        names::shorten(&bound, &folder.join(format!("{}.js", self.stem)), Names::default())?;
        let named = folder.join("named.wasm");
        optimise(&bound, &named, &["--debuginfo"])?;
        Ok(named)
    }

    /// Compiles the crate; returns the path of the module. Cargo writes the modules of one crate to one file, whatever their features,
    /// and so compiles each of them again and again: modules are kept in `target`, by everything that goes into them.
    fn compile(&self) -> Result<PathBuf> {
        let rustc_flags = rustc_flags()?;
        let made_from = [sources()?, &self.flags.join("\n"), self.package, &rustc_flags].join("\n");
        let kept = repo::target().join("xtask/compiled").join(checksum::sha256(made_from.as_bytes()));
        if kept.exists() {
            return Ok(kept);
        }
        say::step(&format!("cargo build {} {}", self.package, self.flags.join(" ")));
        let mut flags = vec!["--release", "--target", setup::WASM, "--package", self.package];
        flags.extend(self.flags);
        let mut artifacts = cargo::build_with(&flags, &[("CARGO_ENCODED_RUSTFLAGS", &rustc_flags)])?
            .into_iter()
            .map(|artifact| artifact.file);
        let module = artifacts.rfind(|file| file.extension().is_some_and(|end| end == "wasm"));
        let module = module.with_context(|| format!("cargo made no .wasm of {}: is it a cdylib?", self.package))?;
        fs::create_dir_all(kept.with_file_name("")).context("target/xtask/compiled")?;
        publish(&module, &kept)?;
        Ok(kept)
    }

    fn bindgen(&self, raw: &Path, work: &Path, names: bool) -> Result<()> {
        let mut bindgen = Bindgen::new();
        bindgen
            .input_path(raw)
            .out_name(self.stem)
            .web(true)?
            .omit_default_module_path(true)
            .remove_name_section(!names)
            .remove_producers_section(true)
            .typescript(true)
            .encode_into(EncodeInto::Always)
            .reset_state_function(self.gated);
        bindgen.generate(work).with_context(|| format!("wasm-bindgen on {}", self.package))
    }
}

/// The programs in Rust that tests of every run load in pages.
pub(crate) const PAGES: [&str; 2] = ["rust-page", "rust-sessions"];

/// Builds programs in Rust, for tests: the module, the glue and, of an example, the page of each, in a folder of `target`.
pub(crate) fn programs<const COUNT: usize>(names: [&str; COUNT]) -> Result<[PathBuf; COUNT]> {
    setup::wasm_target()?;
    let (wrapper, clippy) = cargo::with_clippy();
    let flags = program_flags(&names);
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let artifacts = cargo::build_with(&flags, &[(wrapper, &clippy.display().to_string())])?;
    let folders = names.map(|name| {
        let file = format!("raven_edge_{}.wasm", name.replace('-', "_"));
        let module = artifacts.iter().rfind(|artifact| artifact.file.ends_with(&file));
        let module = &module.with_context(|| format!("cargo made no {file}"))?.file;
        program(name, module)
    });
    let folders = folders.into_iter().collect::<Result<Vec<_>>>()?;
    folders.try_into().map_err(|_| anyhow!("a program is missing"))
}

/// Fails if clippy has a warning about these programs, or about the client in them.
pub(crate) fn lint_programs(names: &[&str]) -> Result<()> {
    let mut command = cargo::behind_tests();
    command.arg("build").args(program_flags(names)).arg("--message-format=json").envs([cargo::with_clippy()]);
    let output = process::output(&mut command)?;
    let diagnostics = cargo::diagnostics(&String::from_utf8_lossy(&output.stdout));
    match (output.status.success(), diagnostics.is_empty()) {
        (true, true) => Ok(()),
        (_, false) => bail!("{}", diagnostics.join("\n")),
        (false, true) => bail!("{}", String::from_utf8_lossy(&output.stderr)),
    }
}

fn program_flags(names: &[&str]) -> Vec<String> {
    let packages = names.iter().flat_map(|name| ["--package".to_owned(), format!("raven-edge-{name}")]);
    let same = ["--target", setup::WASM].into_iter().chain(cargo::SAME_FEATURES).map(str::to_owned);
    same.chain(packages).collect()
}

/// Builds `examples/rust-leptos`, which is no member of the workspace: its folder, as of [`programs`].
pub(crate) fn leptos() -> Result<PathBuf> {
    const NAME: &str = "rust-leptos";
    setup::wasm_target()?;
    let manifest = repo::path("examples").join(NAME).join("Cargo.toml").display().to_string();
    let target = repo::target().join("leptos").display().to_string();
    let flags = ["--locked", "--manifest-path", &manifest, "--target", setup::WASM];
    let artifacts = cargo::build_with(&flags, &[("CARGO_TARGET_DIR", &target)])?;
    let module = artifacts.iter().rfind(|artifact| artifact.file.ends_with("raven_edge_rust_leptos.wasm"));
    program(NAME, &module.context("cargo made no raven_edge_rust_leptos.wasm")?.file)
}

/// The folder of a program: its module, the glue and, of an example, the page.
fn program(name: &str, module: &Path) -> Result<PathBuf> {
    let folder = repo::target().join("xtask").join(name);
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name(&name.replace('-', "_"))
        .web(true)?
        .omit_default_module_path(false)
        .remove_name_section(true)
        .typescript(false);
    bindgen.generate(&folder).with_context(|| format!("wasm-bindgen on {name}"))?;
    let page = repo::path("examples").join(name).join("index.html");
    if page.exists() {
        publish(&page, &folder.join("index.html"))?;
    }
    Ok(folder)
}

/// Builds an example in Rust as an app would publish it, into a folder: with the names of its functions, and without.
pub(crate) fn example_released(name: &str, folder: &Path) -> Result<(PathBuf, PathBuf)> {
    setup::wasm_target()?;
    let target = repo::target().join("wasm");
    let package = format!("raven-edge-{name}");
    let flags = ["--release", "--lib", "--target", setup::WASM, "--package", &package];
    let artifacts = cargo::build_with(&flags, &[("CARGO_TARGET_DIR", &target.display().to_string())])?;
    let mut files = artifacts.into_iter().map(|artifact| artifact.file);
    let module = files.rfind(|file| file.extension().is_some_and(|end| end == "wasm"));
    Bindgen::new()
        .input_path(module.with_context(|| format!("cargo made no .wasm of {package}"))?)
        .out_name("page")
        .web(true)?
        .typescript(false)
        .generate(folder)?;
    let (bound, named, small) = (folder.join("page_bg.wasm"), folder.join("named.wasm"), folder.join("small.wasm"));
    optimise(&bound, &named, &["--debuginfo"])?;
    optimise(&bound, &small, &["--strip-debug", "--strip-producers"])?;
    Ok((named, small))
}

/// Flags for LLVM, found by measuring the gzipped size; together they save 2 %: code that two branches share is
/// merged, computations are not hoisted out of both, loops are not transformed, and blocks that end in a panic are
/// split off.
const SHARE: [&str; 5] =
    ["-sink-common-insts", "-hoist-common-insts", "-enable-pre=0", "-disable-lsr", "-hot-cold-split"];

/// The gateway's hash in a loop instead of unrolled: 2 KB less.
const SMALL_HASH: &str = "--cfg=sha2_backend_soft=\"compact\"";

/// Flags for rustc. The first three replace the folders of this machine. Without them, the paths of source files in panic
/// messages would contain these folders.
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
    Ok([&paths[..], &shares, &[SMALL_HASH.to_owned()]].concat().join("\x1f"))
}

/// Two values: the folder of the standard library's sources when the component `rust-src` is installed, and the name that
/// rustc uses when it is not. `version` is the output of `rustc -vV`.
fn standard_library(sysroot: &str, version: &str) -> Result<(PathBuf, String)> {
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: "));
    let commit = commit.filter(|commit| *commit != "unknown").context("`rustc -vV` names no commit")?;
    Ok((Path::new(sysroot.trim_end()).join("lib/rustlib/src/rust"), format!("/rustc/{commit}")))
}

/// The checksums of everything that the modules are compiled from, and the compiler's version.
fn sources() -> Result<&'static str> {
    static SOURCES: OnceLock<String> = OnceLock::new();
    if let Some(known) = SOURCES.get() {
        return Ok(known);
    }
    let mut files = vec![repo::path("Cargo.toml"), repo::path("Cargo.lock")];
    for folder in ["json", "src", "wasm", "edge", "authority"] {
        files.extend(repo::files(folder, ".rs")?);
        files.extend(repo::files(folder, "Cargo.toml")?);
    }
    let mut all = rustc(&["-vV"])?;
    for file in files {
        let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
        all.push_str(&format!("{} {}\n", file.display(), checksum::sha256(&bytes)));
    }
    Ok(SOURCES.get_or_init(|| all))
}

/// The output of the compiler that cargo uses.
fn rustc(arguments: &[&str]) -> Result<String> {
    process::run_quietly(Command::new("rustc").current_dir(repo::root()).args(arguments))
}

/// A folder for intermediate files of this build: two builds may run at the same time.
fn work_folder() -> Result<TempDir> {
    let folder = repo::target().join("xtask");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    process::temporary_folder(&folder)
}

/// Moves a finished file to where it is read.
fn publish(from: &Path, to: &Path) -> Result<()> {
    let near = to.with_extension("new");
    fs::copy(from, &near).and_then(|_| fs::rename(&near, to)).with_context(|| to.display().to_string())
}

/// Flags for binaryen, found by measuring the gzipped size: rewriting control flow twice and optimising it repeatedly
/// is 1.8 % smaller than `-Os`. Another 1.5 % is saved by inlining only the shortest functions, and functions with one
/// caller unless they are very long; by merging equal functions; and by omitting alignment hints, which engines ignore. The
/// lowest kilobyte is the far end of the stack, which is never reached, and memory is known to begin with zeros.
/// `--converge` saves as much in three times the time, and is larger for the hub.
const OPTIMISE: [&str; 15] = [
    "--one-caller-inline-max-function-size=1000",
    "--always-inline-max-function-size=6",
    "--rse",
    "--merge-similar-functions",
    "--flatten",
    "--rereloop",
    "-Oz",
    "--flatten",
    "--rereloop",
    "-Oz",
    "-Oz",
    "--dealign",
    "--low-memory-unused",
    "--zero-filled-memory",
    "--strip-target-features",
];

/// binaryen's optimiser, pinned from npm: Debian's is older, and `--all-features` makes modules that browsers refuse. It takes most of
/// the time of a build, so its results are kept in `target`.
fn optimise(from: &Path, to: &Path, more: &[&str]) -> Result<()> {
    let mut input = fs::read(from).with_context(|| from.display().to_string())?;
    for text in OPTIMISE.iter().chain(more) {
        input.extend(text.as_bytes());
    }
    input.extend(fs::read(repo::path("package-lock.json")).context("package-lock.json")?);
    let kept = repo::target().join("xtask/optimised").join(checksum::sha256(&input));
    if !kept.exists() {
        let mut command = setup::wasm_opt();
        process::run_quietly(command.args(OPTIMISE).args(more).arg(from).arg("-o").arg(to))?;
        fs::create_dir_all(kept.with_file_name("")).context("target/xtask/optimised")?;
        publish(to, &kept)?;
    }
    fs::copy(&kept, to).map(drop).with_context(|| to.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_library_has_the_same_name_with_and_without_its_sources() -> Result<()> {
        let version = "rustc 1.95.0 (59807616e 2026-04-14)\ncommit-hash: 59807616e1\nhost: x86_64\n";
        let (folder, name) = standard_library("/home/me/toolchain\n", version)?;
        assert_eq!(folder, Path::new("/home/me/toolchain/lib/rustlib/src/rust"));
        assert_eq!(name, "/rustc/59807616e1");
        assert!(standard_library("/toolchain", "rustc 1.95.0\ncommit-hash: unknown\n").is_err());
        Ok(())
    }

    #[test]
    fn folders_that_differ_between_machines_are_renamed() -> Result<()> {
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
