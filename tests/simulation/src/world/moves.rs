//! Moves between memory and pool, as IndexedDB runs them: in turn, late, aborted, rolled back.

use super::{At, Event, World};
use crate::broken::Broken;
use crate::plan::{MILLI, SECOND};
use crate::tab::Phase;
use raven_edge::hilo::waiters;
use raven_edge::pool::{Move, Outcome, Record, Wish, decide};

/// How long a tab waits for a transaction.
const LIMIT: u64 = SECOND;

/// After so many failures in a row a tab leaves the disk alone.
const ENOUGH: u32 = 2;

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// For a group of callers, or for a disposal.
    Claim(u32, Option<usize>),
    /// For a `reserve(0)`: what comes out goes back at once.
    Trim(u32),
    /// Of a lease for a group, if it was for one.
    Admit(u32, Option<usize>),
    Park,
    /// For a group that reserves.
    Share(usize),
    /// Which incarnation was heard last.
    Note,
}

pub(super) struct Transaction {
    pub(super) at: At,
    pub(super) device: usize,
    purpose: Purpose,
    wanted: Move,
    strict: bool,
    /// What was decided, once it has run.
    outcome: Option<Outcome>,
    durable: bool,
    /// Its tab has been told.
    over: bool,
}

impl Transaction {
    pub(super) fn is_awaited(&self) -> bool {
        !self.over && !matches!(self.purpose, Purpose::Park | Purpose::Note)
    }
}

impl World {
    /// Begins the move that an effect asks for.
    pub(super) fn begin(&mut self, at: At, purpose: Purpose, wish: Wish) {
        let claims = matches!(purpose, Purpose::Claim(..));
        let strict = wish.is_take_out() && !(self.broken == Broken::RelaxedClaim && claims) || purpose == Purpose::Note;
        let tab = &mut self.tabs[at.tab];
        let incarnation = tab.incarnation.clone();
        let device = tab.device;
        let wanted = match purpose {
            Purpose::Note => Move { incarnation, issued: Vec::new(), unused: Vec::new(), used: 0, wish },
            _ => tab.hilos[at.hilo].driver.move_of(wish, incarnation),
        };
        let number = self.number();
        self.note(|| format!("tab {} move {number}: {purpose:?} {:?}", at.tab, wanted.wish));
        let transaction =
            Transaction { at, device, purpose, wanted, strict, outcome: None, durable: false, over: false };
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
            self.later(0, Event::Told(number));
            return;
        }
        let mut after = self.devices[device].disk.state.clone();
        if transaction.purpose == Purpose::Note {
            after.incarnation.clone_from(&transaction.wanted.incarnation);
        } else {
            let tab = &mut self.tabs[at.tab];
            let key = &tab.hilos[at.hilo].tag;
            let record = after.records.get(key).and_then(|text| Record::read(text));
            let stored = after.incarnation.as_deref();
            let (record, outcome) = decide(record, stored, tab.incarnation.as_deref(), &transaction.wanted);
            if let Some(record) = record {
                after.records.insert(key.clone(), record.write());
            }
            // An offline start takes the device's word for it; the first answer will tell.
            if tab.incarnation.is_none() && !outcome.taken.is_empty() {
                tab.incarnation.clone_from(&after.incarnation);
            }
            if self.verbose {
                println!("            move {number} runs: {outcome:?}");
            }
            transaction.outcome = Some(outcome);
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
        self.later(0, Event::Told(number));
    }

    /// A tab hears what became of its move.
    pub(super) fn told(&mut self, number: u32) {
        let Some(transaction) = self.transactions.remove(&number) else { return };
        // After its time limit a move is burnt, whatever became of it.
        if transaction.over || self.tabs[transaction.at.tab].phase == Phase::Gone {
            return;
        }
        self.note(|| format!("tab {} hears of move {number}: {}", transaction.at.tab, transaction.durable));
        self.moved(transaction.at, transaction.purpose, transaction.outcome, transaction.durable);
    }

    /// What was decided but may not be durable is burnt: a claim gives nothing, an admission only what it did not put
    /// into the pool.
    fn moved(&mut self, at: At, purpose: Purpose, outcome: Option<Outcome>, durable: bool) {
        let now = self.now;
        let tab = &mut self.tabs[at.tab];
        tab.failures = if durable { 0 } else { tab.failures + 1 };
        if tab.failures >= ENOUGH {
            tab.storage = false;
        }
        self.plan(at);
        let hilo = self.hilo(at);
        let durably = outcome.clone().filter(|_| durable);
        let effects = match (purpose, durably) {
            (Purpose::Claim(request, _) | Purpose::Trim(request), Some(outcome)) => {
                hilo.driver.claimed(request, outcome, now)
            }
            (Purpose::Claim(request, _) | Purpose::Trim(request), None) => {
                hilo.driver.lost();
                hilo.driver.failed(request);
                Vec::new()
            }
            (Purpose::Admit(request, _), _) => hilo.driver.admitted(request, outcome, durable, now),
            // Nobody waits for it, but it tells how many are parked.
            (Purpose::Park | Purpose::Share(_), Some(outcome)) => hilo.driver.claimed(0, outcome, now),
            (Purpose::Park | Purpose::Share(_), None) => {
                hilo.driver.lost();
                Vec::new()
            }
            (Purpose::Note, _) => Vec::new(),
        };
        match purpose {
            Purpose::Admit(_, group) => self.goes_on(at, effects, group),
            _ => self.act_ahead(at, effects),
        }
        if matches!(purpose, Purpose::Trim(_)) && self.tabs[at.tab].phase == Phase::Open {
            self.gives_back(at);
        }
        match purpose {
            Purpose::Claim(_, Some(group)) => self.waits_on(at, group, waiters::Event::Claimed),
            Purpose::Share(group) => self.waits_on(at, group, waiters::Event::Parked),
            _ => {}
        }
        self.advance(at.tab);
    }

    /// A tab waits no longer for its move, and asks the engine to abort it.
    pub(super) fn late(&mut self, number: u32) {
        let commits = self.rng.bool();
        let Some(transaction) = self.transactions.get_mut(&number) else { return };
        if transaction.over {
            return;
        }
        transaction.over = true;
        let (at, device, purpose) = (transaction.at, transaction.device, transaction.purpose);
        let outcome = transaction.outcome.clone();
        self.note(|| format!("tab {} gives up move {number}", at.tab));
        // One that has run may be past aborting.
        if outcome.is_none() || !commits {
            let disk = &mut self.devices[device].disk;
            if disk.running.as_ref().is_some_and(|(running, _)| *running == number) {
                disk.aborts();
            }
            self.transactions.remove(&number);
            self.leaves(device, number);
        }
        self.moved(at, purpose, outcome, false);
    }

    /// A tab ends: what it had asked of the disk may or may not happen.
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
            // What has run and is not complete is committed without its tab, or not.
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
