//! Runs `npm pack` in a built checkout, and compares the packages of two checkouts.

use super::checkout::Checkout;
use crate::{process, say};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// A packed package.
pub(super) struct Packed {
    /// The uploaded file.
    pub(super) tarball: Vec<u8>,
    /// Its file name.
    pub(super) file_name: String,
    pub(super) name: String,
    pub(super) version: String,
    /// npm's own checksum.
    pub(super) integrity: String,
    /// Its contents.
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

impl Packed {
    /// The version that the package itself reports, including the revision.
    pub(super) fn build(&self) -> Result<String> {
        let file = self.files.get("gen/version.js").context("the package has no gen/version.js")?;
        let text = String::from_utf8_lossy(file);
        Ok(text.split('"').nth(1).context("gen/version.js")?.to_owned())
    }
}

/// Packs a built checkout.
pub(super) fn make(checkout: &Checkout) -> Result<Packed> {
    let package = checkout.folder.join("pkg");
    let mut command = Command::new("npm");
    command
        .current_dir(&package)
        .args(["pack", "--json", "--loglevel=error", "--pack-destination"])
        .arg(&checkout.folder);
    let packed: Value = serde_json::from_str(&process::run_quietly(&mut command)?).context("npm pack")?;
    let text = |name: &str| packed[0][name].as_str().map(str::to_owned).with_context(|| format!("npm pack: no {name}"));
    let mut files = BTreeMap::new();
    for file in packed[0]["files"].as_array().context("npm pack: no files")? {
        let path = file["path"].as_str().context("npm pack: a file without a path")?;
        files.insert(path.to_owned(), fs::read(package.join(path)).with_context(|| path.to_owned())?);
    }
    let file_name = text("filename")?;
    let tarball = fs::read(checkout.folder.join(&file_name)).with_context(|| file_name.clone())?;
    Ok(Packed {
        tarball,
        file_name,
        name: text("name")?,
        version: text("version")?,
        integrity: text("integrity")?,
        files,
    })
}

/// Fails if two packages differ, and lists the differing files.
pub(super) fn compare(one: &Packed, other: &Packed) -> Result<()> {
    if one.tarball == other.tarball {
        return Ok(());
    }
    let names = one.files.keys().chain(other.files.keys().filter(|name| !one.files.contains_key(*name)));
    for name in names.filter(|name| one.files.get(*name) != other.files.get(*name)) {
        say::note(&format!("differs: {name}"));
    }
    bail!("two builds of one commit do not give the same bytes");
}

#[cfg(test)]
mod tests {
    use super::{Packed, compare};

    fn packed(tarball: &[u8]) -> Packed {
        let [file_name, name, version, integrity] = Default::default();
        Packed { tarball: tarball.to_vec(), file_name, name, version, integrity, files: Default::default() }
    }

    #[test]
    fn packages_that_differ_in_one_bit_are_reported() {
        assert!(compare(&packed(b"ab"), &packed(b"ab")).is_ok());
        assert!(compare(&packed(b"ab"), &packed(b"ac")).is_err());
    }
}
