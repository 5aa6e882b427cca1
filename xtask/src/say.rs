//! Output for the person at the terminal: one line per step, a spinner while it runs, tables.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// Prints the step that begins.
pub(crate) fn step(text: &str) {
    eprintln!("• {text}");
}

/// Prints a note about the current step.
pub(crate) fn note(text: &str) {
    eprintln!("  {text}");
}

/// A step that takes time: a spinner on a terminal, one line elsewhere, and the elapsed seconds at its end.
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

    /// Shows the progress of the step (on a terminal only).
    pub(crate) fn progress(&self, detail: &str) {
        self.bar.set_message(format!("{}: {detail}", self.text));
    }

    /// Prints lines while the step lasts.
    pub(crate) fn print(&self, lines: &[String]) {
        self.bar.suspend(|| lines.iter().for_each(|line| eprintln!("{line}")));
    }

    /// Ends the step and prints its seconds. If this is not called (because of an error), only the spinner
    /// disappears.
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

/// Prints a table to standard output: the first column left-aligned, the others right-aligned.
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
