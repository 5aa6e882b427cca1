//! The version of a build: the package's version and the revision of its sources, `0.1.0+b97f5e9c1a2d`. The app reads
//! it as `version`; in a module it is the custom section `version`, which is appended after the build, so that a new
//! revision rebuilds nothing.

use crate::{process, repo};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Number of digits of the revision; fixed, whereas git's short form grows with the repository.
const DIGITS: usize = 12;

/// The name of the section.
const SECTION: &str = "version";

/// The version, followed by the revision: `unknown` outside of git; with `.modified` if there are uncommitted
/// changes.
pub(crate) fn of_sources() -> Result<String> {
    let version = env!("CARGO_PKG_VERSION");
    let file = repo::path("pkg/package.json");
    let package: Value = serde_json::from_str(&fs::read_to_string(&file)?).context("pkg/package.json")?;
    if package["version"] != version {
        bail!("pkg/package.json says version {}, Cargo.toml {version}", package["version"]);
    }
    Ok(format!("{version}+{}", revision().unwrap_or_else(|| "unknown".to_owned())))
}

/// The commit of the sources; `None` if they are not in a git repository of their own.
fn revision() -> Option<String> {
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if fs::canonicalize(top).ok()? != fs::canonicalize(repo::root()).ok()? {
        return None;
    }
    let commit: String = git(&["rev-parse", "HEAD"])?.chars().take(DIGITS).collect();
    let modified = if git(&["status", "--porcelain"])?.is_empty() { "" } else { ".modified" };
    Some(commit + modified)
}

/// The output of a git command, if git exists and the command succeeds.
pub(crate) fn git(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    let output = process::output(command.current_dir(repo::root()).args(arguments)).ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Writes the version for the JavaScript façade.
pub(crate) fn write() -> Result<()> {
    fs::write(repo::path("pkg/gen/version.d.ts"), "export declare const version: string;\n")
        .context("pkg/gen/version.d.ts")?;
    let file = repo::path("pkg/gen/version.js");
    let text = format!("export const version = {};\n", serde_json::to_string(&of_sources()?)?);
    fs::write(&file, text).with_context(|| file.display().to_string())
}

/// Appends the section to a finished module.
pub(crate) fn stamp(module: &Path) -> Result<()> {
    let mut bytes = fs::read(module).with_context(|| module.display().to_string())?;
    bytes.extend(section(SECTION, of_sources()?.as_bytes())?);
    fs::write(module, bytes).with_context(|| module.display().to_string())
}

/// A custom section of WebAssembly. Lengths are LEB128 numbers; here each takes one byte, so it is at most 127.
fn section(name: &str, content: &[u8]) -> Result<Vec<u8>> {
    let length = |bytes: usize| u8::try_from(bytes).ok().filter(|byte| *byte < 128).context("the section is too long");
    let mut bytes = vec![0, length(1 + name.len() + content.len())?, length(name.len())?];
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(content);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn a_custom_section_contains_its_lengths() {
        assert_eq!(section("ab", b"xyz").unwrap(), b"\x00\x06\x02abxyz");
        assert!(section("ab", &[0; 125]).is_err());
    }
}
