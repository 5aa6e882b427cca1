//! An explicit-state model checker. It explores all states breadth first, so a trace that breaks a law is a shortest
//! one. The models are in `tests/law` (numbers), `tests/session-law` (saves) and `tests/offline-law` (the queue).
#![forbid(unsafe_code)]

mod program;
mod ranks;

pub use program::{Job, run};
pub use ranks::Ranks;

use foldhash::quality::FixedState;
use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::time::{Duration, Instant};

/// A state is cloned for each of its steps.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A model to explore.
pub trait Model {
    /// The complete state at one moment.
    type State: Clone + Hash;
    /// A transition.
    type Step: Copy + Debug;

    /// The initial state.
    fn first(&self) -> Self::State;
    /// The transitions that are possible in a state.
    fn steps(&self, state: &Self::State) -> Vec<Self::Step>;
    /// Takes a step. If `trace` is given, adds a description of what happens to it.
    ///
    /// # Errors
    ///
    /// The law that was broken.
    fn take(&self, state: &mut Self::State, step: Self::Step, trace: &mut Option<Vec<String>>) -> Result<(), String>;
    /// Describes a state, for a trace.
    fn describe(&self, _state: &Self::State) -> Vec<String> {
        Vec::new()
    }
    /// Checks an invariant; called once for each state.
    ///
    /// # Errors
    ///
    /// The law that is broken.
    fn check(&self, _state: &Self::State) -> Result<(), String> {
        Ok(())
    }
    /// A hash that identifies a state.
    fn fingerprint(&self, state: &Self::State, hasher: &FixedState) -> u64 {
        hasher.hash_one(state)
    }
}

/// The result of an exploration.
#[derive(Debug)]
pub struct Report {
    /// Number of different states.
    pub states: usize,
    /// Number of steps to the farthest state.
    pub depth: usize,
    /// Duration.
    pub time: Duration,
    /// How a law was broken, if it was.
    pub trace: Option<Trace>,
}

/// A path to a broken law.
#[derive(Debug)]
pub struct Trace {
    /// The law.
    pub law: String,
    /// Number of steps.
    pub steps: usize,
    /// A description of each step.
    pub lines: Vec<String>,
}

/// How a state was first reached: from which state, by which of its steps.
#[derive(Clone, Copy)]
struct Link {
    from: u32,
    step: u16,
}

/// The keys of the set are hashes already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only hashes of states are written");
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// Visits all reachable states until a law is broken. With `LAW_LEVELS` in the environment it prints every level.
///
/// States are identified by 64-bit hashes: among 10 million states, two have the same hash with a probability of 1 to
/// 370,000.
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

/// Repeats the steps to a state and describes them.
fn replay<M: Model>(model: &M, links: &[Link], last: Link, law: String) -> Trace {
    let mut steps = vec![last.step];
    let mut at = last.from;
    while at != 0 {
        let link = links[at as usize];
        steps.push(link.step);
        at = link.from;
    }
    let mut state = model.first();
    let mut text = Vec::new();
    for (number, choice) in (1..).zip(steps.iter().rev()) {
        let step = model.steps(&state)[usize::from(*choice)];
        let mut lines = Some(Vec::new());
        let _ = model.take(&mut state, step, &mut lines);
        text.push(format!("{number:3}. {step:?}"));
        let lines = lines.into_iter().flatten().chain(model.describe(&state));
        text.extend(lines.map(|line| format!("       {line}")));
    }
    Trace { law, steps: steps.len(), lines: text }
}
