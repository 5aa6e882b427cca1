//! The life of tabs: they open, hide, return, die and are disposed.

use super::siblings::PATIENCE;
use super::wires::{After, GOODBYE};
use super::{At, Event, World};
use crate::plan::{MILLI, SECOND};
use crate::tab::{Group, Phase, Tab};
use crate::variants::Variant;
use raven_edge::hilo::Range;
use raven_edge::http::NodeId;
use raven_edge::pool::{ParkedText, RecordText};
use raven_edge::protocol::presence;
use raven_edge::source::Return;

impl World {
    /// A device without a tab opens one.
    pub(super) fn visit(&mut self, device: usize) {
        if self.devices[device].tabs.is_empty() {
            self.opens(device);
        }
    }

    pub(super) fn opens(&mut self, device: usize) -> usize {
        let number = self.tabs.len();
        let source = self.source(device);
        let tab = Tab::new(device, &self.devices[device].habits, source, self.weather.tags, self.weather.nodes);
        self.tabs.push(tab);
        self.note(|| format!("tab {number} opens on device {device}"));
        self.devices[device].tabs.push(number);
        self.arrives_on(number, device);
        let pause = self.rng.u64(0..self.weather.pause);
        self.later(pause, Event::Act(number));
        number
    }

    /// Empties a counter and reports that to the store.
    pub(super) fn surrenders(&mut self, at: At) {
        let variant = self.variant;
        let hilo = self.hilo(at);
        let before = hilo.counter.clone();
        let next = hilo.counter.surrender();
        self.enter(at.tab, |store, recorder| store.surrendered(recorder, at.hilo as u32, next));
        if variant == Variant::KeptAfterReturn {
            self.hilo(at).counter = before;
        }
    }

    /// Stops issuing numbers; `away`: until the page is restored.
    fn closes(&mut self, tab: usize, away: bool) {
        self.ats(tab).into_iter().for_each(|at| self.surrenders(at));
        self.tabs[tab].store.close(away);
    }

    /// `pagehide`: memory is emptied and returned in one request per node, whose response is not awaited.
    pub(super) fn hides(&mut self, tab: usize) {
        self.note(|| format!("tab {tab} hides"));
        self.tabs[tab].phase = Phase::Away;
        self.tabs[tab].era += 1;
        // `freeze` after `pagehide`.
        for _ in 0..self.rng.u32(1..3) {
            self.device(tab, presence::LEFT, 0);
        }
    }

    /// Empties memory and returns it in one request per node, whose response is not awaited.
    pub(super) fn gives_back_leaving(&mut self, tab: usize) {
        self.closes(tab, true);
        let returned = self.posts_back(tab);
        if self.variant == Variant::ParkedAndReturned {
            self.parks_too(tab, &returned);
        }
    }

    /// A broken variant: returned numbers are parked as well.
    fn parks_too(&mut self, tab: usize, returns: &[(NodeId, Return)]) {
        let of = &self.tabs[tab];
        let Some(incarnation) = of.store.incarnation().map(str::to_owned) else { return };
        for (node, item) in returns {
            let place = of.nodes.get(node.0 as usize).copied().unwrap_or(0);
            let (prefix, node_tag) = (format!("{}/", item.tag), crate::server::NODES[place].to_owned());
            let Some(range) = Range::new(item.last + 1, item.high) else { continue };
            let disk = &mut self.devices[of.device].disk;
            let record = disk.state.records.get(&item.tag).and_then(|text| RecordText::read(text));
            let mut record = record.unwrap_or(RecordText { incarnation: incarnation.clone(), ..RecordText::default() });
            record.parked.push(ParkedText { range, prefix, node_tag, token: None });
            disk.state.records.insert(item.tag.clone(), record.write());
        }
    }

    /// Leaves a page: for the back/forward cache or for good, perhaps to reload it at once.
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

