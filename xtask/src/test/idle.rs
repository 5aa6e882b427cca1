//! More jobs than the budget while cores are idle: the costs of jobs are estimates, and most jobs wait most of the time.

use std::time::{Duration, Instant};

/// Percent of a core by which a look changes what may be used beyond the budget.
const STEP: usize = 25;
/// Percent of a core: with more of them idle, another job may begin, and with fewer one less. In between nothing changes.
const IDLE: [usize; 2] = [10, 30];

/// How much may be used beyond the budget.
pub(super) struct Overcommit {
    /// Percent of a core.
    cores: usize,
    /// Half of the budget: tests have limits of time, and memory is limited.
    most: usize,
    begun: Instant,
    looked: Instant,
    /// Since the system started, in seconds.
    idle: Option<f64>,
    /// Of each look: seconds since the first one, and for how many of them a core was idle since the look before.
    looks: Vec<(f64, f64)>,
}

impl Overcommit {
    /// Nothing at first. `budget`: percent of a core.
    pub(super) fn new(budget: usize) -> Self {
        let now = Instant::now();
        Self { cores: 0, most: budget / 2, begun: now, looked: now, idle: idle_seconds(), looks: Vec::new() }
    }

    /// Percent of a core beyond the budget.
    pub(super) fn cores(&self) -> usize {
        self.cores
    }

    /// Looks how busy the cores were since the last look, if that was so long ago.
    pub(super) fn look(&mut self, pause: Duration) {
        let passed = self.looked.elapsed();
        if passed < pause {
            return;
        }
        let (before, now) = (self.idle, idle_seconds());
        (self.looked, self.idle) = (Instant::now(), now);
        if let (Some(before), Some(now)) = (before, now) {
            self.looks.push((self.begun.elapsed().as_secs_f64(), now - before));
            self.adjust((100.0 * (now - before) / passed.as_secs_f64()) as usize);
        }
    }

    /// How long cores were idle: all together, and in each tenth of the time as percent of a core.
    pub(super) fn summary(&mut self) -> Option<String> {
        self.look(Duration::ZERO);
        let all = self.looks.last()?.0;
        let idle: f64 = self.looks.iter().map(|(_, idle)| idle).sum();
        let tenths = tenths(&self.looks).map(|idle| format!("{:.0}", 1_000.0 * idle / all)).join(" ");
        Some(format!(
            "cores were idle for {idle:.0} core seconds in {all:.0} s; percent of a core in each tenth: {tenths}"
        ))
    }

    fn adjust(&mut self, idle: usize) {
        let [few, many] = IDLE;
        if idle > many {
            self.cores = (self.cores + STEP).min(self.most);
        } else if idle < few {
            self.cores = self.cores.saturating_sub(STEP);
        }
    }
}

/// The idle seconds in each tenth of the time until the last look.
fn tenths(looks: &[(f64, f64)]) -> [f64; 10] {
    let mut tenths = [0.0; 10];
    let all = looks.last().map_or(0.0, |(end, _)| *end);
    let mut begin = 0.0;
    for (end, idle) in looks {
        for (at, tenth) in (0..).zip(&mut tenths) {
            let [from, to] = [at, at + 1].map(|tenths| all * f64::from(tenths) / 10.0);
            let common = (end.min(to) - from.max(begin)).max(0.0);
            *tenth += idle * common / (end - begin).max(f64::EPSILON);
        }
        begin = *end;
    }
    tenths
}

/// The seconds for which cores had nothing to do, of all cores together; `None` where there is no `/proc`. Waiting for a disk does not
/// count: more jobs would wait with it.
fn idle_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/stat").ok()?;
    let ticks: f64 = text.lines().next()?.strip_prefix("cpu ")?.split_whitespace().nth(3)?.parse().ok()?;
    Some(ticks / 100.0)
}

#[cfg(test)]
mod tests {
    use super::{Overcommit, tenths};

    #[test]
    fn idle_cores_permit_more_jobs_up_to_half_of_the_budget_and_busy_ones_take_that_back() {
        let mut overcommit = Overcommit::new(200);
        let mut after = |idle| {
            overcommit.adjust(idle);
            overcommit.cores()
        };
        assert_eq!([40, 20, 200, 200, 200, 200].map(&mut after), [25, 25, 50, 75, 100, 100]);
        assert_eq!([5, 5, 20, 0, 0, 0].map(&mut after), [75, 50, 50, 25, 0, 0]);
    }

    #[test]
    fn idle_seconds_are_told_of_each_tenth_of_the_time() {
        let found = tenths(&[(5.0, 1.0), (6.0, 0.5), (10.0, 0.0)]);
        let all = [0.2, 0.2, 0.2, 0.2, 0.2, 0.5, 0.0, 0.0, 0.0, 0.0];
        assert!(found.iter().zip(all).all(|(found, expected)| (found - expected).abs() < 1e-9), "{found:?}");
    }
}
