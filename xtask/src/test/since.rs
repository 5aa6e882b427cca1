//! `cargo xtask test --since REV`: the suites that CONTRIBUTING.md names for the files that differ.

use super::suites::SUITES;
use crate::{process, repo};
use anyhow::{Context, Result, bail};
use std::fs;
use std::process::Command;

/// The suites that prove what differs between the commit and the working tree, files that git does not track included.
pub(super) fn suites(rev: &str) -> Result<Vec<String>> {
    let commit = process::output(git().args([
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &format!("{rev}^{{commit}}"),
    ]))?;
    if !commit.status.success() {
        bail!("git knows no commit `{rev}`: name a commit, a branch or a tag, such as HEAD~1");
    }
    let commit = String::from_utf8_lossy(&commit.stdout).trim().to_owned();
    let differ = process::run_quietly(git().args(["diff", "--name-only", &commit]))?;
    let new = process::run_quietly(git().args(["ls-files", "--others", "--exclude-standard"]))?;
    let text = fs::read_to_string(repo::path("CONTRIBUTING.md")).context("CONTRIBUTING.md")?;
    Ok(named(&rows(&text), differ.lines().chain(new.lines())))
}

fn git() -> Command {
    let mut command = Command::new("git");
    command.current_dir(repo::root());
    command
}

/// A row of the table: beginnings of paths, and the suites that prove a change of these files.
struct Row {
    paths: Vec<String>,
    suites: Vec<String>,
}

/// The table whose columns are "you changed", "files" and "suite".
fn rows(text: &str) -> Vec<Row> {
    let table = text.lines().skip_while(|line| !line.starts_with("| you changed | files | suite")).skip(2);
    let rows = table.take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<_> = line.split('|').map(marked).collect();
        let cell = |at: usize| cells.get(at).cloned().unwrap_or_default();
        // The last row of the table names a command, and cells may name files after the suites.
        let suites = cell(3).into_iter().filter(|name| SUITES.iter().any(|suite| suite.name == *name)).collect();
        Row { paths: cell(2), suites }
    });
    rows.collect()
}

/// What stands between backticks.
fn marked(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The suites of all rows that name a file, each once, in the order of the table.
fn named<'a>(rows: &[Row], files: impl Iterator<Item = &'a str>) -> Vec<String> {
    let files: Vec<_> = files.collect();
    let changed = |row: &&Row| row.paths.iter().any(|path| files.iter().any(|file| file.starts_with(path.as_str())));
    let mut found: Vec<String> = Vec::new();
    for suite in rows.iter().filter(changed).flat_map(|row| &row.suites) {
        if !found.contains(suite) {
            found.push(suite.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{named, rows};
    use crate::repo;
    use crate::test::suites::SUITES;
    use anyhow::Result;
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_suites_of_a_changed_file_are_those_of_its_rows_each_once() {
        let text = "text\n| you changed | files | suite that proves it |\n|---|---|---|\n\
            | numbers | `src/hilo` | `law`, `native` |\n| all | `src/` | `native` |\n\nmore";
        let rows = rows(text);
        assert_eq!(named(&rows, ["src/hilo/ledger.rs", "README.md"].into_iter()), ["law", "native"]);
        assert_eq!(named(&rows, ["src/ids/key.rs"].into_iter()), ["native"]);
        assert!(named(&rows, ["docs/a.md"].into_iter()).is_empty());
    }

    #[test]
    fn the_table_of_contributing_names_suites_and_files_that_exist_and_every_suite() -> Result<()> {
        let rows = rows(&fs::read_to_string(repo::path("CONTRIBUTING.md"))?);
        let known: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
        for row in &rows {
            assert!(row.paths.is_empty() || !row.suites.is_empty(), "no suite for {:?}", row.paths);
            assert!(row.paths.iter().all(|path| Path::new(&repo::path(path)).exists()), "{:?}", row.paths);
        }
        for suite in known {
            assert!(rows.iter().any(|row| row.suites.iter().any(|named| named == suite)), "no row names {suite}");
        }
        Ok(())
    }
}
