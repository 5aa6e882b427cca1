//! A store as a tab has it: counters, drivers, those who wait. What `pkg/lib` keeps.

use crate::plan::Habits;
use raven_edge::hilo::waiters::Want;
use raven_edge::hilo::{Driver, Range, Waiters};
use raven_edge::http::Executor;
use raven_edge::source::Grant;
use std::collections::BTreeSet;

use crate::world::Event;

/// What `pkg/hot/counter.js` is: it alone owns the block that it was handed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    next: u64,
    last: u64,
    prefix: String,
    node_tag: String,
    /// Whether the block came out of the pool.
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

    /// Empties it; the first number that was not issued.
    pub(crate) fn surrender(&mut self) -> u64 {
        let next = self.next.max(1);
        self.next = self.last + 1;
        next
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    /// The number that [`Waiters`] gave it.
    pub(crate) waiter: u32,
    pub(crate) want: Want,
    /// Nothing is wrong any more: an error will not do.
    pub(crate) must: bool,
}

/// Callers that are served together.
#[derive(Default)]
pub(crate) struct Group {
    pub(crate) waiters: Waiters,
    pub(crate) callers: Vec<Caller>,
}

/// One tag of a store.
pub(crate) struct Hilo {
    pub(crate) tag: String,
    pub(crate) driver: Driver,
    pub(crate) counter: Counter,
    /// The first is everybody's. On workerd each caller has one of its own; where the adapter is eager, there are several.
    pub(crate) groups: Vec<Group>,
    /// On workerd the ledger is told of each lease that it is another request's.
    pub(crate) leases: u32,
}

impl Hilo {
    pub(crate) fn new(tag: &str, ahead: bool) -> Self {
        Self {
            tag: tag.into(),
            driver: Driver::new(tag, ahead),
            counter: Counter::default(),
            groups: vec![Group::default()],
            leases: 0,
        }
    }

    pub(crate) fn has_callers(&self) -> bool {
        self.groups.iter().any(|group| !group.callers.is_empty())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Open,
    /// After `pagehide`: perhaps in the back/forward cache.
    Away,
    /// `dispose()`: waits for what is under way.
    Settling,
    /// `dispose()`: takes the pool out, or parks.
    Moving,
    /// `dispose()`: gives back.
    Returning,
    Gone,
}

pub(crate) struct Tab {
    pub(crate) device: usize,
    pub(crate) phase: Phase,
    pub(crate) executor: Executor,
    /// The nodes in the order in which the app named them.
    pub(crate) nodes: Vec<usize>,
    pub(crate) hilos: Vec<Hilo>,
    pub(crate) incarnation: Option<String>,
    /// Whether numbers can be parked, as far as it knows.
    pub(crate) storage: bool,
    /// Moves that failed in a row.
    pub(crate) failures: u32,
    /// Other tabs of the device that it has heard of.
    pub(crate) siblings: BTreeSet<usize>,
    /// What reached it while it was frozen.
    pub(crate) deferred: Vec<Event>,
    /// Counts goings and comings, so that a timer of before is known.
    pub(crate) era: u32,
}

impl Tab {
    pub(crate) fn new(device: usize, habits: &Habits, tags: usize, nodes: usize) -> Self {
        let ahead = habits.kind != crate::plan::Kind::Isolate;
        let mut order: Vec<usize> = (0..nodes).collect();
        if habits.second {
            order.reverse();
        }
        let mut executor = Executor::new(crate::server::DATABASE, TIMEOUT);
        order.iter().for_each(|node| executor.add(&format!("http://{node}")));
        Self {
            device,
            phase: Phase::Open,
            executor,
            nodes: order,
            hilos: TAGS.iter().take(tags).map(|tag| Hilo::new(tag, ahead)).collect(),
            // The app's counters know of no database.
            incarnation: habits.origin.is_app().then(String::new),
            storage: habits.has_pool(),
            failures: 0,
            siblings: BTreeSet::new(),
            deferred: Vec::new(),
            era: 0,
        }
    }
}

/// The store's time limit in milliseconds.
pub(crate) const TIMEOUT: u64 = 10_000;
/// The counters that the apps use.
pub(crate) const TAGS: [&str; 2] = ["orders", "lines"];
