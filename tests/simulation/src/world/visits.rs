//! Visits of ordinary pages, to measure their cost: only everyday faults occur.

use super::{At, Event, World};
use crate::plan::{Habits, Kind, MILLI, Origin, SECOND, Weather};
use fastrand::Rng;
use raven_edge::hilo::waiters::Want;

/// The duration of a visit.
const VISIT: u64 = 60 * SECOND;
/// How many of 100 visits end without `pagehide`.
const CRASHES: u32 = 1;
/// The probability that the return of a closing page arrives.
const DELIVERED: f64 = 0.9;

/// The participants of a run.
#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    /// Number of devices.
    pub devices: usize,
    /// Visits per device.
    pub visits: usize,
    /// Concurrent visits.
    pub at_once: usize,
    /// Whether half of the pages call `take()` before `next()`.
    pub takes: bool,
}

/// An event of a visit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moment {
    Begins { device: usize, visit: u64 },
    Creates(usize),
    Ends { tab: usize, crashes: bool, pause: u64 },
}

/// The cost of visits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Number of documents that got an id.
    pub documents: u64,
    /// Number of leases.
    pub leases: u64,
    /// Number of return requests.
    pub returns: u64,
    /// The counter's `Max` at the end, which includes parked and lost numbers.
    pub numbers: u64,
}

impl Cost {
    /// Leases and returns per document.
    #[must_use]
    pub fn trips_per_document(&self) -> f64 {
        (self.leases + self.returns) as f64 / self.documents as f64
    }

    /// Numbers per document.
    #[must_use]
    pub fn numbers_per_document(&self) -> f64 {
        self.numbers as f64 / self.documents as f64
    }
}

/// What chance decides of a visit: the same under every policy, whatever else chance decides there.
pub(crate) fn chances(visit: u64) -> Rng {
    Rng::with_seed(visit)
}

/// The number of documents that a visit creates: none in half of the visits, else at least one, three on average.
pub(crate) fn documents(rng: &mut Rng) -> u64 {
    if rng.bool() {
        return 0;
    }
    let mut count = 1;
    while rng.u32(0..3) > 0 {
        count += 1;
    }
    count
}

/// The order of visits: all devices once, in random order, then all again.
fn order(crowd: Crowd, rng: &mut Rng) -> Vec<usize> {
    let mut order = Vec::new();
    for _ in 0..crowd.visits {
        let mut round: Vec<usize> = (0..crowd.devices).collect();
        rng.shuffle(&mut round);
        order.extend(round);
    }
    order
}

/// The cost of a crowd's visits with this `keep`.
///
/// # Panics
/// When an id is issued twice, or is not issued at all.
#[must_use]
pub fn visits(crowd: Crowd, keep: Option<u64>) -> Cost {
    let mut world = World { calm: true, ..World::empty(Weather::fair(DELIVERED), Rng::with_seed(0)) };
    for _ in 0..crowd.devices {
        let (narrow, second, origin) = (false, false, Origin::Server);
        world.add_device(Habits { kind: Kind::Pages, most_tabs: 1, keep, narrow, second, origin });
    }
    world.takes = crowd.takes;
    world.guests = order(crowd, &mut world.rng);
    // The list is processed from its end.
    for place in 0..crowd.at_once {
        world.next_guest(place as u64 * VISIT / crowd.at_once as u64);
    }
    world.runs_out(u64::MAX);
    assert_eq!(world.judge.verdicts, Vec::<String>::new());
    Cost {
        documents: world.judge.count,
        leases: world.leases,
        returns: world.returns,
        numbers: world.server.max(0, crate::tab::TAGS[0]),
    }
}

impl World {
    fn next_guest(&mut self, after: u64) {
        if let Some(device) = self.guests.pop() {
            let visit = self.guests.len() as u64;
            self.later(after, Event::Visits(Moment::Begins { device, visit }));
        }
    }

    pub(super) fn visits(&mut self, moment: Moment) {
        match moment {
            Moment::Begins { device, visit } => {
                let tab = self.opens(device);
                let mut rng = chances(visit);
                for _ in 0..documents(&mut rng) {
                    self.later(rng.u64(0..VISIT), Event::Visits(Moment::Creates(tab)));
                }
                let (crashes, pause) = (rng.u32(0..100) < CRASHES, rng.u64(MILLI..SECOND));
                // The last document is saved before the page closes.
                self.later(VISIT + SECOND, Event::Visits(Moment::Ends { tab, crashes, pause }));
            }
            Moment::Creates(tab) => {
                let at = At { tab, hilo: 0 };
                if !(self.takes && tab % 2 == 1 && self.app_takes(at)) {
                    self.calls(at, Want::Id, true);
                }
            }
            Moment::Ends { tab, crashes, pause } => {
                if !crashes {
                    self.hides(tab);
                }
                self.dies(tab, true);
                self.next_guest(pause);
            }
        }
    }
}
