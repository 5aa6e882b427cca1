//! What the person at the terminal reads: one line for what is done, a spinner while it lasts, tables.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// Says in one line what is done now.
pub(crate) fn step(text: &str) {
    eprintln!("• {text}");
}

/// Says something about the step before it.
pub(crate) fn note(text: &str) {
    eprintln!("  {text}");
}

/// A quiet step that lasts: a spinner on a terminal, one line elsewhere, and the seconds at its end.
pub(crate) struct Wait {
    bar: ProgressBar,
    text: String,
    since: Instant,
}

impl Wait {
    /// Starts the spinner.
    pub(crate) fn new(text: &str) -> Self {
        let bar = ProgressBar::new_spinner();
        if bar.is_hidden() {
            step(text);
        } else {
            bar.set_style(ProgressStyle::default_spinner());
            bar.set_message(text.to_owned());
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { bar, text: text.to_owned(), since: Instant::now() }
    }

    /// Shows how far the step is (on a terminal only).
    pub(crate) fn progress(&self, detail: &str) {
        self.bar.set_message(format!("{}: {detail}", self.text));
    }

    /// Ends the step with its seconds; without this call (an error) only the spinner goes.
    pub(crate) fn done(self, result: &str) {
        let seconds = self.since.elapsed().as_secs_f64();
        let shown = !self.bar.is_hidden();
        self.bar.finish_and_clear();
        if shown {
            step(&self.text);
        }
        let result = if result.is_empty() { "done" } else { result };
        note(&format!("{result} ({seconds:.1} s)"));
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Prints a table on standard output: the first column to the left, the others to the right.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(head.get(column).map(|cell| cell.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let mut text = String::new();
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            if column == 0 {
                text.push_str(&format!("{cell:<width$}"));
            } else {
                text.push_str(&format!("  {cell:>width$}"));
            }
        }
        println!("{}", text.trim_end());
    };
    println!();
    line(head.to_vec());
    println!("{}", "-".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)));
    for row in rows {
        line(row.iter().map(String::as_str).collect());
    }
}
