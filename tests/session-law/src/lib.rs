//! Proves the session's law "what is reported to the app about a save is true" for every reachable state of each configuration.
//!
//! The real [`Saves`](raven_edge::session::Saves) is a part of the state and runs unchanged. The rest is modelled:
//! the façade, apps that follow the documentation's advice, network, server, other writers. Every order of events is
//! explored, breadth first, so a trace that breaks a law is a shortest one.
//!
//! | module | content |
//! |---|---|
//! | `configurations` | actions of apps, and faults |
//! | `facade_variants` | broken variants of the façade, each of which must break a law; those of the core are in `src/session/variants.rs` |
//! | `world`, `steps` | a state; the possible steps |
//! | `facade`, `apps` | `pkg/src/saving/save` around the core; the actions of apps, and the advice that they follow |
//! | `network`, `server` | pending messages; documents, batches, shards, nodes |
//! | `other_writers` | programs that change the same documents |
//! | `laws` | invariants after every step and at the end |
#![forbid(unsafe_code)]

mod apps;
mod configurations;
mod facade;
mod facade_variants;
mod laws;
mod network;
mod other_writers;
mod server;
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
        world.close(self)
    }
}

/// All configurations.
pub fn jobs() -> Vec<Job> {
    let job = |of: &Configuration| {
        let broken = of.variant.is_some() || of.facade_variant.is_some();
        Job::new(of.name, *of).long(of.long).broken(broken)
    };
    CONFIGURATIONS.iter().map(job).collect()
}
