//! The session's law, proved: what an app is told of a save is so, in every state that a configuration can be in.
//!
//! The real [`Saves`](raven_edge::session::Saves) is a part of the state and runs unchanged. What is around it is modelled: the
//! façade, apps that follow the documentation's advice, network, server, other writers. Every order of events is tried, breadth
//! first, so that a trace which breaks a law is a shortest one.
//!
//! | module | what it is about |
//! |---|---|
//! | `configurations` | what apps do, what goes wrong |
//! | `variants` | mistakes, each of which must break a law |
//! | `world`, `steps` | a state; what can happen next |
//! | `facade`, `apps` | `pkg/lib/save.js` around the core; what apps wish, and what they are advised to do |
//! | `network`, `server` | what is on its way; documents, batches, shards, nodes |
//! | `laws` | what must be so after every step, and in the end |
#![forbid(unsafe_code)]

mod apps;
mod configurations;
mod facade;
mod laws;
mod network;
mod server;
mod steps;
mod variants;
mod world;

use configurations::{CONFIGURATIONS, Configuration};
use foldhash::quality::FixedState;
use raven_edge_checker::{Job, Model, explore};
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

    fn take(&self, world: &mut World, step: Step, told: &mut Option<Vec<String>>) -> Result<(), String> {
        let kept = world.take(step, self);
        if let Some(told) = told {
            told.extend(world.tell());
        }
        kept
    }

    fn check(&self, world: &World) -> Result<(), String> {
        world.close(self)
    }

    fn fingerprint(&self, world: &World, hasher: &FixedState) -> u64 {
        world.fingerprint(hasher)
    }
}

/// All configurations, to be run.
pub fn jobs() -> Vec<Job> {
    let job = |of: &'static Configuration| Job {
        name: of.name,
        long: of.long,
        broken: of.variant.is_some() || of.wrong.is_some(),
        explore: Box::new(|| explore(of)),
    };
    CONFIGURATIONS.iter().map(job).collect()
}
