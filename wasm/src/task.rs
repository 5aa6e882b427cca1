//! A task of the core in progress.

use alloc::vec::Vec;
use raven_edge::hilo::{self, CounterState, Echo, Grant, Purpose, Range, Size, Wait};
use raven_edge::http::{NodeId, Repeat, Report, Rule};
use raven_edge::protocol::{purpose, repeat, report, wait};
use wasm_bindgen::prelude::*;

use crate::store::Shared;

/// A task in progress. The façade calls [`Task::step`] until it is done.
#[wasm_bindgen]
pub struct Task {
    store: Shared,
    task: hilo::Task,
}

impl Task {
    /// A task of the core.
    pub(crate) fn new(store: &Shared, task: hilo::Task) -> Task {
        Task { store: store.clone(), task }
    }
}

/// The node of a number; below 0: none.
pub(crate) fn node(number: f64) -> Option<NodeId> {
    (number >= 0.0).then_some(NodeId(number as u32))
}

/// Decodes one of [`repeat`].
pub(crate) fn rule(of: u8, to: f64) -> Rule {
    let repeat = match of {
        repeat::ANYWHERE => Repeat::Anywhere,
        repeat::EACH_NODE => Repeat::EachNode,
        repeat::SAME_NODE => Repeat::SameNode,
        _ => Repeat::Never,
    };
    Rule { repeat, node: node(to) }
}

/// What a task waits for: one of [`wait`], and its numbers.
fn numbers(of: Wait) -> Vec<f64> {
    let [kind, first, second] = match of {
        Wait::Send(attempt) => [wait::SEND, attempt.node.0.into(), attempt.limit],
        Wait::Pause(pause) => [wait::PAUSE, pause, 0],
        Wait::Move { tag, strict } => [wait::MOVE, tag.into(), strict.into()],
        Wait::Done => [wait::DONE, 0, 0],
        Wait::Fail => [wait::FAIL, 0, 0],
    };
    Vec::from([kind as f64, first as f64, second as f64])
}

#[wasm_bindgen]
impl Task {
    /// What the task is for: one of [`purpose`], and its numbers.
    pub fn purpose(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        let mut push = |number: u64| numbers.push(number as f64);
        match self.task.purpose() {
            Purpose::Lease(_, ask) => {
                push(purpose::LEASE);
                let (exact, echo) = match ask.size {
                    Size::Exact(size) => (size, Echo { size: 0, texts: 0 }),
                    Size::Adaptive(echo) => (0, echo.unwrap_or(Echo { size: 0, texts: 0 })),
                };
                for number in [ask.tag, ask.oldest_texts, ask.proof, ask.incarnation, echo.texts] {
                    push(number.into());
                }
                for number in [echo.size, exact, ask.above, ask.nonce] {
                    push(number);
                }
            }
            Purpose::Fences(items) => {
                push(purpose::FENCES);
                for item in items {
                    push(item.tag.into());
                    push(item.affixes.into());
                }
            }
            Purpose::Return(items) => {
                push(purpose::RETURN);
                for item in items {
                    push(item.tag.into());
                    push(item.texts.into());
                    push(item.high);
                    push(item.last);
                }
            }
            Purpose::Topology => push(purpose::TOPOLOGY),
            Purpose::Move(..) | Purpose::Refill(_) | Purpose::App => push(purpose::OTHER),
        }
        numbers
    }

    /// Continues with one of [`report`]; `of` and `to` are the rule of the request that follows (`SEND`, `AGAIN`). Returns what to wait
    /// for: one of [`wait`], and its numbers.
    pub fn step(&mut self, kind: u8, of: u8, to: f64) -> Vec<f64> {
        let kind = match kind {
            report::PROCEED => Report::Proceed,
            report::UNREACHABLE => Report::Unreachable,
            report::UNSENT => Report::Unsent,
            report::LATE => Report::Late,
            report::OUTAGE => Report::Outage,
            report::GONE => Report::Gone,
            report::SEND => Report::Send(rule(of, to)),
            report::AGAIN => Report::Again(rule(of, to)),
            report::DONE => Report::Done,
            _ => Report::Refused,
        };
        numbers(self.store.store.borrow_mut().step(&self.store, &mut self.task, kind))
    }