    /// A page in the back/forward cache is restored or dropped.
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
        // `resume` and `pageshow`.
        for _ in 0..self.rng.u32(1..3) {
            self.device(tab, presence::BACK, 0);
        }
        for event in std::mem::take(&mut self.tabs[tab].deferred) {
            self.later(0, event);
        }
        let pause = self.rng.u64(0..self.weather.pause);
        self.later(pause, Event::Act(tab));
    }

    /// A tab ends. `abruptly`: its queued transactions may never run.
    pub(super) fn dies(&mut self, tab: usize, abruptly: bool) {
        if self.tabs[tab].phase == Phase::Gone {
            return;
        }
        self.note(|| format!("tab {tab} ends"));
        let device = self.tabs[tab].device;
        self.tabs[tab].phase = Phase::Gone;
        for at in self.ats(tab) {
            self.hilo(at).groups = vec![Group::default()];
        }
        self.drops_tasks(tab, abruptly);
        if abruptly {
            self.drops_moves(tab);
        }
        self.devices[device].tabs.retain(|other| *other != tab);
        if self.devices[device].tabs.is_empty() && !self.calm {
            let after = self.rng.u64(0..self.weather.pause);
            self.later(after, Event::Visit(device));
        }
    }

    /// `release()`: returns what memory holds; the tab continues. The device's marks of the returned numbers are withdrawn.
    pub(super) fn releases(&mut self, tab: usize) {
        self.note(|| format!("tab {tab} releases"));
        self.ats(tab).into_iter().for_each(|at| self.surrenders(at));
        if self.tabs[tab].store.presence().usable() {
            self.lets_go(tab, u64::MAX, After::Releases);
        } else {
            self.gives_back(tab, false);
        }
    }

    pub(super) fn released(&mut self, tab: usize) {
        self.ats(tab).into_iter().for_each(|at| self.surrenders(at));
        self.gives_back(tab, false);
    }

    /// `reserve(0)`: returns parked numbers beyond `keep`, and those in memory.
    pub(super) fn trims(&mut self, at: At) {
        self.surrenders(at);
        if let Some(task) = self.tabs[at.tab].store.let_go(at.hilo as u32, None) {
            self.starts(at, task, After::Trims, Some(0));
        }
    }

    /// Prepares the return of memory and pool, or parks for siblings. `keep`: how many numbers stay parked.
    fn lets_go(&mut self, tab: usize, keep: u64, after: After) {
        for at in self.ats(tab) {
            if let Some(task) = self.tabs[tab].store.let_go(at.hilo as u32, Some(keep)) {
                self.starts(at, task, after, Some(0));
            }
        }
    }

    /// `dispose()`: refuses new calls, and waits for pending work.
    pub(super) fn disposes(&mut self, tab: usize) {
        if self.tabs[tab].phase != Phase::Open {
            return;
        }
        self.note(|| format!("tab {tab} disposes"));
        for at in self.ats(tab) {
            self.refuses_all(at, "disposed");
        }
        self.closes(tab, false);
        self.stage(tab, Phase::Settling);
    }

    fn stage(&mut self, tab: usize, phase: Phase) {
        self.tabs[tab].phase = phase;
        self.tabs[tab].era += 1;
        let era = self.tabs[tab].era;
        let limit = if phase == Phase::Asking { PATIENCE } else { GOODBYE * MILLI };
        self.later(limit, Event::Goodbye { tab, era });
        self.advance(tab);
    }

    /// A disposal continues when nothing is pending.
    pub(super) fn advance(&mut self, tab: usize) {
        let disposing = matches!(self.tabs[tab].phase, Phase::Settling | Phase::Moving | Phase::Returning);
        if disposing && !self.waits(tab) {
            self.next_stage(tab);
        }
    }

    /// A disposal continues although a task hangs; a page that stayed open ends.
    pub(super) fn goodbye(&mut self, tab: usize, era: u32) {
        if self.tabs[tab].era == era {
            self.next_stage(tab);
        }
    }

    fn next_stage(&mut self, tab: usize) {
        match self.tabs[tab].phase {
            Phase::Settling => {
                self.device(tab, presence::ASKED, 0);
                self.stage(tab, Phase::Asking);
            }
            Phase::Asking => {
                self.lets_go(tab, 0, After::Nothing);
                self.stage(tab, Phase::Moving);
            }
            Phase::Moving => {
                self.gives_back(tab, true);
                self.stage(tab, Phase::Returning);
            }
            Phase::Returning => {
                self.device(tab, presence::ENDED, 0);
                self.dies(tab, false);
            }
            Phase::Away => self.dies(tab, true),
            Phase::Open | Phase::Gone => {}
        }
    }
}
