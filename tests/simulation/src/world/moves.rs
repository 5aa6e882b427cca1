//! Moves between memory and pool, as IndexedDB runs them: in turn, late, aborted, rolled back.

use super::{At, Event, World};
use crate::plan::{MILLI, SECOND};
use crate::tab::Phase;
use raven_edge::protocol::presence;

/// How long a tab waits for a transaction.
const LIMIT: u64 = SECOND;

/// After this many consecutive failures a tab stops using the disk.
const ENOUGH: u32 = 2;

pub(super) struct Transaction {
    pub(super) at: At,
    pub(super) device: usize,
    /// The task that moves numbers; `None`: the transaction stores the last known incarnation.
    task: Option<u32>,
    strict: bool,
    /// The incarnation that was known when it began.
    known: Option<String>,
    /// It has run.
    decided: bool,
    durable: bool,
    /// Its result was reported to its tab.
    over: bool,
}

impl World {
    /// Begins the move of a task, or a note.
    pub(super) fn moves(&mut self, at: At, task: Option<u32>, strict: bool) {
        let tab = &self.tabs[at.tab];
        let (device, known) = (tab.device, tab.incarnation.clone());
        let number = self.number();
        self.note(|| {
            let kind = task.and_then(|task| self.tasks.get(&task)).and_then(|task| task.task.move_kind());
            format!("tab {} move {number}: {kind:?}", at.tab)
        });
        let transaction = Transaction { at, device, task, strict, known, decided: false, durable: false, over: false };
        self.transactions.insert(number, transaction);
        self.queues(number);
        self.later(LIMIT, Event::Late(number));
    }

    /// A transaction waits for its turn.
    pub(super) fn queues(&mut self, number: u32) {
        let Some(transaction) = self.transactions.get(&number) else { return };
        let device = transaction.device;
        self.devices[device].disk.waiting.push_back(number);
        self.next_turn(device);
    }

    fn next_turn(&mut self, device: usize) {
        if self.devices[device].busy.is_some() {
            return;
        }
        let Some(next) = self.devices[device].disk.waiting.pop_front() else { return };
        self.devices[device].busy = Some(next);
        let takes = self.disk_time();
        self.later(takes, Event::Runs(next));
    }

    fn disk_time(&mut self) -> u64 {
        if self.chance(self.weather.hangs) { self.rng.u64(0..3 * SECOND) } else { self.rng.u64(MILLI / 5..4 * MILLI) }
    }

    /// Lets others go first.
    pub(super) fn steps_aside(&mut self, number: u32) {
        let Some(device) = self.transactions.get(&number).map(|transaction| transaction.device) else { return };
        self.leaves(device, number);
    }

    /// The disk is free for the next one.
    fn leaves(&mut self, device: usize, number: u32) {
        self.devices[device].disk.waiting.retain(|waiting| *waiting != number);
        if self.devices[device].busy == Some(number) {
            self.devices[device].busy = None;
            self.next_turn(device);
        }
    }

    /// Reads, decides, writes: all in the success callback of the read.
    pub(super) fn runs(&mut self, number: u32) {
        let aborts = self.chance(self.weather.aborts);
        let Some(transaction) = self.transactions.get_mut(&number) else { return };
        let (at, device) = (transaction.at, transaction.device);
        if aborts {
            self.leaves(device, number);
            self.later(0, Event::Reported(number));
            return;
        }
        let mut after = self.devices[device].disk.state.clone();
        transaction.decided = true;
        let known = transaction.known.clone();
        let mut notes = transaction.task.is_none();
        let task = transaction.task.and_then(|task| self.tasks.get_mut(&task));
        if let Some(task) = task {
            let tab = &mut self.tabs[at.tab];
            let key = &tab.hilos[at.hilo].tag;
            let record = after.records.get(key).map(String::as_str);
            let text = tab.store.decide(&mut task.task, record, after.incarnation.as_deref());
            notes = text.is_some();
            after.records.extend(text.map(|text| (key.clone(), text)));
        }
        // A note that a newer one has overtaken writes nothing.
        if let Some(known) = known.filter(|_| notes) {
            after.incarnation = Some(known);
        }
        self.devices[device].disk.runs(number, after);
        let takes = self.disk_time();
        self.later(takes, Event::Ends(number));
    }

