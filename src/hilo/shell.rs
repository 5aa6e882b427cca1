//! What a [`Store`](super::Store) has done by whoever drives it: the package, the simulation.

use super::{Range, Task, waiters};
use crate::error::Error;
use crate::source::{Grant, Return};

/// A tag of a store, and which of its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// The number of the tag.
    pub tag: u32,
    /// 0: those who are served together; on workerd each caller has a group of its own.
    pub group: u32,
}

/// What the driver is to do for waiting callers.
#[derive(Debug)]
pub enum Order {
    /// Carry out this effect.
    Effect(waiters::Effect),
    /// Run this task, and report the event when it has ended.
    Run(Task, waiters::Event),
}

/// Clock, counters, listeners. Nothing here calls back: a store is in the middle of its work.
pub trait Shell {
    /// Microseconds of a clock that does not go back.
    fn micros(&self) -> u64;

    /// A random number from 0 to 2^53 − 1.
    fn random(&self) -> u64;

    /// The tag's counter gets these numbers of a grant; `fence`: what the grant goes back under.
    fn hand(&self, tag: u32, range: Range, grant: &Grant, fence: Option<&str>);

    /// Run a task that nobody asked for. `reports`: group 0 is told of its end as of a lease of its own.
    fn spawn(&self, tag: u32, task: Task, reports: bool);

    /// Do this for those who wait, when the call into the store is over.
    fn order(&self, at: At, order: Order);

    /// A lease was granted.
    fn leased(&self, tag: &str, grant: &Grant, fenced: bool);

    /// What became of a return.
    fn returned(&self, item: &Return, applied: bool, error: Option<&Error>);

    /// The source granted numbers that were issued before, up to `highest`.
    fn regression(&self, tag: &str, range: Range, highest: u64);

    /// The database's topology was read.
    fn topology(&self, body: &[u8]);
}
