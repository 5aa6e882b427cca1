//! Copies `docs/` into the package: the types refer to the pages, and users of the package do not have the
//! repository.

use crate::repo;
use anyhow::{Context, Result};
use std::fs;

/// Pages about the proofs that run in the repository: they serve no user of the package.
const PROOFS: [&str; 3] = ["law.md", "session-law.md", "offline-law.md"];

/// Writes `pkg/docs`, without the proofs, and without the images, which would be larger than all the rest.
pub(crate) fn copy() -> Result<()> {
    let to = repo::path("pkg/docs");
    // Removes pages that were renamed.
    if to.exists() {
        fs::remove_dir_all(&to).context("pkg/docs")?;
    }
    fs::create_dir_all(&to).context("pkg/docs")?;
    for page in fs::read_dir(repo::path("docs")).context("docs")? {
        let page = page?;
        let is_proof = PROOFS.iter().any(|proof| page.file_name() == *proof);
        if !is_proof && page.path().extension().is_some_and(|end| end == "md") {
            let text = fs::read_to_string(page.path()).with_context(|| page.path().display().to_string())?;
            fs::write(to.join(page.file_name()), packed(&text)).context("pkg/docs")?;
        }
    }
    fs::copy(repo::path("SECURITY.md"), to.join("SECURITY.md")).map(drop).context("SECURITY.md")
}

/// Removes pictures and links to what the package does not contain; the text of a link stays.
fn packed(page: &str) -> String {
    let page = page.replace("(../SECURITY.md)", "(SECURITY.md)");
    page.split_inclusive('\n').filter(|line| !line.starts_with("![")).map(without_proofs).collect()
}

/// A line whose links to proofs are only their text.
fn without_proofs(line: &str) -> String {
    let mut text = line.to_owned();
    for proof in PROOFS {
        while let Some(target) = text.find(&format!("]({proof}")) {
            let (Some(open), Some(end)) = (text[..target].rfind('['), text[target..].find(')')) else { break };
            text.replace_range(target..=target + end, "");
            text.remove(open);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn packed_pages_link_only_to_packed_files() {
        let page = "# A\n![picture](images/a.png)\nSee [it](../SECURITY.md), ![no picture line](b).\n";
        assert_eq!(packed(page), "# A\nSee [it](SECURITY.md), ![no picture line](b).\n");
        let page = "[Leases](leases.md), [the proof](law.md#broken-variants) and [its twin](session-law.md).\n";
        assert_eq!(packed(page), "[Leases](leases.md), the proof and its twin.\n");
    }
}
