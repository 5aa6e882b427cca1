//! Work under way: a request with its failover and repetition, or a move between memory and pool.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::error::Error;
use crate::http::{Attempt, Conversation, NodeId, Request};
use crate::pool::{Move, MoveKind, Outcome};
use crate::source::{AnyExchange, Return};

/// Numbers of a tag that wait for a fence: the tag, the ledger's number for the wish, and the lease that they come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unfenced {
    pub(super) tag: u32,
    pub(super) request: u32,
    pub(super) lease: u32,
}

/// What the end of a task means.
#[derive(Debug)]
pub(super) enum Purpose {
    /// A range for a tag; the second number is the ledger's.
    Lease(u32, u32),
    /// A move of a tag; the second number is the ledger's, 0 where nothing is waited for.
    Move(u32, u32, Box<Moving>),
    /// The counter documents of these tags are read, for fences.
    Fences(Vec<Unfenced>),
    /// Unused ends going back.
    Return(Vec<Return>),
    /// The nodes of the database.
    Topology,
    /// A request of the app, whose response the package reads.
    App,
}

/// A move on its way.
#[derive(Debug)]
pub(super) struct Moving {
    pub(super) wanted: Move,
    /// Once it was decided.
    pub(super) outcome: Option<Outcome>,
}

/// Work under way. Whoever runs it calls [`Store::step`](super::Store::step) until it is done, and
/// [`Store::dropped`](super::Store::dropped) at the end or when it is given up.
#[derive(Debug)]
pub struct Task {
    pub(super) purpose: Purpose,
    /// A move has none.
    pub(super) conversation: Option<Box<Conversation<AnyExchange>>>,
}

/// What a task waits for.
#[derive(Debug, PartialEq, Eq)]
pub enum Wait {
    /// The response to [`Task::request`], which is to be sent to this address.
    Send(Attempt),
    /// So many milliseconds.
    Pause(u64),
    /// [`Store::decide`](super::Store::decide) within a transaction on the record of this tag, then
    /// [`Store::moved`](super::Store::moved). `strict`: it must be durable before it counts.
    Move {
        /// The number of the tag.
        tag: u32,
        /// Whether numbers leave the pool.
        strict: bool,
    },
    /// Nothing: it has ended. With the response's status and node where the app asked.
    Done(Option<(u16, NodeId)>),
}

/// What is to be waited for; the error of a task that has failed.
pub type Waited = Result<Wait, Error>;

impl Task {
    pub(super) fn moves(tag: u32, request: u32, wanted: Move) -> Task {
        Task { purpose: Purpose::Move(tag, request, Box::new(Moving { wanted, outcome: None })), conversation: None }
    }

    pub(super) fn sends(purpose: Purpose, conversation: Conversation<AnyExchange>) -> Task {
        Task { purpose, conversation: Some(Box::new(conversation)) }
    }

    /// The request of the last [`Wait::Send`].
    pub fn request(&self) -> Option<&Request> {
        self.conversation.as_ref()?.request()
    }

    /// What it wishes of the pool, if it is a move.
    pub fn move_kind(&self) -> Option<&MoveKind> {
        if let Purpose::Move(_, _, moving) = &self.purpose { Some(&moving.wanted.kind) } else { None }
    }

    /// What it gives back.
    pub fn returns(&self) -> &[Return] {
        if let Purpose::Return(items) = &self.purpose { items } else { &[] }
    }
}
