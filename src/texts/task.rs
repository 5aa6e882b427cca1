//! Tasks with their requests.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Attempt, Dialogue};
use crate::error::Error;
use crate::hilo;
use crate::http::{NodeId, Request};
use crate::pool::MoveKind;
use crate::source::{AnyExchange, Return};

/// A task in progress. Its host calls [`Store::step`](super::Store::step) until it is done, and
/// [`Store::dropped`](super::Store::dropped) at the end or when it gives up.
#[derive(Debug)]
pub struct Task {
    pub(super) core: hilo::Task,
    /// `None` until the task begins, and for a move.
    pub(super) dialogue: Option<Box<Dialogue<AnyExchange>>>,
    /// The returns that it sends.
    pub(super) returns: Vec<Return>,
}

/// What a task waits for.
#[derive(Debug, PartialEq, Eq)]
pub enum Wait {
    /// The response to [`Task::request`]; send it to this address.
    Send(Attempt),
    /// A pause, in milliseconds.
    Pause(u64),
    /// As [`hilo::Wait::Move`].
    Move {
        /// The number of the tag.
        tag: u32,
        /// Whether numbers leave the pool.
        strict: bool,
    },
    /// Nothing: the task has ended. For a request of the app, with status and node of the response.
    Done(Option<(u16, NodeId)>),
}

/// What to wait for, or the error of a failed task.
pub type Waited = Result<Wait, Error>;

impl Task {
    pub(super) fn new(core: hilo::Task) -> Task {
        Task { core, dialogue: None, returns: Vec::new() }
    }

    /// The request of the last [`Wait::Send`].
    pub fn request(&self) -> Option<&Request> {
        self.dialogue.as_ref()?.request()
    }

    /// As [`hilo::Task::is_refill`].
    pub fn is_refill(&self) -> bool {
        self.core.is_refill()
    }

    /// The kind of the move, if the task is one.
    pub fn move_kind(&self) -> Option<&MoveKind> {
        self.core.move_kind()
    }

    /// The returns that it sends.
    pub fn returns(&self) -> &[Return] {
        &self.returns
    }
}
