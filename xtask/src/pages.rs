//! Copies `docs/` and the starter into the package: the types refer to the pages, these to the starter, and users of the package do not have
//! the repository.

use crate::repo;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

const STARTER: &str = "templates/worker-react";
/// What npm and the starter's commands write into its folder.
const MADE_IN_STARTER: [&str; 5] = ["node_modules", "dist", ".wrangler", ".dev.vars", "package-lock.json"];

/// Proofs, measurements, and a list with every name of npm `ravendb`: they name tests and commands that users of the package do not have.
const REPOSITORY_ONLY: [&str; 10] = [
    "comparison.md",
    "drill.md",
    "evidence.md",
    "gateway-attacks.md",
    "incarnation.md",
    "law.md",
    "moving-names.md",
    "offline-law.md",
    "session-law.md",
    "unload.md",
];

/// Writes `pkg/docs`, without the pages above, and without the images, which would be larger than all the rest; and `pkg/templates`.
pub(crate) fn copy() -> Result<()> {
    let to = repo::path("pkg/docs");
    // Removes pages that were renamed.
    if to.exists() {
        fs::remove_dir_all(&to).context("pkg/docs")?;
    }
    fs::create_dir_all(&to).context("pkg/docs")?;
    for page in fs::read_dir(repo::path("docs")).context("docs")? {
        let page = page?;
        let is_left_out = REPOSITORY_ONLY.iter().any(|left_out| page.file_name() == *left_out);
        if !is_left_out && page.path().extension().is_some_and(|end| end == "md") {
            let text = fs::read_to_string(page.path()).with_context(|| page.path().display().to_string())?;
            fs::write(to.join(page.file_name()), packed(&text)).context("pkg/docs")?;
        }
    }
    let security = fs::read_to_string(repo::path("SECURITY.md")).context("SECURITY.md")?;
    fs::write(to.join("SECURITY.md"), packed(&security.replace("](docs/", "]("))).context("SECURITY.md")?;
    let templates = repo::path("pkg/templates");
    if templates.exists() {
        fs::remove_dir_all(&templates).context("pkg/templates")?;
    }
    copy_starter(&repo::path(STARTER), &repo::path("pkg").join(STARTER))
}

fn copy_starter(from: &Path, to: &Path) -> Result<()> {
    let what = || from.display().to_string();
    fs::create_dir_all(to).with_context(what)?;
    for entry in fs::read_dir(from).with_context(what)? {
        let entry = entry.with_context(what)?;
        let target = to.join(entry.file_name());
        if MADE_IN_STARTER.iter().any(|made| entry.file_name() == *made) {
            continue;
        }
        if entry.file_type().with_context(what)?.is_dir() {
            copy_starter(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target).with_context(what)?;
        }
    }
    Ok(())
}

/// Removes pictures, what code blocks say about their tests, and links to what the package does not contain; the text of a link stays, with
/// the path in the repository.
fn packed(page: &str) -> String {
    let page = page.replace("(../SECURITY.md)", "(SECURITY.md)");
    let lines = page.split_inclusive('\n').filter(|line| !line.starts_with("!["));
    with_packed_links(&lines.map(without_test).collect::<String>())
}

/// The first line of a code block has the language alone; other lines stay unchanged.
fn without_test(line: &str) -> String {
    match line.split_once(' ') {
        Some((fence, _)) if fence.starts_with("```") => format!("{fence}\n"),
        _ => line.to_owned(),
    }
}

/// A text whose links lead to packed files only.
fn with_packed_links(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, target, after)) = next_link(rest) {
        let file = target.split('#').next().unwrap_or(target);
        let path = match file.strip_prefix("../") {
            Some(path) if !path.starts_with(STARTER) => path.to_owned(),
            None if REPOSITORY_ONLY.contains(&file) => format!("docs/{file}"),
            _ => {
                text.push_str(&rest[..rest.len() - after.len()]);
                rest = after;
                continue;
            }
        };
        let open = before.rfind('[').unwrap_or(0);
        text.push_str(&before[..open]);
        text.push_str(&before[open..].replacen('[', "", 1));
        text.push_str(&format!(" [repository: {path}]"));
        rest = after;
    }
    text + rest
}

/// The text before the first `](`, the target of that link, and the text after it.
fn next_link(text: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = text.split_once("](")?;
    let (target, after) = after.split_once(')')?;
    Some((before, target, after))
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn packed_pages_link_only_to_packed_files() {
        let page = "# A\n![picture](images/a.png)\nSee [it](../SECURITY.md), ![no picture line](b).\n";
        assert_eq!(packed(page), "# A\nSee [it](SECURITY.md), ![no picture line](b).\n");
        let page = "[the starter](../templates/worker-react/README.md)\n";
        assert_eq!(packed(page), page);
        let page = "```js tested-by=tests/a.test.mjs\nconst a = 1;\n```\n";
        assert_eq!(packed(page), "```js\nconst a = 1;\n```\n");
        let page = "[Leases](leases.md), [the proof](law.md#broken-variants) and [an app](../examples/a/README.md).\n";
        assert_eq!(
            packed(page),
            "[Leases](leases.md), the proof [repository: docs/law.md] and an app [repository: examples/a/README.md].\n"
        );
    }
}
