//! Tasks: a request with its failover and retries, or a move between memory and pool.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::error::Error;
use crate::http::{Attempt, Conversation, NodeId, Request};
use crate::pool::{Move, MoveKind, Outcome};
use crate::source::{AnyExchange, Return};

/// Numbers whose return waits for a fence: the tag, the ledger's number of the request, and the lease that they come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unfenced {
    pub(super) tag: u32,
    pub(super) request: u32,
    pub(super) lease: u32,
}

/// What a task is for.
#[derive(Debug)]
pub(super) enum Purpose {
    /// Leases a range for a tag (first number); the second number is the ledger's request.
    Lease(u32, u32),
    /// Moves numbers of a tag (first number); the second number is the ledger's request, 0 if the ledger does not wait for it.
    Move(u32, u32, Box<Moving>),
    /// Refills the pool of a tag when the burst has paused.
    Refill(u32),
    /// Reads the counter documents of these tags to get fences.
    Fences(Vec<Unfenced>),
    /// Returns the unused ends of leases.
    Return(Vec<Return>),
    /// Reads the nodes of the database.
    Topology,
    /// Sends a request of the app, whose response the package reads.
    App,
}

/// A move in progress.
#[derive(Debug)]
pub(super) struct Moving {
    pub(super) wanted: Move,
    /// `None` until the move was decided.
    pub(super) outcome: Option<Outcome>,
}

/// A task in progress. Its host calls [`Store::step`](super::Store::step) until it is done, and
/// [`Store::dropped`](super::Store::dropped) at the end or when it gives up.
#[derive(Debug)]
pub struct Task {
    pub(super) purpose: Purpose,
    /// `None` for a move.
    pub(super) conversation: Option<Box<Conversation<AnyExchange>>>,
}

/// What a task waits for.
#[derive(Debug, PartialEq, Eq)]
pub enum Wait {
    /// The response to [`Task::request`]; send it to this address.
    Send(Attempt),
    /// A pause, in milliseconds.
    Pause(u64),
    /// [`Store::decide`](super::Store::decide) within a transaction on the record of this tag, then
    /// [`Store::moved`](super::Store::moved). `strict`: it must be durable before it counts.
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
    pub(super) fn moves(tag: u32, request: u32, wanted: Move) -> Task {
        Task { purpose: Purpose::Move(tag, request, Box::new(Moving { wanted, outcome: None })), conversation: None }
    }

    pub(super) fn refill(tag: u32) -> Task {
        Task { purpose: Purpose::Refill(tag), conversation: None }
    }

    /// Whether its pauses are over only in time, whether or not callers wait.
    pub fn is_refill(&self) -> bool {
        matches!(self.purpose, Purpose::Refill(_))
    }

    pub(super) fn sends(purpose: Purpose, conversation: Conversation<AnyExchange>) -> Task {
        Task { purpose, conversation: Some(Box::new(conversation)) }
    }

    /// The request of the last [`Wait::Send`].
    pub fn request(&self) -> Option<&Request> {
        self.conversation.as_ref()?.request()
    }

    /// The kind of the move, if the task is one.
    pub fn move_kind(&self) -> Option<&MoveKind> {
        if let Purpose::Move(_, _, moving) = &self.purpose { Some(&moving.wanted.kind) } else { None }
    }

    /// The returns that it sends.
    pub fn returns(&self) -> &[Return] {
        if let Purpose::Return(items) = &self.purpose { items } else { &[] }
    }
}
