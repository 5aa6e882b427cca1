//! Random actions of apps.

use super::{Event, World};
use crate::plan::Kind;
use crate::tab::Phase;
use raven_edge::hilo::waiters::Want;

impl World {
    /// One action of the app in a tab, and the time of the next.
    pub(super) fn app_acts(&mut self, tab: usize) {
        if self.calm || self.tabs[tab].phase == Phase::Gone {
            return;
        }
        match self.tabs[tab].phase {
            Phase::Open => self.acts(tab),
            // A listener of the page calls the package although the page is hidden.
            Phase::Away => self.takes_in_vain(tab),
            _ => {}
        }
        if !matches!(self.tabs[tab].phase, Phase::Gone | Phase::Away) {
            let pause = self.weather.pause;
            let after = self.rng.u64(0..pause * 2);
            self.later(after, Event::Act(tab));
        }
    }

    fn takes_in_vain(&mut self, tab: usize) {
        for at in self.ats(tab) {
            if self.take(at) {
                self.judge.object(format!("tab {tab} gave an id between pagehide and pageshow"));
            }
        }
    }

    fn acts(&mut self, tab: usize) {
        let device = self.tabs[tab].device;
        let kind = self.devices[device].habits.kind;
        if self.chance(self.weather.crashes) && self.rng.bool() {
            return self.dies(tab, true);
        }
        let ats = self.ats(tab);
        let at = ats[self.rng.usize(0..ats.len())];
        match self.rng.u32(0..100) {
            0..40 => {
                let count = self.rng.usize(1..4);
                (0..count).for_each(|_| self.calls(at, Want::Id, false));
            }
            40..50 => {
                let count = self.rng.usize(5..50);
                (0..count).for_each(|_| self.calls(at, Want::Id, false));
            }
            50..63 => {
                let count = self.rng.usize(1..12);
                for _ in 0..count {
                    if !self.take(at) {
                        if !self.is_isolated(at) {
                            self.tabs[tab].store.core().missed(at.hilo as u32);
                        }
                        break;
                    }
                }
            }
            63..67 => {
                let count = self.rng.u64(1..100);
                self.calls(at, Want::Numbers(count), false);
            }
            67..70 => self.releases(tab),
            70..72 => self.trims(at),
            72..78 if self.devices[device].tabs.len() < self.devices[device].habits.most_tabs => {
                self.opens(device);
            }
            78..91 => match kind {
                Kind::Pages => self.leaves_page(tab),
                // These end without notice.
                Kind::Workers => self.dies(tab, true),
                Kind::Node | Kind::Isolate => self.disposes(tab),
            },
            91..94 => self.disposes(tab),
            _ => {}
        }
    }
}
