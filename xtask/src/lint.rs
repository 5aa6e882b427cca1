//! `cargo xtask lint`: all static checks.

use crate::process::{run, run_quietly};
use crate::wasm::{GATEWAY, MAIN, PAGES};
use crate::{AlreadyReported, allow, api, build, cargo, dependencies, dist, modules, repo, say, setup, wasm};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// A static check.
pub(crate) struct Check {
    /// Its name.
    pub(crate) name: &'static str,
    /// Of the checks with the same word, one runs at a time.
    pub(crate) lock: Option<&'static str>,
    /// What a build of the package has to do with it.
    pub(crate) build: Build,
    /// Its output is in the error.
    pub(crate) run: fn() -> Result<()>,
}

/// The part of a build of the package in a check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// None.
    Unneeded,
    /// The check reads what a build writes.
    Read,
    /// A build makes the same check: it fails where the check does.
    Included,
}

const fn check(name: &'static str, run: fn() -> Result<()>) -> Check {
    Check { name, lock: None, build: Build::Unneeded, run }
}

const fn compiles(name: &'static str, run: fn() -> Result<()>) -> Check {
    Check { lock: Some(COMPILER), ..check(name, run) }
}

const fn reads_build(name: &'static str, run: fn() -> Result<()>) -> Check {
    Check { lock: Some("declarations"), build: Build::Read, ..check(name, run) }
}

/// The lock of everything that cargo does for tests and checks: one at a time, with half of the cores (`native::Run::threads`).
pub(crate) const COMPILER: &str = "compiler";

/// All checks.
pub(crate) const CHECKS: &[Check] = &[
    check("formatting", || quietly(cargo::cargo().args(["fmt", "--all", "--check"]))),
    check("dependencies of the module", allow::check),
    check("dependencies that nothing uses", dependencies::check),
    compiles("clippy", || clippy(&["--workspace", "--all-targets", "--all-features"])),
    compiles("clippy without features", || {
        let core = ["--package", "raven-edge", "--all-targets", "--no-default-features"];
        clippy(&[&core[..], &cargo::SAME_FEATURES].concat())
    }),
    compiles("clippy for WebAssembly", || clippy_for_wasm(&["--package", "raven-edge", "--package", MAIN.package])),
    compiles("clippy for WebAssembly, ids alone", || {
        clippy_for_wasm(&["--package", MAIN.package, "--no-default-features"])
    }),
    // Separate runs: together with the main module, which has no std, they would enable the std feature of
    // wasm-bindgen.
    compiles("clippy for WebAssembly, gateway", || clippy_for_edge("gateway")),
    compiles("clippy for WebAssembly, gateway with changes", || clippy_for_edge("live")),
    compiles("clippy for WebAssembly, hub for changes", || clippy_for_edge("changes")),
    compiles("clippy for WebAssembly, hub", || clippy_for_edge("hub")),
    compiles("clippy for WebAssembly, authority", || clippy_for_edge("authority")),
    compiles("clippy for WebAssembly, client for Rust", || wasm::lint_programs(&PAGES)),
    compiles("documentation of the crates", api::crates),
    check("JavaScript", || {
        // As a job of `cargo xtask test` it may be the first one that needs them.
        setup::npm_packages()?;
        quietly(setup::npm_bin("biome").args(["ci", "--error-on-warnings", "--colors=off"]))
    }),
    // It emits the declarations that the next one and `types` read.
    Check { build: Build::Included, ..reads_build("types of the package", types_of_package) },
    reads_build("documentation of the package", api::package),
    check("assertions in the package", || refuse(|_, line| names_any(&SILENCERS, line), &EXCEPTIONS)),
    check("lists as arguments", || refuse(|_, line| names_any(&SPREADS, line), &["A few items:"])),
    check("classes of other realms", || {
        refuse(|file, line| !file.ends_with(KINDS) && asks_for_built_in(line), &EXCEPTIONS)
    }),
    check("modules of the package", modules::check),
    reads_build("types", || quietly(setup::npm_bin("tsc").args(["--noEmit", "--project", "tsconfig.json"]))),
];

/// The command line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// First write what the formatters can fix
    #[arg(long)]
    fix: bool,
}

