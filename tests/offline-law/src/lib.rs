//! Proves the law of the offline queue for every reachable state of each configuration: every change is at any time on the device, on
//! the server, or reported; it is carried out at most once, per document in order, never as another user, and overwrites nothing unseen.
//!
//! The real [`Queue`](raven_edge::offline::Queue) is a part of the state and runs unchanged. The rest is modelled: the shell with its
//! transactions, tabs, users, network, server, other writers. Every order of events is explored, breadth first, so a trace that breaks
//! a law is a shortest one.
//!
//! | module | content |
//! |---|---|
//! | `configurations` | what apps queue, and faults |
//! | `shell_variants` | broken variants of the shell, each of which must break a law; those of the core are in `src/offline/variants.rs` |
//! | `world`, `steps` | a state; the possible steps |
//! | `shell`, `merging`, `app` | `pkg/src/offline` around the core; conflicts; what apps queue |
//! | `histories` | long random histories of the same model: more documents and devices |
//! | `network`, `server` | pending requests; documents, receipts, nodes, batches |
//! | `laws` | invariants of every state, and the end once faults end |
//! | `sets` | another model: sets of documents that are all on the device |
#![forbid(unsafe_code)]

mod app;
mod configurations;
mod histories;
mod laws;
mod merging;
mod network;
mod server;
mod sets;
mod shell;
mod shell_variants;
mod steps;
mod world;

use configurations::{CONFIGURATIONS, Configuration};
use raven_edge_checker::{Job, Model};
use steps::Step;
use world::World;

impl Model for Configuration {
    type State = World;
    type Step = Step;

    fn first(&self) -> World {
        World::new(self)
    }

    fn steps(&self, world: &World) -> Vec<Step> {
        world.steps(self)
    }

    fn take(&self, world: &mut World, step: Step, _: &mut Option<Vec<String>>) -> Result<(), String> {
        world.take(step, self)
    }

    fn describe(&self, world: &World) -> Vec<String> {
        world.describe()
    }

    fn check(&self, world: &World) -> Result<(), String> {
        if self.ends { world.close(self) } else { Ok(()) }
    }
}

/// All configurations.
pub fn jobs() -> Vec<Job> {
    let job = |of: &Configuration| {
        let broken = of.variant.is_some() || of.shell_variant.is_some();
        Job::new(of.name, *of).long(of.long).broken(broken)
    };
    CONFIGURATIONS.iter().map(job).chain(histories::jobs()).chain(sets::jobs()).collect()
}