    /// The transaction completes, or fails at the last moment.
    pub(super) fn ends(&mut self, number: u32) {
        let aborts = self.chance(self.weather.aborts);
        let Some(transaction) = self.transactions.get_mut(&number) else { return };
        let (device, strict) = (transaction.device, transaction.strict);
        let disk = &mut self.devices[device].disk;
        if disk.running.as_ref().is_none_or(|(running, _)| *running != number) {
            return;
        }
        if aborts {
            disk.aborts();
        } else {
            transaction.durable = true;
            disk.ends(strict);
            if !strict {
                let after = self.rng.u64(0..10 * SECOND);
                self.later(after, Event::Flushes(device));
            }
        }
        self.leaves(device, number);
        self.later(0, Event::Reported(number));
    }

    /// The result of a move is reported to its tab.
    pub(super) fn reported(&mut self, number: u32) {
        let Some(transaction) = self.transactions.remove(&number) else { return };
        // After its time limit a move's numbers are burnt, whatever its result.
        if transaction.over {
            return;
        }
        if self.tabs[transaction.at.tab].phase == Phase::Gone {
            transaction.task.and_then(|task| self.tasks.remove(&task));
            return;
        }
        self.note(|| format!("tab {} gets the result of move {number}: {}", transaction.at.tab, transaction.durable));
        self.moved(transaction.at, transaction.task, transaction.durable);
    }

    fn moved(&mut self, at: At, task: Option<u32>, durable: bool) {
        let tab = &mut self.tabs[at.tab];
        tab.failures = if durable { 0 } else { tab.failures + 1 };
        if tab.failures >= ENOUGH {
            self.device(at.tab, presence::FAILED, 0);
        }
        if let Some(number) = task
            && let Some(mut task) = self.tasks.remove(&number)
        {
            let waited = self.enter(at.tab, |store, recorder| store.moved(recorder, &mut task.task, durable));
            self.goes_on(number, task, waited);
        }
    }

    /// A tab stops waiting for its move, and requests its abort.
    pub(super) fn late(&mut self, number: u32) {
        let commits = self.rng.bool();
        let Some(transaction) = self.transactions.get_mut(&number) else { return };
        if transaction.over {
            return;
        }
        transaction.over = true;
        let (at, device, task, decided) = (transaction.at, transaction.device, transaction.task, transaction.decided);
        self.note(|| format!("tab {} gives up move {number}", at.tab));
        // A transaction that has run may complete nevertheless.
        if !decided || !commits {
            let disk = &mut self.devices[device].disk;
            if disk.running.as_ref().is_some_and(|(running, _)| *running == number) {
                disk.aborts();
            }
            self.transactions.remove(&number);
            self.leaves(device, number);
        }
        self.moved(at, task, false);
    }

    /// A tab ends: its pending transactions may or may not run.
    pub(super) fn drops_moves(&mut self, tab: usize) {
        let numbers: Vec<u32> = self
            .transactions
            .iter()
            .filter(|(_, transaction)| transaction.at.tab == tab)
            .map(|(number, _)| *number)
            .collect();
        for number in numbers {
            let device = self.tabs[tab].device;
            let disk = &mut self.devices[device].disk;
            let runs = disk.running.as_ref().is_some_and(|(running, _)| *running == number);
            // A transaction that has run and is not complete may be committed without its tab.
            if runs && self.rng.bool() {
                continue;
            }
            if runs {
                disk.aborts();
            }
            self.transactions.remove(&number);
            self.leaves(device, number);
        }
    }
}