/// Runs all checks even if some fail, so that one run reports everything.
pub(crate) fn lint(args: &Args) -> Result<()> {
    setup::wasm_target()?;
    setup::npm_packages()?;
    if args.fix {
        run(cargo::cargo().args(["fmt", "--all"]))?;
        run(setup::npm_bin("biome").args(["check", "--write", "--colors=off"]))?;
    }
    let mut failed = Vec::new();
    for Check { name, run, .. } in CHECKS {
        say::step(name);
        let since = Instant::now();
        match run() {
            Ok(()) => say::note(&format!("clean ({:.1} s)", since.elapsed().as_secs_f64())),
            Err(error) => {
                say::note(&format!("error: {error:#}"));
                failed.push(*name);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    eprintln!("error: not clean: {}", failed.join(", "));
    Err(AlreadyReported.into())
}

fn quietly(command: &mut Command) -> Result<()> {
    run_quietly(command).map(drop)
}

fn clippy(flags: &[&str]) -> Result<()> {
    quietly(cargo::behind_tests().arg("clippy").args(flags).args(["--", "--deny=warnings"]))
}

fn clippy_for_wasm(packages: &[&str]) -> Result<()> {
    clippy(&[&["--target", setup::WASM], packages, &cargo::SAME_FEATURES].concat())
}

/// One of the modules for Workers: the features of the others are off.
fn clippy_for_edge(feature: &str) -> Result<()> {
    clippy_for_wasm(&["--package", GATEWAY.package, "--no-default-features", "--features", feature])
}

/// The sources, against the declarations of the generated glue: without a build there are none.
fn types_of_package() -> Result<()> {
    if !repo::path("pkg/gen/raven_edge.d.ts").exists() {
        build::make(&build::Args { fast: true, ..build::Args::default() })?;
    }
    dist::build()
}

/// What silences the type checker, in any file of the package, and the words that make it an exception.
const SILENCERS: [&str; 4] =
    ["as unknown as", "@ts-expect-error", "@ts-nocheck", "biome-ignore lint/suspicious/noExplicitAny"];
const EXCEPTIONS: [&str; 3] = ["Border to generated code:", "as in npm `ravendb`", "platform's own"];

/// A function takes about 120,000 arguments: a list that may be longer is appended item by item, or with `concat`.
const SPREADS: [&str; 6] =
    [".push(...", ".unshift(...", "Math.max(...", "Math.min(...", "fromCharCode(...", "fromCodePoint(..."];

/// Built-in classes: `instanceof` is false for their instances of another realm (an iframe, a `vm` context), so one file decides.
const BUILT_INS: &str = "Array ArrayBuffer Blob Boolean DOMException Date Error File Function Map Number Object Promise \
    RangeError ReadableStream RegExp Set String SyntaxError TypeError Uint8Array Uint32Array";
const KINDS: &str = "common/value-kinds.ts";

fn asks_for_built_in(line: &str) -> bool {
    line.split("instanceof ").skip(1).any(|rest| {
        let name = rest.split(|letter: char| !letter.is_alphanumeric()).next();
        BUILT_INS.split_whitespace().any(|built_in| name == Some(built_in))
    })
}

fn names_any(words: &[&str], line: &str) -> bool {
    words.iter().any(|word| line.contains(word))
}

/// Such lines stand only where they, or the one above, give one of the reasons: assertions that the type checker cannot check, for
/// example, only where generated code is called.
fn refuse(is_refused: impl Fn(&Path, &str) -> bool, reasons: &[&str]) -> Result<()> {
    let mut found = Vec::new();
    for file in repo::files("pkg/src", ".ts")? {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let lines: Vec<_> = text.lines().collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_refused(&file, line)) {
            let near = [lines[at.saturating_sub(1)], line];
            if !near.iter().any(|line| names_any(reasons, line)) {
                found.push(format!("{}:{}: {}", file.display(), at + 1, line.trim()));
            }
        }
    }
    if found.is_empty() { Ok(()) } else { bail!("without a reason ({}):\n{}", reasons.join(", "), found.join("\n")) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_without_a_reason_are_refused_and_those_with_one_are_not() {
        let wanted = |_: &std::path::Path, line: &str| super::names_any(&super::SILENCERS, line);
        let error = super::refuse(wanted, &["a reason that no line gives"]).unwrap_err().to_string();
        assert!(error.contains("as unknown as"), "{error}");
        super::refuse(wanted, &super::EXCEPTIONS).unwrap();
    }

    #[test]
    fn a_test_for_a_built_in_class_is_found_and_one_for_a_class_of_the_package_is_not() {
        let asks = ["x instanceof Date", "!(a instanceof Uint8Array)", "a instanceof Facet || b instanceof Map)"];
        assert!(asks.iter().all(|line| super::asks_for_built_in(line)));
        let fine =
            ["error instanceof RavenEdgeError", "x instanceof SetOfThings", "value instanceof type", "isDate(x)"];
        assert!(!fine.iter().any(|line| super::asks_for_built_in(line)));
    }
}
