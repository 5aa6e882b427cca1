//! The model of numbers, as the checker explores it.

use crate::configurations::{CONFIGURATIONS, Configuration, Expected};
use crate::steps::Step;
use crate::turn::Turn;
use crate::world::World;
use foldhash::quality::FixedState;
use raven_edge_checker::{Job, Model};

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
        let mut turn = Turn { world, configuration: self, trace: trace.take() };
        let kept = turn.take(step);
        *trace = turn.trace;
        kept.map_err(|law| law.0)?;
        world.normalise(self);
        Ok(())
    }

    fn fingerprint(&self, world: &World, hasher: &FixedState) -> u64 {
        world.fingerprint(self, hasher)
    }
}

/// All configurations, to be run.
pub fn jobs() -> Vec<Job> {
    let job = |of: &Configuration| Job::new(of.name, *of).long(of.long).broken(of.expected() == Expected::Duplicate);
    CONFIGURATIONS.iter().map(job).chain(crate::presence::jobs()).collect()
}
