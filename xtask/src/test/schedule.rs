//! Runs jobs beside each other within a budget of cores and memory, and shows their output in the order of the list.
//!
//! The most urgent job begins first: the one behind which the most work waits. Jobs with the same lock are a chain, and its length counts.
//! A job for which there is no room yet holds back less urgent ones: else it would wait until no small job is left.

use super::idle::Overcommit;
use super::tally::Tally;
use crate::{process, say};
use anyhow::{Context, Result, bail};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// How often the schedule looks whether cores are idle.
const LOOK: Duration = Duration::from_secs(2);

/// What a job takes of the machine while it runs. Both are estimates from runs of the whole gate, whose output names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// Percent of a core: 100 is one that is always busy.
    pub(super) cores: usize,
    /// Megabytes.
    pub(super) memory: usize,
}

impl Cost {
    /// Neither more nor less than what the machine has: nothing else runs beside such a job.
    pub(super) fn machine() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self { cores: cores * 100, memory: memory() }
    }

    fn fits(self, most: Self) -> bool {
        self.cores <= most.cores && self.memory <= most.memory
    }

    fn plus(self, other: Self) -> Self {
        Self { cores: self.cores + other.cores, memory: self.memory + other.memory }
    }

    /// A job that is larger than the machine runs alone.
    fn at_most(self, most: Self) -> Self {
        Self { cores: self.cores.min(most.cores), memory: self.memory.min(most.memory) }
    }
}

/// Three quarters of the machine's memory in megabytes; 4 GB where `/proc` does not tell.
fn memory() -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = total.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kilobytes.map_or(4_096, |kilobytes| kilobytes / 1024 * 3 / 4)
}

/// Something to run.
pub(super) struct Job<'a> {
    /// The suite that its results belong to.
    pub(super) suite: &'static str,
    /// Its name inside the suite.
    pub(super) name: String,
    pub(super) cost: Cost,
    /// About how many seconds it takes; the highest number for what others wait for. Long jobs first: else the last one runs alone.
    pub(super) urgency: usize,
    /// Of the jobs with the same word here, one runs at a time: they would wait for the same lock.
    pub(super) lock: Option<&'static str>,
    /// Jobs (`suite/name`) that must have ended before. If one of them could not run, this one cannot.
    pub(super) after: Vec<&'static str>,
    pub(super) run: Box<dyn FnOnce() -> Result<Finished> + Send + 'a>,
}

impl Job<'_> {
    fn key(&self) -> String {
        format!("{}/{}", self.suite, self.name)
    }
}

/// What came out of a job.
#[derive(Default)]
pub(super) struct Finished {
    pub(super) tally: Tally,
    /// Lines that are shown: failures, warnings.
    pub(super) lines: Vec<String>,
}

/// A job that has ended, in the order of the list.
pub(super) struct Report {
    pub(super) suite: &'static str,
    pub(super) name: String,
    pub(super) tally: Tally,
    pub(super) cpu: f64,
    /// Since the schedule began.
    pub(super) ended: Duration,
}

/// What all threads share.
struct State<'a> {
    /// With their places in the list, the longest first.
    waiting: Vec<(usize, Job<'a>)>,
    /// By the jobs that run.
    used: Cost,
    /// What may be used.
    budget: Cost,
    overcommit: Overcommit,
    locks: BTreeSet<&'static str>,
    /// `suite/name` of the jobs that wait or run, and of those that could not run.
    open: BTreeSet<String>,
    broken: BTreeSet<String>,
    /// By their place in the list; a place is emptied when it is shown.
    ended: Vec<Option<(Report, Vec<String>)>>,
    shown: Vec<Report>,
    /// Of all that have ended.
    counts: Tally,
}

