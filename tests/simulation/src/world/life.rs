//! Tabs come, go, come back, die and are disposed of.

use super::wires::GOODBYE;
use super::{At, Event, World};
use crate::broken::Broken;
use crate::plan::{MILLI, SECOND};
use crate::tab::{Group, Phase, Tab};
use raven_edge::hilo::{Effect, Range};
use raven_edge::http::NodeId;
use raven_edge::pool::{Parked, Wish};
use raven_edge::source::Return;

use super::moves::Purpose;

impl World {
    /// A device without a tab opens one.
    pub(super) fn visit(&mut self, device: usize) {
        if self.devices[device].tabs.is_empty() {
            self.opens(device);
        }
    }

    pub(super) fn opens(&mut self, device: usize) -> usize {
        let number = self.tabs.len();
        let tab = Tab::new(device, &self.devices[device].habits, self.weather.tags, self.weather.nodes);
        self.tabs.push(tab);
        self.note(|| format!("tab {number} opens on device {device}"));
        self.tells_siblings(number, true);
        for other in self.devices[device].tabs.clone() {
            let delay = self.rng.u64(MILLI..20 * MILLI);
            self.later(delay, Event::Hears { tab: number, of: other, there: true });
        }
        self.devices[device].tabs.push(number);
        let pause = self.rng.u64(0..self.weather.pause);
        self.later(pause, Event::Act(number));
        number
    }

    fn tells_siblings(&mut self, of: usize, there: bool) {
        for other in self.devices[self.tabs[of].device].tabs.clone() {
            let delay = self.rng.u64(MILLI..20 * MILLI);
            if other != of {
                self.later(delay, Event::Hears { tab: other, of, there });
            }
        }
    }

    /// A page that hears of another parks what it holds.
    pub(super) fn hears(&mut self, tab: usize, of: usize, there: bool) {
        let siblings = &mut self.tabs[tab].siblings;
        let alone = siblings.is_empty();
        if there {
            siblings.insert(of)
        } else {
            siblings.remove(&of)
        };
        if there && alone && self.tabs[tab].storage && self.tabs[tab].phase == Phase::Open {
            for at in self.ats(tab) {
                self.plan(at);
                let effects = self.hilo(at).driver.park();
                self.act_and_return(at, effects);
            }
        }
    }

    /// Empties a counter and tells the driver.
    fn surrenders(&mut self, at: At) {
        let (broken, now) = (self.broken, self.now);
        let hilo = self.hilo(at);
        let before = hilo.counter.clone();
        let next = hilo.counter.surrender();
        hilo.driver.surrendered(next, now);
        if broken == Broken::KeptAfterReturn {
            hilo.counter = before;
        }
    }

    /// `pagehide`: memory is emptied, and one request per node goes, for which nobody waits.
    pub(super) fn hides(&mut self, tab: usize) {
        self.note(|| format!("tab {tab} hides"));
        self.tabs[tab].phase = Phase::Away;
        self.tabs[tab].era += 1;
        let mut returns = Vec::new();
        for at in self.ats(tab) {
            self.hilo(at).driver.leaving();
            self.surrenders(at);
            let effects = self.hilo(at).driver.give_back(false);
            let (of_tag, _) = self.act(at, effects, None);
            if self.broken == Broken::ParkedAndReturned {
                self.parks_too(at, &of_tag);
            }
            returns.extend(of_tag);
        }
        self.returns(tab, returns, false);
        self.tells_siblings(tab, false);
    }

    /// The broken one: what goes back is parked as well.
    fn parks_too(&mut self, at: At, returns: &[(NodeId, Return)]) {
        for (node, item) in returns {
            let place = self.tabs[at.tab].nodes.get(node.0 as usize).copied().unwrap_or(0);
            let (prefix, tag) = (format!("{}/", item.tag), crate::server::NODES[place].to_owned());
            if let Some(range) = Range::new(item.last + 1, item.high) {
                self.begin(at, Purpose::Park, Wish::Park(vec![Parked { range, prefix, tag }]));
            }
        }
    }

    /// Leaves a page: for the back/forward cache, or for ever; perhaps to load it anew at once.
    pub(super) fn leaves_page(&mut self, tab: usize) {
        self.hides(tab);
        let device = self.tabs[tab].device;
        if self.rng.u32(0..5) < 2 {
            let (era, after) = (self.tabs[tab].era, self.rng.u64(0..8 * SECOND));
            return self.later(after, Event::Comes { tab, era });
        }
        let lingers = self.rng.bool();
        if lingers {
            let (era, after) = (self.tabs[tab].era, self.rng.u64(0..SECOND));
            self.later(after, Event::Goodbye { tab, era });
        } else {
            self.dies(tab, true);
        }
        if self.rng.bool() && self.devices[device].tabs.len() < self.devices[device].habits.most_tabs {
            self.opens(device);
        }
    }

    /// Out of the back/forward cache: restored, or dropped.
    pub(super) fn comes(&mut self, tab: usize, era: u32) {
        if self.tabs[tab].era != era || self.tabs[tab].phase != Phase::Away {
            return;
        }
        if self.rng.u32(0..3) > 0 || self.calm { self.restored(tab) } else { self.dies(tab, true) }
    }

