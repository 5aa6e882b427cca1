//! Proves the law of sets (`src/offline/sets`) for every reachable state of each configuration: what was removed was not the caller's at a
//! moment after the run began; what is shown as complete was complete when its last comparison began; nothing hidden decides what the
//! caller gets; no pending change is touched; nothing is written for a user who has signed out.
//!
//! The real [`Run`](raven_edge::offline::sets::Run) and `kept::take` are parts of the state. The rest is modelled: a device with its
//! transactions and two tabs, a server with an index that lags behind and a second node that lags behind, rows and claims, responses that
//! are lost or overlap, and other writers. Other devices are other writers: devices meet on the server alone.
//!
//! | module | content |
//! |---|---|
//! | `configurations` | faults, and broken variants, each of which must break a law |
//! | `world` | a state: server, device, tabs; what the server says |
//! | `steps` | the possible steps, and the transactions of the device |

mod configurations;
mod steps;
mod world;

use configurations::{CONFIGURATIONS, Configuration};
use foldhash::quality::FixedState;
use raven_edge_checker::{Job, Model, explore};
use std::hash::BuildHasher;
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

    fn take(&self, world: &mut World, step: Step, trace: &mut Option<Vec<String>>) -> Result<(), String> {
        let kept = world.take(step, self);
        if let Some(trace) = trace {
            trace.push(format!("{:?}", world.device));
            trace.push(format!("{:?}", world.tabs));
            trace.push(format!("{:?}", world.nodes));
        }
        kept
    }

    fn check(&self, world: &World) -> Result<(), String> {
        world.laws()?;
        if self.ends { world.close(self) } else { Ok(()) }
    }

    fn fingerprint(&self, world: &World, hasher: &FixedState) -> u64 {
        hasher.hash_one(world)
    }
}

/// All configurations.
pub(crate) fn jobs() -> impl Iterator<Item = Job> {
    CONFIGURATIONS.iter().map(|of| Job {
        name: of.name,
        long: of.long,
        broken: of.variant.is_some() || of.broken.is_some(),
        explore: Box::new(|| explore(of)),
    })
}
