//! The explored configurations: the number of pages, limits of events, and the broken variants.

use super::steps::Step;
use super::world::World;
use raven_edge_checker::{Job, Model};

/// A mistake of the package around the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// When one of two open questions times out, the other one times out with it.
    SharedTimeout,
    /// A store that ends does not ask which siblings exist.
    EndsUnasked,
    /// A question times out before siblings can have responded: a store that ends takes their parked numbers.
    TooSoon,
    /// A page that leaves twice (`pagehide`, `freeze`) returns numbers twice.
    ReturnsTwice,
    /// A restored page opens its channel and sends no HELLO.
    SilentReturn,
    /// A page leaves without sending BYE.
    NoGoodbye,
    /// When a sibling appears, the tail stays in memory.
    NothingParked,
}

/// How often each event may occur in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Budget {
    pub(super) leaves: u8,
    pub(super) crashes: u8,
    pub(super) questions: u8,
    pub(super) ends: u8,
    pub(super) leases: u8,
    pub(super) failures: u8,
}

/// One exploration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Configuration {
    name: &'static str,
    pub(super) pages: usize,
    pub(super) budget: Budget,
    pub(super) variant: Option<Variant>,
}

const TWO: Configuration = Configuration {
    name: "",
    pages: 2,
    budget: Budget { leaves: 2, crashes: 1, questions: 2, ends: 1, leases: 1, failures: 0 },
    variant: None,
};
const NONE: Budget = Budget { leaves: 0, crashes: 0, questions: 0, ends: 0, leases: 0, failures: 0 };

const CONFIGURATIONS: [Configuration; 12] = [
    Configuration { name: "presence-two-pages", ..TWO },
    three("presence-three-pages-leave", Budget { leaves: 1, ..NONE }),
    three("presence-three-pages-ask", Budget { crashes: 1, questions: 1, ..NONE }),
    three("presence-three-pages-end", Budget { ends: 1, leases: 1, ..NONE }),
    Configuration { name: "presence-failure", budget: Budget { failures: 1, questions: 1, ..TWO.budget }, ..TWO },
    broken("presence-shared-timeout", Variant::SharedTimeout),
    broken("presence-ends-unasked", Variant::EndsUnasked),
    broken("presence-too-soon", Variant::TooSoon),
    broken("presence-returns-twice", Variant::ReturnsTwice),
    broken("presence-silent-return", Variant::SilentReturn),
    broken("presence-no-goodbye", Variant::NoGoodbye),
    broken("presence-nothing-parked", Variant::NothingParked),
];

const fn three(name: &'static str, budget: Budget) -> Configuration {
    Configuration { name, pages: 3, budget, variant: None }
}

const fn broken(name: &'static str, variant: Variant) -> Configuration {
    Configuration { name, variant: Some(variant), ..TWO }
}

impl Model for Configuration {
    type State = World;
    type Step = Step;

    fn first(&self) -> World {
        World::new(self)
    }

    fn steps(&self, world: &World) -> Vec<Step> {
        world.steps()
    }

    fn take(&self, world: &mut World, step: Step, trace: &mut Option<Vec<String>>) -> Result<(), String> {
        let taken = world.take(step);
        if let Some(trace) = trace {
            trace.append(&mut world.trace);
        }
        world.trace.clear();
        taken
    }

    fn check(&self, world: &World) -> Result<(), String> {
        world.check()
    }
}

/// All configurations.
pub(crate) fn jobs() -> impl Iterator<Item = Job> {
    CONFIGURATIONS.iter().map(|of| Job::new(of.name, *of).broken(of.variant.is_some()))
}