    fn restored(&mut self, tab: usize) {
        self.note(|| format!("tab {tab} is restored"));
        self.tabs[tab].phase = Phase::Open;
        self.tabs[tab].era += 1;
        for at in self.ats(tab) {
            self.hilo(at).driver.back();
        }
        for event in std::mem::take(&mut self.tabs[tab].deferred) {
            self.later(0, event);
        }
        self.tells_siblings(tab, true);
        let pause = self.rng.u64(0..self.weather.pause);
        self.later(pause, Event::Act(tab));
    }

    /// A tab is no more. `abruptly`: what it had asked of the disk may never run.
    pub(super) fn dies(&mut self, tab: usize, abruptly: bool) {
        if self.tabs[tab].phase == Phase::Gone {
            return;
        }
        self.note(|| format!("tab {tab} is gone"));
        let device = self.tabs[tab].device;
        self.tabs[tab].phase = Phase::Gone;
        for at in self.ats(tab) {
            self.hilo(at).groups = vec![Group::default()];
        }
        self.drops_tasks(tab);
        if abruptly {
            self.drops_moves(tab);
        }
        self.devices[device].tabs.retain(|other| *other != tab);
        if self.devices[device].tabs.is_empty() && !self.calm {
            let after = self.rng.u64(0..self.weather.pause);
            self.later(after, Event::Visit(device));
        }
    }

    /// `release()`: gives back what memory holds, and goes on.
    pub(super) fn releases(&mut self, tab: usize) {
        self.note(|| format!("tab {tab} releases"));
        let parks = self.tabs[tab].storage && !self.tabs[tab].siblings.is_empty();
        let mut returns = Vec::new();
        for at in self.ats(tab) {
            if parks {
                self.plan(at);
                let effects = self.hilo(at).driver.park();
                self.act_and_return(at, effects);
            }
            self.hilo(at).driver.leaving();
            self.surrenders(at);
            let effects = self.hilo(at).driver.give_back(false);
            returns.extend(self.act(at, effects, None).0);
            self.hilo(at).driver.back();
        }
        self.returns(tab, returns, true);
    }

    /// `reserve(0)`: what is parked beyond the usual goes back, and what memory holds with it.
    pub(super) fn trims(&mut self, at: At) {
        if !self.tabs[at.tab].storage {
            return;
        }
        let keep = self.devices[self.tabs[at.tab].device].habits.keep;
        let effects = self.hilo(at).driver.take_out();
        if let Some(Effect::Claim { request, .. }) = effects.first() {
            self.begin(at, Purpose::Trim(*request), Wish::TakeOut { keep });
        }
    }

    /// Empties memory while the store goes on.
    pub(super) fn gives_back(&mut self, at: At) {
        self.surrenders(at);
        let effects = self.hilo(at).driver.give_back(true);
        self.act_and_return(at, effects);
    }

    /// Whether no other store answers. A hint, which may be wrong: nothing that is unsafe depends on it.
    fn is_alone(&mut self, tab: usize) -> bool {
        let others = &self.devices[self.tabs[tab].device].tabs;
        let alone = !others.iter().any(|other| *other != tab && self.tabs[*other].phase == Phase::Open);
        alone != (!self.calm && self.rng.u32(0..20) == 0)
    }

    /// `dispose()`: refuses, and waits for what is under way.
    pub(super) fn disposes(&mut self, tab: usize) {
        if self.tabs[tab].phase != Phase::Open {
            return;
        }
        self.note(|| format!("tab {tab} disposes"));
        for at in self.ats(tab) {
            self.refuses_all(at, "disposed");
            self.hilo(at).driver.closing();
            self.surrenders(at);
        }
        self.stage(tab, Phase::Settling);
    }

    fn stage(&mut self, tab: usize, phase: Phase) {
        self.tabs[tab].phase = phase;
        self.tabs[tab].era += 1;
        let era = self.tabs[tab].era;
        self.later(GOODBYE * MILLI, Event::Goodbye { tab, era });
        self.advance(tab);
    }

    /// A disposal goes on when nothing is under way.
    pub(super) fn advance(&mut self, tab: usize) {
        let disposing = matches!(self.tabs[tab].phase, Phase::Settling | Phase::Moving | Phase::Returning);
        if disposing && !self.waits(tab) {
            self.next_stage(tab);
        }
    }

    /// A disposal goes on although something hangs; a page that lingered ends.
    pub(super) fn goodbye(&mut self, tab: usize, era: u32) {
        if self.tabs[tab].era == era {
            self.next_stage(tab);
        }
    }

    fn next_stage(&mut self, tab: usize) {
        match self.tabs[tab].phase {
            Phase::Settling => {
                let alone = self.is_alone(tab);
                let pooled = if self.tabs[tab].storage { self.ats(tab) } else { Vec::new() };
                for at in pooled {
                    self.plan(at);
                    let driver = &mut self.hilo(at).driver;
                    let effects = if alone { driver.take_out() } else { driver.park() };
                    self.act_and_return(at, effects);
                }
                self.stage(tab, Phase::Moving);
            }
            Phase::Moving => {
                let mut returns = Vec::new();
                for at in self.ats(tab) {
                    let effects = self.hilo(at).driver.give_back(true);
                    returns.extend(self.act(at, effects, None).0);
                }
                self.returns(tab, returns, true);
                self.stage(tab, Phase::Returning);
            }
            Phase::Returning => {
                self.tells_siblings(tab, false);
                self.dies(tab, false);
            }
            Phase::Away => self.dies(tab, true),
            Phase::Open | Phase::Gone => {}
        }
    }
}
