//! Breadth first through every state: the trace that is found is a shortest one.

use crate::configurations::Configuration;
use crate::steps::Step;
use crate::turn::{Broken, Turn};
use crate::world::World;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::{Duration, Instant};

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

/// Visits every state that the configuration can be in, until a law is broken.
///
/// States are told apart by 64 bits: among 10 million, two have the same with a probability of 1 to 370,000.
pub fn explore(configuration: &Configuration) -> Report {
    let started = Instant::now();
    let hasher = foldhash::quality::FixedState::with_seed(5);
    let first = World::new(configuration);
    let mut seen = HashSet::<u64, BuildHasherDefault<AsIs>>::default();
    seen.insert(first.fingerprint(configuration, &hasher));
    let mut links = vec![Link { from: 0, step: 0 }];
    let mut level = vec![(first, 0)];
    let mut depth = 0;
    let mut trace = None;
    'search: while !level.is_empty() {
        let mut next_level = Vec::new();
        for (world, from) in level {
            for (number, step) in (0..).zip(world.steps(configuration)) {
                let mut next = world.clone();
                let kept = Turn { world: &mut next, configuration, told: None }.take(step);
                if let Err(law) = kept {
                    let link = Link { from, step: number };
                    trace = Some(replay(configuration, &links, link, law));
                    break 'search;
                }
                next.settle(configuration);
                if seen.insert(next.fingerprint(configuration, &hasher)) {
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
fn replay(configuration: &Configuration, links: &[Link], last: Link, law: Broken) -> Trace {
    let mut steps = vec![last.step];
    let mut at = last.from;
    while at != 0 {
        let link = links[at as usize];
        steps.push(link.step);
        at = link.from;
    }
    let mut world = World::new(configuration);
    let mut told = Vec::new();
    for (number, choice) in (1..).zip(steps.iter().rev()) {
        let step: Step = world.steps(configuration)[usize::from(*choice)];
        let mut turn = Turn { world: &mut world, configuration, told: Some(Vec::new()) };
        let _ = turn.take(step);
        told.push(format!("{number:3}. {step:?}"));
        told.extend(turn.told.into_iter().flatten().map(|line| format!("       {line}")));
        world.settle(configuration);
    }
    Trace { law: law.0, steps: steps.len(), told }
}
