//! The end of a seed: the faults stop, and numbers that are in two places are detected.

use super::faults::Fault;
use super::{Event, World};
use crate::plan::{Habits, Kind, Origin, Past, SECOND};
use crate::tab::{Hilo, Phase};
use raven_edge::hilo::waiters::Want;
use raven_edge::pool::RecordText;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    /// The faults stop.
    Calm,
    /// Every tab must issue an id.
    Asks,
    /// Some devices use all their numbers without the server, others return everything.
    Empties,
    /// The numbers that a disposal left are returned by a last visit.
    LastVisit(usize),
    LastDisposal(usize),
    /// A new client issues all numbers that the server considers free.
    Collects,
    Judges,
}

impl World {
    pub(super) fn ending(&mut self, stage: Stage) {
        self.note(|| format!("--- {stage:?}"));
        match stage {
            Stage::Calm => self.calms(),
            Stage::Asks => self.asks(),
            Stage::Empties => self.empties(),
            Stage::LastVisit(device) => {
                let tab = self.opens(device);
                self.later(SECOND / 10, Event::Ending(Stage::LastDisposal(tab)));
            }
            Stage::LastDisposal(tab) => self.disposes(tab),
            Stage::Collects => self.collects(),
            Stage::Judges => self.judges(),
        }
    }

    fn calms(&mut self) {
        self.calm = true;
        self.weather.clear();
        self.server.up.iter_mut().for_each(|up| *up = true);
        self.server.joined = true;
        if self.weather.nodes > 1 {
            self.fault(Fault::Replicates);
        }
        for device in 0..self.devices.len() {
            self.devices[device].offline = false;
            self.visit(device);
        }
        for tab in 0..self.tabs.len() {
            let era = self.tabs[tab].era;
            self.later(0, Event::Comes { tab, era });
        }
        // By then all late messages have arrived and all pauses have ended.
        let mut at = self.weather.longest + 13 * SECOND;
        for (stage, lasts) in [(Stage::Asks, 12), (Stage::Empties, 30), (Stage::Collects, 12), (Stage::Judges, 0)] {
            self.later(at, Event::Ending(stage));
            at += lasts * SECOND;
        }
    }

    fn open_tabs(&self) -> Vec<usize> {
        (0..self.tabs.len()).filter(|tab| self.tabs[*tab].phase == Phase::Open).collect()
    }

    fn asks(&mut self) {
        for tab in self.open_tabs() {
            for at in self.ats(tab) {
                self.calls(at, Want::Id, true);
            }
        }
    }

    fn empties(&mut self) {
        for device in 0..self.devices.len() {
            let drains = self.rng.bool();
            self.note(|| format!("device {device} {}", if drains { "uses up all" } else { "gives back all" }));
            self.devices[device].offline = drains;
            // Parked numbers of the app's own sources have no fence: they stay.
            let habits = &self.devices[device].habits;
            self.devices[device].emptied = !drains && habits.has_pool() && !habits.origin.is_app();
            for tab in self.devices[device].tabs.clone() {
                if drains { self.drains(tab) } else { self.disposes(tab) }
            }
            if self.devices[device].emptied {
                self.later(20 * SECOND, Event::Ending(Stage::LastVisit(device)));
            }
        }
    }

    fn drains(&mut self, tab: usize) {
        for at in self.ats(tab) {
            while self.take(at) {}
            // Enough to empty the pool most of the time.
            for _ in 0..60 {
                self.calls(at, Want::Id, false);
            }
        }
    }

    fn collects(&mut self) {
        for (second, origin) in [
            (false, Origin::Server),
            (true, Origin::Server),
            (false, Origin::Document),
            (false, Origin::Classic),
            (false, Origin::Custom),
        ] {
            let (kind, keep, narrow) = (Kind::Node, Some(0), false);
            let device = self.add_device(Habits { kind, most_tabs: 1, keep, narrow, second, origin });
            let tab = self.opens(device);
            for at in self.ats(tab) {
                for _ in 0..60 {
                    self.calls(at, Want::Id, true);
                }
            }
        }
    }

    fn judges(&mut self) {
        if let Some(tab) = self.tabs.iter().position(|tab| !matches!(tab.phase, Phase::Open | Phase::Gone)) {
            self.judge.object(format!("tab {tab} is stuck: {:?}", self.tabs[tab].phase));
        }
        if let Some(tab) = self.tabs.iter().position(|tab| tab.hilos.iter().any(Hilo::has_callers)) {
            self.judge.object(format!("tab {tab} has callers that wait for ever"));
        }
        if let Some(task) = self.tasks.values().next() {
            self.judge.object(format!("tab {} has a request that never ends", task.at.tab));
        }
        if let Some(transaction) = self.transactions.values().next() {
            self.judge.object(format!("tab {} has a transaction that never ends", transaction.at.tab));
        }
        if self.weather.past == Past::Honest {
            self.accounts();
        }
    }

    /// Every parked number was granted, not issued, and is parked once.
    fn accounts(&mut self) {
        let mut parked = BTreeMap::new();
        for device in 0..self.devices.len() {
            let records: Vec<RecordText> =
                self.devices[device].disk.state.records.values().filter_map(|text| RecordText::read(text)).collect();
            // Numbers of an unknown incarnation stay parked: only a response of the server could show whether they are valid.
            let known = self.devices[device].disk.state.incarnation.clone();
            let left = |record: &RecordText| !record.parked.is_empty() && Some(&record.incarnation) == known.as_ref();
            if self.devices[device].emptied && records.iter().any(left) {
                self.judge.object(format!("device {device} has parked numbers although its last store was disposed"));
            }
            for entry in records.iter().flat_map(|record| &record.parked) {
                for number in entry.range.low()..=entry.range.high() {
                    let id = self.id(&entry.prefix, number, &entry.node_tag);
                    if self.judge.knows(&id) {
                        self.judge.object(format!("{id} was issued and is parked on device {device}"));
                    }
                    if !self.server.has_granted(&entry.prefix, &entry.node_tag, number) {
                        self.judge.object(format!("{id} is parked on device {device} and was never granted"));
                    }
                    if let Some(other) = parked.insert(id.clone(), device) {
                        self.judge.object(format!("{id} is parked on the devices {other} and {device}"));
                    }
                }
            }
        }
    }
}
