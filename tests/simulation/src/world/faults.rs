//! Faults that begin and end by themselves.

use super::{Event, World};
use crate::plan::{MILLI, Past, SECOND};

/// The beginning or the end of a fault.
pub(crate) enum Fault {
    Node {
        node: usize,
        up: bool,
    },
    Link {
        joined: bool,
    },
    Device {
        device: usize,
        offline: bool,
    },
    Replicates,
    BackUp,
    GoesBack,
    PowerCut(usize),
    /// The user clears the site's data.
    Cleared(usize),
}

impl World {
    /// Draws the faults of this seed.
    pub(super) fn plan_faults(&mut self) {
        let (end, nodes, devices) = (self.weather.end, self.weather.nodes, self.weather.devices);
        for node in 0..nodes {
            if self.rng.u32(0..3) == 0 {
                self.spell(6 * SECOND, |up| Fault::Node { node, up });
            }
        }
        if nodes > 1 {
            if self.rng.bool() {
                self.spell(10 * SECOND, |joined| Fault::Link { joined });
            }
            self.later(0, Event::Fault(Fault::Replicates));
        }
        for device in 0..devices {
            if self.rng.u32(0..5) == 0 {
                self.spell(8 * SECOND, |up| Fault::Device { device, offline: !up });
            }
            if self.chance(self.weather.power_cuts) {
                let at = self.rng.u64(0..end);
                self.later(at, Event::Fault(Fault::PowerCut(device)));
            }
            if self.rng.u32(0..60) == 0 {
                let at = self.rng.u64(0..end);
                self.later(at, Event::Fault(Fault::Cleared(device)));
            }
        }
        if self.weather.past != Past::Honest {
            let back = self.rng.u64(end / 4..end);
            let taken = self.rng.u64(0..back);
            self.later(taken, Event::Fault(Fault::BackUp));
            self.later(back, Event::Fault(Fault::GoesBack));
        }
    }

    /// A fault that lasts for a while.
    fn spell(&mut self, most: u64, fault: impl Fn(bool) -> Fault) {
        let from = self.rng.u64(0..self.weather.end);
        let long = self.rng.u64(SECOND / 10..most);
        self.later(from, Event::Fault(fault(false)));
        self.later(from + long, Event::Fault(fault(true)));
    }

    pub(super) fn fault(&mut self, fault: Fault) {
        match fault {
            Fault::Node { node, up } => {
                self.note(|| format!("node {node} is {}", if up { "up" } else { "down" }));
                self.server.up[node] = up || self.calm;
            }
            Fault::Link { joined } => self.server.joined = joined || self.calm,
            Fault::Device { device, offline } => {
                self.note(|| format!("device {device} is {}", if offline { "offline" } else { "online" }));
                self.devices[device].offline = offline && !self.calm;
            }
            Fault::Replicates => self.replicates(),
            Fault::BackUp => self.server.back_up(),
            Fault::GoesBack => {
                let gone = self.server.go_back(self.weather.past, &mut self.rng);
                self.note(|| format!("the server goes back: {gone}"));
            }
            Fault::PowerCut(device) => self.power_cut(device),
            Fault::Cleared(device) => {
                self.note(|| format!("device {device}: site data cleared"));
                self.devices[device].disk.clear();
            }
        }
    }

    fn replicates(&mut self) {
        let from = self.rng.usize(0..2);
        self.server.replicate(from, 1 - from);
        let after = self.rng.u64(MILLI..SECOND);
        if self.calm {
            self.server.replicate(1 - from, from);
        } else {
            self.later(after, Event::Fault(Fault::Replicates));
        }
    }

    fn power_cut(&mut self, device: usize) {
        self.note(|| format!("device {device}: power cut"));
        let rng = &mut self.rng;
        self.devices[device].disk.power_cut(|count| rng.usize(0..count));
        self.devices[device].busy = None;
        self.transactions.retain(|_, transaction| transaction.device != device);
        for tab in self.devices[device].tabs.clone() {
            self.dies(tab, true);
        }
    }
}
