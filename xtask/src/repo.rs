//! Locations in the repository.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The repository's root folder.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A path inside the repository.
pub(crate) fn path(inside: &str) -> PathBuf {
    root().join(inside)
}

/// The files below a folder of the repository whose names end so, sorted.
pub(crate) fn files(folder: &str, end: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![path(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The ignored folder for downloads and everything else that is kept between runs.
pub(crate) fn cache() -> PathBuf {
    path(".cache")
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| path("target"), |dir| root().join(dir))
}
