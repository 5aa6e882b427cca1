//! Long random histories of the same model: more documents, changes and devices than can be explored in every order.
//!
//! `OFFLINE_SEED=17` runs one history and prints its last steps, if it breaks a law.

use crate::app::Do;
use crate::configurations::{Budget, Configuration, NOTHING, PLAIN};
use crate::server::RECEIPTS;
use crate::steps::Step;
use crate::world::{FOREIGN, World};
use raven_edge::offline::Variant;
use raven_edge_checker::{Job, Report, Trace};
use std::collections::VecDeque;
use std::time::Instant;

/// Steps of a history.
const STEPS: usize = 700;
/// The last steps that a trace shows.
const SHOWN: usize = 60;

const EXACT: Configuration = Configuration {
    name: "histories",
    scripts: &[&[], &[]],
    tabs: 2,
    devices: 3,
    documents: 5,
    existing: 3,
    batch: 4,
    late_reads: true,
    faults: Budget {
        lost: 200,
        deaths: 50,
        refused: 40,
        copies: 60,
        discards: 6,
        retries: 50,
        clears: 1,
        sign_ins: 50,
        adds: 8,
        removes: 3,
        creates: 3,
        ..NOTHING
    },
    ..PLAIN
};

const DISASTERS: Configuration = Configuration {
    name: "histories-disasters",
    devices: 2,
    faults: Budget { clones: 1, backups: 2, recreates: 1, ..EXACT.faults },
    ..EXACT
};

/// All simulations.
pub(crate) fn jobs() -> impl Iterator<Item = Job> {
    let merging = Configuration { name: "histories-merging", merges: true, ..EXACT };
    let lagging = Configuration {
        name: "histories-two-nodes",
        lags: true,
        scripts: &[&[]],
        devices: 1,
        faults: Budget { adds: 0, removes: 0, creates: 0, ..EXACT.faults },
        ..EXACT
    };
    let broken =
        Configuration { name: "histories-whole-text", variant: Some(Variant::WholeTextKept), merges: true, ..EXACT };
    let long = [("histories-long", EXACT), ("histories-disasters-long", DISASTERS)];
    let long = long.map(|(name, of)| (Configuration { name, long: true, ..of }, 10_000));
    let quick = [EXACT, DISASTERS, merging, lagging, broken].map(|of| (of, 200));
    quick.into_iter().chain(long).map(|(of, seeds)| Job {
        name: of.name,
        long: of.long,
        broken: of.variant.is_some(),
        explore: Box::new(move || run(&of, seeds)),
    })
}

/// Runs histories until one breaks a law.
fn run(configuration: &Configuration, seeds: u64) -> Report {
    let started = Instant::now();
    let one = std::env::var("OFFLINE_SEED").ok().and_then(|seed| seed.parse().ok());
    let range = one.map_or(0..seeds, |seed: u64| seed..seed + 1);
    let mut trace = None;
    let mut steps = 0;
    for seed in range {
        let mut history = History { world: World::new(configuration), random: Random(seed), last: VecDeque::new() };
        let taken = (0..STEPS).try_for_each(|_| {
            steps += 1;
            history.step(configuration)
        });
        if let Err(law) = taken.and_then(|()| history.world.close(configuration)) {
            let lines = history.last.into_iter().chain(history.world.describe()).collect();
            trace = Some(Trace { law: format!("seed {seed}: {law}"), steps: STEPS, lines });
            break;
        }
    }
    Report { states: steps, depth: STEPS, time: started.elapsed(), trace }
}

struct History {
    world: World,
    random: Random,
    last: VecDeque<String>,
}

impl History {
    fn step(&mut self, configuration: &Configuration) -> Result<(), String> {
        let random = &mut self.random;
        let world = &mut self.world;
        if random.below(12) == 0 && world.marks < FOREIGN {
            let of = (random.below(world.devices.len()) as u8, random.below(configuration.scripts.len()) as u8);
            let script = random.action(configuration.documents);
            self.note(format!("{of:?} {script:?}"));
            self.world.record(of, script, configuration)?;
            self.world.normalise();
            return self.world.laws();
        }
        let steps = world.steps(configuration);
        if steps.is_empty() || world.receipts as usize + 4 > RECEIPTS {
            return Ok(());
        }
        let step = loop {
            let step = steps[random.below(steps.len())];
            if random.below(100) < share(step) {
                break step;
            }
        };
        self.note(format!("{step:?}"));
        self.world.take(step, configuration)
    }

    fn note(&mut self, line: String) {
        self.last.push_back(line);
        if self.last.len() > SHOWN {
            self.last.pop_front();
        }
    }
}

/// How often a step is taken if it is drawn, in percent.
fn share(step: Step) -> usize {
    match step {
        Step::Execute(_) | Step::Receive(_) | Step::Read(_) => 100,
        Step::Drain(..) | Step::Resolve(..) | Step::Retry(..) | Step::Resume(_) | Step::Opens(_) | Step::Replicate => {
            60
        }
        Step::Abandon(_)
        | Step::Copy(_)
        | Step::Refuse(_)
        | Step::DrainDies(..)
        | Step::SignIn(..)
        | Step::Sharded(_) => 8,
        Step::Queue(_) | Step::Discard(..) | Step::Add(_) | Step::Remove(_) | Step::Create(_) => 1,
        Step::Clear(_)
        | Step::Pause(_)
        | Step::NotSignedIn(_)
        | Step::Clone
        | Step::Backup
        | Step::Restore
        | Step::Recreate => 1,
    }
}

/// Numbers that look random and repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit as u64) as usize
    }

    fn action(&mut self, documents: u8) -> Do {
        let first = self.below(documents as usize) as u8;
        let second = (first + 1 + self.below(documents as usize - 1) as u8) % documents;
        match self.below(12) {
            0..=3 => Do::Put(first),
            4..=6 => Do::Patch(first),
            7 => Do::Delete(first),
            8 => Do::Both(first, second),
            9 => Do::PutAndPatch(first, second),
            10 => Do::Unversioned(first),
            _ => Do::Old(first),
        }
    }
}
