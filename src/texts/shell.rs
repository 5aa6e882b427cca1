//! What a [`Store`](super::Store) needs from its host.

use super::Task;
use crate::error::Error;
use crate::hilo::{self, At, Range};
use crate::source::{Grant, Return};

/// What the host does for waiting callers.
pub type Order = hilo::Order<Task>;

/// As [`hilo::Shell`](crate::hilo::Shell), with texts.
pub trait Shell {
    /// The time in microseconds, from a monotonic clock.
    fn micros(&self) -> u64;

    /// A random number from 0 to 2^53 − 1.
    fn random(&self) -> u64;

    /// Gives the tag's counter these numbers of a grant. `fence`: the fence under which the grant can be returned.
    fn hand(&self, tag: u32, range: Range, grant: &Grant, fence: Option<&str>);

    /// Empties the tag's counter, and returns the first number that it did not issue.
    fn surrender(&self, tag: u32) -> u64;

    /// Runs a background task. `reports`: its end is reported to group 0 as the end of a lease.
    fn spawn(&self, tag: u32, task: Task, reports: bool);

    /// Carries out an order for waiting callers after the current call into the store has returned.
    fn order(&self, at: At, order: Order);

    /// Notifies listeners that a lease was granted.
    fn leased(&self, tag: &str, grant: &Grant, fenced: bool);

    /// Notifies listeners of the outcome of a return.
    fn returned(&self, item: &Return, applied: bool, error: Option<&Error>);

    /// Notifies listeners that the source granted numbers that were issued before, up to `highest`.
    fn regression(&self, tag: &str, range: Range, highest: u64);

    /// Receives the database's topology as the server sent it.
    fn topology(&self, body: &[u8]);
}
