//! A tab's store: the core's store with counters and callers. Corresponds to `pkg/src/numbers`.

use crate::plan::Habits;
use raven_edge::hilo::Range;
use raven_edge::hilo::waiters::Want;
use raven_edge::pool::presence::KeepOptions;
use raven_edge::source::{self, Grant};
use raven_edge::texts::{Executor, Order, Store};

use crate::world::Event;

/// Corresponds to `pkg/src/numbers/counter`: the only owner of its block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    next: u64,
    last: u64,
    prefix: String,
    node_tag: String,
    /// Whether the block came from the pool.
    pub(crate) claimed: bool,
}

impl Counter {
    pub(crate) fn hand(&mut self, range: Range, grant: &Grant) {
        (self.next, self.last) = (range.low(), range.high());
        self.claimed = grant.echo.is_none();
        (self.prefix, self.node_tag) = (grant.prefix.clone(), grant.tag.clone());
    }

    /// Prefix, number and node tag of the next id.
    pub(crate) fn take(&mut self) -> Option<(String, u64, String)> {
        let number = self.next;
        (number > 0 && number <= self.last).then(|| {
            self.next += 1;
            (self.prefix.clone(), number, self.node_tag.clone())
        })
    }

    pub(crate) fn rest(&self) -> u64 {
        (self.last + 1).saturating_sub(self.next.max(1))
    }

    /// Empties it; returns the first number that was not issued.
    pub(crate) fn surrender(&mut self) -> u64 {
        let next = self.next.max(1);
        self.next = self.last + 1;
        next
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    /// Its number in the store.
    pub(crate) waiter: u32,
    pub(crate) want: Want,
    /// The faults have ended, so an error is not acceptable.
    pub(crate) must: bool,
}

/// Callers that are served together.
#[derive(Default)]
pub(crate) struct Group {
    /// The store's number for them.
    pub(crate) number: u32,
    pub(crate) callers: Vec<Caller>,
}

/// One tag of a store.
pub(crate) struct Hilo {
    pub(crate) tag: String,
    pub(crate) counter: Counter,
    /// The first group is shared. On workerd each caller has its own; eager adapters have several.
    pub(crate) groups: Vec<Group>,
    /// The groups that wait for the end of another group's lease.
    pub(crate) sharing: Vec<u32>,
    /// The store's pending orders for waiting callers, in order.
    pub(crate) orders: Vec<(u32, Order)>,
}

impl Hilo {
    fn new(tag: &str) -> Self {
        Self {
            tag: tag.into(),
            counter: Counter::default(),
            groups: vec![Group::default()],
            sharing: Vec::new(),
            orders: Vec::new(),
        }
    }

    pub(crate) fn has_callers(&self) -> bool {
        self.groups.iter().any(|group| !group.callers.is_empty())
    }

    pub(crate) fn group(&mut self, number: u32) -> Option<&mut Group> {
        self.groups.iter_mut().find(|group| group.number == number)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Open,
    /// After `pagehide`; the page may be in the back/forward cache.
    Away,
    /// `dispose()`: waits for pending work.
    Settling,
    /// `dispose()`: asks which siblings exist.
    Asking,
    /// `dispose()`: empties the pool, or parks.
    Moving,
    /// `dispose()`: returns numbers.
    Returning,
    Gone,
}

pub(crate) struct Tab {
    pub(crate) device: usize,
    pub(crate) phase: Phase,
    pub(crate) store: Store,
    /// The nodes in the order in which the app named them.
    pub(crate) nodes: Vec<usize>,
    pub(crate) hilos: Vec<Hilo>,
    /// The database's incarnation according to the last response.
    pub(crate) incarnation: Option<String>,
    /// Number of consecutive failed moves.
    pub(crate) failures: u32,
    /// Events that arrived while it was frozen.
    pub(crate) deferred: Vec<Event>,
    /// Counts hides and restores, to recognise timers from before.
    pub(crate) era: u32,
}

impl Tab {
    pub(crate) fn new(device: usize, habits: &Habits, source: source::AnySource, tags: usize, nodes: usize) -> Self {
        let mut order: Vec<usize> = (0..nodes).collect();
        if habits.second {
            order.reverse();
        }
        let mut executor = Executor::new(crate::server::DATABASE, TIMEOUT);
        order.iter().for_each(|node| executor.add(&format!("http://{node}")));
        let mut store = Store::new(executor, source, '/', habits.kind == crate::plan::Kind::Isolate);
        for tag in TAGS.iter().take(tags) {
            store.add(tag, KeepOptions::new(habits.keep, 0)).expect("a tag that can be leased");
        }
        Self {
            device,
            phase: Phase::Open,
            store,
            incarnation: None,
            nodes: order,
            hilos: TAGS.iter().take(tags).map(|tag| Hilo::new(tag)).collect(),
            failures: 0,
            deferred: Vec::new(),
            era: 0,
        }
    }
}

/// The store's timeout in milliseconds.
pub(crate) const TIMEOUT: u64 = 10_000;
/// The counters that the apps use.
pub(crate) const TAGS: [&str; 2] = ["orders", "lines"];