/// Runs all jobs. The output of a job is shown when all jobs before it in the list have ended.
pub(super) fn run(jobs: Vec<Job<'_>>, budget: Cost) -> Result<Vec<Report>> {
    let count = jobs.len();
    let begun = Instant::now();
    let wait = say::Wait::new("tests");
    let state = Mutex::new(State::new(jobs, budget));
    let changed = Condvar::new();
    let lane = || -> Result<()> {
        while let Some((place, job, cost)) = next(&state, &changed)? {
            let key = job.key();
            let (suite, name, lock) = (job.suite, job.name, job.lock);
            let (since, cpu_until_then) = (Instant::now(), process::cpu_spent());
            let result = (job.run)();
            let cpu = process::cpu_spent() - cpu_until_then;
            let mut state = locked(&state)?;
            if result.is_err() {
                state.broken.insert(key.clone());
            }
            let finished = result.unwrap_or_else(|error| could_not_run(&format!("{error:#}")));
            state.used.cores -= cost.cores;
            state.used.memory -= cost.memory;
            if let Some(lock) = lock {
                state.locks.remove(lock);
            }
            state.open.remove(&key);
            state.counts.add("", &finished.tally);
            wait.progress(&state.counts.counts());
            if !finished.tally.failed.is_empty() {
                wait.print(&[format!("✗ {key}: {} (its output comes in its turn)", finished.tally.counts())]);
            }
            let lines = lines(&key, &finished, since.elapsed(), cpu);
            let report = Report { suite, name, tally: finished.tally, cpu, ended: begun.elapsed() };
            state.ended[place] = Some((report, lines));
            state.show(&wait);
            changed.notify_all();
        }
        Ok(())
    };
    thread::scope(|scope| {
        // A thread for each job that may run at once; the budget decides how many do.
        let lanes: Vec<_> = (0..count.min(16)).map(|_| scope.spawn(lane)).collect();
        lanes.into_iter().try_for_each(|lane| lane.join().unwrap_or_else(|_| bail!("a lane of tests panicked")))
    })?;
    let mut state = state.into_inner().map_err(|_| anyhow::anyhow!("a lane of tests panicked"))?;
    wait.done(&format!("{} jobs", state.shown.len()));
    if let Some(summary) = state.overcommit.summary() {
        say::note(&summary);
    }
    Ok(state.shown)
}

fn locked<'m, 'a>(state: &'m Mutex<State<'a>>) -> Result<MutexGuard<'m, State<'a>>> {
    state.lock().ok().context("a lane of tests panicked")
}

/// Waits for a job that may begin; `None` when no job is left.
fn next<'a>(state: &Mutex<State<'a>>, changed: &Condvar) -> Result<Option<(usize, Job<'a>, Cost)>> {
    let mut state = locked(state)?;
    loop {
        if state.waiting.is_empty() {
            return Ok(None);
        }
        state.overcommit.look(LOOK);
        if let Some(at) = state.choose() {
            return Ok(Some(state.begin(at)));
        }
        state = changed.wait_timeout(state, LOOK).map_err(|_| anyhow::anyhow!("a lane of tests panicked"))?.0;
    }
}

impl<'a> State<'a> {
    fn new(jobs: Vec<Job<'a>>, budget: Cost) -> Self {
        let ended = jobs.iter().map(|_| None).collect();
        let open = jobs.iter().map(Job::key).collect();
        let mut waiting: Vec<_> = jobs.into_iter().enumerate().collect();
        waiting.sort_by_key(|(_, job)| Reverse(job.urgency));
        Self {
            waiting,
            used: Cost { cores: 0, memory: 0 },
            budget,
            overcommit: Overcommit::new(budget.cores),
            locks: BTreeSet::new(),
            open,
            broken: BTreeSet::new(),
            ended,
            shown: Vec::new(),
            counts: Tally::default(),
        }
    }

    /// The job that begins now: the most urgent one of those that wait for no other, if there is room for it.
    fn choose(&self) -> Option<usize> {
        let mut chains = BTreeSet::new();
        let ready = self.waiting.iter().enumerate().filter(|(_, (_, job))| {
            let is_ready = job.after.iter().all(|name| !self.open.contains(*name));
            // Of a chain only its most urgent job: the lock is free, or nothing of the chain may begin.
            is_ready && job.lock.is_none_or(|lock| !self.locks.contains(lock) && chains.insert(lock))
        });
        // The first one of those that are equally urgent.
        let (at, (_, job)) = ready.min_by_key(|(_, (_, job))| Reverse(self.urgency(job)))?;
        let most = Cost { cores: self.budget.cores + self.overcommit.cores(), ..self.budget };
        self.used.plus(job.cost.at_most(self.budget)).fits(most).then_some(at)
    }

    /// About how many seconds pass from its beginning until its chain has ended.
    fn urgency(&self, job: &Job<'_>) -> usize {
        let Some(lock) = job.lock else { return job.urgency };
        let chain = self.waiting.iter().filter(|(_, other)| other.lock == Some(lock));
        chain.fold(0, |sum, (_, other)| sum.saturating_add(other.urgency))
    }

    /// Takes a job out of those that wait.
    fn begin(&mut self, at: usize) -> (usize, Job<'a>, Cost) {
        let (place, mut job) = self.waiting.remove(at);
        let cost = job.cost.at_most(self.budget);
        self.used = self.used.plus(cost);
        self.locks.extend(job.lock);
        if let Some(cause) = job.after.iter().find(|name| self.broken.contains(**name)) {
            let cause = format!("`{cause}` could not run");
            job.run = Box::new(move || bail!("{cause}"));
        }
        (place, job, cost)
    }

    /// Shows what has ended, up to the first job that has not.
    fn show(&mut self, wait: &say::Wait) {
        while let Some((report, lines)) = self.ended.get_mut(self.shown.len()).and_then(Option::take) {
            wait.print(&lines);
            self.shown.push(report);
        }
    }
}

