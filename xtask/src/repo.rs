//! Where things are in the repository.

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

/// The ignored folder for everything that is downloaded or kept between runs.
pub(crate) fn cache() -> PathBuf {
    path(".cache")
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| path("target"), |dir| root().join(dir))
}