    /// Continues with the grant of a lease. `incarnation`: that of the response; 0: none.
    #[expect(clippy::too_many_arguments, reason = "one call of the façade; an object would cost an import for each")]
    pub fn leased(
        &mut self,
        low: f64,
        high: f64,
        affixes: u32,
        node_tag: u32,
        texts: u32,
        fenced: bool,
        sealed: bool,
        single_node: bool,
        incarnation: u32,
    ) -> Vec<f64> {
        let Some(range) = Range::new(low as u64, high as u64) else { return numbers(Wait::Fail) };
        let node = self.task.node();
        let grant = Grant { range, affixes, node_tag, texts, fenced, sealed, single_node, node, incarnation };
        numbers(self.store.store.borrow_mut().leased(&self.store, &mut self.task, grant))
    }

    /// Continues with what was read to get fences: for each item `Max`, the number of the texts (0: nothing was found), and whether the
    /// fence names a single node.
    pub fn refenced(&mut self, incarnation: u32, found: &[f64]) {
        let mut states = Vec::new();
        let mut rest = found;
        while let [max, texts, single_node, after @ ..] = rest {
            let state = CounterState { max: *max as u64, texts: *texts as u32, single_node: *single_node > 0.0 };
            states.push((state.texts > 0).then_some(state));
            rest = after;
        }
        self.store.store.borrow_mut().refenced(&self.store, &mut self.task, incarnation, &states);
    }
}

#[cfg(feature = "pool")]
#[wasm_bindgen]
impl Task {
    /// Applies the move to the record of its tag: incarnation, used numbers, how many ranges are parked; of each its lowest and highest
    /// number, affixes and node tag, the texts of its token (0: it has none), and the lowest and highest number of the token's lease; then pairs of a node tag and its highest issued number. Empty: there is no record, or it cannot be
    /// read. `stored`: the database's incarnation according to the device; 0: none. Returns the record to write; empty: it stays
    /// unchanged.
    pub fn decide(&mut self, stored: u32, record: &[f64]) -> Vec<f64> {
        let record = self.store.store.borrow_mut().decide(&mut self.task, read(record), stored);
        record.map(|record| write(&record)).unwrap_or_default()
    }

    /// Continues after the move has ended. `durable`: it is as durable as it must be.
    pub fn moved(&mut self, durable: bool) -> Vec<f64> {
        numbers(self.store.store.borrow_mut().moved(&self.store, &mut self.task, durable))
    }
}

#[cfg(feature = "pool")]
fn read(numbers: &[f64]) -> Option<raven_edge::pool::Record> {
    use raven_edge::pool::{Parked, Record, Token};
    let mut numbers = numbers.iter();
    let mut next = || numbers.next().copied();
    let mut record = Record { incarnation: next()? as u32, used: next()? as u64, ..Record::default() };
    let mut count = next()? as u32;
    while count > 0 {
        let range = Range::new(next()? as u64, next()? as u64)?;
        let [affixes, node_tag, text] = [next()? as u32, next()? as u32, next()? as u32];
        let lease = Range::new(next()? as u64, next()? as u64);
        let token = if text > 0 { Some(Token { lease: lease?, text }) } else { None };
        let parked = Parked { range, affixes, node_tag, token };
        // A number stored twice would be issued twice.
        if record.holds(&parked) {
            return None;
        }
        record.park(parked);
        count -= 1;
    }
    while let Some(node_tag) = next() {
        record.issued.push((node_tag as u32, next()? as u64));
    }
    Some(record)
}

#[cfg(feature = "pool")]
fn write(record: &raven_edge::pool::Record) -> Vec<f64> {
    use raven_edge::pool::{Parked, Token};
    let mut numbers = Vec::from([record.incarnation.into(), record.used as f64, record.parked.len() as f64]);
    for parked in &record.parked {
        let (text, low, high) =
            parked.token.map_or((0, 0, 0), |Token { lease, text }| (text, lease.low(), lease.high()));
        let Parked { range, affixes, node_tag, .. } = *parked;
        for number in [range.low(), range.high(), affixes.into(), node_tag.into(), text.into(), low, high] {
            numbers.push(number as f64);
        }
    }
    for (node_tag, highest) in &record.issued {
        numbers.push(f64::from(*node_tag));
        numbers.push(*highest as f64);
    }
    numbers
}

impl Drop for Task {
    fn drop(&mut self) {
        self.store.store.borrow_mut().dropped(&self.task);
    }
}
