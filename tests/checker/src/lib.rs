//! An explicit-state model checker: breadth first through every state, so that a trace which breaks a law is a shortest one.
//! `tests/law` (numbers) and `tests/session-law` (saves) bring the models.
#![forbid(unsafe_code)]

mod program;

pub use program::{Job, run};

use foldhash::quality::FixedState;
use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::{Duration, Instant};

/// What is explored.
pub trait Model {
    /// Everything that there is, at one moment.
    type State: Clone;
    /// What can happen next.
    type Step: Copy + Debug;

    /// The state in which nothing has happened.
    fn first(&self) -> Self::State;
    /// What can happen in a state.
    fn steps(&self, state: &Self::State) -> Vec<Self::Step>;
    /// Takes a step. `told` gets what happens in words, where somebody reads it.
    ///
    /// # Errors
    ///
    /// The law that was broken.
    fn take(&self, state: &mut Self::State, step: Self::Step, told: &mut Option<Vec<String>>) -> Result<(), String>;
    /// What must be so in every state; asked once for each.
    ///
    /// # Errors
    ///
    /// The law that is broken.
    fn check(&self, _state: &Self::State) -> Result<(), String> {
        Ok(())
    }
    /// A hash by which states are told apart.
    fn fingerprint(&self, state: &Self::State, hasher: &FixedState) -> u64;
}

/// What an exploration found.
#[derive(Debug)]
pub struct Report {
    /// States that differ.
    pub states: usize,
    /// Steps to the farthest of them.
    pub depth: usize,
    /// How long it took.
    pub time: Duration,
    /// How a law was broken, if one was.
    pub trace: Option<Trace>,
}

/// A way to a broken law.
#[derive(Debug)]
pub struct Trace {
    /// The law.
    pub law: String,
    /// How many steps.
    pub steps: usize,
    /// What happened, step by step.
    pub told: Vec<String>,
}

/// How a state was reached first: from which one, by which of its steps.
#[derive(Clone, Copy)]
struct Link {
    from: u32,
    step: u16,
}

/// The set's keys are hashes already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only states' hashes are kept");
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// Visits every state that the model can be in, until a law is broken. `LAW_LEVELS` in the environment prints every level.
///
/// States are told apart by 64 bits: among 10 million, two have the same with a probability of 1 to 370,000.
pub fn explore<M: Model>(model: &M) -> Report {
    let started = Instant::now();
    let hasher = FixedState::with_seed(5);
    let first = model.first();
    let mut seen = HashSet::<u64, BuildHasherDefault<AsIs>>::default();
    seen.insert(model.fingerprint(&first, &hasher));
    let mut links = vec![Link { from: 0, step: 0 }];
    let mut level = vec![(first, 0)];
    let mut depth = 0;
    let mut trace = None;
    'search: while !level.is_empty() {
        let mut next_level = Vec::new();
        for (state, from) in level {
            for (number, step) in (0..).zip(model.steps(&state)) {
                let mut next = state.clone();
                if let Err(law) = model.take(&mut next, step, &mut None) {
                    trace = Some(replay(model, &links, Link { from, step: number }, law));
                    break 'search;
                }
                if seen.insert(model.fingerprint(&next, &hasher)) {
                    if let Err(law) = model.check(&next) {
                        trace = Some(replay(model, &links, Link { from, step: number }, law));
                        break 'search;
                    }
                    next_level.push((next, links.len() as u32));
                    links.push(Link { from, step: number });
                }
            }
        }
        if std::env::var_os("LAW_LEVELS").is_some() {
            eprintln!("{depth}: {} of {}, {:.1} s", next_level.len(), links.len(), started.elapsed().as_secs_f64());
        }
        depth += usize::from(!next_level.is_empty());
        level = next_level;
    }
    Report { states: links.len(), depth, time: started.elapsed(), trace }
}

/// Takes the steps to a state once more, and tells.
fn replay<M: Model>(model: &M, links: &[Link], last: Link, law: String) -> Trace {
    let mut steps = vec![last.step];
    let mut at = last.from;
    while at != 0 {
        let link = links[at as usize];
        steps.push(link.step);
        at = link.from;
    }
    let mut state = model.first();
    let mut told = Vec::new();
    for (number, choice) in (1..).zip(steps.iter().rev()) {
        let step = model.steps(&state)[usize::from(*choice)];
        let mut lines = Some(Vec::new());
        let _ = model.take(&mut state, step, &mut lines);
        told.push(format!("{number:3}. {step:?}"));
        told.extend(lines.into_iter().flatten().map(|line| format!("       {line}")));
    }
    Trace { law, steps: steps.len(), told }
}
