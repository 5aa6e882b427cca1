//! What a [`Store`](super::Store) needs from its host: the package, or the simulation.

use super::{Grant, Range, Task, waiters};

/// A tag of a store, and a group of its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// The number of the tag.
    pub tag: u32,
    /// 0: the callers that are served together. On workerd each caller has its own group.
    pub group: u32,
}

/// What the host does for waiting callers.
#[derive(Debug)]
pub enum Order<T = Task> {
    /// Carry out this effect.
    Effect(waiters::Effect),
    /// Run this task, then report the event.
    Run(T, waiters::Event),
}

/// Clock, counters and listeners. No method may call back into the store, which is still processing its call.
pub trait Shell {
    /// The time in microseconds, from a monotonic clock.
    fn micros(&self) -> u64;

    /// A random number from 0 to 2^53 − 1.
    fn random(&self) -> u64;

    /// Gives the tag's counter these numbers of a grant. `fenced`: it can be returned under its fence.
    fn hand(&self, tag: u32, range: Range, grant: &Grant, fenced: bool);

    /// Empties the tag's counter, and returns the first number that it did not issue.
    fn surrender(&self, tag: u32) -> u64;

    /// Runs a background task. `reports`: its end is reported to group 0 as the end of a lease.
    fn spawn(&self, tag: u32, task: Task, reports: bool);

    /// Carries out an order for waiting callers after the current call into the store has returned.
    fn order(&self, at: At, order: Order);

    /// Notifies listeners that a lease was granted.
    fn leased(&self, tag: u32, grant: &Grant, fenced: bool);

    /// Notifies listeners of unused numbers that cannot be returned. They stay parked, because a gateway takes back only the end of the
    /// newest lease; or they are `burnt`, because they have no fence and none could be read, or lie below numbers in use.
    fn left(&self, tag: u32, range: Range, burnt: bool);

    /// Notifies listeners that the source granted numbers that were issued before, up to `highest`.
    fn regression(&self, tag: u32, range: Range, highest: u64);
}
