//! Copies `docs/` into the package: the types refer to the pages, and users of the package do not have the
//! repository.

use crate::repo;
use anyhow::{Context, Result};
use std::fs;

/// Writes `pkg/docs`, without the images, which would be larger than all the rest.
pub(crate) fn copy() -> Result<()> {
    let to = repo::path("pkg/docs");
    // Removes pages that were renamed.
    if to.exists() {
        fs::remove_dir_all(&to).context("pkg/docs")?;
    }
    fs::create_dir_all(&to).context("pkg/docs")?;
    for page in fs::read_dir(repo::path("docs")).context("docs")? {
        let page = page?;
        if page.path().extension().is_some_and(|end| end == "md") {
            let text = fs::read_to_string(page.path()).with_context(|| page.path().display().to_string())?;
            fs::write(to.join(page.file_name()), packed(&text)).context("pkg/docs")?;
        }
    }
    fs::copy(repo::path("SECURITY.md"), to.join("SECURITY.md")).map(drop).context("SECURITY.md")
}

/// Removes links to what the package does not contain.
fn packed(page: &str) -> String {
    page.replace("(../SECURITY.md)", "(SECURITY.md)")
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("!["))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn packed_pages_link_only_to_packed_files() {
        let page = "# A\n![picture](images/a.png)\nSee [it](../SECURITY.md), ![no picture line](b).\n";
        assert_eq!(packed(page), "# A\nSee [it](SECURITY.md), ![no picture line](b).\n");
    }
}