/// The failure of a job that could not do its work.
fn could_not_run(reason: &str) -> Finished {
    let lines = reason.lines().map(|line| format!("  {line}")).collect();
    let first = reason.lines().next().unwrap_or_default();
    Finished { tally: Tally::failure(format!("could not run: {first}")), lines }
}

/// The line of a job, and what it has to tell.
fn lines(key: &str, finished: &Finished, time: Duration, cpu: f64) -> Vec<String> {
    let head = format!("• {key}: {} ({:.1} s, CPU {cpu:.1} s)", finished.tally.counts(), time.as_secs_f64());
    [head].into_iter().chain(finished.lines.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Cost, Finished, Job, State, run};
    use crate::test::tally::Tally;
    use anyhow::{Result, bail};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const BUDGET: Cost = Cost { cores: 200, memory: 1_000 };

    fn job<'a>(name: &str, cores: usize, run: impl FnOnce() -> Result<Finished> + Send + 'a) -> Job<'a> {
        let cost = Cost { cores, memory: 1 };
        Job { suite: "suite", name: name.to_owned(), cost, urgency: 0, lock: None, after: vec![], run: Box::new(run) }
    }

    fn passed() -> Result<Finished> {
        Ok(Finished { tally: Tally { passed: 1, ..Tally::default() }, ..Finished::default() })
    }

    #[test]
    fn jobs_within_the_budget_run_beside_each_other_and_are_reported_in_the_order_of_the_list() -> Result<()> {
        let meeting = Barrier::new(2);
        let meet = || {
            meeting.wait();
            passed()
        };
        let reports = run(vec![job("a", 100, meet), job("b", 100, meet), job("c", 900, passed)], BUDGET)?;
        assert_eq!(reports.iter().map(|report| report.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        Ok(())
    }

    #[test]
    fn jobs_beyond_the_budget_or_with_the_same_lock_run_one_after_the_other() -> Result<()> {
        let running = AtomicUsize::new(0);
        let alone = || {
            assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0);
            std::thread::yield_now();
            running.fetch_sub(1, Ordering::SeqCst);
            passed()
        };
        let locked = |name: &str| Job { lock: Some("cargo"), ..job(name, 10, alone) };
        let reports = run(vec![job("a", 150, alone), job("b", 150, alone)], BUDGET)?;
        assert!(reports.iter().all(|report| report.tally.failed.is_empty()));
        let reports = run(vec![locked("a"), locked("b"), locked("c")], BUDGET)?;
        assert!(reports.iter().all(|report| report.tally.failed.is_empty()));
        Ok(())
    }

    /// A state with jobs of these shares of cores, seconds and locks.
    fn state(jobs: &[(&str, usize, usize, Option<&'static str>)]) -> State<'static> {
        let jobs = jobs.iter().map(|(name, cores, urgency, lock)| Job {
            urgency: *urgency,
            lock: *lock,
            ..job(name, *cores, passed)
        });
        State::new(jobs.collect(), BUDGET)
    }

    /// Lets a job begin; returns its name.
    fn begin(state: &mut State<'_>) -> Option<String> {
        let at = state.choose()?;
        Some(state.begin(at).1.name)
    }

    #[test]
    fn a_chain_of_short_jobs_is_as_urgent_as_all_that_is_left_of_it() {
        let of_chain = |name| (name, 10, 20, Some("compiler"));
        let mut state = state(&[("L", 10, 30, None), of_chain("a"), of_chain("b"), ("M", 10, 15, None)]);
        assert_eq!(begin(&mut state).as_deref(), Some("a"));
        // The rest of the chain waits for its lock.
        assert_eq!(begin(&mut state).as_deref(), Some("L"));
        state.locks.clear();
        assert_eq!(begin(&mut state).as_deref(), Some("b"));
        assert_eq!(begin(&mut state).as_deref(), Some("M"));
    }

    #[test]
    fn a_job_that_takes_much_is_not_passed_by_small_ones_that_are_less_urgent() {
        let mut state = state(&[("a", 50, 9, None), ("b", 50, 1, None), ("L", 200, 5, None)]);
        assert_eq!(begin(&mut state).as_deref(), Some("a"));
        assert_eq!(begin(&mut state), None);
        state.used.cores = 0;
        assert_eq!(begin(&mut state).as_deref(), Some("L"));
    }

    #[test]
    fn what_depends_on_a_failed_job_fails_with_its_name_and_the_rest_runs() -> Result<()> {
        let first = job("build", 100, || bail!("no compiler"));
        let second = Job { after: vec!["suite/build"], ..job("a", 10, passed) };
        let reports = run(vec![second, first, job("b", 10, passed)], BUDGET)?;
        let failed: Vec<_> = reports.iter().map(|report| report.tally.failed.join(", ")).collect();
        assert_eq!(failed, ["could not run: `suite/build` could not run", "could not run: no compiler", ""]);
        Ok(())
    }
}
