//! Counts of tests.

use std::time::Duration;

/// The results of a suite, or of all suites.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// How many passed.
    pub(super) passed: usize,
    /// The names of those that failed.
    pub(super) failed: Vec<String>,
    /// The names of tests that could not run here.
    pub(super) skipped: Vec<String>,
    /// The number of tests that only run with `--full`.
    pub(super) left: usize,
}

impl Tally {
    /// A single failure of something that is not a test.
    pub(super) fn failure(name: String) -> Self {
        Self { failed: vec![name], ..Self::default() }
    }

    /// Adds a suite's counts.
    pub(super) fn add(&mut self, suite: &str, other: &Self) {
        let named = |names: &[String]| names.iter().map(|name| format!("{suite}: {name}")).collect::<Vec<_>>();
        self.passed += other.passed;
        self.failed.extend(named(&other.failed));
        self.skipped.extend(named(&other.skipped));
        self.left += other.left;
    }

    /// A line of the table of suites: `ended` after the start of the run, with so many CPU seconds.
    pub(super) fn row(&self, suite: &str, ended: Duration, cpu: f64) -> Vec<String> {
        let counts = [self.passed, self.failed.len(), self.skipped.len()].map(|count| count.to_string());
        let seconds = [ended.as_secs_f64(), cpu].map(|seconds| format!("{seconds:.0}"));
        [suite.to_owned()].into_iter().chain(counts).chain(seconds).collect()
    }

    /// Whether the run succeeded: nothing failed, and in CI nothing was skipped.
    pub(super) fn good(&self) -> bool {
        self.failed.is_empty() && (self.skipped.is_empty() || !in_ci())
    }

    /// Prints the names of failed and skipped tests.
    pub(super) fn print(&self) {
        for name in &self.failed {
            println!("failed: {name}");
        }
        for name in &self.skipped {
            println!("skipped: {name}");
        }
        if self.left > 0 {
            println!("left to --full: {}", self.left);
        }
        if in_ci() && !self.skipped.is_empty() {
            println!("CI=true: a skipped test counts as a failure");
        }
        println!("{}", self.counts());
    }

    /// `N passed, N failed`, and the skips if there are any.
    pub(super) fn counts(&self) -> String {
        let counts = format!("{} passed, {} failed", self.passed, self.failed.len());
        match self.skipped.len() {
            0 => counts,
            skipped => format!("{counts}, {skipped} skipped"),
        }
    }
}

/// Whether this run decides about a change.
pub(super) fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn the_last_line_mentions_skips_only_if_there_are_any() {
        let mut all = Tally { passed: 3, ..Tally::default() };
        assert_eq!(all.counts(), "3 passed, 0 failed");
        all.add("server", &Tally { skipped: vec!["a".into()], ..Tally::default() });
        assert_eq!(all.counts(), "3 passed, 0 failed, 1 skipped");
        assert_eq!(all.skipped, ["server: a"]);
    }
}
