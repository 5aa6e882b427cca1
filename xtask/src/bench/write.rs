//! `cargo xtask bench … --write`: puts the measured tables into their chapter of `docs/comparison.md`, and today's date there and into the
//! chapter's row of `docs/evidence.md`.

use crate::{process, repo, say};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::process::Command;

/// The page with the figures, and the register of all figures.
const PAGE: &str = "docs/comparison.md";
const REGISTER: &str = "docs/evidence.md";

/// The result of a measurement.
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn print(&self) {
        let head: Vec<_> = self.head.iter().map(String::as_str).collect();
        say::table(&head, &self.rows);
    }

    /// In Markdown.
    fn text(&self) -> String {
        let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        [row(&self.head), rule].into_iter().chain(self.rows.iter().map(|cells| row(cells))).collect()
    }
}

/// Writes the tables of a chapter, in order.
pub(super) fn write(title: &str, tables: &[Table]) -> Result<()> {
    let today = process::run_quietly(Command::new("date").args(["-u", "+%F"]))?;
    let read = |path: &str| fs::read_to_string(repo::path(path)).with_context(|| path.to_owned());
    let page = in_chapter(&read(PAGE)?, title, |chapter| replaced(chapter, tables, today.trim()))?;
    let anchor = format!("(comparison.md#{})", title.to_lowercase().replace(' ', "-"));
    let register = read(REGISTER)?;
    ensure!(register.contains(&anchor), "{REGISTER} has no row for {anchor}");
    let register: String = register
        .split_inclusive('\n')
        .map(|line| if line.contains(&anchor) { dated(line, today.trim()) } else { line.to_owned() })
        .collect();
    for (path, text) in [(PAGE, page), (REGISTER, register)] {
        fs::write(repo::path(path), text).with_context(|| path.to_owned())?;
    }
    Ok(())
}

/// The page with another text of a chapter.
fn in_chapter(page: &str, title: &str, change: impl FnOnce(&str) -> Result<String>) -> Result<String> {
    let heading = format!("\n## {title}\n");
    let (before, rest) = page.split_once(&heading).with_context(|| format!("{PAGE} has no chapter \"{title}\""))?;
    let (chapter, after) = rest.split_at(rest.find("\n## ").unwrap_or(rest.len()));
    Ok([before, &heading, &change(chapter)?, after].concat())
}

/// The chapter with these tables in place of its own.
fn replaced(chapter: &str, tables: &[Table], today: &str) -> Result<String> {
    let mut text = String::new();
    let mut next = tables.iter();
    let mut was_table = false;
    for line in chapter.split_inclusive('\n') {
        let is_table = line.starts_with('|');
        if is_table && !was_table {
            let Some(table) = next.next() else { bail!("the chapter has more than {} tables", tables.len()) };
            text.push_str(&table.text());
        } else if !is_table {
            text.push_str(&dated(line, today));
        }
        was_table = is_table;
    }
    ensure!(next.next().is_none(), "the chapter has less than {} tables", tables.len());
    Ok(text)
}

/// The text with another date.
fn dated(text: &str, today: &str) -> String {
    let is_date = |part: &str| {
        let digits = |at: &[usize]| at.iter().all(|at| part.as_bytes().get(*at).is_some_and(u8::is_ascii_digit));
        part.len() == 10 && digits(&[0, 1, 2, 3, 5, 6, 8, 9]) && &part[4..5] == "-" && &part[7..8] == "-"
    };
    let part = |part: &str| if is_date(part) { today.to_owned() } else { part.to_owned() };
    text.split_inclusive([' ', '\n', '.', ',', '|', ':', ')'])
        .map(|word| {
            let end = word.len()
                - word.chars().next_back().filter(|last| " \n.,|:)".contains(*last)).map_or(0, char::len_utf8);
            part(&word[..end]) + &word[end..]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Table, in_chapter, replaced};

    fn table(cell: &str) -> Table {
        Table { head: vec!["a".into(), "b".into()], rows: vec![vec![cell.into(), "2".into()]] }
    }

    #[test]
    fn the_tables_of_a_chapter_are_replaced_in_order_and_its_date() {
        let page = "# Page\n\n2026-01-01\n\n## One\n\nOn 2026-01-01: é\n\n| x |\n|---|\n| 1 |\n\n| y |\n|---|\n\n## Two\n\n| z |\n";
        let write = |tables: &[Table]| in_chapter(page, "One", |chapter| replaced(chapter, tables, "2026-02-02"));
        assert_eq!(
            write(&[table("p"), table("q")]).unwrap(),
            "# Page\n\n2026-01-01\n\n## One\n\nOn 2026-02-02: é\n\n| a | b |\n|---|---|\n| p | 2 |\n\n| a | b |\n|---|---|\n| q | 2 |\n\n## Two\n\n| z |\n"
        );
        assert!(write(&[table("p")]).is_err() && write(&[table("p"), table("q"), table("r")]).is_err());
        assert!(in_chapter(page, "None", |chapter| Ok(chapter.to_owned())).is_err());
    }
}
