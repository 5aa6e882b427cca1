//! The pages of `docs/` inside the package: its types name them, and whoever installed it has no repository at hand.

use crate::repo;
use anyhow::{Context, Result};
use std::fs;

/// Writes `pkg/docs`, without the pictures.
pub(crate) fn copy() -> Result<()> {
    let to = repo::path("pkg/docs");
    // A page that was renamed must not stay.
    if to.exists() {
        fs::remove_dir_all(&to).context("pkg/docs")?;
    }
    fs::create_dir_all(&to).context("pkg/docs")?;
    for page in fs::read_dir(repo::path("docs")).context("docs")? {
        let page = page?;
        if page.path().extension().is_some_and(|end| end == "md") {
            fs::copy(page.path(), to.join(page.file_name())).with_context(|| page.path().display().to_string())?;
        }
    }
    Ok(())
}
