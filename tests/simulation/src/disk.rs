//! A device's IndexedDB: one transaction at a time, and what would survive a power failure.

use std::collections::{BTreeMap, VecDeque};

/// The stored data: a record's text per scope, and the last known incarnation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) records: BTreeMap<String, String>,
    pub(crate) incarnation: Option<String>,
}

#[derive(Default)]
pub(crate) struct Disk {
    pub(crate) state: State,
    /// The states since the last flush, oldest first: after a power failure any of them may remain.
    unflushed: Vec<State>,
    /// Transactions in the order in which they run.
    pub(crate) waiting: VecDeque<u32>,
    /// The transaction that has run and is not complete, and the state before it.
    pub(crate) running: Option<(u32, State)>,
}

impl Disk {
    /// A transaction runs: reads and writes at once.
    pub(crate) fn runs(&mut self, transaction: u32, after: State) {
        let before = std::mem::replace(&mut self.state, after);
        self.running = Some((transaction, before));
    }

    /// The running transaction is complete; `strict`: and flushed, with all earlier ones.
    pub(crate) fn ends(&mut self, strict: bool) {
        let Some((_, before)) = self.running.take() else { return };
        if strict {
            self.unflushed.clear();
        } else {
            self.unflushed.push(before);
        }
    }

    /// The running transaction is rolled back.
    pub(crate) fn aborts(&mut self) {
        if let Some((_, before)) = self.running.take() {
            self.state = before;
        }
    }

    /// The engine flushes at any time.
    pub(crate) fn flush(&mut self) {
        self.unflushed.clear();
    }

    /// Power failure: unflushed states may be lost, from any point on. `pick` chooses one of this many states.
    pub(crate) fn power_cut(&mut self, pick: impl FnOnce(usize) -> usize) {
        let mut states = std::mem::take(&mut self.unflushed);
        if let Some((_, before)) = self.running.take() {
            states.push(before);
        }
        states.push(self.state.clone());
        let at = pick(states.len());
        self.state = states.swap_remove(at);
        self.waiting.clear();
    }

    /// The user clears the site's data.
    pub(crate) fn clear(&mut self) {
        self.state = State::default();
        self.unflushed.clear();
    }
}
