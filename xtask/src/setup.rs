//! The prerequisites of commands: downloaded once, into ignored folders of the repository.

use crate::{process, repo, say};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target of every module that runs in a browser or a Worker.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// The oldest Node that the package supports; the tests run on it.
const NODE: u32 = 20;

/// Node, run in the repository's root.
pub(crate) fn node() -> Command {
    let mut command = Command::new("node");
    command.current_dir(repo::root());
    command
}

/// A program of a package in node_modules.
pub(crate) fn npm_bin(name: &str) -> Command {
    let mut command = Command::new(repo::path("node_modules/.bin").join(name));
    command.current_dir(repo::root());
    command
}

/// binaryen's optimiser, which is WebAssembly itself: it has ended before it would pay that the engine optimises its code.
pub(crate) fn wasm_opt() -> Command {
    let mut command = node();
    command.arg("--liftoff-only").arg(npm_bin("wasm-opt").get_program());
    command
}

/// The bundler: combines an entry and all its imports into one file.
pub(crate) fn bundler(entry: &Path) -> Command {
    let mut command = npm_bin("esbuild");
    command.arg(entry).args(["--bundle", "--format=esm", "--target=es2022", "--log-level=warning"]);
    command
}

/// Installs Rust's standard library for WebAssembly.
pub(crate) fn wasm_target() -> Result<()> {
    let print = ["--print", "target-libdir", "--target", WASM];
    let libdir = process::run_quietly(Command::new("rustc").current_dir(repo::root()).args(print))?;
    if PathBuf::from(libdir.trim()).is_dir() {
        return Ok(());
    }
    say::step(&format!("rustup target add {WASM} (once)"));
    process::run(Command::new("rustup").current_dir(repo::root()).args(["target", "add", WASM]))
}

/// Installs the npm packages of package-lock.json, unless the copy of the lock file inside node_modules is the same.
pub(crate) fn npm_packages() -> Result<()> {
    node_is_new_enough()?;
    // Several threads or commands may need them at once, and `npm ci` begins by removing the folder.
    let folder = repo::target().join("xtask");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let one_at_a_time = fs::File::create(folder.join("npm.lock")).context("target/xtask/npm.lock")?;
    one_at_a_time.lock().context("target/xtask/npm.lock")?;
    npm_ci(&repo::root())
}

/// Installs the npm packages of a folder's package-lock.json, unless the copy of the lock file inside its node_modules is the same.
pub(crate) fn npm_ci(folder: &Path) -> Result<()> {
    let locked = folder.join("package-lock.json");
    let lock = fs::read(&locked).with_context(|| locked.display().to_string())?;
    let stamp = folder.join("node_modules/.xtask-package-lock.json");
    let why = match fs::read(&stamp) {
        Ok(installed) if installed == lock => return Ok(()),
        Ok(_) => "package-lock.json has changed",
        Err(_) => "no node_modules of this lock yet",
    };
    say::step(&format!("npm ci in {} ({why})", folder.display()));
    let flags = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    process::run(Command::new("npm").current_dir(folder).args(flags))?;
    fs::write(&stamp, lock).with_context(|| stamp.display().to_string())
}

/// Checks the version of Node. The packages' programs would otherwise fail, each with another message.
fn node_is_new_enough() -> Result<()> {
    let version = process::run_quietly(node().arg("--version"))?;
    let major: u32 = version.trim_start_matches('v').split('.').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    if major < NODE {
        bail!("`node` is {}: install Node.js {NODE} or later", version.trim());
    }
    Ok(())
}

/// Chromium's path: `CHROMIUM`, else the one on PATH, else Debian's package. With it comes its shell, which has no windows.
pub(crate) fn chromium() -> Result<PathBuf> {
    if let Some(given) = std::env::var_os("CHROMIUM").map(PathBuf::from) {
        if !given.is_file() {
            bail!("CHROMIUM names {}, which does not exist", given.display());
        }
        return Ok(given);
    }
    // Most tests have no use for a window. Other distributions do not have the shell: their tests take Chromium itself.
    let has_shell = on_path("chromium-headless-shell").is_some() || on_path("apt-get").is_none();
    if let Some(found) = find_chromium().filter(|_| has_shell) {
        return Ok(found);
    }
    let packages = ["chromium", "chromium-headless-shell"];
    let installed =
        install("Chromium", &packages, "install it (Debian: `apt-get install chromium`) or set CHROMIUM to its path");
    match (find_chromium(), installed) {
        (Some(found), _) => Ok(found),
        (None, Err(error)) => Err(error),
        (None, Ok(())) => bail!("apt-get installed chromium, but it is not on PATH"),
    }
}

/// Firefox: `FIREFOX`, else the one on PATH, else Debian's package.
pub(crate) fn firefox() -> Result<()> {
    let there = || ["firefox-esr", "firefox"].into_iter().find_map(on_path).is_some();
    if std::env::var_os("FIREFOX").is_some() || there() {
        return Ok(());
    }
    install(
        "Firefox",
        &["firefox-esr"],
        "install it (Debian: `apt-get install firefox-esr`) or set FIREFOX to its path",
    )
}

/// WebKitGTK, and what opens its windows on a virtual screen: Debian's packages.
pub(crate) fn webkit() -> Result<()> {
    const PACKAGES: [&str; 3] = ["gjs", "gir1.2-webkit2-4.1", "xvfb"];
    let loads = ["-c", "imports.gi.versions.WebKit2 = '4.1'; imports.gi.WebKit2"];
    let there = || process::output(Command::new("gjs").args(loads)).is_ok_and(|output| output.status.success());
    if on_path("Xvfb").is_some() && there() {
        return Ok(());
    }
    install("WebKitGTK", &PACKAGES, &format!("install it (Debian: `apt-get install {}`)", PACKAGES.join(" ")))
}

/// The proxies of `docs/proxies.md`: Debian's packages. nginx is in a folder that PATH may not contain.
pub(crate) fn proxies() -> Result<()> {
    let there = |name| on_path(name).is_some() || Path::new("/usr/sbin").join(name).is_file();
    if there("nginx") && there("caddy") {
        return Ok(());
    }
    install("nginx and Caddy", &["nginx-light", "caddy"], "install them (Debian: `apt-get install nginx-light caddy`)")
}

/// Installs a program's Debian packages if that is permitted; `advice` is for other machines.
fn install(program: &str, packages: &[&str], advice: &str) -> Result<()> {
    if on_path("apt-get").is_none() || !nix::unistd::geteuid().is_root() {
        bail!("no {program}: {advice}");
    }
    say::step(&format!("apt-get install {} (once)", packages.join(" ")));
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        process::run(
            command.env("DEBIAN_FRONTEND", "noninteractive").args(["-qq", "-o", "Dpkg::Use-Pty=0"]).args(arguments),
        )
    };
    apt(&["update"])?;
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())
}

fn find_chromium() -> Option<PathBuf> {
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].into_iter().find_map(on_path)
}

/// The location of a program on PATH.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
